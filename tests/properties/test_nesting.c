/* Every ordered pair and triple of the documented layers over tokens of the rules: each is found by its own rule,
 * but for those that nesting_misses.tsv names. The list may only shrink: what it names and is found now fails as well.
 *
 * Of the triples one in TRIPLES_ONE_IN is tried, FILTERD_SEED says which; FILTERD_NESTING=all tries them all. */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

#include "pipeline/load.h"
#include "pipeline/pipeline.h"
#include "support/layers.h"
#include "support/shipped.h"
#include "support/tokens.h"
#include "support/world.h"

enum { TEXT_MAX = 1 << 24, LINE_MAX_LEN = 256, MISSES_MAX = 4096, TRIPLES_ONE_IN = 16, SHOWN_MAX = 1000, PLACES = 60 };

static const char list_path[] = "tests/properties/nesting_misses.tsv";

/* Tokens of the triples; pairs are tried with all. */
static const char *const of_triples[] = {"github-personal-token", "aws-access-key-id", "stripe-secret-key",
                                         "sendgrid-api-key",      "slack-bot-token",   "openai-project-key"};

struct nesting {
    struct snapshot *snapshot;
    struct worker *worker;
    struct token tokens[TOKENS];
    struct buf text, before;
    char listed[MISSES_MAX][LINE_MAX_LEN];
    size_t n_listed;
    size_t tried, missed, wrong;
};

static void read_list(struct nesting *n)
{
    FILE *f = fopen(list_path, "r");
    char line[LINE_MAX_LEN];

    if (f == NULL) {
        fail_msg("%s: not there; tests run in the root of the source", list_path);
    }
    while (fgets(line, sizeof(line), f) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '#' && line[0] != '\0') {
            assert_true(n->n_listed < MISSES_MAX);
            (void)snprintf(n->listed[n->n_listed++], LINE_MAX_LEN, "%s", line);
        }
    }
    (void)fclose(f);
}

static struct nesting *nesting_open(void)
{
    const struct rule_set_options options = shipped_options();
    const struct worker_limits limits = worker_limits_default();
    struct random r = {.state = 20261124};
    struct nesting *n = calloc(1, sizeof(*n));
    struct error err;

    assert_non_null(n);
    n->snapshot = snapshot_open(NULL, NULL, &options, &err);
    n->worker = worker_new(&limits, NULL, &err);
    assert_non_null(n->snapshot);
    assert_non_null(n->worker);
    buf_init(&n->text, TEXT_MAX);
    buf_init(&n->before, TEXT_MAX);
    tokens_make(&r, n->tokens);
    read_list(n);
    return n;
}

static void nesting_close(struct nesting *n)
{
    worker_free(n->worker);
    snapshot_unref(n->snapshot);
    buf_deinit(&n->text);
    buf_deinit(&n->before);
    free(n);
}

/* Whether the token's own rule finds it and the policy acts. */
static bool is_found(struct nesting *n, const char *rule)
{
    struct channel channel = {.text = buf_span(&n->text)};
    struct exchange x = {.snapshot = n->snapshot,
                         .policy = snapshot_policy(n->snapshot, (struct span){0}, (struct span){0}),
                         .channels = &channel,
                         .n_channels = 1};

    (void)worker_begin(n->worker);
    pipeline_judge(n->worker, &x);
    assert_null(x.unjudged_reason);
    for (size_t i = 0; i < x.n_findings && x.action != ACTION_ALLOW; i++) {
        if (span_is(x.findings[i].rule->id, rule) && x.findings[i].action != ACTION_ALLOW) {
            return true;
        }
    }
    return false;
}

static bool is_listed(const struct nesting *n, const char *line)
{
    for (size_t i = 0; i < n->n_listed; i++) {
        if (strcmp(n->listed[i], line) == 0) {
            return true;
        }
    }
    return false;
}

/* The layers from the outermost to the innermost. */
static void write_nested(struct nesting *n, const struct token *t, const size_t *outer_first, size_t depth)
{
    buf_clear(&n->text);
    world_append(&n->text, token_span(t));
    for (size_t i = depth; i > 0; i--) {
        struct buf swapped = n->before;
        n->before = n->text;
        n->text = swapped;
        buf_clear(&n->text);
        layers[outer_first[i - 1]].put(&n->text, buf_span(&n->before));
    }
}

