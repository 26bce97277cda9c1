/* examples.c - every rule against its own examples, through the same search as any text. */
#include "pipeline/load.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "judge/find.h"
#include "pipeline/worker.h"

enum { EXAMPLES_MEMORY_MAX = 64 * 1024 * 1024, EXAMPLE_FINDINGS_MAX = 10000, EXAMPLES_DEPTH = 3 };

struct tester {
    const struct snapshot *snapshot;
    struct arena arena;
    struct finder finder;
    bool *has_rule; /* only the rule under test */
    struct span key;
};

static bool tester_init(struct tester *t, const struct snapshot *s, struct error *err)
{
    *t = (struct tester){.snapshot = s};
    arena_init(&t->arena, EXAMPLES_MEMORY_MAX, EXAMPLES_MEMORY_MAX);
    t->has_rule = calloc((size_t)s->rules->n_rules + 1, sizeof(*t->has_rule));
    t->finder = (struct finder){
        .arena = &t->arena,
        .views = {.depth = EXAMPLES_DEPTH, .max_bytes = EXAMPLES_MEMORY_MAX, .max_pieces = 100000},
        .findings_max = EXAMPLE_FINDINGS_MAX,
    };
    t->finder.scan = scanner_scratch_new(err);
    t->finder.regex = t->finder.scan != NULL ? regex_scratch_new(err) : NULL;
    if (t->finder.regex != NULL && t->has_rule == NULL) {
        error_set(err, ERROR_NO_MEMORY, "examples: no memory");
    }
    return t->finder.regex != NULL && t->has_rule != NULL;
}

static void tester_deinit(struct tester *t)
{
    free(t->has_rule);
    scanner_scratch_free(t->finder.scan);
    regex_scratch_free(t->finder.regex);
    arena_deinit(&t->arena);
}

static bool has_finding(struct tester *t, struct span text, bool *found, struct error *err)
{
    uint64_t ignored[STAGE_COUNT] = {0};
    struct finding_list list = {0};
    const struct find_request request = {
        .rules = t->snapshot->rules, .has_rule = t->has_rule, .key = t->key, .text = text, .stage_ns = ignored};

    arena_reset(&t->arena);
    if (!find_in_text(&t->finder, &request, &list, err)) {
        return false;
    }
    *found = list.n > 0;
    return true;
}

struct example_run {
    example_broken_fn *broken;
    void *context;
    size_t n;
    bool was_stopped;
};

static bool test_list(struct tester *t, const struct rule *rule, bool is_match, struct example_run *run,
                      struct error *err)
{
    const struct span_list *list = is_match ? &rule->match : &rule->no_match;

    for (size_t i = 0; i < list->n && !run->was_stopped; i++) {
        bool found;
        if (!has_finding(t, list->items[i], &found, err)) {
            return error_wrap(err, "rule '" SPAN_FMT "'", SPAN_ARG(rule->id));
        }
        run->n++;
        if (found != is_match) {
            run->was_stopped = !run->broken(run->context, rule, is_match, i);
        }
    }
    return true;
}

bool snapshot_test_examples(const struct snapshot *s, struct span key, example_broken_fn *broken, void *context, size_t *n_run,
                            struct error *err)
{
    struct tester tester CLEANUP(tester_deinit);
    struct example_run run = {.broken = broken, .context = context};

    if (!tester_init(&tester, s, err)) {
        return false;
    }
    tester.key = key;
    for (uint32_t i = 0; i < s->rules->n_rules && !run.was_stopped; i++) {
        const struct rule *rule = &s->rules->rules[i];
        if (!rule_set_can_find(s->rules, i)) {
            continue;
        }
        tester.has_rule[i] = true;
        if (!test_list(&tester, rule, true, &run, err) || !test_list(&tester, rule, false, &run, err)) {
            return false;
        }
        tester.has_rule[i] = false;
    }
    *n_run = run.n;
    return true;
}
