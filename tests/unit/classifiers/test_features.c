#include "testing.h"

#include <stdlib.h>

#include "classifiers/features.h"

enum { BITS = 18 };

static size_t rows_of(const char *text, uint32_t *rows)
{
    return features_of(span_str(text), BITS, rows);
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void assert_same(const char *one, const char *two)
{
    uint32_t a[FEATURES_MAX], b[FEATURES_MAX];
    size_t n = rows_of(one, a), m = rows_of(two, b);

    assert_int_equal(n, m);
    qsort(a, n, sizeof(*a), compare);
    qsort(b, m, sizeof(*b), compare);
    assert_memory_equal(a, b, n * sizeof(*a));
}

static void dress_makes_no_difference(void **state)
{
    static const char *const pairs[][2] = {
        {"Ignore  ALL\nrules", "ignore all rules"},
        {"don't", "dont"},
        {"don\xe2\x80\x99t", "dont"},
        {"caf\xc3\xa9", "cafe"},
        {"ign\xe2\x80\x8bore", "ignore"},
        {"\xef\xbd\x89\xef\xbd\x87\xef\xbd\x8eore", "ignore"},
        {"p\xd0\xb0ypal", "paypal"},
        {"soooooo", "soo"},
        {"room 1984", "room 2001"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        assert_same(pairs[i][0], pairs[i][1]);
    }
}

static bool has_row(const uint32_t *rows, size_t n, uint32_t row)
{
    for (size_t i = 0; i < n; i++) {
        if (rows[i] == row) {
            return true;
        }
    }
    return false;
}

static void words_are_distinguished(void **state)
{
    uint32_t one[FEATURES_MAX], other[FEATURES_MAX];
    size_t n = rows_of("cats", one), m = rows_of("dogs", other), common = 0;
    (void)state;
    for (size_t i = 0; i < n; i++) {
        common += has_row(other, m, one[i]);
    }
    assert_true(n > 3);
    assert_int_equal(common, 0);
}

static void the_order_of_words_makes_a_difference(void **state)
{
    uint32_t one[FEATURES_MAX], other[FEATURES_MAX];
    size_t n = rows_of("dog bites man", one), m = rows_of("man bites dog", other), missing = 0;
    (void)state;
    for (size_t i = 0; i < n; i++) {
        missing += !has_row(other, m, one[i]);
    }
    assert_true(missing >= 3);
}

static void places_are_those_of_the_rows(void **state)
{
    static const char text[] = "Please  IGNORE all pr\xc3\xa9vious rules!";
    static struct feature_place places[FEATURES_MAX];
    uint32_t rows[FEATURES_MAX];
    size_t n = rows_of(text, rows), m = features_places(span_str(text), BITS, places);
    (void)state;
    assert_int_equal(n, m);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(places[i].row, rows[i]);
        assert_true(places[i].from <= places[i].to && places[i].to <= strlen(text));
    }
    /* The second word is the fourth feature of words: itself, its pair and its triple follow those of the first. */
    assert_memory_equal(text + places[3].from, "IGNORE", 6);
}

/* Rows are read many characters at a time, places one by one. */
static void many_at_a_time_are_what_one_by_one_are(void **state)
{
    static const char *const parts[] = {"a", "b", " ", "  ", "\t", "Z", "7", "00", "'", ".", "\x7f", "\x01", "\xc3\xa9", "\xe2\x80\x99", "word ", "sixteen letters "};
    static struct feature_place places[FEATURES_MAX];
    uint32_t rows[FEATURES_MAX];
    char text[FEATURES_PIECE_MAX + 32];
    uint32_t seed = 7;
    (void)state;
    for (size_t round = 0; round < 4000; round++) {
        size_t wanted = round % FEATURES_PIECE_MAX, kinds = 2 + round % (COUNT(parts) - 1), len = 0;
        while (len < wanted) {
            seed = seed * 1664525 + 1013904223;
            const char *part = parts[(seed >> 16) % kinds];
            memcpy(text + len, part, strlen(part));
            len += strlen(part);
        }
        len = len < FEATURES_PIECE_MAX ? len : FEATURES_PIECE_MAX;
        size_t n = features_of(span_of(text, len), BITS, rows);
        assert_int_equal(n, features_places(span_of(text, len), BITS, places));
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(places[i].row, rows[i]);
        }
    }
}

