/* test_english.c - how much of a text lies in English words, against the list of words itself. */
#include "testing.h"

#include <string.h>

#include "lexical/english.h"
#include "lexical/english_words.h"

enum { N_TEXTS = 3000, TEXT_MAX = 60, SEED = 5 };

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

static bool has_word(const char *text, size_t len)
{
    for (size_t i = 0; i < english_words_n; i++) {
        if (strncmp(english_words[i], text, len) == 0 && english_words[i][len] == '\0') {
            return true;
        }
    }
    return false;
}

/* The most letters that words one behind another and apart from each other can take. */
static size_t covered_by_list(const char *text, size_t len)
{
    size_t best[TEXT_MAX + 1] = {0};

    for (size_t from = 0; from < len; from++) {
        best[from + 1] = best[from + 1] > best[from] ? best[from + 1] : best[from];
        for (size_t n = 3; from + n <= len && n <= 14; n++) {
            if (best[from] + n > best[from + n] && has_word(text + from, n)) {
                best[from + n] = best[from] + n;
            }
        }
    }
    return best[len];
}

/* Words, parts of words and letters; some in capitals. */
static size_t make_text(uint32_t *random, char text[TEXT_MAX])
{
    size_t len = 0, wanted = 3 + next_random(random) % (TEXT_MAX - 3);

    while (len < wanted) {
        const char *word = english_words[next_random(random) % english_words_n];
        size_t n = 1 + next_random(random) % strlen(word);
        n = next_random(random) % 2 == 0 ? strlen(word) : n;
        for (size_t i = 0; i < n && len < wanted; i++) {
            text[len++] = word[i];
        }
        if (len < wanted && next_random(random) % 3 == 0) {
            text[len++] = (char)('a' + next_random(random) % 26);
        }
    }
    return len;
}

static void covers_what_the_list_does(void **state)
{
    uint32_t random = SEED;

    (void)state;
    for (size_t n = 0; n < N_TEXTS; n++) {
        char text[TEXT_MAX], shown[TEXT_MAX];
        size_t len = make_text(&random, text);
        for (size_t i = 0; i < len; i++) {
            shown[i] = (char)(next_random(&random) % 4 == 0 ? text[i] - 'a' + 'A' : text[i]);
        }
        assert_int_equal(english_covered(span_of(shown, len)), covered_by_list(text, len));
    }
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_letter(char c)
{
    return is_upper(c) || (c >= 'a' && c <= 'z');
}

/* Whether a part ends before the letter at `at`: a capital behind a small letter, or in front of one. */
static bool is_cut(const char *text, size_t len, size_t at)
{
    const bool is_before_lower = at + 1 < len && is_letter(text[at + 1]) && !is_upper(text[at + 1]);

    return is_upper(text[at]) && (!is_upper(text[at - 1]) || is_before_lower);
}

static void parts_end_where_the_case_changes(void **state)
{
    static const char characters[] = "abzABZ09_-\xc3";
    uint32_t random = SEED;

    (void)state;
    for (size_t n = 0; n < N_TEXTS * 10; n++) {
        char text[TEXT_MAX];
        size_t len = next_random(&random) % (TEXT_MAX / 4), at = 0, to = 0;
        struct span part;
        for (size_t i = 0; i < len; i++) {
            text[i] = characters[next_random(&random) % (sizeof(characters) - 1)];
        }
        while (english_next_part(span_of(text, len), &at, &part)) {
            size_t from = to;
            while (!is_letter(text[from])) {
                from++;
            }
            for (to = from + 1; to < len && is_letter(text[to]) && !is_cut(text, len, to); to++) {
            }
            assert_ptr_equal(part.ptr, text + from);
            assert_int_equal(part.len, to - from);
            assert_int_equal(at, to);
        }
        for (; to < len; to++) {
            assert_false(is_letter(text[to]));
        }
    }
}

static void every_word_covers_itself(void **state)
{
    (void)state;
    for (size_t i = 0; i < english_words_n; i++) {
        assert_int_equal(english_covered(span_str(english_words[i])), strlen(english_words[i]));
    }
    assert_int_equal(english_covered(span_str("qzx")), 0);
    assert_int_equal(english_covered(span_str("no")), 0); /* shorter than a word */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(covers_what_the_list_does),
        cmocka_unit_test(parts_end_where_the_case_changes),
        cmocka_unit_test(every_word_covers_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
