/* test_pending.c - each construct that views read differently, at each place where a text may end in it. */
#include "views.h"

#include "support/joins.h"
#include "support/layers.h"
#include "support/tokens.h"
#include "view/transform.h"

enum { ROUNDS = 40, OBFUSCATED_MAX = 65536, JOINED_MAX = 900 };

static struct pending pending_of(const char *text)
{
    return pending_find(span_str(text), 0);
}

static void assert_pending(const char *text, const char *what)
{
    size_t from = pending_of(text).from;

    if (strcmp(text + from, what) != 0) {
        fail_msg("\"%s\": pending is \"%s\", expected \"%s\"", text, text + from, what);
    }
}

/* However much of `part` is there behind `before`, all of it is pending; and nothing before it is. */
static void assert_pending_at_each_cut(const char *before, const char *part)
{
    size_t len = strlen(before);
    char text[1024];

    (void)snprintf(text, sizeof(text), "%s%s", before, part);
    for (size_t end = len + 1; end < strlen(text); end++) {
        if (((unsigned char)text[end] & 0xc0) == 0x80) {
            continue;
        }
        size_t from = pending_find(span_of(text, end), 0).from;
        if (from != len) {
            fail_msg("\"%.*s\": pending from %zu, expected %zu", (int)end, text, from, len);
        }
    }
}

static void nothing_is_pending_in_prose(void **state)
{
    (void)state;
    assert_pending("", "");
    assert_pending("Hello world ", "");
    assert_pending("A sentence, ten words (or so, then) and more ", "");
    assert_pending("It cost 100 dollars in all ", "");
}

/* What no transform calls pending leaves a stream, so each has to answer, and none may call for what is settled. */
static void each_transform_answers_for_itself(void **state)
{
    size_t n;
    const struct transform *const *transforms = transforms_all(&n);
    const struct span prose = span_str("A sentence that ends here. ");

    (void)state;
    for (size_t i = 0; i < n; i++) {
        assert_non_null(transforms[i]->pending);
        assert_int_equal(transforms[i]->pending(prose, 0).from, prose.len);
        assert_int_equal(transforms[i]->pending(span_str(""), 0).from, 0);
    }
}

static void the_last_word_is_a_run(void **state)
{
    (void)state;
    assert_pending("Hello world", "world");
    assert_pending("see https://example.com/a-b", "https://example.com/a-b");
    assert_pending("x (AbCd1234+/", "AbCd1234+/");
    assert_pending("день", "день");
    assert_pending("x g\xe2\x80\x8bh", "g\xe2\x80\x8bh");
    /* A code point that no script has breaks a run. */
    assert_pending("xy \xf0\x9f\x98\x80 ", "");
}

static void a_run_is_followed_back_however_long(void **state)
{
    char text[5001];

    (void)state;
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    text[9] = ' ';
    assert_int_equal(pending_of(text).from, 10);
}

/* `part` again and again behind a word. */
static void assert_long_is_pending(const char *part)
{
    char text[6000] = "see ";
    size_t len = strlen(text);

    for (; len + strlen(part) < sizeof(text); len += strlen(part)) {
        memcpy(text + len, part, strlen(part));
    }
    size_t from = pending_find(span_of(text, len), 0).from;
    if (from != strlen("see ")) {
        fail_msg("%s: pending from %zu of %zu only", part, from, len);
    }
}

static void long_views_are_followed_back_to_their_first(void **state)
{
    (void)state;
    assert_long_is_pending("0x67, ");
    assert_long_is_pending("a B ");
    assert_long_is_pending("g-h-");
    assert_long_is_pending("ZXlKaGJHY2lPaUpJVXpJMU5pSXNJblI1Y0NJNklrcFhWQ0o5LmV5SnpkV0lpT2\n");
}

static void what_lies_before_first_is_not_looked_at(void **state)
{
    (void)state;
    assert_int_equal(pending_find(span_str("abcdef"), 3).from, 3);
    assert_int_equal(pending_find(span_str("&amp"), 2).from, 2);
    assert_int_equal(pending_find(span_str("abc"), 3).from, 3);
}

/* A string is read otherwise from its closing quote on, so its beginning may have been released. */
static void a_string_may_go_on_whose_beginning_was_released(void **state)
{
    const struct pending p = pending_find(span_str("k = (\"ab cdef\" + \"gh"), 9);

    (void)state;
    assert_int_equal(p.from, 9);
    assert_int_equal(p.altered, 13);
}