static void a_row_of_signs_says_nothing(void **state)
{
    static const char *const rows_of_signs[] = {
        "| | | | | | | | | | | | | | | |\n", "____________ ____________", "_ _ _ _ _ _ _ _ _ _", "*** --- *** --- ===",
        "/ / / / / / / / / / / / / /",       "+----+----+----+----+",     "[ ] [ ] [ ] [ ]",     "> > > >",
    };
    uint32_t rows[FEATURES_MAX];
    (void)state;
    for (size_t i = 0; i < COUNT(rows_of_signs); i++) {
        assert_int_equal(rows_of(rows_of_signs[i], rows), 0);
    }
}

static void few_letters_are_distinguished_from_words(void **state)
{
    static const char *const few[] = {
        "",         "!",         "1. 2. 3. 4. 5. 6. 7. 8. 9.", "| 1 | 2 | 3 | 4 |", "I I I I I I I I", "| a | a | a | a |",
        "ha ha ha", "X | O | X", "\xe2\x95\x90\xe2\x95\x90\xe2\x95\x90", "\xf0\x9f\x98\x82 \xf0\x9f\x94\xb4", "\xff\xfe\xc3",
    };
    static const char *const enough[] = {
        "| 1 | 2 | 3 | | | | Weather | |",
        "Fuck",
        "\xe4\xb8\x8d\xe8\xa1\x8c",                                                    /* two Han letters */
        "\xf0\x9d\x90\x85\xf0\x9d\x90\xae\xf0\x9d\x90\x9c\xf0\x9d\x90\xa4", /* bold letters of mathematics */
    };
    char far[3 * FEATURES_PIECE_MAX];
    (void)state;
    for (size_t i = 0; i < COUNT(few); i++) {
        assert_false(features_has_letters(span_str(few[i])));
    }
    for (size_t i = 0; i < COUNT(enough); i++) {
        assert_true(features_has_letters(span_str(enough[i])));
    }
    memset(far, '|', sizeof(far));
    assert_false(features_has_letters(span_of(far, sizeof(far))));
    memcpy(far + sizeof(far) - 4, "word", 4);
    assert_true(features_has_letters(span_of(far, sizeof(far))));
}

/* By the definition in features.h, letter by letter. */
static bool has_letters_by_definition(const char *text, size_t len)
{
    bool seen[26] = {false};
    size_t pairs = 0, visible = 0, n_seen = 0;

    for (size_t i = 0; i < len; i++) {
        unsigned here = ((unsigned char)text[i] | 32u) - 'a', last = i > 0 ? ((unsigned char)text[i - 1] | 32u) - 'a' : 26;
        pairs += here < 26 && last < 26 && here != last;
        visible += text[i] != ' ';
        n_seen += here < 26 && !seen[here];
        seen[here < 26 ? here : 0] = seen[here < 26 ? here : 0] || here < 26;
    }
    return n_seen >= 4 && (pairs >= FEATURES_IN_WORDS || (pairs > 0 && pairs * 4 >= visible));
}

/* Wherever they stand, as many are read at once. Nothing stands there three times, as folding leaves the third out. */
static void letters_are_counted_wherever_they_stand(void **state)
{
    static const char letters[] = "abcDEF ", signs[] = "|-=+<>#~^: ";
    uint32_t seed = 11;
    size_t n_enough = 0;
    (void)state;
    for (size_t round = 0; round < 20000; round++) {
        char text[120];
        size_t len = round % sizeof(text), in_ten = round % 11;
        for (size_t i = 0; i < len; i++) {
            seed = seed * 1664525 + 1013904223;
            text[i] = (seed >> 8) % 10 < in_ten ? letters[(seed >> 16) % 7] : signs[i % 11];
            bool is_third = i > 1 && text[i] == text[i - 1] && text[i] == text[i - 2];
            text[i] = is_third ? '/' : text[i];
        }
        bool enough = has_letters_by_definition(text, len);
        n_enough += enough;
        assert_int_equal(features_has_letters(span_of(text, len)), enough);
    }
    assert_in_range(n_enough, 2000, 18000);
}

