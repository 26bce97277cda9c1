#include "testing.h"

#include <string.h>

#include "classifiers/tagger_token.h"

enum { MANY = 64 };

static size_t cut(const char *text, struct tagger_token *tokens)
{
    size_t next = 0;
    size_t n = tagger_tokenize(span_str(text), 0, tokens, MANY, &next);

    assert_int_equal(next, strlen(text));
    return n;
}

static void assert_token(const char *text, const struct tagger_token *t, const char *wanted,
                         unsigned shape)
{
    assert_int_equal(t->to - t->from, strlen(wanted));
    assert_memory_equal(text + t->from, wanted, strlen(wanted));
    assert_int_equal(t->shape, shape);
}

static const struct {
    const char *word;
    unsigned shape;
} shapes[] = {
    {"word", TAGGER_LOWER},
    {"Word", TAGGER_TITLE},
    {"W", TAGGER_INITIAL},
    {"WOR", TAGGER_CAPS_SHORT},
    {"WORD", TAGGER_CAPS},
    {"McWord", TAGGER_MIXED},
    {"iWord", TAGGER_CAMEL},
    {"word_two", TAGGER_OPAQUE},
    {"W0rd", TAGGER_ALNUM},
    {"2026", TAGGER_NUMBER},
    {",", TAGGER_SYMBOL},
    {"@someone", TAGGER_OPAQUE},
    {"https://a.example/b?c=d", TAGGER_OPAQUE},
    {"\xc3\x89mile", TAGGER_TITLE},                     /* É */
    {"\xc5\xbdi\xc5\xbeka", TAGGER_TITLE},              /* Ž ž */
    {"\xd0\x98\xd0\xb2\xd0\xb0\xd0\xbd", TAGGER_TITLE}, /* Cyrillic */
    {"\xce\x9a\xce\xbf", TAGGER_TITLE},                 /* Greek */
    {"\xd7\xa9\xd7\x9c", TAGGER_CASELESS},              /* Hebrew */
    {"\xe7\x8e\x8b", TAGGER_CASELESS},                  /* Han */
    {"\xf0\x9f\x98\x80", TAGGER_SYMBOL},                /* a face */
    {"\xff", TAGGER_SYMBOL},                            /* ill-formed */
};

static void a_word_is_one_token_of_its_shape(void **state)
{
    struct tagger_token tokens[MANY];

    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        assert_int_equal(cut(shapes[i].word, tokens), 1);
        assert_token(shapes[i].word, &tokens[0], shapes[i].word, shapes[i].shape);
    }
}

static void spaces_change_nothing_but_the_glue(void **state)
{
    struct tagger_token close[MANY];
    struct tagger_token apart[MANY];
    size_t n = cut("I'm Ann O'Hara.", close);

    (void)state;
    assert_int_equal(cut("I 'm Ann O ' Hara .", apart), n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(close[i].hash, apart[i].hash);
        assert_int_equal(close[i].shape, apart[i].shape);
    }
    assert_true(close[1].is_glued);
    assert_false(apart[1].is_glued);
}

static void a_hash_is_of_the_small_letters(void **state)
{
    static const char *const same[][2] = {{"WORD", "word"},
                                          {"\xc3\x89", "\xc3\xa9"},
                                          {"\xd0\x98", "\xd0\xb8"},
                                          {"\xc5\xbd", "\xc5\xbe"}};
    uint32_t a = 0;
    uint32_t b = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(same); i++) {
        assert_true(tagger_hash_word(span_str(same[i][0]), &a));
        assert_true(tagger_hash_word(span_str(same[i][1]), &b));
        assert_int_equal(a, b);
    }
    assert_true(tagger_hash_word(span_str("words"), &b));
    assert_int_not_equal(a, b);
    assert_false(tagger_hash_word(span_str("two words"), &a));
    assert_false(tagger_hash_word(span_str(""), &a));
}

