#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scan/regex.h"
#include "scan/start_filter.h"

enum { N_TEXTS = 3000, N_LONG = 200, TEXT_MAX = 120, LONG_MAX = 400, SEED = 11 };

static const struct {
    const char *pattern;
    bool starts_free;
} cases[] = {
    {"key_[0-9a-f]{2}", false},
    {"key_[0-9a-f]{2}", true},
    {"(?i)ke?y", true},
    {"(?<=[=:])\\S{3}", false},
    {"(?:(?<=/b)|(?<=[ ,])(?=k))[a-z0-9]{2,9}", false},
    {"^k.", false},
    {"(?:^|(?<=: ))[k=]?k.", false},
    {"(?:(?<=[=:])|(?<=(?:b|k) )(?=[0-9])|(?<=key_))[0-9a-z]{2}", false},
    {"(?i)(?:(?<![a-z])|(?<=K))e[y=]", false},
    {"é+[k=]", false},
    {"k[^0]{6}(?:00|a1)", false},
    {"[key_]{4}[^k]?(?:[=:0 ,]|a1){5}", true},
    {"(?i)[^0]{15}k[ey_]", false},
    {"[^k]\\n?0(?!0)", false},
    {"(?x) (?<![a-z]) (?: k e | = (?<n>[0-9]) \\k<n> )", false},
    {"(?=[a-z_]{0,9}[0-9])[a-z_0-9]{3}", false},
    {"k(?=[^=]{0,30}+=)[^0]{1,4}", true},
    {"(?i)k(?:e|y)?(?=\\S{0,12}?:)\\S", false},
    {"(?:k|ey) ?[^0]{1,90}=0", false},
    {"(?x) k (?= [^=]{0,20} = # @\n ) .", false},
    {"k[^0=]{2,90}(?=[0,]|=|$)", false},
    {"(?mi)K[^0=]{2,90}E[^0]{1,20}(?=[0,]|=|$)", false},
};

static bool next_starts(const struct start_filter *f, struct start_seen *seen, struct span text, size_t from, size_t to, size_t *first,
                        size_t *last)
{
    struct start_range starts = {*first, *last};
    bool has_any = start_filter_next(f, seen, text, from, to, &starts);

    *first = starts.first;
    *last = starts.last;
    return has_any;
}

/* In a text of which nothing has been seen. */
static bool first_starts(const struct start_filter *f, struct span text, size_t from, size_t to, size_t *first, size_t *last)
{
    struct start_seen seen = {0};

    return next_starts(f, &seen, text, from, to, first, last);
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

static size_t make_text(uint32_t *random, char *text, size_t max)
{
    static const char *const words[] = {"key_", "k", "e", "y", "K", "=", ":", "0", "00", "a1", "/b", " ", ",", "\n", "\xc3\xa9", "\xe2\x84\xaa"};
    size_t len = 0, wanted = next_random(random) % max;

    while (len < wanted) {
        const char *word = words[next_random(random) % COUNT(words)];
        if (len + strlen(word) > max) {
            break;
        }
        memcpy(text + len, word, strlen(word));
        len += strlen(word);
    }
    return len;
}

static struct regex *regex_of(size_t i)
{
    char text[128];
    struct error err;

    (void)snprintf(text, sizeof(text), "%s(?:%s)", cases[i].starts_free ? "(?<![A-Za-z0-9])" : "", cases[i].pattern);
    struct regex *regex = regex_new(span_str(text), &err);
    assert_non_null(regex);
    return regex;
}

static bool begins_at(struct regex *regex, struct regex_scratch *scratch, struct span text, size_t at)
{
    return ((unsigned char)text.ptr[at] & 0xc0) != 0x80 && regex_search(regex, scratch, text, at, at) == REGEX_MATCH;
}

/* Each start of the text once, in runs; what is between the runs begins no match. */
static void assert_admits_matches(const struct start_filter *f, struct regex *regex, struct regex_scratch *scratch, struct span text,
                                  size_t *n_matches, size_t *n_left_out)
{
    size_t from = 0, first = 0, last = 0;
    struct start_seen seen = {0};

    while (next_starts(f, &seen, text, from, text.len, &first, &last)) {
        assert_true(from <= first && first <= last && last < text.len);
        assert_int_not_equal((unsigned char)text.ptr[first] & 0xc0, 0x80);
        for (size_t at = from; at < first; at++, ++*n_left_out) {
            assert_false(begins_at(regex, scratch, text, at));
        }
        for (size_t at = first; at <= last; at++) {
            *n_matches += begins_at(regex, scratch, text, at);
        }
        from = last + 1;
    }
    for (size_t at = from; at < text.len; at++, ++*n_left_out) {
        assert_false(begins_at(regex, scratch, text, at));
    }
}

static void every_start_of_a_match_is_admitted(void **state)
{
    uint32_t random = SEED;
    struct error err;
    struct regex_scratch *scratch = regex_scratch_new(&err);

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct regex *regex = regex_of(i);
        struct start_filter *f = start_filter_new(span_str(cases[i].pattern), cases[i].starts_free);
        size_t n_matches = 0, n_left_out = 0;
        assert_non_null(f);
        for (size_t n = 0; n < N_TEXTS; n++) {
            char bytes[TEXT_MAX];
            struct span text = span_of(bytes, make_text(&random, bytes, TEXT_MAX));
            assert_admits_matches(f, regex, scratch, text, &n_matches, &n_left_out);
        }
        if (n_matches == 0 || n_left_out == 0) {
            fail_msg("%s: %zu matches, %zu starts left out", cases[i].pattern, n_matches, n_left_out);
        }
        start_filter_free(f);
        regex_free(regex);
    }
    regex_scratch_free(scratch);
}

