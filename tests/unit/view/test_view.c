#include "views.h"

static const struct view_limits roomy = {
    .depth = VIEW_DEPTH_MAX, .max_bytes = TEST_MAX_BYTES, .max_pieces = TEST_MAX_PIECES};

/* The text of the child's pieces, each in brackets with its transform; NULL pointer for no child.
 */
static void assert_child_is(const char *text, const char *expected)
{
    struct views views;
    char shown[1024] = "";
    size_t len = 0;

    views_make(&views, span_str(text));
    const struct view *child = views.level[1];
    for (size_t i = 0; child != NULL && i < child->n_pieces; i++) {
        const struct view_piece *piece = &child->pieces[i];
        len += (size_t)snprintf(shown + len, sizeof(shown) - len, "[%s:%.*s]", piece->transform,
                                (int)(piece->to - piece->from), child->text.ptr + piece->from);
    }
    assert_string_equal(shown, expected);
    views_release(&views);
}

static void plain_text_has_no_child(void **state)
{
    (void)state;
    assert_child_is("Nothing to see here.\n", "");
    assert_child_is("", "");
}

static void changed_lines_that_touch_form_one_piece(void **state)
{
    (void)state;
    assert_child_is("a\nx%41\ny%42\nb\nz%43\n", "[escapes:xA\nyB][escapes:zC]");
}

static void long_lines_are_cut_at_white_space(void **state)
{
    char text[2001];
    struct views views;

    (void)state;
    memset(text, 'w', sizeof(text) - 1);
    for (size_t i = 9; i < sizeof(text) - 1; i += 10) {
        text[i] = ' ';
    }
    text[sizeof(text) - 1] = '\0';
    memcpy(text + 1001, "%41", 3);
    views_make(&views, span_str(text));
    struct span child = views.level[1]->text;
    assert_in_range(child.len, 384, 420);
    assert_memory_equal(child.ptr, "wwwwwwwww ", 10);
    assert_memory_equal(child.ptr + child.len - 11, " wwwwwwwww\n", 11);
    views_release(&views);
}

/* How a run reads must not depend on what else its line has: in a stream that may still be coming. */
static void a_run_reads_the_same_whatever_follows_in_its_line(void **state)
{
    static const char *const runs[] = {
        "\xd0\x96GpT=glrt-73em\xff" "6jKK",             /* a letter of another script, and a byte that is none */
        "\xd0\x96GpT=glrt-73em\xe2\x80\x8b" "6jKK",   /* … and an invisible character */
        "\xd0\x96\xd0\xb4/glrt-73em\xe2\x81\xa0" "6jKK",
        "glrt-73em\xe2\x80\x8b" "6jKK/\xd0\x96",
        "\xd0\x96GpT=glrt-73em\xe2\x80\x8b" "6j\xe2\x80\x8bKK", /* … twice */
    };
    static const char *const behind[] = {"", " and x\xffi", " and x\xe2\x80\x8bi", " pass\xd0\xb0word"};

    (void)state;
    for (size_t i = 0; i < COUNT(runs); i++) {
        for (size_t k = 0; k < COUNT(behind); k++) {
            char line[128];
            struct views views;
            size_t from, to;
            (void)snprintf(line, sizeof(line), "%s%s\n", runs[i], behind[k]);
            views_make(&views, span_str(line));
            assert_true(views_find(&views, "glrt-73em6jKK", 1, &from, &to));
            views_release(&views);
        }
    }
}