static void half_an_escape_is_pending(void **state)
{
    static const char *const escapes[] = {
        "%4a", "%C3%A9", "&amp;", "&#65;", "&#x41;", "&#x00041;", "\\x41", "\\u0041", "\\u{1F600}", "\\ud83d\\ude00", "\\U0001F600", "\\101", "\\n", "\\xf0\\x9f\\x98\\x80",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(escapes); i++) {
        assert_pending_at_each_cut("one two ", escapes[i]);
    }
}

static void an_escape_may_be_read_as_what_goes_on_before_it(void **state)
{
    (void)state;
    assert_int_equal(pending_of("key &am").altered, 4);
    assert_int_equal(pending_of("key &am").from, 4);
    assert_int_equal(pending_of("key ").altered, SIZE_MAX);
    assert_int_equal(pending_of("key abc").altered, SIZE_MAX);
    assert_int_equal(pending_of("key ab\xd0\xb0").altered, 6);
}

/* Encoded characters count over a line, so the first of them holds until it ends. */
static void an_escape_may_go_on_in_the_run_before_it(void **state)
{
    (void)state;
    assert_int_equal(pending_of("key abc&").from, 4);
    assert_int_equal(pending_of("key abc&").altered, 7);
    assert_int_equal(pending_of("key ab\xd0\xb0z&#1").from, 4);
    assert_int_equal(pending_of("key ab\xd0\xb0z&#1").altered, 6);
    assert_int_equal(pending_of("key ab, %4").from, 8);
}

static void an_encoded_character_is_pending_until_its_line_ends(void **state)
{
    (void)state;
    assert_pending_at_each_cut("one ", "=41 and more words here and there");
    assert_pending("one =41 and more\n", "");
    assert_pending("one =4", "=4");
    assert_pending("one =", "=");
    assert_pending("one =zz ", "");
    assert_pending("one =word ", "");
    assert_pending("one =41 two\nthree ", "");
}

static void single_characters_are_pending_from_the_first(void **state)
{
    (void)state;
    assert_pending_at_each_cut("token ", "g h p _ A b C d 1 2 ");
    assert_pending_at_each_cut("the ops team\n", "x o x b - 4 6 6 8");
    assert_pending_at_each_cut("token ", "g-h-p-_-A-b-C-d-1-2-");
    assert_pending_at_each_cut("token ", "g.h.p._.A.b");
    assert_pending("token: g h p word ", "");
}

/* Anything may separate single characters, also a sign that could be one of them. */
static void a_sign_between_single_characters_is_one_of_them(void **state)
{
    (void)state;
    assert_pending("x o x b -", "x o x b -");
    assert_pending("x o x b - ", "x o x b - ");
    assert_pending("x-o-x-b--", "x-o-x-b--");
    assert_pending("s k _ l i v e _", "s k _ l i v e _");
}

static void a_list_of_numbers_is_pending_from_its_first(void **state)
{
    (void)state;
    assert_pending_at_each_cut("codes are ", "0x67, 0x68, 0x70, 0x5f");
    assert_pending_at_each_cut("codes are ", "103, 104, 112, 95");
    assert_pending_at_each_cut("codes are ", "67 68 70 5f");
    assert_pending_at_each_cut("codes are ", "67:68:70:5f");
    assert_pending_at_each_cut("codes are ", "U+0067 U+0068 U+0070");
    assert_pending_at_each_cut("codes are ", "103,\n    104,\n    112");
    assert_pending("1024 and ", "");
    assert_pending("b +120, 111, 120", "120, 111, 120");
    assert_pending("as a+67 68 70 ", "67 68 70 ");
}

/* Backwards, a line's end in a list is one digit, and a soft break may be between its numbers. */
static void a_list_that_is_turned_is_pending_from_its_first(void **state)
{
    (void)state;
    assert_pending_at_each_cut("codes are ", "301 401 9 211 59 401");
    assert_pending_at_each_cut("codes are ", "76 86 96=\n 76 86");
    assert_pending_at_each_cut("codes are ", "6r 6s 7p=\n 6q 7o");
    /* No byte of a text. */
    assert_int_equal(turned_transform.pending(span_str("costs 5, "), 0).from, 9);
}

