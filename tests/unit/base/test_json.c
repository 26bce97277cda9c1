#include "testing.h"

#include "base/json.h"
#include "support/random.h"

static bool is_valid(struct span text)
{
    struct error err;
    return json_validate(text, &err);
}

static void every_kind_of_value_is_accepted(void **state)
{
    static const char *const texts[] = {
        "null",
        " true ",
        "\tfalse\r\n",
        "0",
        "-0",
        "12.5e-3",
        "1E+9",
        "\"\"",
        "\"a\"",
        "[]",
        "{}",
        "[ ]",
        "{ }",
        "[1,[2,{\"a\":[]}],\"x\"]",
        "{\"a\":{\"b\":null},\"a\":1}",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"",
        "\"\\ud83d\\ude00\"",
        "\"\xf0\x9f\x98\x80\xc3\xa9\"",
        "\"\x7f\"",
        "\"\\u0000\"",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        if (!is_valid(span_str(texts[i]))) {
            fail_msg("refused: %s", texts[i]);
        }
    }
}

static void what_the_grammar_lacks_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        " ",
        "nul",
        "nullx",
        "True",
        "+1",
        "01",
        "-",
        "1.",
        ".5",
        "1e",
        "1e+",
        "0x1",
        "NaN",
        "\"",
        "\"a",
        "\"\\",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "[",
        "]",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\" 1}",
        "{1:2}",
        "{\"a\":1]",
        "[1}",
        "1 2",
        "[]]",
        "// c\n1",
        "\xef\xbb\xbf"
        "1",
        "'a'",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        if (is_valid(span_str(texts[i]))) {
            fail_msg("accepted: %s", texts[i]);
        }
    }
}

static void control_characters_and_nul_in_strings_are_refused(void **state)
{
    (void)state;
    for (char c = 0; c < 0x20; c++) {
        char text[] = {'"', 'a', c, '"'};
        assert_false(is_valid(span_of(text, sizeof(text))));
    }
    assert_false(is_valid(span_of("1\0", 2)));
}

static void ill_formed_utf8_is_refused_wherever_it_stands(void **state)
{
    static const char *const bad[] = {
        "\x80",         "\xc0\xaf",         "\xc1\xbf",         "\xc3",
        "\xc3(",        "\xe0\x80\x80",     "\xe0\x9f\xbf",     "\xe2\x82",
        "\xed\xa0\x80", "\xed\xbf\xbf",     "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf",
        "\xf0\x9f\x98", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xfe",
        "\xff",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        for (int before = 0; before < 40; before++) {
            char text[64];
            int len = snprintf(text, sizeof(text), "\"%.*s%sbb\"", before,
                               "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", bad[i]);
            assert_false(is_valid(span_of(text, (size_t)len)));
        }
    }
    assert_false(is_valid(span_str("\xc3\xa9")));
}

static void a_special_byte_is_seen_at_every_distance(void **state)
{
    char text[80];
    (void)state;
    for (size_t at = 1; at < sizeof(text) - 1; at++) {
        memset(text, 'x', sizeof(text));
        text[0] = text[sizeof(text) - 1] = '"';
        assert_true(is_valid(span_of(text, sizeof(text))));
        for (int c = 0; c < 256; c++) {
            text[at] = (char)c;
            bool may_pass = c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
            assert_int_equal(is_valid(span_of(text, sizeof(text))), may_pass);
        }
    }
}

static void lone_surrogates_are_refused(void **state)
{
    static const char *const texts[] = {
        "\"\\ud800\"",    "\"\\udc00\"",        "\"\\ud800x\"",
        "\"\\ud800\\n\"", "\"\\ud800\\u0041\"", "\"\\ud800\\ud800\"",
        "\"\\ud800\\u\"", "\"\\udc00\\ud800\"", "\"\\ud83d\\\"",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_false(is_valid(span_str(texts[i])));
    }
}

