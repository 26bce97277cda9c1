#include "testing.h"

#include "base/buf.h"
#include "scan/scanner.h"
#include "support/random.h"

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

static void each_group_secret_that_takes_part_is_a_span(void **state)
{
    (void)state;
    use((struct scanner_pattern){.pattern = span_str("keys: (?<secret>[a-z]{3})(?:, (?<secret>[a-z]{3}))?(?:, (?<secret>[a-z]{3}))?")});
    scan(span_str("keys: abc, def. keys: ghi, jkl, mno"));
    assert_int_equal(n_hits, 5);
    assert_int_equal(hits[1].from, hits[0].from);
    assert_int_equal(hits[1].span_from, 11);
    assert_int_equal(hits[1].span_to, 14);
    assert_int_equal(hits[4].from, 16);
    assert_int_equal(hits[4].span_from, 32);
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
    /* The look-ahead is what the filter of starts does not know. */
    use((struct scanner_pattern){.pattern = span_str("(?:(?:a|aa|aaa){1,40}){1,30}(?=[cd])"), .triggers = &trigger, .n_triggers = 1, .lead = 4000});
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

/* --- words at their starts ------------------------------------------------------- */

#define TOKEN_BEFORE "(?<![A-Za-z0-9])"
#define TOKEN_AFTER "(?![A-Za-z0-9])"
#define PART_BEFORE "(?:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z]))"

static void a_trigger_of_words_inside_looks_back_by_its_lead(void **state)
{
    const struct span trigger = span_str("(?i)\\b(?:secret|api[ _]key)");

    (void)state;
    use((struct scanner_pattern){.pattern = span_str("(?i)[0-9]{1,6} \\b(?:secret|api[ _]key)s?"), .triggers = &trigger, .n_triggers = 1, .lead = 20});
    scan(span_str("123456 Secrets, 7 API_KEY, 8 xsecret, 9 secre 0 \xc5\xbf" "ecret"));
    assert_int_equal(n_hits, 2);
    assert_int_equal(hits[0].from, 0);
    assert_int_equal(hits[0].to, 14);
    assert_int_equal(hits[1].from, 16);
    assert_int_equal(hits[1].to, 25);
}

static void a_part_of_a_name_begins_a_match(void **state)
{
    (void)state;
    use((struct scanner_pattern){.pattern = span_str("(?i)acme_?(?:key|token)=[0-9]{3,9}"), .before = span_str(PART_BEFORE), .starts_part = true});
    scan(span_str("my_acme_key=123 myAcmeKey=4567 MYACMEKEY=123 myacmekey=123 acmetoken=890x"));
    assert_int_equal(n_hits, 3);
    assert_int_equal(hits[0].from, 3);
    assert_int_equal(hits[1].from, 18);
    assert_int_equal(hits[2].from, 59);
    assert_int_equal(hits[2].to, 72);
}

/* What is read in ROT13 does not begin with the word itself. */
static void words_in_place_of_a_trigger_leave_its_hints(void **state)
{
    struct view_hint items[8];
    struct scanner_hints hints = {.items = items, .max = 8};
    struct span text = span_str("np_yvir_0123456789abcdef");
    struct view_piece whole;
    struct view view;

    (void)state;
    use((struct scanner_pattern){.pattern = span_str("ac_live_(?i:[a-z0-9]{16})"), .before = span_str(TOKEN_BEFORE), .after = span_str(TOKEN_AFTER), .starts_free = true, .is_disguisable = true});
    view_raw(text, &whole, &view);
    assert_true(scanner_mark(scanner, scratch, &view, &hints, &err));
    assert_int_equal(hints.n, 1);
    assert_int_equal(items[0].kind, VIEW_HINT_ROT13);
}

static const struct span random_triggers[] = {
    {"(?i)\\b(?:secret|key(?:s|word)?|sk)", 0}, {"\\b(?i:tokens?)", 0}, {"(?i)\\bkiosk|token", 0}, {"(?i)\\b(?<name>secret|key)", 0},
    {"(?i)\\bkey\\b", 0}};

/* By themselves, behind a lead, with each boundary; \x01 and \x02 are no words' marks. */
static struct scanner_pattern random_pattern(size_t i)
{
    static const struct scanner_pattern patterns[] = {
        {.pattern = {"(?i)(?:secret|keys?|token)", 0}, .before = {TOKEN_BEFORE, 0}, .after = {TOKEN_AFTER, 0}, .starts_free = true},
        {.pattern = {"(?i)(?:secret|keys?|token)[ _]?[0-9]{0,3}", 0}, .before = {PART_BEFORE, 0}, .starts_part = true},
        {.pattern = {"(?i)caf\xc3\xa9s?|caf\xc3\xa9teria key|\xc3\xa9tat", 0}, .before = {TOKEN_BEFORE, 0}, .after = {TOKEN_AFTER, 0}, .starts_free = true},
        {.pattern = {"(?i)(?:kiosk|sk-key|_key|[0-9]key)", 0}, .before = {PART_BEFORE, 0}, .starts_part = true},
        {.pattern = {"(?ix)key \\s? token", 0}, .before = {TOKEN_BEFORE, 0}, .after = {TOKEN_AFTER, 0}, .starts_free = true},
        {.pattern = {"(?i)key[\\x00-\\x02]token", 0}, .before = {PART_BEFORE, 0}, .starts_part = true},
        {.pattern = {"(?i)[0-9_ ]{0,4}\\b(?:secret|key(?:s|word)?|sk)", 0}, .triggers = &random_triggers[0], .n_triggers = 1},
        {.pattern = {"[0-9]{0,4}\\b(?i:tokens?)[ =]?", 0}, .triggers = &random_triggers[1], .n_triggers = 1},
        {.pattern = {"(?i)[a-z]{0,4}(?:\\bkiosk|token)", 0}, .triggers = &random_triggers[2], .n_triggers = 1},
        {.pattern = {"(?i)=?\\b(?:secret|key)", 0}, .triggers = &random_triggers[3], .n_triggers = 1},
        {.pattern = {"(?i)=?\\bkey\\b.", 0}, .triggers = &random_triggers[4], .n_triggers = 1},
        {.pattern = {"(?i)\\btoken.", 0}},
    };
    struct scanner_pattern p = patterns[i % COUNT(patterns)];

    p.pattern = span_str(p.pattern.ptr);
    p.before = p.before.ptr != NULL ? span_str(p.before.ptr) : p.before;
    p.after = p.after.ptr != NULL ? span_str(p.after.ptr) : p.after;
    p.views = 7;
    return p;
}

static void random_text(struct random *r, struct buf *out)
{
    static const char *const bits[] = {"secret", "Secret", "\xc5\xbf" "ecret", "key", "KEY", "\xe2\x84\xaa" "ey", "keys", "key\xc5\xbf", "token", "Token", "TOKENS",
                                       "caf\xc3\xa9", "CAF\xc3\x89", "\xc3\xa9tat", "kiosk", "kio\xc5\xbfk", "sk", "sk-", "word", "\x01", "\x02", "teria ", " ", " ", " ",
                                       "_", "=", "-", "1", "23", "x", "X", "\n", "\xc3\xa9", "\xe2\x80\x99"};

    buf_clear(out);
    for (size_t left = 1 + random_below(r, 60); left > 0; left--) {
        assert_true(buf_append_str(out, bits[random_below(r, COUNT(bits))], &err));
    }
}

static bool are_same(const struct hit *with, size_t n_with)
{
    bool are = n_hits == n_with;

    for (size_t i = 0; are && i < n_hits; i++) {
        are = hits[i].from == with[i].from && hits[i].to == with[i].to;
    }
    return are;
}

static void words_find_what_pcre2_finds_alone(void **state)
{
    enum { PATTERNS = 12, ROUNDS = 3000 };
    struct random r = {.state = 20261123};
    size_t found[PATTERNS] = {0};
    struct span triggers[COUNT(random_triggers)];
    struct buf text;

    (void)state;
    buf_init(&text, 4096);
    for (size_t i = 0; i < COUNT(triggers); i++) {
        triggers[i] = span_str(random_triggers[i].ptr);
    }
    for (size_t i = 0; i < PATTERNS; i++) {
        uint32_t bad;
        struct scanner_pattern p = random_pattern(i);
        p.triggers = p.n_triggers > 0 ? &triggers[p.triggers - random_triggers] : NULL;
        struct scanner *alone = scanner_new(&p, 1, NULL, true, &bad, &err);
        assert_non_null(alone);
        use(p);
        for (size_t round = 0; round < ROUNDS; round++) {
            static struct hit with[COUNT(hits)];
            random_text(&r, &text);
            scan(buf_span(&text));
            size_t n_with = n_hits;
            memcpy(with, hits, sizeof(hits));
            struct scanner *usual = scanner;
            scanner = alone;
            scan(buf_span(&text));
            scanner = usual;
            if (!are_same(with, n_with)) {
                fail_msg("pattern %zu: %zu matches, %zu without words, in <<%.*s>>", i, n_with, n_hits, (int)text.len, text.data);
            }
            found[i] += n_hits;
        }
        scanner_free(alone);
        assert_true(found[i] > 0);
    }
    buf_deinit(&text);
}

static void a_control_character_is_no_list_of_words(void **state)
{
    static const char *const patterns[] = {"\001k[0-9]{4}", "(?<=a)\004k[0-9]{4}"};
    uint32_t bad;

    (void)state;
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        const struct scanner_pattern pattern = {.pattern = span_str(patterns[i]), .views = 1};
        assert_null(scanner_new(&pattern, 1, NULL, false, &bad, &err));
        assert_int_equal(err.kind, ERROR_INVALID);
    }
    use((struct scanner_pattern){.pattern = span_str("\\x01k[0-9]{4}")});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_control_character_is_no_list_of_words),
        cmocka_unit_test(a_match_is_longer_than_its_trigger),
        cmocka_unit_test(the_group_secret_is_the_span),
        cmocka_unit_test(each_group_secret_that_takes_part_is_a_span),
        cmocka_unit_test(a_trigger_in_the_middle_looks_back_by_its_lead),
        cmocka_unit_test(look_arounds_and_back_references_hold),
        cmocka_unit_test(matches_do_not_overlap_and_are_leftmost),
        cmocka_unit_test(a_match_past_its_length_is_marked),
        cmocka_unit_test(a_pattern_past_the_match_limit_counts_as_found),
        cmocka_unit_test(characters_of_many_bytes_are_never_split),
        cmocka_unit_test(one_scratch_serves_one_scanner_after_another),
        cmocka_unit_test(the_fault_of_a_pattern_is_named),
        cmocka_unit_test(a_trigger_of_words_inside_looks_back_by_its_lead),
        cmocka_unit_test(a_part_of_a_name_begins_a_match),
        cmocka_unit_test(words_in_place_of_a_trigger_leave_its_hints),
        cmocka_unit_test(words_find_what_pcre2_finds_alone),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