/* What may be between two tags may also be behind the last one. */
static void tags_are_pending_from_the_first(void **state)
{
    (void)state;
    assert_pending_at_each_cut("see (", "\xf3\xa0\x81\xa7 \xf3\xa0\x81\xa8\xe2\x80\x8b  \xf3\xa0\x81\xb0 \xf3\xa0\x81\x9f");
    assert_pending("see (\xf3\xa0\x81\xa7     ", "");
}

static void a_string_that_may_go_on_is_pending(void **state)
{
    (void)state;
    assert_pending("k = (\"abcdefgh\"", "\"abcdefgh\"");
    assert_pending("k = (\"abcdefgh\" ", "\"abcdefgh\" ");
    assert_pending("k = (\"abcdefgh\" +", "\"abcdefgh\" +");
    assert_pending("k = (\"abcdefgh\" + \\\n  ", "\"abcdefgh\" + \\\n  ");
    assert_pending("k = (\"abcdefgh\" + \"ijk", "\"abcdefgh\" + \"ijk");
    assert_pending("k = (\"abcdefgh\" + \"ijk lmn", "\"abcdefgh\" + \"ijk lmn");
    assert_pending("k = (\"abcdefgh\" + \"ijk\" . 'lm", "\"abcdefgh\" + \"ijk\" . 'lm");
    assert_pending("k = (\"abcdefgh\" is all ", "");
    assert_pending("k = (\"abcdefgh\" + rest ", "");
    assert_pending("k = (\"abcdefgh\" + \"ijk\", more\nand ", "");
}

/* What stands before the string, and its first part, may go on as something else behind the quote. */
static void a_string_is_read_again_from_its_first_closing_quote(void **state)
{
    (void)state;
    assert_int_equal(pending_of("k = (\"abcd\" + \"ef").altered, 10);
    assert_int_equal(pending_of("k = (\"abcd\" ").altered, 10);
}

static void a_wrapped_token_is_pending_while_its_lines_are_words(void **state)
{
    (void)state;
    assert_pending("> token:\n> ghp_kR7mXq2Vt9Lw\n", "ghp_kR7mXq2Vt9Lw\n");
    assert_pending("> token:\n> ghp_kR7mXq2Vt9Lw\n> ", "ghp_kR7mXq2Vt9Lw\n> ");
    assert_pending("ghp_kR7mXq2Vt9Lw\n  // Z4bNc8JdYs3H", "ghp_kR7mXq2Vt9Lw\n  // Z4bNc8JdYs3H");
    assert_pending("ghp_kR7mXq2Vt9Lw\n# Z4bNc8JdYs3H\n# PqR", "ghp_kR7mXq2Vt9Lw\n# Z4bNc8JdYs3H\n# PqR");
    assert_pending("ghp_kR7mXq2Vt9Lw\\\nZ4b", "ghp_kR7mXq2Vt9Lw\\\nZ4b");
    assert_pending("ghp_kR7mXq2Vt9Lw\nand then two words ", "");
    assert_pending("a ghp_kR7mXq2Vt9Lw\r", "ghp_kR7mXq2Vt9Lw\r");
    assert_pending("ghp_kR7mXq2Vt9Lw\r\n# Z4bNc8JdYs3H\r", "ghp_kR7mXq2Vt9Lw\r\n# Z4bNc8JdYs3H\r");
    assert_pending("short\r", "");
    assert_pending("ghp_kR7mXq2Vt9Lw\ra", "a");
    assert_pending("short\n", "");
    assert_int_equal(pending_of("a ghp_kR7mXq2Vt9Lw\nZ4b").altered, 18);
}

static void a_short_line_goes_on_a_wrapped_token(void **state)
{
    (void)state;
    assert_pending("ghp_kR7mXq2Vt9Lw\n> kMF-Y0\n> 31", "ghp_kR7mXq2Vt9Lw\n> kMF-Y0\n> 31");
    assert_pending("ghp_kR7mXq2Vt9Lw\n> kmfa\n", "");
}

/* --- against the views --------------------------------------------------------- */

/* What the piece reads apart from the rest: without the words that it copied before it. */
static bool core_of(const struct view *view, const struct view_piece *piece, size_t *from, size_t *to)
{
    const struct view_segment *first = &view->segments[piece->first_segment];
    const struct view_segment *last = first + piece->n_segments - 1;

    if (view_is_in_place(piece) || (first->is_copy && piece->n_segments == 1)) {
        return false;
    }
    *from = first->parent_from + (first->is_copy ? first->parent_len : 0);
    *to = last->parent_from + last->parent_len;
    return *from < *to;
}

