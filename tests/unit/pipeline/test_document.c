#include "testing.h"

#include "base/json.h"
#include "pipeline/document.h"

enum { MEMORY_MAX = 64 * 1024 * 1024 };

struct fixture {
    struct arena arena;
    struct document document;
    struct error err;
};

static bool read_text(struct fixture *f, struct span json, const char *prefix)
{
    arena_init(&f->arena, 0, MEMORY_MAX);
    assert_true(json_validate(json, &f->err));
    return document_read(&f->arena, json, span_str(prefix), &f->document, &f->err);
}

static void read_or_fail(struct fixture *f, const char *json, const char *prefix)
{
    if (!read_text(f, span_str(json), prefix)) {
        fail_msg("%s", f->err.text);
    }
}

static void assert_channel(const struct fixture *f, size_t i, const char *path, const char *text)
{
    assert_true(i < f->document.n);
    assert_true(span_is(f->document.channels[i].path, path));
    assert_true(span_is(f->document.channels[i].text, text));
}

/* What document_write makes when every value channel says `output`, or its own text with NULL. */
static void assert_written(struct fixture *f, const char *output, const char *expected)
{
    struct buf out;

    buf_init(&out, 4096);
    for (size_t i = 0; i < f->document.n; i++) {
        struct channel *c = &f->document.channels[i];
        c->output = output == NULL || c->is_member_name ? c->text : span_str(output);
    }
    assert_true(document_write(&f->document, &out, &f->err));
    assert_true(span_is(buf_span(&out), expected));
    buf_deinit(&out);
}

static void strings_names_and_long_numbers_are_channels(void **state)
{
    struct fixture f;
    (void)state;
    read_or_fail(&f, "{\"a\": [\"x\", 7, 4111111111111111, true], \"b\\n\": {\"c\": -12345.678}}",
                 "");
    assert_int_equal(f.document.n, 6);
    assert_channel(&f, 0, "/a", "a");
    assert_channel(&f, 1, "/a/0", "x");
    assert_channel(&f, 2, "/a/2", "4111111111111111");
    assert_channel(&f, 3, "/b\n", "b\n");
    assert_channel(&f, 4, "/b\n/c", "c");
    assert_channel(&f, 5, "/b\n/c", "-12345.678");
    assert_true(f.document.channels[0].is_member_name && f.document.channels[3].is_member_name);
    assert_false(f.document.channels[1].is_member_name || f.document.channels[5].is_member_name);
    arena_deinit(&f.arena);
}

static void an_array_of_parts_is_one_channel_more(void **state)
{
    struct fixture f;
    (void)state;
    read_or_fail(&f, "{\"k\": [\"g\",\n\"h\", \"p\", \"_\", \"k\", \"R\", \"7\", \"m\"], \"n\": [[103,104,112,95,107,82,55,109]]}", "");
    assert_int_equal(f.document.n, 13);
    assert_channel(&f, 1, "/k", "\"g\", \"h\", \"p\", \"_\", \"k\", \"R\", \"7\", \"m\"");
    assert_channel(&f, 2, "/k/0", "g");
    assert_channel(&f, 11, "/n", "103, 104, 112, 95, 107, 82, 55, 109");
    assert_channel(&f, 12, "/n/0", "103, 104, 112, 95, 107, 82, 55, 109");
    assert_written(&f, NULL, "{\"k\": [\"g\",\n\"h\", \"p\", \"_\", \"k\", \"R\", \"7\", \"m\"], \"n\": [[103,104,112,95,107,82,55,109]]}");
    assert_written(&f, "[x]", "{\"k\": \"[x]\", \"n\": \"[x]\"}");
    arena_deinit(&f.arena);
}

#define LONG_WORD "what-is-said-at-some-length"
#define LONG      LONG_WORD " and again, that all of this is a name of " LONG_WORD

