/* test_group_starts.c - no place where groups may begin is passed over: compared with a reading of one character after another. */
#include "testing.h"

#include "base/ascii.h"
#include "support/random.h"
#include "view/group_starts.h"

enum { N_TEXTS = 20000, TEXT_MAX = 300, SEED = 11, GROUP_MAX = 16 };

static const char *const parts[] = {"a",  "B",    "7",     "_",     "-",  ".",   " ",      ", ",  "\n",   "\"",  "'",         "+",
                                    "x4", "word", "A1b2",  "2019",  "x41", "k_", "\xc2\xa0", "||", "12.",  "ABC", "lengthyword", "\n- ",
                                    "  ", "(",    "1990s", "10:30", "~",  "=%@", "/",      ":;",  "Word. ", "I "};

static bool has(struct span text, size_t at, unsigned classes)
{
    return at < text.len && ascii_is(text.ptr[at], classes);
}

/* What grouped.c wants of a group of more than one character, here of any that begins at `at`. */
static bool is_odd_within(struct span text, size_t at)
{
    for (size_t i = at + 1; i <= at + GROUP_MAX && has(text, i, ASCII_TOKEN); i++) {
        char before = text.ptr[i - 1], c = text.ptr[i];
        bool is_capital = ascii_is_upper(c) && !ascii_is_upper(before);
        bool is_number = ascii_run_end(text, at, ASCII_DIGIT) > i;
        size_t number_end = ascii_run_end(text, at, ASCII_DIGIT);
        bool counts = number_end < text.len && (has(text, number_end, ASCII_TOKEN) || strchr("\"'", text.ptr[number_end]) != NULL);
        bool is_odd = ascii_is(before, ASCII_BASE64) && (is_capital || ascii_is_digit(c) || c == '_');
        if ((is_odd && (!is_number || counts)) || (ascii_is_digit(before) && ascii_is(c, ASCII_LETTER))) {
            return true;
        }
    }
    return false;
}

static bool is_single(struct span text, size_t at)
{
    bool is_inside = at > 0 && has(text, at - 1, ASCII_TOKEN) && text.ptr[at - 1] != '+';

    return !is_inside && at + 2 < text.len && !has(text, at + 1, ASCII_TOKEN) &&
           (text.ptr[at + 1] == '\n' || !has(text, at + 2, ASCII_TOKEN));
}

static bool may_begin(struct span text, size_t at)
{
    bool begins = has(text, at, ASCII_ALNUM) && (at == 0 || !has(text, at - 1, ASCII_ALNUM));
    bool is_escaped = at > 0 && has(text, at, ASCII_DIGIT) && text.ptr[at - 1] == 'x' && has(text, at + 1, ASCII_HEX) &&
                      at + 2 < text.len && text.ptr[at + 2] == 'x';

    return is_escaped || (begins && (is_single(text, at) || is_odd_within(text, at)));
}

static struct span random_text(struct random *random, char bytes[TEXT_MAX])
{
    size_t len = 0, max = 1 + random_below(random, TEXT_MAX - 16);

    while (len < max) {
        const char *part = parts[random_below(random, COUNT(parts))];
        size_t n = strlen(part);
        memcpy(bytes + len, part, n);
        len += n;
    }
    return span_of(bytes, len);
}

static void test_no_place_is_passed_over(void **state)
{
    struct random random = {.state = SEED};
    size_t n_places = 0;
    char bytes[TEXT_MAX];

    (void)state;
    for (int i = 0; i < N_TEXTS; i++) {
        struct span text = random_text(&random, bytes);
        size_t at = random_below(&random, text.len), end = at + random_below(&random, text.len - at + 1);
        struct group_starts starts = {0}, plain_starts = {0};
        while (at < end) { /* what is known of the places before serves those behind */
            size_t next = group_starts_next(&starts, text, at, end), plain = group_starts_search(&plain_starts, text, at, end, group_masks_of);
            assert_true(next >= at && next <= end && next == (plain < end ? plain : end)); /* on every processor */
            for (size_t k = at; k < next; k++) {
                assert_false(may_begin(text, k));
            }
            n_places += next < end;
            at = next + 1 + random_below(&random, 8);
        }
    }
    assert_true(n_places > N_TEXTS / 4);
}

static void test_words_are_passed_over(void **state)
{
    static const char words[] = "the quick brown fox jumps, over the lazy dog in 2019, and the cost of that is 350 for each of them "
                                "so that (as before) nothing here is a group of characters with the same separator between them";
    const struct span text = span_str(words);

    (void)state;
    struct group_starts starts = {0};
    assert_int_equal(group_starts_next(&starts, text, 1, text.len - 64), text.len - 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_place_is_passed_over),
        cmocka_unit_test(test_words_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
