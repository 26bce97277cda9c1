/* test_lazy_dfa.c - where PCRE2 finds a match, the automaton says that one may begin; and mostly only there. */
#include "testing.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "regex/lazy_dfa.h"
#include "regex/trigger.h"
#include "scan/regex.h"

enum { N_TEXTS = 2000, TEXT_MAX = 200, SEED = 17, CORE_MAX = 16 * 1024 };

static const char *const patterns[] = {
    "key_[0-9a-f]{2}",
    "(?i)(?:pass(?:word|wort|phrase)?|sk|pin)[A-Za-z0-9_]{0,16}[ \t]{0,3}(?:[:=]{1,2}|=>)\\s{0,3}[^\\s]{4,9}",
    "(?:a|ab)(?:c|bcd)?(?:d*)e+?",
    "\xc3\xa9+k",
    "[^0]{6}(?:00|a1)",
    "(?:[ab]{2,4}|k){3,5}y",
    "(?:k{14}|a{13,20})y",
    "(?<![a-z])k(?=[a-z]{3}1)\\w{4}",
    "(?:(?:a?b?){0,3}k)+y",
    "\\b(?<n>[ak])\\k<n>\\b",
    "k\\R?y|a$|^b{3}",
    "(?i)[k-s]{3}\xc3\xa9?[^\\x00-\\x7f]",
};

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