static void nesting_ends_at_the_stated_depth(void **state)
{
    char text[2 * (JSON_DEPTH_MAX + 1)];
    struct error err;
    (void)state;
    for (size_t depth = JSON_DEPTH_MAX; depth <= JSON_DEPTH_MAX + 1; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        assert_int_equal(json_validate(span_of(text, 2 * depth), &err), depth == JSON_DEPTH_MAX);
    }
    assert_int_equal(err.kind, ERROR_LIMIT);
}

static void an_error_says_where_and_what_but_not_what_stood_there(void **state)
{
    struct error err;
    (void)state;
    assert_false(json_validate(span_str("{\"password\": hunter2}"), &err));
    assert_int_equal(err.kind, ERROR_MALFORMED);
    assert_string_equal(err.text, "JSON: byte 13: a value expected");
    assert_false(json_validate(span_str("{\"a\": 1 \"b\": 2}"), &err));
    assert_string_equal(err.text, "JSON: byte 8: ',' or '}' expected");
    assert_false(json_validate(span_of(NULL, 0), &err));
}

static void an_object_is_walked_member_by_member(void **state)
{
    struct span text =
        span_str(" { \"a\" : [1, {\"x\":\"]}\"}] , \"b\\\"\":-1.5,\"\":\"v\\\\\",\"d\":{} } ");
    struct error err;
    struct span name;
    struct json_value item;
    (void)state;
    assert_true(json_validate(text, &err));
    struct json_iterator it = json_iterate(json_root(text));
    assert_true(json_next(&it, &name, &item));
    assert_true(span_is(name, "a") && item.kind == JSON_KIND_ARRAY);
    assert_true(span_is(item.raw, "[1, {\"x\":\"]}\"}]"));
    assert_true(json_next(&it, &name, &item));
    assert_true(span_is(name, "b\\\"") && span_is(item.raw, "-1.5") &&
                item.kind == JSON_KIND_NUMBER);
    assert_true(json_next(&it, &name, &item));
    assert_true(name.len == 0 && span_is(item.raw, "\"v\\\\\""));
    assert_true(json_next(&it, &name, &item));
    assert_true(span_is(name, "d") && item.kind == JSON_KIND_OBJECT && span_is(item.raw, "{}"));
    assert_false(json_next(&it, &name, &item));
    it = json_iterate(item);
    assert_false(json_next(&it, &name, &item));
}

static void an_array_is_walked_element_by_element(void **state)
{
    struct span text = span_str("[null,true , false,\"\", 7]");
    static const enum json_kind kinds[] = {JSON_KIND_NULL, JSON_KIND_TRUE, JSON_KIND_FALSE,
                                           JSON_KIND_STRING, JSON_KIND_NUMBER};
    struct span name;
    struct json_value item;
    size_t n = 0;
    (void)state;
    struct json_iterator it = json_iterate(json_root(text));
    for (; json_next(&it, &name, &item); n++) {
        assert_int_equal(item.kind, kinds[n]);
        assert_int_equal(name.len, 0);
    }
    assert_int_equal(n, COUNT(kinds));
    it = json_iterate(item);
    assert_false(json_next(&it, &name, &item));
}

static void a_flat_walk_sees_every_token_in_order(void **state)
{
    struct json_walk walk = json_walk(span_str(" {\"a\" : [1 , \"x\"],\"b\":{}} "));
    static const struct {
        enum json_token_kind kind;
        const char *raw;
    } expected[] = {
        {JSON_TOKEN_OPEN, "{"},     {JSON_TOKEN_NAME, "\"a\""},  {JSON_TOKEN_OPEN, "["},
        {JSON_TOKEN_VALUE, "1"},    {JSON_TOKEN_VALUE, "\"x\""}, {JSON_TOKEN_CLOSE, "]"},
        {JSON_TOKEN_NAME, "\"b\""}, {JSON_TOKEN_OPEN, "{"},      {JSON_TOKEN_CLOSE, "}"},
        {JSON_TOKEN_CLOSE, "}"},
    };
    struct json_token token;
    size_t n = 0;
    (void)state;
    for (; json_walk_next(&walk, &token); n++) {
        assert_int_equal(token.kind, expected[n].kind);
        assert_true(span_is(token.value.raw, expected[n].raw));
    }
    assert_int_equal(n, COUNT(expected));
}

