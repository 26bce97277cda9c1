/* test_liveness.c - where a match could still begin; and the table never excludes what PCRE2 calls live. */
#include "testing.h"

#include "base/cleanup.h"
#include "pipeline/load.h"
#include "scan/liveness.h"
#include "scan/scanner_parts.h"
#include "support/random.h"
#include "support/shipped.h"
#include "support/world.h"

enum { RULES_ONE_IN = 3, TEXT_LEN_MAX = 96, LIVE_MAX = 1 << 18, CORE_MAX = 64 * 1024 };

struct live {
    uint32_t pattern;
    size_t start;
};

static struct live found[LIVE_MAX];
static size_t n_found;
static struct scanner_scratch *scratch;
static struct error err;

static int set_up(void **state)
{
    (void)state;
    scratch = scanner_scratch_new(&err);
    return scratch != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    scanner_scratch_free(scratch);
    return 0;
}

static bool remember(void *context, uint32_t pattern, size_t start)
{
    (void)context;
    assert_true(n_found < LIVE_MAX);
    found[n_found++] = (struct live){pattern, start};
    return true;
}

static void find_live(const struct scanner *s, struct span text)
{
    const struct live_query query = {.text = text, .to = text.len};

    n_found = 0;
    assert_true(scanner_each_live(s, scratch, &query, remember, NULL, &err));
}

/* --- by hand ---------------------------------------------------------------- */

static struct scanner *scanner_of(struct scanner_pattern pattern)
{
    uint32_t bad;

    pattern.views = 7;
    struct scanner *s = scanner_new(&pattern, 1, NULL, false, &bad, &err);
    if (s == NULL) {
        fail_msg("%s", err.text);
    }
    return s;
}

/* The first place from which the pattern is live; the text's length when there is none. */
static size_t first_live(struct scanner_pattern pattern, const char *text)
{
    struct scanner *s = scanner_of(pattern);

    find_live(s, span_str(text));
    scanner_free(s);
    return n_found > 0 ? found[0].start : strlen(text);
}

static const struct scanner_pattern aws = {.pattern = {.ptr = "AKIA[A-Z2-7]{16}", .len = 16}};
static const struct scanner_pattern free_aws = {
    .pattern = {.ptr = "AKIA[A-Z2-7]{16}", .len = 16},
    .before = {.ptr = "(?<![A-Za-z0-9])", .len = 16},
    .after = {.ptr = "(?![A-Za-z0-9])", .len = 15},
    .starts_free = true,
};

static void part_of_a_match_is_live(void **state)
{
    (void)state;
    assert_int_equal(first_live(aws, "key AKIA"), 4);
    assert_int_equal(first_live(aws, "key A"), 4);
    assert_int_equal(first_live(aws, "key AKIAQ3EGR7KJ2MXW5TZ"), 4);
    assert_int_equal(first_live(aws, "key AKIAQ3EGR7KJ2MXW5T-"), 23);
    assert_int_equal(first_live(aws, "key AKIB"), 8);
}

static void a_complete_match_is_not_live(void **state)
{
    (void)state;
    assert_int_equal(first_live(aws, "key AKIAQ3EGR7KJ2MXW5TZB"), 24);
    assert_int_equal(first_live(free_aws, "key AKIAQ3EGR7KJ2MXW5TZB "), 25);
}

static void a_match_that_may_grow_is_live(void **state)
{
    (void)state;
    assert_int_equal(first_live((struct scanner_pattern){.pattern = span_str("key-[a-z]{3,40}")}, "a key-abcd"), 2);
    assert_int_equal(first_live((struct scanner_pattern){.pattern = span_str("key-[a-z]{3,40}")}, "a key-abcd."), 11);
}

static void a_boundary_that_looks_ahead_is_live_at_the_end(void **state)
{
    (void)state;
    assert_int_equal(first_live(free_aws, "key AKIAQ3EGR7KJ2MXW5TZB"), 4);
    assert_int_equal(first_live((struct scanner_pattern){.pattern = span_str("abc\\b")}, "x abc"), 2);
}

static void a_boundary_that_looks_back_excludes(void **state)
{
    (void)state;
    assert_int_equal(first_live(free_aws, "keyAKIAQ3EG"), 11);
    assert_int_equal(first_live(free_aws, "key=AKIAQ3EG"), 4);
}

