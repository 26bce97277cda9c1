#include "testing.h"

#include <stdlib.h>

#include "view/segment.h"

enum { PIECES_MAX = 64 };

/* The lengths of the segments of a whole text. */
static size_t lengths(enum segment_unit unit, const char *text, size_t *out)
{
    size_t n = 0;

    for (struct span rest = span_str(text); rest.len > 0; n++) {
        assert_true(n < PIECES_MAX);
        out[n] = segment_first(unit, rest, true);
        assert_true(out[n] > 0 && out[n] <= rest.len);
        rest = span_slice(rest, out[n], rest.len);
    }
    return n;
}

struct example {
    const char *text;
    const char *ends; /* '|' behind the last byte of each segment, '.' else */
};

static void check(enum segment_unit unit, const struct example *examples, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t found[PIECES_MAX], at = 0, count = lengths(unit, examples[i].text, found);
        assert_int_equal(strlen(examples[i].text), strlen(examples[i].ends));
        for (size_t k = 0; k < count; k++) {
            for (size_t b = 0; b < found[k]; b++, at++) {
                assert_int_equal(examples[i].ends[at], b + 1 == found[k] ? '|' : '.');
            }
        }
    }
}

static void a_sentence_ends_behind_its_stop_and_one_space(void **state)
{
    static const struct example examples[] = {
        {"One. Two", "....|..|"},
        {"One.  Two", "....|...|"},
        {"Why? No! \"Yes.\" So", "....|...|......|.|"},
        {"3.14 and a.b.c", ".............|"},
        {"(It is.) Then", "........|...|"},
        {"What?! Yes", "......|..|"},
        {"**Bold.** Next", ".........|...|"},
        {"no stop", "......|"},
    };
    (void)state;
    check(SEGMENT_SENTENCE, examples, COUNT(examples));
}

static void a_new_line_ends_a_sentence_unless_a_small_letter_follows(void **state)
{
    static const struct example examples[] = {
        {"wrapped\nline", "...........|"},
        {"Item\nItem", "....|...|"},
        {"a\n\nb", ".||" "|"},
        {"x\n  y", ".|..|"},
    };
    (void)state;
    check(SEGMENT_SENTENCE, examples, COUNT(examples));
}

static void wide_stops_need_no_space(void **state)
{
    static const char text[] = "\xe4\xbd\xa0\xe5\xa5\xbd\xe3\x80\x82\xe4\xbd\xa0\xef\xbc\x9f";
    size_t found[PIECES_MAX];
    (void)state;
    assert_int_equal(lengths(SEGMENT_SENTENCE, text, found), 2);
    assert_int_equal(found[0], 9);
    assert_int_equal(found[1], 6);
}

static void a_closing_mark_of_three_bytes_belongs_to_the_sentence(void **state)
{
    static const char text[] = "\xe2\x80\x9cYes.\xe2\x80\x9d So";
    size_t found[PIECES_MAX];
    (void)state;
    assert_int_equal(lengths(SEGMENT_SENTENCE, text, found), 2);
    assert_int_equal(found[0], 11);
}

static void a_paragraph_ends_with_a_blank_line(void **state)
{
    static const struct example examples[] = {
        {"One. Two.\n\nThree", "..........|....|"},
        {"A\n \nB", "...||"},
        {"A\nB\nC", "....|"},
    };
    (void)state;
    check(SEGMENT_PARAGRAPH, examples, COUNT(examples));
}

/* xorshift; what a test draws is the same each time. */
static unsigned next_random(unsigned *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void draw(char *text, size_t n, unsigned *state)
{
    static const char *const alphabets[] = {"ab .!?\n\"')A", "a", "a b", "\xc3\xa4", ".", "\n", "\xe3\x80\x82\xef\xbc\x81"};
    const char *alphabet = alphabets[next_random(state) % COUNT(alphabets)];

    for (size_t i = 0; i < n; i++) {
        text[i] = alphabet[next_random(state) % strlen(alphabet)];
    }
}

static void what_is_told_before_the_end_stays_so(void **state)
{
    static const size_t bounds[] = {[SEGMENT_SENTENCE] = SEGMENT_SENTENCE_MAX, [SEGMENT_PARAGRAPH] = SEGMENT_PARAGRAPH_MAX};
    enum { SIZE = SEGMENT_PARAGRAPH_MAX + 200 };
    static char text[SIZE];
    unsigned seed = 7;
    (void)state;
    for (int i = 0; i < 300; i++) {
        size_t n = 1 + next_random(&seed) % SIZE;
        enum segment_unit unit = next_random(&seed) % 2 == 0 ? SEGMENT_SENTENCE : SEGMENT_PARAGRAPH;
        draw(text, n, &seed);
        size_t whole = segment_first(unit, span_of(text, n), true);
        assert_true(whole > 0 && whole <= bounds[unit]);
        for (size_t k = 0; k < n; k += 1 + next_random(&seed) % 97) {
            size_t early = segment_first(unit, span_of(text, k), false);
            assert_true(early == 0 || early == whole);
            assert_true(early != 0 || k < whole + SEGMENT_AHEAD);
        }
    }
}

static void a_long_sentence_is_cut_between_characters(void **state)
{
    char text[2 * SEGMENT_SENTENCE_MAX];
    (void)state;
    for (size_t shift = 0; shift < 3; shift++) {
        memset(text, 'a', shift);
        for (size_t i = shift; i + 3 <= sizeof(text); i += 3) {
            memcpy(text + i, "\xe4\xbd\xa0", 3);
        }
        size_t len = segment_first(SEGMENT_SENTENCE, span_of(text, sizeof(text) - 3), true);
        assert_true(len <= SEGMENT_SENTENCE_MAX && len > SEGMENT_SENTENCE_MAX - 4);
        assert_int_equal((len - shift) % 3, 0);
    }
    memset(text, 'a', sizeof(text));
    text[490] = ' ';
    assert_int_equal(segment_first(SEGMENT_SENTENCE, span_of(text, sizeof(text)), true), 491);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sentence_ends_behind_its_stop_and_one_space),
        cmocka_unit_test(a_new_line_ends_a_sentence_unless_a_small_letter_follows),
        cmocka_unit_test(wide_stops_need_no_space),
        cmocka_unit_test(a_closing_mark_of_three_bytes_belongs_to_the_sentence),
        cmocka_unit_test(a_paragraph_ends_with_a_blank_line),
        cmocka_unit_test(what_is_told_before_the_end_stays_so),
        cmocka_unit_test(a_long_sentence_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