/* Whatever stands where in a block of the vectors: a string is valid when each of its pieces is, and what it says is what they say. */
static void strings_are_read_alike_wherever_their_escapes_are(void **state)
{
    static const struct {
        const char *raw, *text; /* NULL: not valid */
    } pieces[] = {{"a", "a"}, {"plain text ", "plain text "}, {"\\n", "\n"}, {"\\\\", "\\"}, {"\\\"", "\""}, {"\\/", "/"},
                  {"\\u0041", "A"}, {"\xc3\xa9", "\xc3\xa9"}, {"\\t\\t", "\t\t"}, {"\x01", NULL}, {"\\q", NULL}, {"\xc3", NULL}, {"\"", NULL}};
    enum { STRINGS = 100000, PIECES_MAX = 30, VALID = 9 };
    struct random random = {7};
    struct arena arena;
    struct buf raw, text;

    (void)state;
    arena_init(&arena, 0, 1 << 20);
    buf_init(&raw, 4096);
    buf_init(&text, 4096);
    for (size_t i = 0; i < STRINGS; i++) {
        struct error err;
        struct span out;
        buf_clear(&raw);
        buf_clear(&text);
        assert_true(buf_append_char(&raw, '"', &err));
        bool is_good = true;
        size_t n = random_below(&random, PIECES_MAX);
        for (size_t k = 0; k < n; k++) {
            size_t piece = random_below(&random, random_below(&random, 64) == 0 ? COUNT(pieces) : VALID);
            assert_true(buf_append_str(&raw, pieces[piece].raw, &err));
            assert_true(buf_append_str(&text, pieces[piece].text == NULL ? "" : pieces[piece].text, &err));
            is_good &= pieces[piece].text != NULL;
        }
        assert_true(buf_append_char(&raw, '"', &err));
        assert_int_equal(is_valid(buf_span(&raw)), is_good);
        assert_true(!is_good || json_unquote(&arena, json_root(buf_span(&raw)), &out, &err));
        assert_true(!is_good || span_equal(out, buf_span(&text)));
        arena_reset(&arena);
    }
    buf_deinit(&raw);
    buf_deinit(&text);
    arena_deinit(&arena);
}

static void a_string_without_escapes_is_borrowed(void **state)
{
    struct span text = span_str("\"plain \xc3\xa9\"");
    struct span out;
    struct error err;
    struct arena arena;
    (void)state;
    arena_init(&arena, 0, 1 << 20);
    assert_true(json_unquote(&arena, json_root(text), &out, &err));
    assert_ptr_equal(out.ptr, text.ptr + 1);
    assert_int_equal(out.len, text.len - 2);
    assert_int_equal(arena.used, 0);
    arena_deinit(&arena);
}

static void escapes_are_undone(void **state)
{
    static const struct {
        const char *raw, *plain;
        size_t len;
    } cases[] = {
        {"\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t", 8},
        {"a\\u0000b", "a\0b", 3},
        {"\\u0041\\u00e9\\u20AC\\uD83D\\uDe00", "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 10},
        {"\\u007f\\u0080\\u07ff\\u0800\\uffff", "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf", 11},
        {"\\ud800\\udc00\\udbff\\udfff", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 8},
        {"x\\\\ny", "x\\ny", 4},
    };
    struct arena arena;
    struct error err;
    (void)state;
    arena_init(&arena, 0, 1 << 20);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct span out;
        assert_true(json_unescape(&arena, span_str(cases[i].raw), &out, &err));
        assert_true(span_equal(out, span_of(cases[i].plain, cases[i].len)));
    }
    arena_deinit(&arena);
}