static void back_references_are_live(void **state)
{
    const struct scanner_pattern quoted = {.pattern = span_str("pw=([\"'])[a-z]{4,9}\\1;")};

    (void)state;
    assert_int_equal(first_live(quoted, "pw='abcdef"), 0);
    assert_int_equal(first_live(quoted, "pw='abcdef'"), 0);
    assert_int_equal(first_live(quoted, "pw='abcdef\""), 11);
    assert_int_equal(first_live(quoted, "pw='abcdef';"), 12);
}

static void look_ahead_behind_a_short_match_is_live(void **state)
{
    const struct scanner_pattern pattern = {.pattern = span_str("ab(?!cdefgh)x?")};

    (void)state;
    assert_int_equal(first_live(pattern, "abcdef"), 0);
    assert_int_equal(first_live(pattern, "abcdx"), 5);
}

static void compatibility_forms_of_a_letter_are_live(void **state)
{
    const struct scanner_pattern pattern = {.pattern = span_str("(?i)sk-[0-9]{9}")};

    (void)state;
    assert_int_equal(first_live(pattern, "a \xc5\xbf\xe2\x84\xaa-12"), 2);
    assert_int_equal(first_live(pattern, "a SK-12"), 2);
}

static void only_what_is_asked_for_is_looked_at(void **state)
{
    struct scanner *s = scanner_of(aws);
    const uint64_t none = 0;
    struct live_query query = {.text = span_str("AKIA AKIAQ"), .from = 1, .to = 10};

    (void)state;
    n_found = 0;
    assert_true(scanner_each_live(s, scratch, &query, remember, NULL, &err));
    assert_int_equal(n_found, 1);
    assert_int_equal(found[0].start, 5);
    query.to = 5;
    assert_true(scanner_each_live(s, scratch, &query, remember, NULL, &err));
    assert_int_equal(n_found, 1);
    query = (struct live_query){.text = query.text, .to = 10, .wanted = &none};
    assert_true(scanner_each_live(s, scratch, &query, remember, NULL, &err));
    assert_int_equal(n_found, 1);
    assert_true(scanner_is_live_at(s, scratch, 0, query.text, 5));
    assert_false(scanner_is_live_at(s, scratch, 0, query.text, 4));
    scanner_free(s);
}

/* A set of patterns has a table of its own, while there are few sets. */
static void a_table_of_some_patterns_finds_these_alone(void **state)
{
    const struct scanner_pattern patterns[] = {
        {.pattern = span_str("AKIA[A-Z2-7]{16}"), .views = 7}, {.pattern = span_str("AKIB[0-9]{4}"), .views = 7},
        {.pattern = span_str("AK-[0-9]{4}"), .views = 7},      {.pattern = span_str("AQ[0-9]{4}"), .views = 7},
    };
    const struct live_table *table, *again;
    uint32_t bad;
    struct scanner *s = scanner_new(patterns, COUNT(patterns), NULL, false, &bad, &err);

    (void)state;
    assert_non_null(s);
    for (uint64_t wanted = 1; wanted < 16; wanted++) {
        assert_true(scanner_live_table(s, &wanted, &table, &err));
        assert_true(scanner_live_table(s, &wanted, &again, &err));
        assert_ptr_equal(table, again);
        assert_int_equal(table != NULL, wanted <= 8);
        const struct live_query query = {.text = span_str("x AK"), .to = 4, .wanted = &wanted, .table = table};
        n_found = 0;
        assert_true(scanner_each_live(s, scratch, &query, remember, NULL, &err));
        assert_int_equal(n_found, __builtin_popcountll(wanted & 7));
    }
    scanner_free(s);
}

static void the_letters_that_a_match_begins_with_are_measured(void **state)
{
    struct scanner *s = scanner_of((struct scanner_pattern){.pattern = span_str("(?:ghp_|github_pat_)[a-z]{9}")});

    (void)state;
    assert_int_equal(scanner_pattern_count(s), 1);
    assert_int_equal(scanner_literal_at(s, 0, span_str("a ghp_abc"), 2), 4);
    assert_int_equal(scanner_literal_at(s, 0, span_str("a github_pat_abc"), 2), 11);
    assert_int_equal(scanner_literal_at(s, 0, span_str("a ghp"), 2), 0);
    scanner_free(s);
    s = scanner_of((struct scanner_pattern){.pattern = span_str("ghp_(?<secret>[a-z]{9})")});
    assert_int_equal(scanner_literal_at(s, 0, span_str("ghp_abc"), 0), 0);
    scanner_free(s);
}

/* --- the shipped rules ------------------------------------------------------- */

/* Look-ahead that reaches the end is live for PCRE2 also when the characters at hand exclude a match: then the
 * expression without it neither matches there nor may. */