static bool is_admitted_alone(const struct start_filter *f, struct span text, size_t at)
{
    size_t first = 0, last = 0;

    return first_starts(f, text, at, at + 1, &first, &last);
}

/* The starts of a window that are admitted are those that are admitted as windows of one start. */
static void assert_admits_as_alone(const struct start_filter *f, struct span text, size_t from, size_t to)
{
    size_t first = 0, last = 0;
    struct start_seen seen = {0};

    while (from < to && next_starts(f, &seen, text, from, to, &first, &last)) {
        for (size_t at = from; at < first; at++) {
            assert_false(is_admitted_alone(f, text, at));
        }
        assert_true(last < to && is_admitted_alone(f, text, first) && is_admitted_alone(f, text, last));
        from = last + 1;
    }
    for (size_t at = from; at < to; at++) {
        assert_false(is_admitted_alone(f, text, at));
    }
}

static void wide_windows_admit_what_single_starts_do(void **state)
{
    uint32_t random = SEED;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct start_filter *f = start_filter_new(span_str(cases[i].pattern), cases[i].starts_free);
        assert_non_null(f);
        for (size_t n = 0; n < N_LONG; n++) {
            size_t len = 0;
            char *bytes = malloc(LONG_MAX); /* of its own, so that a read behind the text is seen */
            assert_non_null(bytes);
            len = make_text(&random, bytes, LONG_MAX);
            char *exact = realloc(bytes, len > 0 ? len : 1);
            assert_non_null(exact);
            struct span text = span_of(exact, len);
            size_t from = len > 0 ? next_random(&random) % len : 0;
            assert_admits_as_alone(f, text, 0, len);
            assert_admits_as_alone(f, text, from, len);
            assert_admits_as_alone(f, text, from / 2, from);
            free(exact);
        }
        start_filter_free(f);
    }
}

/* What begins a match of one of them; and not every start. */
static void a_filter_of_several_admits_what_begins_one(void **state)
{
    uint32_t random = SEED;
    struct error err;
    struct regex_scratch *scratch = regex_scratch_new(&err);

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const size_t k = (i + 7) % COUNT(cases);
        const struct start_pattern both[] = {{span_str(cases[i].pattern), cases[i].starts_free}, {span_str(cases[k].pattern), cases[k].starts_free}};
        struct start_filter *f = start_filter_of_all(both, COUNT(both));
        struct regex *one = regex_of(i), *other = regex_of(k);
        size_t n_matches = 0, n_left_out = 0;
        assert_non_null(f);
        for (size_t n = 0; n < N_TEXTS; n++) {
            char bytes[TEXT_MAX];
            struct span text = span_of(bytes, make_text(&random, bytes, TEXT_MAX));
            for (size_t at = 0; at < text.len; at++) {
                bool is_admitted = is_admitted_alone(f, text, at);
                bool begins = begins_at(one, scratch, text, at) || begins_at(other, scratch, text, at);
                assert_true(is_admitted || !begins);
                n_matches += begins;
                n_left_out += !is_admitted;
            }
        }
        assert_true(n_matches > 0 && n_left_out > 0);
        start_filter_free(f);
        regex_free(one);
        regex_free(other);
    }
    regex_scratch_free(scratch);
}