static void an_email_address_holds_no_words(void **state)
{
    static const char text[] = "to ann.hara@mail.example now";
    struct tagger_token tokens[MANY];
    size_t n = cut(text, tokens);

    (void)state;
    assert_int_equal(n, 6);
    for (size_t i = 1; i < 5; i++) {
        assert_int_equal(tokens[i].shape, TAGGER_OPAQUE);
    }
    assert_token(text, &tokens[5], "now", TAGGER_LOWER);
}

static void cutting_resumes_where_it_stopped(void **state)
{
    static const char text[] = "one two  three";
    struct tagger_token tokens[MANY];
    size_t next = 0;

    (void)state;
    assert_int_equal(tagger_tokenize(span_str(text), 0, tokens, 2, &next), 2);
    assert_int_equal(next, 7);
    assert_int_equal(tagger_tokenize(span_str(text), next, tokens, 2, &next), 1);
    assert_token(text, &tokens[0], "three", TAGGER_LOWER);
    assert_int_equal(next, strlen(text));
}

/* Whatever was read before. */
static void words_that_are_known_are_the_same_tokens(void **state)
{
    static const char *const parts[] = {"word", "Word", "WORD", "fifteenletterss", "sixteenletterssx", "a", "-", "_", "7", "x9",
                                        ".", ":", "@", "//", "http", "https", "www", "h", "\xc3\xa9", "'s", " ", "  ", "\n"};
    static struct tagger_memo memo;
    struct tagger_token known[MANY], read[MANY];
    char text[128];
    uint32_t x = 3;

    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        size_t len = 0, next = 0, next_read = 0;
        while (len < sizeof(text) - 16 - round % 108) {
            x = x * 1664525u + 1013904223u;
            const char *part = parts[(x >> 16) % COUNT(parts)];
            memcpy(text + len, part, strlen(part));
            len += strlen(part);
        }
        size_t n = tagger_tokenize_with(&memo, span_of(text, len), 0, known, MANY, &next);
        assert_int_equal(n, tagger_tokenize(span_of(text, len), 0, read, MANY, &next_read));
        assert_int_equal(next, next_read);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(known[i].from, read[i].from);
            assert_int_equal(known[i].to, read[i].to);
            assert_int_equal(known[i].hash, read[i].hash);
            assert_int_equal(known[i].head, read[i].head);
            assert_int_equal(known[i].tail, read[i].tail);
            assert_int_equal(known[i].shape, read[i].shape);
            assert_int_equal(known[i].n_chars, read[i].n_chars);
            assert_int_equal(known[i].is_glued, read[i].is_glued);
        }
    }
}

static void every_byte_that_is_no_space_is_in_one_token(void **state)
{
    struct tagger_token tokens[MANY];
    char text[32];

    (void)state;
    for (unsigned seed = 0; seed < 2000; seed++) {
        uint32_t x = seed * 2654435761u + 1;
        for (size_t i = 0; i < sizeof(text); i++) {
            x = x * 1664525u + 1013904223u;
            text[i] = (char)(x >> 24);
        }
        size_t next = 0;
        size_t n = tagger_tokenize(span_of(text, sizeof(text)), 0, tokens, MANY, &next);
        uint32_t at = 0;
        for (size_t i = 0; i < n; i++) {
            assert_true(tokens[i].from >= at && tokens[i].to > tokens[i].from);
            at = tokens[i].to;
        }
        assert_true(at <= sizeof(text) && next == sizeof(text));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_is_one_token_of_its_shape),
        cmocka_unit_test(spaces_change_nothing_but_the_glue),
        cmocka_unit_test(a_hash_is_of_the_small_letters),
        cmocka_unit_test(an_email_address_holds_no_words),
        cmocka_unit_test(cutting_resumes_where_it_stopped),
        cmocka_unit_test(words_that_are_known_are_the_same_tokens),
        cmocka_unit_test(every_byte_that_is_no_space_is_in_one_token),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