static bool is_excluded_without_look_around(const struct scanner_entry *entry, struct span text, size_t at)
{
    struct buf core CLEANUP(buf_deinit);
    struct regex_scratch *regex = scanner_scratch_regex(scratch);

    buf_init(&core, CORE_MAX);
    assert_true(trigger_core(entry->pattern, &core, &err));
    struct regex *re = regex_new(buf_span(&core), &err);
    assert_non_null(re);
    bool is_excluded = !regex_is_live(re, regex, text, at) && regex_search(re, regex, text, at, at) == REGEX_NO_MATCH;
    regex_free(re);
    return is_excluded;
}

static int compare_found(const void *a, const void *b)
{
    const struct live *x = a, *y = b;

    return x->start != y->start ? (x->start > y->start) - (x->start < y->start)
                                : (x->pattern > y->pattern) - (x->pattern < y->pattern);
}

/* Each start and each pattern is asked in turn, and found[] must have exactly these. */
static void assert_same_as_without_table(const struct scanner *s, struct span text)
{
    size_t n = 0;

    find_live(s, text);
    qsort(found, n_found, sizeof(found[0]), compare_found);
    for (size_t at = 0; at < text.len; at++) {
        if (((unsigned char)text.ptr[at] & 0xc0) == 0x80) {
            continue;
        }
        for (uint32_t pattern = 0; pattern < s->n; pattern++) {
            if (!scanner_is_live_at(s, scratch, pattern, text, at)) {
                continue;
            }
            if (n < n_found && found[n].pattern == pattern && found[n].start == at) {
                n++;
            } else if (!is_excluded_without_look_around(&s->entries[pattern], text, at)) {
                fail_msg("not found: pattern " SPAN_FMT " at %zu of \"" SPAN_FMT "\"", SPAN_ARG(s->entries[pattern].pattern),
                         at, SPAN_ARG(text));
            }
        }
    }
    assert_int_equal(n, n_found);
}

static size_t character_begin(struct span text, size_t at)
{
    while (at > 0 && at < text.len && ((unsigned char)text.ptr[at] & 0xc0) == 0x80) {
        at--;
    }
    return at;
}

static void cut_and_compare(const struct scanner *s, struct random *r, struct span example)
{
    if (example.len > 0) {
        size_t to = character_begin(example, 1 + random_below(r, example.len));
        size_t from = character_begin(example, to > TEXT_LEN_MAX ? to - TEXT_LEN_MAX : 0);
        assert_same_as_without_table(s, span_slice(example, from, to));
    }
}

/* An example of one rule in RULES_ONE_IN, or FILTERD_EXAMPLES of each; FILTERD_SEED says which. It is compared with every
 * pattern of the set at every place. */
static void the_table_excludes_nothing_that_is_live(void **state)
{
    const struct rule_set_options options = shipped_options();
    struct snapshot *snapshot = snapshot_open(NULL, NULL, &options, &err);
    struct random random = {.state = number_from("FILTERD_SEED", 20261121)};
    size_t of_a_rule = number_from("FILTERD_EXAMPLES", 0);

    (void)state;
    assert_non_null(snapshot);
    const struct rule_set *rules = snapshot->rules;
    for (uint32_t i = 0; i < rules->n_rules; i++) {
        const struct span_list *examples = &rules->rules[i].match;
        size_t n = of_a_rule > 0 ? of_a_rule : random_below(&random, RULES_ONE_IN) == 0;
        for (size_t k = 0; k < n && k < examples->n; k++) {
            cut_and_compare(rules->scanner, &random, examples->items[random_below(&random, examples->n)]);
        }
    }
    snapshot_unref(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(part_of_a_match_is_live),
        cmocka_unit_test(a_complete_match_is_not_live),
        cmocka_unit_test(a_match_that_may_grow_is_live),
        cmocka_unit_test(a_boundary_that_looks_ahead_is_live_at_the_end),
        cmocka_unit_test(a_boundary_that_looks_back_excludes),
        cmocka_unit_test(back_references_are_live),
        cmocka_unit_test(look_ahead_behind_a_short_match_is_live),
        cmocka_unit_test(compatibility_forms_of_a_letter_are_live),
        cmocka_unit_test(only_what_is_asked_for_is_looked_at),
        cmocka_unit_test(a_table_of_some_patterns_finds_these_alone),
        cmocka_unit_test(the_letters_that_a_match_begins_with_are_measured),
        cmocka_unit_test(the_table_excludes_nothing_that_is_live),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