static void two_bytes_in_front_decide_together(void **state)
{
    struct start_filter *f = start_filter_new(span_str("(?:^|(?<=: ))[a-z]"), false);
    size_t first = 0, last = 0;

    (void)state;
    assert_false(first_starts(f, span_str("a word"), 2, 3, &first, &last));
    assert_true(first_starts(f, span_str("a: word"), 3, 4, &first, &last));
    assert_true(first_starts(f, span_str("a\nword"), 2, 3, &first, &last));
    assert_true(first_starts(f, span_str(" word"), 1, 2, &first, &last)); /* what is before the text is not known */
    start_filter_free(f);
}

static void what_is_behind_the_first_bytes_decides(void **state)
{
    struct start_filter *f = start_filter_new(span_str("[a-z]{3,4}_[0-9]{12}"), false);
    size_t first = 0, last = 0;

    (void)state;
    assert_true(first_starts(f, span_str("abc_012345678901"), 0, 1, &first, &last));
    assert_true(first_starts(f, span_str("abcd_012345678901"), 0, 1, &first, &last));
    assert_false(first_starts(f, span_str("abc_01234"), 0, 1, &first, &last));
    assert_false(first_starts(f, span_str("abc_01x345678901"), 0, 1, &first, &last));
    assert_false(first_starts(f, span_str("abcd_01234567890x"), 0, 1, &first, &last));
    start_filter_free(f);
}

/* A match in front would have all of them asked again, and so on at each. */
static void few_starts_are_taken_together(void **state)
{
    enum { N = 10000, TOGETHER_MAX = 32 };
    static char bytes[N];
    struct start_filter *f = start_filter_new(span_str("ab"), false);
    size_t from = 0, first = 0, last = 0;
    struct start_seen seen = {0};

    (void)state;
    for (size_t i = 0; i < N; i++) {
        bytes[i] = "ab"[i % 2];
    }
    for (; next_starts(f, &seen, span_of(bytes, N), from, N, &first, &last); from = last + 1) {
        assert_true(last - first < TOGETHER_MAX);
    }
    assert_int_equal(from, N - 1); /* the last one begins nothing */
    start_filter_free(f);
}

static void starts_at_the_ends_are_admitted(void **state)
{
    struct start_filter *f = start_filter_new(span_str("(?<=[=:])ab"), false);
    size_t first = 0, last = 0;

    (void)state;
    assert_true(first_starts(f, span_str("ab"), 0, 2, &first, &last)); /* nothing is before: PCRE2 decides */
    assert_int_equal(first, 0);
    assert_true(first_starts(f, span_str("x=ab"), 0, 4, &first, &last));
    assert_int_equal(first, 2);
    assert_false(first_starts(f, span_str("x=a"), 0, 3, &first, &last)); /* nothing is behind */
    assert_false(first_starts(f, span_str("x=ab"), 0, 2, &first, &last));
    assert_false(first_starts(f, span_str(""), 0, 0, &first, &last));
    start_filter_free(f);
}

/* A digit behind small letters alone; a dash, wherever the start before it has looked to. */
static void what_is_wanted_further_on_decides(void **state)
{
    struct start_filter *digit = start_filter_new(span_str("(?=[a-z]{0,8}[0-9])[a-z0-9]{4}"), false);
    struct start_filter *dash = start_filter_new(span_str("k(?=[a-z ]{0,8}+-)"), false);
    const struct span text = span_str("kkkk kkkkkkkk-k");
    size_t first = 0, last = 0;
    struct start_seen seen = {0};

    (void)state;
    assert_true(first_starts(digit, span_str("abcdef1"), 0, 1, &first, &last));
    assert_false(first_starts(digit, span_str("abcd-f1"), 0, 1, &first, &last));
    assert_false(first_starts(digit, span_str("abcdefghij1"), 0, 1, &first, &last));
    assert_false(next_starts(dash, &seen, text, 0, 3, &first, &last));
    assert_true(next_starts(dash, &seen, text, 3, text.len, &first, &last));
    assert_int_equal(first, 5);
    assert_false(next_starts(dash, &seen, text, 14, text.len, &first, &last));
    assert_true(next_starts(dash, &seen, text, 12, 13, &first, &last)); /* back again */
    start_filter_free(digit);
    start_filter_free(dash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_start_of_a_match_is_admitted),
        cmocka_unit_test(wide_windows_admit_what_single_starts_do),
        cmocka_unit_test(a_filter_of_several_admits_what_begins_one),
        cmocka_unit_test(two_bytes_in_front_decide_together),
        cmocka_unit_test(what_is_behind_the_first_bytes_decides),
        cmocka_unit_test(few_starts_are_taken_together),
        cmocka_unit_test(starts_at_the_ends_are_admitted),
        cmocka_unit_test(what_is_wanted_further_on_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