static void assert_no_piece_is_cut(const struct views *v)
{
    const struct view *child = v->level[1];

    for (size_t i = 0; child != NULL && i < child->n_pieces; i++) {
        size_t from, to;
        if (!core_of(child, &child->pieces[i], &from, &to) || to - from > JOINED_MAX) {
            continue;
        }
        for (size_t end = from + 1; end < to; end++) {
            size_t pending = pending_find(span_slice(v->text, 0, end), 0).from;
            bool is_inside = ((unsigned char)v->text.ptr[end] & 0xc0) == 0x80;
            if (!is_inside && pending > from) {
                fail_msg("%s at %zu to %zu, cut at %zu, pending from %zu only:\n%.*s", child->pieces[i].transform, from,
                         to, end, pending, (int)v->text.len, v->text.ptr);
            }
        }
    }
}

/* One layer, or another one in it. */
static void put_nested(struct random *r, struct span token, struct buf *out)
{
    struct buf inner;

    buf_init(&inner, OBFUSCATED_MAX);
    layers[random_below(r, LAYERS)].put(random_below(r, 2) == 0 ? out : &inner, token);
    if (inner.len > 0) {
        layers[random_below(r, LAYERS)].put(out, buf_span(&inner));
    }
    buf_deinit(&inner);
}

/* Two obfuscated tokens of random formats, with a few words between. */
static void make_obfuscated(struct random *r, struct buf *out)
{
    static const char *const joints[] = {"\n", " and ", "; ", "", ", then\n> ", "\t"};
    struct token tokens[TOKENS];
    struct error err;
    size_t from, to;

    buf_clear(out);
    tokens_make(r, tokens);
    for (int i = 0; i < 2; i++) {
        struct span token = token_span(&tokens[random_below(r, TOKENS)]);
        size_t way = random_below(r, 3);
        if (way == 0) {
            obfuscation_write(&joins[random_below(r, JOINS)], token, out, &from, &to);
        } else if (way == 1) {
            obfuscation_write(&obfuscations[random_below(r, OBFUSCATIONS)], token, out, &from, &to);
        } else {
            put_nested(r, token, out);
        }
        assert_true(buf_append_str(out, joints[random_below(r, COUNT(joints))], &err));
    }
}

static void no_piece_read_apart_is_cut_where_nothing_is_pending(void **state)
{
    struct random random = {.state = 20261121};
    struct buf text;

    (void)state;
    buf_init(&text, OBFUSCATED_MAX);
    for (int i = 0; i < ROUNDS * (OBFUSCATIONS + JOINS); i++) {
        struct views views;
        make_obfuscated(&random, &text);
        views_make(&views, buf_span(&text));
        assert_no_piece_is_cut(&views);
        views_release(&views);
    }
    buf_deinit(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_pending_in_prose),
        cmocka_unit_test(each_transform_answers_for_itself),
        cmocka_unit_test(the_last_word_is_a_run),
        cmocka_unit_test(a_run_is_followed_back_however_long),
        cmocka_unit_test(long_views_are_followed_back_to_their_first),
        cmocka_unit_test(what_lies_before_first_is_not_looked_at),
        cmocka_unit_test(a_string_may_go_on_whose_beginning_was_released),
        cmocka_unit_test(half_an_escape_is_pending),
        cmocka_unit_test(an_escape_may_be_read_as_what_goes_on_before_it),
        cmocka_unit_test(an_escape_may_go_on_in_the_run_before_it),
        cmocka_unit_test(an_encoded_character_is_pending_until_its_line_ends),
        cmocka_unit_test(single_characters_are_pending_from_the_first),
        cmocka_unit_test(a_sign_between_single_characters_is_one_of_them),
        cmocka_unit_test(a_list_of_numbers_is_pending_from_its_first),
        cmocka_unit_test(a_list_that_is_turned_is_pending_from_its_first),
        cmocka_unit_test(tags_are_pending_from_the_first),
        cmocka_unit_test(a_string_that_may_go_on_is_pending),
        cmocka_unit_test(a_string_is_read_again_from_its_first_closing_quote),
        cmocka_unit_test(a_wrapped_token_is_pending_while_its_lines_are_words),
        cmocka_unit_test(a_short_line_goes_on_a_wrapped_token),
        cmocka_unit_test(no_piece_read_apart_is_cut_where_nothing_is_pending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