static size_t make_text(uint32_t *random, char text[TEXT_MAX])
{
    static const char *const words[] = {"key_", "pass", "word", "PIN", "k", "k", "y", "a", "b", "c", "d", "e", "0", "a1", "1", "=", ":", " ",
                                        "\n", "\xc3\xa9", "\xe2\x84\xaa", "\xc5\xbf", "kkkkkkkkkkkkkk", "aaaaaaaaaaaaa"};
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

static struct lazy_dfa *dfa_of(const char *pattern)
{
    struct buf core CLEANUP(buf_deinit);
    struct error err;

    buf_init(&core, CORE_MAX);
    assert_true(trigger_core(span_str(pattern), &core, &err));
    return lazy_dfa_new(buf_span(&core));
}

static bool is_first(struct span text, size_t at)
{
    return ((unsigned char)text.ptr[at] & 0xc0) != 0x80;
}

/* Of a text with a match at `at` every beginning may go on to it. */
static bool may_go_on_to_match(struct lazy_dfa *d, struct span text, size_t at)
{
    size_t len = at;

    while (len <= text.len && lazy_dfa_may_go_on(d, span_of(text.ptr, len), at)) {
        len++;
    }
    return len > text.len;
}

static void no_match_is_excluded(void **state)
{
    uint32_t random = SEED;
    struct error err;
    struct regex_scratch *scratch = regex_scratch_new(&err);

    (void)state;
    for (size_t i = 0; i < COUNT(patterns); i++) {
        struct regex *regex = regex_new(span_str(patterns[i]), &err);
        struct lazy_dfa *d = dfa_of(patterns[i]);
        size_t n_matches = 0, n_excluded = 0;
        assert_non_null(regex);
        for (size_t n = 0; n < N_TEXTS && d != NULL; n++) {
            char bytes[TEXT_MAX];
            struct span text = span_of(bytes, make_text(&random, bytes));
            for (size_t at = 0; at < text.len; at++) {
                bool matches = is_first(text, at) && regex_search(regex, scratch, text, at, at) == REGEX_MATCH;
                bool may = !is_first(text, at) || lazy_dfa_may_begin(d, text, at);
                assert_true(!matches || (may && may_go_on_to_match(d, text, at)));
                n_matches += matches;
                n_excluded += !may;
            }
        }
        if (d != NULL && (n_matches == 0 || n_excluded == 0)) {
            fail_msg("%s: %zu matches, %zu excluded", patterns[i], n_matches, n_excluded);
        }
        assert_true(d != NULL || strstr(patterns[i], "\\R") != NULL);
        lazy_dfa_free(d);
        regex_free(regex);
    }
    regex_scratch_free(scratch);
}

static bool ask(bool (*question)(struct lazy_dfa *, struct span, size_t), const char *pattern, const char *text)
{
    struct lazy_dfa *d = dfa_of(pattern);

    assert_non_null(d);
    bool may = question(d, span_str(text), 0);
    lazy_dfa_free(d);
    return may;
}

static bool may_begin(const char *pattern, const char *text)
{
    return ask(lazy_dfa_may_begin, pattern, text);
}

static bool may_go_on(const char *pattern, const char *text)
{
    return ask(lazy_dfa_may_go_on, pattern, text);
}

static void what_the_text_breaks_off_goes_on(void **state)
{
    (void)state;
    assert_true(may_go_on("(?:pass(?:word|code)|pwd) {0,2}[:=]", ""));
    assert_true(may_go_on("(?:pass(?:word|code)|pwd) {0,2}[:=]", "passwo"));
    assert_true(may_go_on("(?:pass(?:word|code)|pwd) {0,2}[:=]", "password"));
    assert_true(may_go_on("(?:pass(?:word|code)|pwd) {0,2}[:=]", "password: b"));
    assert_false(may_go_on("(?:pass(?:word|code)|pwd) {0,2}[:=]", "passwod"));
    assert_false(may_go_on("(?:pass(?:word|code)|pwd) {0,2}[:=]", "password m"));
}

static void alternatives_are_distinguished(void **state)
{
    (void)state;
    assert_true(may_begin("(?:pass(?:word|code)|pwd) {0,2}[:=]", "passcode  ="));
    assert_false(may_begin("(?:pass(?:word|code)|pwd) {0,2}[:=]", "passwode  ="));
    assert_false(may_begin("(?:pass(?:word|code)|pwd) {0,2}[:=]", "password manager"));
    assert_false(may_begin("(?:pass(?:word|code)|pwd) {0,2}[:=]", "password")); /* the text ends */
    assert_true(may_begin("(?i)s\xc3\xa4k", "\xc5\xbf\xc3\xa4\xe2\x84\xaa"));
    assert_false(may_begin("(?i)s\xc3\xa4k", "s\xc3\xa4l"));
}

static void what_is_further_away_is_taken_to_match(void **state)
{
    char text[LAZY_DFA_BYTES + 9];

    (void)state;
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_true(may_begin("a{1,300}b", text));
    text[LAZY_DFA_BYTES] = '\0';
    assert_false(may_begin("a{1,300}b", text));
}

static void what_may_be_empty_has_no_automaton(void **state)
{
    (void)state;
    assert_null(dfa_of("a?"));
    assert_null(dfa_of("\\b(?:x|)"));
}

/* Which of the last twelve characters were an a: more states than there may be. */
static void without_room_for_states_a_match_may_begin(void **state)
{
    struct lazy_dfa *d = dfa_of("[ab]+a[ab]{10}c");
    uint32_t random = SEED;
    size_t n_excluded = 0;

    (void)state;
    assert_non_null(d);
    for (size_t n = 0; n < N_TEXTS; n++) {
        char text[LAZY_DFA_BYTES];
        for (size_t i = 0; i < sizeof(text); i++) {
            text[i] = (char)('a' + (next_random(&random) >> 12) % 2);
        }
        n_excluded += !lazy_dfa_may_begin(d, span_of(text, sizeof(text)), 0);
        text[60] = 'a';
        text[71] = 'c';
        assert_true(lazy_dfa_may_begin(d, span_of(text, sizeof(text)), 0));
    }
    assert_true(n_excluded > 0 && n_excluded < N_TEXTS);
    lazy_dfa_free(d);
}

/* As long as the patterns of a password by name, all together. */
static void many_alternatives_have_an_automaton(void **state)
{
    enum { ALTERNATIVES = 650 };
    char pattern[ALTERNATIVES * 16];
    size_t len = 0;

    (void)state;
    for (unsigned i = 0; i < ALTERNATIVES; i++) {
        len += (size_t)snprintf(pattern + len, sizeof(pattern) - len, "%sname%03u[=:]v", i == 0 ? "" : "|", i);
    }
    assert_true(len > 8192);
    assert_true(may_begin(pattern, "name000=v"));
    assert_true(may_begin(pattern, "name649:v"));
    assert_false(may_begin(pattern, "name650:v"));
    assert_false(may_begin(pattern, "name649=w"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_match_is_excluded),
        cmocka_unit_test(what_the_text_breaks_off_goes_on),
        cmocka_unit_test(alternatives_are_distinguished),
        cmocka_unit_test(what_is_further_away_is_taken_to_match),
        cmocka_unit_test(what_may_be_empty_has_no_automaton),
        cmocka_unit_test(without_room_for_states_a_match_may_begin),
        cmocka_unit_test(many_alternatives_have_an_automaton),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