static void try_nested(struct nesting *n, const struct token *t, const size_t *outer_first, size_t depth)
{
    char line[LINE_MAX_LEN] = "";
    size_t len = 0;

    for (size_t i = 0; i < depth; i++) {
        len += (size_t)snprintf(line + len, sizeof(line) - len, "%s\t", layers[outer_first[i]].name);
    }
    (void)snprintf(line + len, sizeof(line) - len, "%s", t->rule);
    write_nested(n, t, outer_first, depth);
    bool is_missed = !is_found(n, t->rule), should_be = is_listed(n, line);
    n->tried++;
    n->missed += is_missed;
    if (is_missed != should_be && n->wrong++ < SHOWN_MAX) {
        print_error("%s: %s\n", is_missed ? "missed and not listed" : "listed and found", line);
    }
}

static void tell(const struct nesting *n, const char *what)
{
    print_message("# %s: %zu tried, %zu missed, %zu of them wrongly or wrongly listed\n", what, n->tried, n->missed, n->wrong);
}

static void every_pair_of_layers_is_undone(void **state)
{
    struct nesting *n = nesting_open();

    (void)state;
    for (size_t i = 0; i < LAYERS * LAYERS * TOKENS; i++) {
        const size_t pair[] = {i / TOKENS / LAYERS, i / TOKENS % LAYERS};
        try_nested(n, &n->tokens[i % TOKENS], pair, COUNT(pair));
    }
    tell(n, "pairs");
    assert_int_equal(n->wrong, 0);
    assert_int_equal(n->missed, 0);
    nesting_close(n);
}

static const struct token *token_of(const struct nesting *n, const char *rule)
{
    size_t i = 0;

    while (strcmp(n->tokens[i].rule, rule) != 0) {
        i++;
        assert_true(i < TOKENS);
    }
    return &n->tokens[i];
}

static void triples_of_layers_are_undone_but_for_those_listed(void **state)
{
    const char *how = getenv("FILTERD_NESTING");
    bool is_all = how != NULL && strcmp(how, "all") == 0;
    struct nesting *n = nesting_open();
    struct random r = {.state = number_from("FILTERD_SEED", 20261125)};

    (void)state;
    for (size_t i = 0; i < (size_t)LAYERS * LAYERS * LAYERS * COUNT(of_triples); i++) {
        size_t k = i / COUNT(of_triples);
        const size_t triple[] = {k / LAYERS / LAYERS, k / LAYERS % LAYERS, k % LAYERS};
        if (is_all || random_below(&r, TRIPLES_ONE_IN) == 0) {
            try_nested(n, token_of(n, of_triples[i % COUNT(of_triples)]), triple, COUNT(triple));
        }
    }
    tell(n, "triples");
    assert_int_equal(n->wrong, 0);
    assert_true(n->n_listed * 100 <= (size_t)LAYERS * LAYERS * LAYERS * COUNT(of_triples));
    nesting_close(n);
}

/* As coreutils writes it, twice; the token stands at every place of the inner lines. */
static void wrapped_base64_in_wrapped_base64_hides_nothing(void **state)
{
    static const size_t widths[] = {60, 64, 72, 76, 77};
    struct nesting *n = nesting_open();
    const struct token *t = token_of(n, "github-personal-token");

    (void)state;
    for (size_t i = 0; i < COUNT(widths) * COUNT(widths) * PLACES; i++) {
        buf_clear(&n->text);
        for (size_t k = 0; k < i % PLACES; k++) {
            world_append(&n->text, span_str("a line of a file\n" + k % 17));
        }
        world_append(&n->text, span_str("token = "));
        world_append(&n->text, token_span(t));
        world_append(&n->text, span_str("\nand another line of it\n"));
        for (size_t layer = 0; layer < 2; layer++) {
            struct buf swapped = n->before;
            n->before = n->text;
            n->text = swapped;
            buf_clear(&n->text);
            layer_put_base64_wrapped(&n->text, buf_span(&n->before),
                                     widths[layer == 0 ? i / PLACES % COUNT(widths) : i / PLACES / COUNT(widths)]);
        }
        n->tried++;
        n->missed += !is_found(n, t->rule);
    }
    tell(n, "base64 | base64");
    assert_int_equal(n->missed, 0);
    nesting_close(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_layers_is_undone),
        cmocka_unit_test(wrapped_base64_in_wrapped_base64_hides_nothing),
        cmocka_unit_test(triples_of_layers_are_undone_but_for_those_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
