#include "testing.h"

#include <stdio.h>
#include <string.h>

#include "scan/regex.h"
#include "scan/start_filter.h"

enum { N_TEXTS = 3000, TEXT_MAX = 120, SEED = 11 };

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
    {"é+[k=]", false},
    {"[^k]\\n?0(?!0)", false},
    {"(?x) (?<![a-z]) (?: k e | = (?<n>[0-9]) \\k<n> )", false},
};

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

static size_t make_text(uint32_t *random, char *text)
{
    static const char *const words[] = {"key_", "k", "e", "y", "K", "=", ":", "0", "00", "a1", "/b", " ", ",", "\n", "\xc3\xa9", "\xe2\x84\xaa"};
    size_t len = 0, wanted = next_random(random) % TEXT_MAX;

    while (len < wanted) {
        const char *word = words[next_random(random) % COUNT(words)];
        if (len + strlen(word) > TEXT_MAX) {
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
    size_t from = 0, first, last;

    while (start_filter_next(f, text, from, text.len, &first, &last)) {
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
            struct span text = span_of(bytes, make_text(&random, bytes));
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

static void starts_at_the_ends_are_admitted(void **state)
{
    struct start_filter *f = start_filter_new(span_str("(?<=[=:])ab"), false);
    size_t first, last;

    (void)state;
    assert_true(start_filter_next(f, span_str("ab"), 0, 2, &first, &last)); /* nothing is before: PCRE2 decides */
    assert_int_equal(first, 0);
    assert_true(start_filter_next(f, span_str("x=a"), 0, 3, &first, &last)); /* nor behind */
    assert_int_equal(first, 2);
    assert_false(start_filter_next(f, span_str("x=ab"), 0, 2, &first, &last));
    assert_false(start_filter_next(f, span_str(""), 0, 0, &first, &last));
    start_filter_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_start_of_a_match_is_admitted),
        cmocka_unit_test(starts_at_the_ends_are_admitted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
