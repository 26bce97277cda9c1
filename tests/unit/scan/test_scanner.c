#include "testing.h"

#include "scan/scanner.h"

struct hit {
    uint32_t pattern;
    size_t from, to, span_from, span_to;
    bool is_over_limit;
};

static struct hit hits[1000];
static size_t n_hits;
static struct scanner *scanner;
static struct scanner_scratch *scratch;
static struct error err;

static bool remember(void *context, const struct scanner_match *m, struct error *e)
{
    (void)context;
    (void)e;
    assert_true(n_hits < sizeof(hits) / sizeof(hits[0]));
    hits[n_hits++] = (struct hit){m->pattern, m->from, m->to, m->span_from, m->span_to, m->is_over_limit};
    return true;
}

static int set_up(void **state)
{
    (void)state;
    scratch = scanner_scratch_new(&err);
    return scratch != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    scanner_free(scanner);
    scanner = NULL;
    scanner_scratch_free(scratch);
    return 0;
}

static void use(struct scanner_pattern pattern)
{
    uint32_t bad;

    pattern.views = 7;
    scanner_free(scanner);
    scanner = scanner_new(&pattern, 1, NULL, false, &bad, &err);
    if (scanner == NULL) {
        fail_msg("%s", err.text);
    }
}

static void scan(struct span text)
{
    struct view_piece whole;
    struct view view;

    view_raw(text, &whole, &view);
    n_hits = 0;
    assert_true(scanner_mark(scanner, scratch, &view, NULL, &err));
    assert_true(scanner_confirm(scanner, scratch, &view, remember, NULL, &err));
}

static void a_match_is_longer_than_its_trigger(void **state)
{
    (void)state;
    use((struct scanner_pattern){.pattern = span_str("key-[a-z]{3,40}")});
    scan(span_str("a key-abcdefgh. key-ab key-xyz"));
    assert_int_equal(n_hits, 2);
    assert_int_equal(hits[0].from, 2);
    assert_int_equal(hits[0].to, 14);
    assert_int_equal(hits[1].from, 23);
    assert_int_equal(hits[1].to, 30);
}

static void the_group_secret_is_the_span(void **state)
{
    (void)state;
    use((struct scanner_pattern){.pattern = span_str("pass(?:word)?=(?<secret>[a-z]{3,9})")});
    scan(span_str("password=abc pass=defg"));
    assert_int_equal(n_hits, 2);
    assert_int_equal(hits[0].span_from, 9);
    assert_int_equal(hits[0].span_to, 12);
    assert_int_equal(hits[1].span_from, 18);
}

static void a_trigger_in_the_middle_looks_back_by_its_lead(void **state)
{
    const struct span trigger = span_str("@x");

    (void)state;
    use((struct scanner_pattern){.pattern = span_str("[a-z]{1,8}@x[a-z]{1,8}"), .triggers = &trigger, .n_triggers = 1, .lead = 10});
    scan(span_str("abcdefgh@xyz, q@xa and @x"));
    assert_int_equal(n_hits, 2);
    assert_int_equal(hits[0].from, 0);
    assert_int_equal(hits[0].to, 12);
    assert_int_equal(hits[1].from, 14);
}

static void look_arounds_and_back_references_hold(void **state)
{
    (void)state;
    use((struct scanner_pattern){.pattern = span_str("([a-c])x\\1y"), .before = span_str("(?<![0-9])"), .after = span_str("(?![0-9])")});
    scan(span_str("axay bxay 1axay axay1 cxcy"));
    assert_int_equal(n_hits, 2);
    assert_int_equal(hits[0].from, 0);
    assert_int_equal(hits[1].from, 22);
}

static void matches_do_not_overlap_and_are_leftmost(void **state)
{
    (void)state;
    use((struct scanner_pattern){.pattern = span_str("ab(?:ab){1,2}")});
    scan(span_str("abababababab"));
    assert_int_equal(n_hits, 2);
    assert_int_equal(hits[0].to, 6);
    assert_int_equal(hits[1].from, 6);
}

static void a_match_past_its_length_is_marked(void **state)
{
    (void)state;
    const struct span trigger = span_str("begin");
    use((struct scanner_pattern){.pattern = span_str("begin.*end"), .triggers = &trigger, .n_triggers = 1, .lead = 5, .max_length = 20});
    scan(span_str("begin x end\nbegin 0123456789 0123456789 end"));
    assert_int_equal(n_hits, 2);
    assert_false(hits[0].is_over_limit);
    assert_true(hits[1].is_over_limit);
}

static void a_pattern_past_the_match_limit_counts_as_found(void **state)
{
    char text[64];

    (void)state;
    memset(text, 'a', sizeof(text));
    const struct span trigger = span_str("aaa");
    use((struct scanner_pattern){.pattern = span_str("(?:(?:a|aa|aaa){1,40}){1,30}[cd]"), .triggers = &trigger, .n_triggers = 1, .lead = 4000});
    scan(span_of(text, sizeof(text)));
    assert_true(n_hits >= 1);
    assert_true(hits[0].is_over_limit);
}

static void characters_of_many_bytes_are_never_split(void **state)
{
    const struct span trigger = span_str("=x");

    (void)state;
    use((struct scanner_pattern){.pattern = span_str(".{2}=x"), .triggers = &trigger, .n_triggers = 1});
    scan(span_str("日本語=x"));
    assert_int_equal(n_hits, 1);
    assert_int_equal(hits[0].from, 3);
}

static void one_scratch_serves_one_scanner_after_another(void **state)
{
    (void)state;
    use((struct scanner_pattern){.pattern = span_str("one-[0-9]{3}")});
    scan(span_str("one-123"));
    assert_int_equal(n_hits, 1);
    use((struct scanner_pattern){.pattern = span_str("two-(?:[a-z]{3}|[0-9]{40}){3}[a-f]{9}")});
    scan(span_str("one-123 two-abcdefghiabcdefabc"));
    assert_int_equal(n_hits, 1);
}

static void the_fault_of_a_pattern_is_named(void **state)
{
    struct scanner_pattern patterns[] = {{.pattern = span_str("fine")}, {.pattern = span_str("bro(ken")}};
    uint32_t bad;

    (void)state;
    assert_null(scanner_new(patterns, 2, NULL, false, &bad, &err));
    assert_int_equal(bad, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_is_longer_than_its_trigger),
        cmocka_unit_test(the_group_secret_is_the_span),
        cmocka_unit_test(a_trigger_in_the_middle_looks_back_by_its_lead),
        cmocka_unit_test(look_arounds_and_back_references_hold),
        cmocka_unit_test(matches_do_not_overlap_and_are_leftmost),
        cmocka_unit_test(a_match_past_its_length_is_marked),
        cmocka_unit_test(a_pattern_past_the_match_limit_counts_as_found),
        cmocka_unit_test(characters_of_many_bytes_are_never_split),
        cmocka_unit_test(one_scratch_serves_one_scanner_after_another),
        cmocka_unit_test(the_fault_of_a_pattern_is_named),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