static void unescaping_past_the_arenas_ceiling_fails(void **state)
{
    struct arena arena;
    struct error err;
    struct span out = span_str("kept");
    (void)state;
    arena_init(&arena, 0, 2);
    assert_false(json_unescape(&arena, span_str("\\n\\n"), &out, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_true(span_is(out, "kept"));
    arena_deinit(&arena);
}

static void a_written_string_is_escaped_as_little_as_allowed(void **state)
{
    static const struct {
        const char *text;
        size_t len;
        const char *json;
    } cases[] = {
        {"", 0, "\"\""},
        {"a/b<\x7f", 5, "\"a/b<\x7f\""},
        {"\"\\\b\f\n\r\t", 7, "\"\\\"\\\\\\b\\f\\n\\r\\t\""},
        {"\0\x1f", 2, "\"\\u0000\\u001f\""},
        {"\xc3\xa9\xf0\x9f\x98\x80", 6, "\"\xc3\xa9\xf0\x9f\x98\x80\""},
        {"a\xff\xc3z\xed\xa0\x80", 7,
         "\"a\xef\xbf\xbd\xef\xbf\xbdz\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
    };
    struct error err;
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf out;
        buf_init(&out, 4096);
        assert_true(json_append_string(&out, span_of(cases[i].text, cases[i].len), &err));
        assert_true(span_is(buf_span(&out), cases[i].json));
        buf_deinit(&out);
    }
}

static void appending_past_the_ceiling_changes_nothing(void **state)
{
    struct buf out;
    struct error err;
    (void)state;
    for (size_t max = 0; max < 12; max++) {
        buf_init(&out, 3 + max);
        assert_true(buf_append_str(&out, "abc", &err));
        assert_int_equal(json_append_string(&out,
                                            span_str("\x01"
                                                     "a\n"),
                                            &err),
                         max >= 11);
        assert_int_equal(out.len, max >= 11 ? 14 : 3);
        buf_deinit(&out);
    }
}

static void what_is_written_reads_back_the_same(void **state)
{
    struct arena arena;
    struct error err;
    (void)state;
    arena_init(&arena, 1 << 20, 1 << 20);
    for (size_t len = 0; len < 200; len++) {
        char text[200];
        struct buf out;
        struct span back;
        for (size_t i = 0; i < len; i++) {
            text[i] = (char)((i * 37 + len * 11) % 0x80);
        }
        buf_init(&out, 4096);
        assert_true(json_append_string(&out, span_of(text, len), &err));
        assert_true(json_validate(buf_span(&out), &err));
        assert_true(json_unquote(&arena, json_root(buf_span(&out)), &back, &err));
        assert_true(span_equal(back, span_of(text, len)));
        buf_deinit(&out);
    }
    arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_value_is_accepted),
        cmocka_unit_test(what_the_grammar_lacks_is_refused),
        cmocka_unit_test(control_characters_and_nul_in_strings_are_refused),
        cmocka_unit_test(ill_formed_utf8_is_refused_wherever_it_stands),
        cmocka_unit_test(a_special_byte_is_seen_at_every_distance),
        cmocka_unit_test(lone_surrogates_are_refused),
        cmocka_unit_test(nesting_ends_at_the_stated_depth),
        cmocka_unit_test(an_error_says_where_and_what_but_not_what_stood_there),
        cmocka_unit_test(an_object_is_walked_member_by_member),
        cmocka_unit_test(an_array_is_walked_element_by_element),
        cmocka_unit_test(a_flat_walk_sees_every_token_in_order),
        cmocka_unit_test(strings_are_read_alike_wherever_their_escapes_are),
        cmocka_unit_test(a_string_without_escapes_is_borrowed),
        cmocka_unit_test(escapes_are_undone),
        cmocka_unit_test(unescaping_past_the_arenas_ceiling_fails),
        cmocka_unit_test(a_written_string_is_escaped_as_little_as_allowed),
        cmocka_unit_test(appending_past_the_ceiling_changes_nothing),
        cmocka_unit_test(what_is_written_reads_back_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