static void escapes_are_undone_in_place(void **state)
{
    static const char *const cases[][2] = {
        {"a%20b", "[escapes:a b]"},
        {"caf%C3%A9", "[escapes:caf\xc3\xa9]"},
        {"50%de %zz %0 %00 %ff", ""},
        {"a &amp; b &lt;c&gt;", "[escapes:a & b <c>]"},
        {"&#65;&#x42;&#0067;", "[escapes:ABC]"},
        {"&unknown; && &#; &#x; &#0; &amp", ""},
        {"\\u0041\\x42\\103\\u{44}\\U00000045", "[escapes:ABCDE]"},
        {"\\ud83d\\ude00!", "[escapes:\xf0\x9f\x98\x80!]"},
        {"\\ud83d \\ude00 \\d \\1 \\u12 \\x1", ""},
        {"\\xc3\\xa9 \\xe9", "[escapes:\xc3\xa9 \xc3\xa9]"},
        {"ghp\\_abc \\\"q\\\"", "[escapes:ghp_abc \"q\"]"},
        {"a.b=3D=41", "[quoted-printable:a.b=A]"},
        {"?a=10&b=20&c=30&d=40", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_child_is(cases[i][0], cases[i][1]);
    }
}

/* A soft break counts behind sixty characters, with either end of a line. */
static void soft_breaks_of_quoted_printable_are_undone(void **state)
{
    char text[128], expected[128];
    static const char *const breaks[] = {"=\n", "=\r\n"};
    static const char line[] = "the line that is long enough to be broken where a mailer breaks: ";

    (void)state;
    for (size_t i = 0; i < COUNT(breaks); i++) {
        (void)snprintf(text, sizeof(text), "%s=3Dab%scd=3D", line, breaks[i]);
        (void)snprintf(expected, sizeof(expected), "[quoted-printable:%s=abcd=]", line);
        assert_child_is(text, expected);
    }
}

static void encoded_runs_are_pieces_of_their_own(void **state)
{
    (void)state;
    assert_child_is("x cGFzc3dvcmQgaXMgaHVudGVyMg== y", "[base64:password is hunter2]");
    assert_child_is("70617373776f72643a2068756e74657232", "[hex:password: hunter2]");
    assert_child_is("p a s s w o r d 1 2 3 and more", "[spaced:password123]");
    /* The head of a run may stand far before the block in which four letters follow each other. */
    assert_child_is("The key you asked for: a b - c d - e f - g h - i j - k l - m n - o p - q r s t 1",
                    "[spaced:ab-cd-ef-gh-ij-kl-mn-op-qrst1]");
    assert_child_is("'abc def' . 'ghi'", "[concatenated:'abc defghi']");
    assert_child_is("0 1 0 0 1 1 0 1 0 1 0 1 1 0", "");
}

static void encodings_that_were_turned_are_turned_back(void **state)
{
    static const char *const cases[][2] = {
        {"07%16%37%37%77%f6%27%46%", "[escapes:07%1677w%f6'F%][turned:%64%72%6f%77%73%73%61%70]"},
        {"\\k70\\k61\\k73\\k73\\k77\\k6s\\k72\\k64", "[turned:\\x70\\x61\\x73\\x73\\x77\\x6f\\x72\\x64]"},
        {"70 61 73 73 77 6s 72 64", "[turned:70 61 73 73 77 6f 72 64]"},
        {"%70%61%73%73%77%6f%72%64", "[escapes:password]"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_child_is(cases[i][0], cases[i][1]);
    }
}

/* Joining lines costs no decoding, decoding no joining. */
static void decodings_and_joinings_are_counted_apart(void **state)
{
    struct views views;
    size_t from, to, level = 0;

    (void)state;
    views_make(&views, span_str("Y0dGemMzZHZjbVFnYVhNZ2FIVnVk\nR1Z5TWpBeU5qTXlNVFU9\n"));
    assert_true(views_find(&views, "password is hunter2", VIEW_LEVELS_MAX, &from, &to));
    while (views.level[level + 1] != NULL) {
        level++;
    }
    const struct view *last = views.level[level];
    assert_int_equal(last->level, level);
    assert_int_equal(last->pieces[0].joinings, 1);
    assert_int_equal(last->pieces[0].decodings, 2);
    views_release(&views);
}

static void what_was_only_copied_is_not_decoded_again(void **state)
{
    struct views views;

    (void)state;
    views_make(&views, span_str("%41 cGFzc3dvcmQgaXMgaHVudGVyMg=="));
    assert_int_equal(views.level[1]->n_pieces, 2);
    assert_null(views.level[2]);
    views_release(&views);
}

static void pieces_are_found_by_offset_and_separators_belong_to_none(void **state)
{
    struct views views;

    (void)state;
    views_make(&views, span_str("x%41\n\ny%42"));
    const struct view *child = views.level[1];
    assert_int_equal(child->n_pieces, 2);
    assert_true(span_is(child->text, "xA\nyB\n"));
    assert_ptr_equal(view_piece_at(child, 0), &child->pieces[0]);
    assert_ptr_equal(view_piece_at(child, 1), &child->pieces[0]);
    assert_null(view_piece_at(child, 2));
    assert_ptr_equal(view_piece_at(child, 3), &child->pieces[1]);
    assert_null(view_piece_at(child, 5));
    assert_null(view_piece_at(child, 100));
    views_release(&views);
}

static void nested_obfuscations_map_through_all_levels(void **state)
{
    struct views views;
    size_t from;
    size_t to;
    /* base64 of "x %68%75nter2" */
    const char *text = "go eCAlNjglNzVudGVyMg== on";

    (void)state;
    views_make(&views, span_str(text));
    assert_true(views_find(&views, "hunter2", 2, &from, &to));
    assert_int_equal(from, 3); /* the quantum that the first % is in */
    assert_int_equal(to, 23);
    assert_false(views_find(&views, "hunter2", 1, &from, &to));
    views_release(&views);
}

static bool expand(const char *text, const struct view_limits *limits, const struct view **child,
                   struct error *err)
{
    static struct view_piece whole;
    static struct view raw;
    static struct arena arena;

    arena_deinit(&arena);
    arena_init(&arena, 0, 1 << 20);
    view_raw(span_str(text), &whole, &raw);
    return view_expand(&arena, &raw, NULL, 0, limits, child, err);
}

static void depth_of_zero_makes_no_child(void **state)
{
    struct view_limits limits = roomy;
    const struct view *child;
    struct error err;

    (void)state;
    limits.depth = 0;
    assert_true(expand("%41", &limits, &child, &err));
    assert_null(child);
}

static void too_many_bytes_or_pieces_fail(void **state)
{
    struct view_limits limits = roomy;
    const struct view *child = NULL;
    struct error err;

    (void)state;
    limits.max_bytes = 7;
    assert_true(expand("abc%41ef", &limits, &child, &err));
    assert_false(expand("abcd%41ef", &limits, &child, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    limits = roomy;
    limits.max_pieces = 1;
    assert_true(expand("%41", &limits, &child, &err));
    assert_false(expand("%41\n\n%41", &limits, &child, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    limits.max_bytes = (size_t)VIEW_TEXT_MAX + 1;
    assert_false(expand("%41", &limits, &child, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_text_has_no_child),
        cmocka_unit_test(changed_lines_that_touch_form_one_piece),
        cmocka_unit_test(long_lines_are_cut_at_white_space),
        cmocka_unit_test(a_run_reads_the_same_whatever_follows_in_its_line),
        cmocka_unit_test(escapes_are_undone_in_place),
        cmocka_unit_test(soft_breaks_of_quoted_printable_are_undone),
        cmocka_unit_test(encoded_runs_are_pieces_of_their_own),
        cmocka_unit_test(encodings_that_were_turned_are_turned_back),
        cmocka_unit_test(decodings_and_joinings_are_counted_apart),
        cmocka_unit_test(what_was_only_copied_is_not_decoded_again),
        cmocka_unit_test(pieces_are_found_by_offset_and_separators_belong_to_none),
        cmocka_unit_test(nested_obfuscations_map_through_all_levels),
        cmocka_unit_test(depth_of_zero_makes_no_child),
        cmocka_unit_test(too_many_bytes_or_pieces_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
