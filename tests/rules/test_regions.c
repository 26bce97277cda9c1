/* test_regions.c - a match of a region, once there, only grows, whatever follows. */
#include "testing.h"

#include "scan/liveness.h"
#include "support/shipped.h"

enum { REGIONS_AT_LEAST = 7, TEXT_MAX = 20000 };

static struct scanner_scratch *scratch;

static int set_up(void **state)
{
    struct error err;

    scratch = scanner_scratch_new(&err);
    return scratch != NULL ? shipped_open(state) : -1;
}

static int tear_down(void **state)
{
    scanner_scratch_free(scratch);
    return shipped_close(state);
}

static bool matches_at(const struct rule *rule, struct span text, size_t start)
{
    const struct rule_set *rules = shipped->rules;
    bool matches = false;

    uint32_t index = rule_set_index(rules, rule);

    for (uint32_t i = rules->first_pattern[index]; i < rules->first_pattern[index + 1]; i++) {
        struct scanner_place place;
        matches = matches || scanner_search(rules->scanner, scratch, i, text, start, start, &place);
    }
    return matches;
}

static void assert_matches_with(const struct rule *rule, struct span text, size_t start, const char *more)
{
    static char longer[TEXT_MAX];

    assert_true(text.len + strlen(more) <= sizeof(longer));
    memcpy(longer, text.ptr, text.len);
    memcpy(longer + text.len, more, strlen(more));
    if (!matches_at(rule, span_of(longer, text.len + strlen(more)), start)) {
        fail_msg(SPAN_FMT ": no match any more at %zu of \"" SPAN_FMT "%s\"", SPAN_ARG(rule->id), start, SPAN_ARG(text), more);
    }
}

/* From the shortest beginning of the example that matches. */
static void assert_only_grows(const struct rule *rule, struct span example, size_t start)
{
    static const char *const followers[] = {"",  " ", "\n", "-", "-----", "=", "A", "\\", "\\n", ":", "Proc-Type: 4",
                                            "\nComment: A", "\n-----BEGIN ", "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKL"};
    bool has_matched = false;

    for (size_t to = start + 1; to <= example.len; to++) {
        struct span beginning = span_slice(example, 0, to);
        has_matched = has_matched || matches_at(rule, beginning, start);
        for (size_t i = 0; i < COUNT(followers) && has_matched; i++) {
            assert_matches_with(rule, beginning, start, followers[i]);
        }
    }
    assert_true(has_matched);
}

static void a_region_only_grows(void **state)
{
    size_t n_regions = 0;

    (void)state;
    for (uint32_t i = 0; i < shipped->rules->n_rules; i++) {
        const struct rule *rule = &shipped->rules->rules[i];
        size_t n_tried = 0;
        for (size_t k = 0; rule->is_region && k < rule->match.n; k++) {
            struct span example = rule->match.items[k];
            for (size_t at = 0; at < example.len; at++) {
                if (matches_at(rule, example, at)) {
                    assert_only_grows(rule, example, at);
                    n_tried++;
                }
            }
        }
        assert_true(!rule->is_region || n_tried > 0);
        n_regions += rule->is_region;
    }
    assert_true(n_regions >= REGIONS_AT_LEAST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_region_only_grows),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