/* Codes in any form are numbers, the parts of arrays in an array are of one text, and so are longer parts; of long ones their ends. */
static void parts_have_the_form_that_the_views_know(void **state)
{
    static const struct {
        const char *json, *text;
    } arrays[] = {
        {"[\"65\",\"75\",\"73\",\"65\",\"81\",\"87\",\"66\",\"53\"]", "65, 75, 73, 65, 81, 87, 66, 53"},
        {"[\"0x41\",\"0X4b\",\"0x49\",\"0x41\",\"0x51\",\"0x57\",\"0x42\",\"0x35\"]", "0x41, 0X4b, 0x49, 0x41, 0x51, 0x57, 0x42, 0x35"},
        {"[65.0,75.0,73.00,65.0,81.0,87.0,66.0,53.0]", "65, 75, 73, 65, 81, 87, 66, 53"},
        {"[65,\"75\",73,65.0,81,87,66,53]", "65, 75, 73, 65, 81, 87, 66, 53"},
        {"[[65,75,73,65],[81,87],[[66,53]]]", "65, 75, 73, 65, 81, 87, 66, 53"},
        {"[[\"A\",\"K\",\"I\"],[\"A\",\"Q\",\"W\",\"B\",\"5\"]]", "\"A\", \"K\", \"I\", \"A\", \"Q\", \"W\", \"B\", \"5\""},
        {"[\"AKIAQWB5PD\",\"KHX6PYGPAN\"]", "\"AKIAQWB5PD\", \"KHX6PYGPAN\""},
        {"[\"A\",75,\"I\",65,\"Q\",87,34,\"5\"]", "\"A\", \"K\", \"I\", \"A\", \"Q\", \"W\", \" \", \"5\""},
        {"[\"" LONG " AKIAQWB5PD\",\"KHX6PYGPAN " LONG "\"]", "\"" LONG_WORD " AKIAQWB5PD\", \"KHX6PYGPAN " LONG_WORD "\""},
        {"[\"4\",\"1\",\"1\",\"1\",\"1\",\"1\",\"1\",\"1\"]", "\"4\", \"1\", \"1\", \"1\", \"1\", \"1\", \"1\", \"1\""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(arrays); i++) {
        struct fixture f;
        read_or_fail(&f, arrays[i].json, "");
        assert_channel(&f, 0, "", arrays[i].text);
        assert_true(f.document.channels[0].is_parts);
        assert_written(&f, "[x]", "\"[x]\"");
        arena_deinit(&f.arena);
    }
}

static void other_arrays_are_no_channel(void **state)
{
    static const char *const others[] = {
        "[1,2,3,4,5,6,7]", "[1,2,3,4,5,6,7,1000]", "[1,2,3,4,5,6,7,null]", "[1,2,3,4,5,6,7,1.5]", "[1,2,3,4,5,6,7,{}]", "[[[[1,2,3,4,5,6,7,8],9],9],{}]",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(others); i++) {
        struct fixture f;
        read_or_fail(&f, others[i], "");
        for (size_t k = 0; k < f.document.n; k++) {
            assert_false(f.document.channels[k].is_parts && span_is(f.document.channels[k].path, ""));
        }
        arena_deinit(&f.arena);
    }
}

static void where_vectors_are_parts_are_codes_of_letters(void **state)
{
    static const struct {
        const char *json;
        size_t n;
    } arrays[] = {
        {"[103,104,112,95,107,82,55,109]", 1}, {"[103,104,112,95,107,82,55,10]", 1},  {"[103,104,112,95,107,82,55,0]", 0},
        {"[103,104,112,95,107,82,55,127]", 0}, {"[103,104,112,95,107,82,55,-9]", 0},  {"[103,104,112,95,107,82,55,1.5]", 0},
        {"[103,104,112,95,107,82,55]", 0},     {"[103.0,104,112,95,107,82,55,109]", 1}, {"[\"g\",\"h\",\"p\",\"_\",\"k\",\"R\",\"7\",\"m\"]", 9},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(arrays); i++) {
        struct document texts, integers;
        struct arena arena;
        struct error err;
        arena_init(&arena, 0, 1 << 20);
        assert_true(document_read_texts(&arena, span_str(arrays[i].json), span_str(""), &texts, &err));
        assert_true(document_read_integers(&arena, span_str(arrays[i].json), span_str(""), &integers, &err));
        assert_int_equal(texts.n, arrays[i].n);
        assert_int_equal(integers.n, arrays[i].n);
        arena_deinit(&arena);
    }
}

static void seven_digits_are_no_channel(void **state)
{
    struct fixture f;
    (void)state;
    read_or_fail(&f, "[1234567, 12345678, 1.2345678e-9]", "");
    assert_int_equal(f.document.n, 2);
    assert_channel(&f, 0, "/1", "12345678");
    assert_channel(&f, 1, "/2", "1.2345678e-9");
    arena_deinit(&f.arena);
}

static void a_key_is_the_nearest_member_name_above(void **state)
{
    struct fixture f;
    static const char *const texts[] = {"ssn", "1", "x", "2", "3", "d", "4"};
    static const char *const keys[] = {"", "ssn", "ssn", "x", "ssn", "", "d"};
    (void)state;
    read_or_fail(&f, "{\"ssn\": [\"1\", [{\"x\": \"2\"}, \"3\"]], \"d\": \"4\"}", "");
    assert_int_equal(f.document.n, COUNT(keys));
    for (size_t i = 0; i < COUNT(keys); i++) {
        assert_true(span_is(f.document.channels[i].text, texts[i]));
        assert_true(span_is(f.document.channels[i].key, keys[i]));
    }
    arena_deinit(&f.arena);
}

static void paths_are_json_pointers_behind_the_prefix(void **state)
{
    struct fixture f;
    (void)state;
    read_or_fail(&f, "{\"a/b~c\": {\"\": [[\"x\"]]}}", "/messages");
    assert_channel(&f, 0, "/messages/a~1b~0c", "a/b~c");
    assert_channel(&f, 1, "/messages/a~1b~0c/", "");
    assert_channel(&f, 2, "/messages/a~1b~0c//0/0", "x");
    arena_deinit(&f.arena);
}

static void a_member_of_digits_is_distinguished_from_an_element(void **state)
{
    struct fixture f;
    (void)state;
    read_or_fail(&f, "{\"12\": [\"x\"]}", "");
    assert_channel(&f, 0, "/~212", "12");
    assert_channel(&f, 1, "/~212/0", "x");
    arena_deinit(&f.arena);
}

static void a_lone_string_has_the_prefix_as_path(void **state)
{
    struct fixture f;
    (void)state;
    read_or_fail(&f, " \"x\\u0041\" ", "/p");
    assert_int_equal(f.document.n, 1);
    assert_channel(&f, 0, "/p", "xA");
    assert_true(f.document.channels[0].key.len == 0);
    assert_written(&f, NULL, " \"x\\u0041\" ");
    assert_written(&f, "", " \"\" ");
    arena_deinit(&f.arena);
}

static void an_unchanged_document_is_written_byte_for_byte(void **state)
{
    static const char text[] =
        " {\"a\" : [ 1.0e+1,\"\\u00e9\\/\" ],\t\"a\":\"\",\"n\":123456789012}\n";
    struct fixture f;
    (void)state;
    read_or_fail(&f, text, "");
    assert_written(&f, NULL, text);
    arena_deinit(&f.arena);
}

static void redacted_strings_and_numbers_become_strings(void **state)
{
    struct fixture f;
    (void)state;
    read_or_fail(&f, "{\"a\": [\"x\\n\", 4111111111111111], \"b\": \"y\", \"c\": 5}", "");
    assert_written(&f, "[\"]", "{\"a\": [\"[\\\"]\", \"[\\\"]\"], \"b\": \"[\\\"]\", \"c\": 5}");
    arena_deinit(&f.arena);
}

static void a_whole_number_is_judged_without_its_fraction(void **state)
{
    struct fixture f;
    (void)state;
    read_or_fail(&f, "[4111111111111111.00, 4111111111111111.5]", "");
    assert_channel(&f, 0, "/0", "4111111111111111");
    assert_channel(&f, 1, "/1", "4111111111111111.5");
    arena_deinit(&f.arena);
}

static void what_nobody_judged_is_not_written(void **state)
{
    struct fixture f;
    struct buf out;
    (void)state;
    read_or_fail(&f, "[\"secret\"]", "");
    buf_init(&out, 4096);
    assert_true(document_write(&f.document, &out, &f.err));
    assert_true(span_is(buf_span(&out), "[\"\"]"));
    buf_deinit(&out);
    arena_deinit(&f.arena);
}

static void a_changed_member_name_is_refused(void **state)
{
    struct fixture f;
    struct buf out;
    (void)state;
    read_or_fail(&f, "{\"a\": 1}", "");
    f.document.channels[0].output = span_str("b");
    buf_init(&out, 4096);
    assert_true(buf_append_str(&out, "before", &f.err));
    assert_false(document_write(&f.document, &out, &f.err));
    assert_int_equal(f.err.kind, ERROR_INVALID);
    assert_true(span_is(buf_span(&out), "before"));
    buf_deinit(&out);
    arena_deinit(&f.arena);
}

static void writing_past_the_ceiling_changes_nothing(void **state)
{
    struct fixture f;
    struct buf out;
    (void)state;
    read_or_fail(&f, "[\"abc\"]", "");
    f.document.channels[0].output = span_str("a longer label");
    buf_init(&out, 10);
    assert_false(document_write(&f.document, &out, &f.err));
    assert_int_equal(f.err.kind, ERROR_LIMIT);
    assert_int_equal(out.len, 0);
    buf_deinit(&out);
    arena_deinit(&f.arena);
}

static void too_many_channels_are_a_limit(void **state)
{
    struct fixture f;
    struct buf json;
    (void)state;
    buf_init(&json, 16 * 1024 * 1024);
    assert_true(buf_append_char(&json, '[', &f.err));
    for (size_t i = 0; i < DOCUMENT_CHANNELS_MAX; i++) {
        assert_true(buf_append_str(&json, "\"\",", &f.err));
    }
    assert_true(buf_append_str(&json, "\"\"]", &f.err));
    assert_false(read_text(&f, buf_span(&json), ""));
    assert_int_equal(f.err.kind, ERROR_LIMIT);
    arena_deinit(&f.arena);
    buf_deinit(&json);
}

/* Under one long name every element's path repeats it: memory would grow with the square. */
static void paths_that_blow_up_are_a_limit(void **state)
{
    enum { NAME = 100000, ELEMENTS = 30000 };
    struct fixture f;
    struct buf json;
    (void)state;
    buf_init(&json, 1 << 20);
    assert_true(buf_append_str(&json, "{\"", &f.err) && buf_reserve(&json, NAME, &f.err));
    memset(json.data + json.len, 'k', NAME);
    json.len += NAME;
    assert_true(buf_append_str(&json, "\":[", &f.err));
    for (size_t i = 0; i < ELEMENTS; i++) {
        assert_true(buf_append_str(&json, "\"\",", &f.err));
    }
    assert_true(buf_append_str(&json, "\"\"]}", &f.err));
    assert_false(read_text(&f, buf_span(&json), ""));
    assert_int_equal(f.err.kind, ERROR_LIMIT);
    assert_true(f.arena.used < 128 * json.len);
    arena_deinit(&f.arena);
    buf_deinit(&json);
}

static void the_deepest_nesting_is_read(void **state)
{
    char text[2 * JSON_DEPTH_MAX + 3];
    struct fixture f;
    (void)state;
    memset(text, '[', JSON_DEPTH_MAX);
    memcpy(text + JSON_DEPTH_MAX, "\"x\"", 3);
    memset(text + JSON_DEPTH_MAX + 3, ']', JSON_DEPTH_MAX);
    assert_true(read_text(&f, span_of(text, sizeof(text)), ""));
    assert_int_equal(f.document.n, 1);
    assert_int_equal(f.document.channels[0].path.len, (size_t)2 * JSON_DEPTH_MAX);
    arena_deinit(&f.arena);
}

static void too_little_memory_is_reported(void **state)
{
    struct error err;
    struct document out = {.n = 77};
    (void)state;
    for (size_t max = 0; max < 700; max += 10) {
        struct arena arena;
        arena_init(&arena, 0, max);
        bool is_read = document_read(&arena, span_str("{\"a\\n\":[\"b\\n\",\"c\"]}"), span_str(""),
                                     &out, &err);
        assert_true(is_read || (err.kind == ERROR_LIMIT && out.n == 77));
        out.n = 77;
        arena_deinit(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_names_and_long_numbers_are_channels),
        cmocka_unit_test(an_array_of_parts_is_one_channel_more),
        cmocka_unit_test(parts_have_the_form_that_the_views_know),
        cmocka_unit_test(where_vectors_are_parts_are_codes_of_letters),
        cmocka_unit_test(other_arrays_are_no_channel),
        cmocka_unit_test(seven_digits_are_no_channel),
        cmocka_unit_test(a_key_is_the_nearest_member_name_above),
        cmocka_unit_test(paths_are_json_pointers_behind_the_prefix),
        cmocka_unit_test(a_member_of_digits_is_distinguished_from_an_element),
        cmocka_unit_test(a_lone_string_has_the_prefix_as_path),
        cmocka_unit_test(an_unchanged_document_is_written_byte_for_byte),
        cmocka_unit_test(redacted_strings_and_numbers_become_strings),
        cmocka_unit_test(a_whole_number_is_judged_without_its_fraction),
        cmocka_unit_test(what_nobody_judged_is_not_written),
        cmocka_unit_test(a_changed_member_name_is_refused),
        cmocka_unit_test(writing_past_the_ceiling_changes_nothing),
        cmocka_unit_test(too_many_channels_are_a_limit),
        cmocka_unit_test(paths_that_blow_up_are_a_limit),
        cmocka_unit_test(the_deepest_nesting_is_read),
        cmocka_unit_test(too_little_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