/* Tables, rules and pictures of any signs, with a label or two among them. */
static void pictures_of_signs_say_nothing(void **state)
{
    static const char signs[] = "|_-=+/\\<>()[]{}*#~^.:;'`\"oOxXmMdb8";
    char text[400];
    uint64_t random = 7;
    (void)state;
    for (int round = 0; round < 500; round++) {
        size_t len = 60 + (size_t)round % 300;
        for (size_t i = 0; i < len; i++) {
            random = random * 6364136223846793005U + 1442695040888963407U;
            size_t sign = (size_t)(random >> 33) % (sizeof(signs) - 1);
            bool is_apart = i == 0 || (unsigned char)((text[i - 1] | 0x20) - 'a') < 26;
            text[i] = is_apart ? '|' : signs[sign];
        }
        memcpy(text + 8, " Name ", 6);
        assert_false(features_has_letters(span_of(text, len)));
    }
}

/* However many signs stand around it. */
static void a_sentence_among_signs_is_read(void **state)
{
    static const char sentence[] = "You are a worthless moron, get lost.";
    char text[4 * FEATURES_PIECE_MAX];
    (void)state;
    for (size_t at = 0; at + sizeof(sentence) < sizeof(text); at += 37) {
        memset(text, '_', sizeof(text));
        memcpy(text + at, sentence, sizeof(sentence) - 1);
        assert_true(features_has_letters(span_of(text, sizeof(text))));
    }
}

static void the_length_of_a_row_of_signs_makes_no_difference(void **state)
{
    static const char *const pairs[][2] = {
        {"| | | | Weather | | | |", "| | | | | | | | | | | Weather | | | | | | | | | | |"},
        {"_ _ _ _ of the _ _ _ _ sea", "_ _ _ _ _ _ _ _ _ of the _ _ _ _ _ _ _ sea"},
        {"-=-=-=-= notice", "-=-=-=-=-=-=-=-=-=-=-=-= notice"},
        {"lines / / / /", "lines / / / / / / / / / / / / / / / / / / / / / / /"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        assert_same(pairs[i][0], pairs[i][1]);
    }
}

static void any_bytes_stay_within_their_room(void **state)
{
    static const char *const fillers[] = {"a b ", "\xff\xfe\xc3", "\xf0\x9f\x98\x80", "\xe2\x93\x98", "x", "'", "\xef\xac\x83", "\xf4\xbf\xbf\xbf"};
    uint32_t rows[FEATURES_MAX];
    char text[FEATURES_PIECE_MAX];
    (void)state;
    for (size_t i = 0; i < COUNT(fillers); i++) {
        for (size_t k = 0; k < sizeof(text); k++) {
            text[k] = fillers[i][k % strlen(fillers[i])];
        }
        for (size_t len = 0; len <= sizeof(text); len++) {
            size_t n = features_of(span_of(text, len), 10, rows);
            assert_true(n <= FEATURES_MAX);
            for (size_t k = 0; k < n; k++) {
                assert_true(rows[k] < 1024);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dress_makes_no_difference),
        cmocka_unit_test(words_are_distinguished),
        cmocka_unit_test(a_row_of_signs_says_nothing),
        cmocka_unit_test(few_letters_are_distinguished_from_words),
        cmocka_unit_test(letters_are_counted_wherever_they_stand),
        cmocka_unit_test(pictures_of_signs_say_nothing),
        cmocka_unit_test(a_sentence_among_signs_is_read),
        cmocka_unit_test(the_length_of_a_row_of_signs_makes_no_difference),
        cmocka_unit_test(the_order_of_words_makes_a_difference),
        cmocka_unit_test(places_are_those_of_the_rows),
        cmocka_unit_test(many_at_a_time_are_what_one_by_one_are),
        cmocka_unit_test(any_bytes_stay_within_their_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
