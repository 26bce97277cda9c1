/* A scan finds what an iterator over validated text finds, and stays within any other text. */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

#include "index/line_scan.h"
#include "support/random.h"

enum { TEXTS = 4000 };

static struct random chance = {7};
static struct arena memory;

static unsigned pick(unsigned n)
{
    return (unsigned)random_below(&chance, n);
}

static const char *space(void)
{
    static const char *const spaces[] = {"", "", "", "", " ", "\n\t", "\r  "};

    return spaces[pick(COUNT(spaces))];
}

static void append_value(struct buf *out, unsigned depth)
{
    static const char *const scalars[] = {"null",  "true",      "false",      "0",        "-1.5e+3",  "17",  "\"\"",
                                          "\"a\"", "\"\\\"\"", "\"\\\\\"", "\"}],{[\"", "\"\\u00e4 \xc3\xa4\"", "\"a rather long string, of forty bytes\""};
    bool is_object = pick(2) == 0;
    unsigned n = pick(5);
    struct error err;

    if (depth == 0 || pick(3) == 0) {
        assert_true(buf_append_str(out, scalars[pick(COUNT(scalars))], &err));
        return;
    }
    assert_true(buf_appendf(out, &err, "%s%s", is_object ? "{" : "[", space()));
    for (unsigned i = 0; i < n; i++) {
        assert_true(buf_appendf(out, &err, "%s%s", i == 0 ? "" : ",", space()));
        assert_true(!is_object || buf_appendf(out, &err, "\"%s%u\"%s:%s", pick(9) == 0 ? "\\\"" : "name", pick(1000000), space(), space()));
        append_value(out, depth - 1);
        assert_true(buf_append_str(out, space(), &err));
    }
    assert_true(buf_append_str(out, is_object ? "}" : "]", &err));
}

static void assert_same_members(struct json_value container)
{
    struct json_iterator expected = json_iterate(container);
    struct line_scan found = line_scan_begin(container.raw);
    struct span name, other_name;
    struct json_value value, other;

    while (json_next(&expected, &name, &value)) {
        assert_true(line_scan_next(&found, &other_name, &other));
        assert_true(span_equal(name, other_name) && span_equal(value.raw, other.raw));
        assert_int_equal(value.kind, other.kind);
        assert_same_members(value);
    }
    assert_false(line_scan_next(&found, &other_name, &other));
    assert_false(found.has_failed);
}

static void in_valid_text_it_finds_what_the_iterator_finds(void **state)
{
    struct error err;
    struct buf text;

    (void)state;
    buf_init(&text, 1024 * 1024);
    for (unsigned i = 0; i < TEXTS; i++) {
        buf_clear(&text);
        append_value(&text, 4);
        assert_true(json_validate(buf_span(&text), &err));
        assert_same_members(json_root(buf_span(&text)));
    }
    buf_deinit(&text);
}

static unsigned scan_all(struct span text, unsigned depth)
{
    struct line_scan it = line_scan_begin(text);
    struct json_value value;
    struct span name, decoded;
    struct error err;
    unsigned n = 0;

    while (line_scan_next(&it, &name, &value)) {
        assert_true(value.raw.ptr >= text.ptr && value.raw.ptr + value.raw.len <= text.ptr + text.len && value.raw.len > 0);
        assert_true(line_scan_text(&memory, value, &decoded, &err));
        n += 1 + (depth > 0 ? scan_all(value.raw, depth - 1) : 0);
    }
    return n;
}

/* Each text ends at the end of its allocation, where a sanitizer sees the first byte too many. */
static void any_text_is_scanned_within_its_bounds(void **state)
{
    static const char letters[] = "{}[]:,\"\\ \nau0-19.tfn\xc3";
    struct buf text;

    (void)state;
    buf_init(&text, 1024 * 1024);
    for (unsigned i = 0; i < TEXTS; i++) {
        buf_clear(&text);
        append_value(&text, 3);
        for (unsigned k = pick(4); k > 0; k--) {
            text.data[pick((unsigned)text.len)] = letters[pick(sizeof(letters) - 1)];
        }
        size_t len = pick((unsigned)text.len + 1);
        char *copy = malloc(len == 0 ? 1 : len);
        assert_non_null(copy);
        memcpy(copy, text.data, len);
        arena_reset(&memory);
        (void)scan_all(span_of(copy, len), 6);
        free(copy);
    }
    buf_deinit(&text);
}

static void where_the_structure_ends_it_fails(void **state)
{
    static const char *const texts[] = {"{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{\"a\" 1}", "{1:2}", "{\"a\":\"b}",
                                        "{\"a\":[1}", "{\"a\":x}", "{\"a\":1}}", "{\"a\":1} x", "[1 2]", "[,1]"};

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct line_scan it = line_scan_begin(span_str(texts[i]));
        struct json_value value;
        struct span name;
        while (line_scan_next(&it, &name, &value)) {
        }
        if (!it.has_failed) {
            fail_msg("%s", texts[i]);
        }
    }
}

/* At every place of a string, whatever its length. */
static void strings_are_decoded_or_refused_where_they_need_it(void **state)
{
    static const struct {
        const char *put, *becomes; /* NULL: no string */
    } cases[] = {{"\\u0041", "A"}, {"\\n", "\n"}, {"\xc3\xa4", "\xc3\xa4"}, {"\x7f", "\x7f"}, {"\\x", NULL}, {"\x01", NULL}, {"\xff", NULL}, {"\\ud800", NULL}};
    char raw[64], expected[64];
    struct span text;
    struct error err;

    (void)state;
    for (int len = 0; len < 40; len++) {
        for (int at = 0; at <= len; at++) {
            for (size_t i = 0; i < COUNT(cases); i++) {
                arena_reset(&memory);
                (void)snprintf(raw, sizeof(raw), "\"%.*s%s%.*s\"", at, "-----------------------------------------", cases[i].put, len - at,
                               "+++++++++++++++++++++++++++++++++++++++++");
                (void)snprintf(expected, sizeof(expected), "%.*s%s%.*s", at, "-----------------------------------------",
                               cases[i].becomes == NULL ? "" : cases[i].becomes, len - at, "+++++++++++++++++++++++++++++++++++++++++");
                assert_true(line_scan_text(&memory, (struct json_value){JSON_KIND_STRING, span_str(raw)}, &text, &err));
                assert_true(cases[i].becomes == NULL ? text.ptr == NULL : span_is(text, expected));
            }
        }
    }
    assert_true(line_scan_text(&memory, (struct json_value){JSON_KIND_NUMBER, span_str("12")}, &text, &err));
    assert_null(text.ptr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_valid_text_it_finds_what_the_iterator_finds),
        cmocka_unit_test(any_text_is_scanned_within_its_bounds),
        cmocka_unit_test(where_the_structure_ends_it_fails),
        cmocka_unit_test(strings_are_decoded_or_refused_where_they_need_it),
    };

    arena_init(&memory, 64 * 1024, 1024 * 1024);
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    arena_deinit(&memory);
    return status;
}
