#include "testing.h"

#include "base/fields.h"

enum colour { RED, GREEN, BLUE };

struct entry {
    struct span name;
    uint32_t weight;
};

struct thing {
    bool is_on;
    uint8_t byte;
    uint16_t port;
    uint32_t count;
    int64_t bytes, ms, ns;
    double share;
    enum colour colour;
    unsigned colours;
    struct span text;
    const char *string;
    const struct span *texts;
    size_t n_texts;
    const struct entry *entries;
    size_t n_entries;
    struct {
        uint32_t depth;
    } inner;
};

static const char *const colours[] = {"red", "green", "blue", NULL};

static bool check_entry(const struct field_reader *r, const struct yaml_node *mapping, void *out, struct error *err)
{
    const struct entry *e = out;

    (void)r;
    return e->weight != 13 || yaml_error(mapping, err, "another weight expected");
}

#define AT(member) FIELD_AT(struct thing, member)
static const struct field inner_fields[] = {
    {"depth", &field_integer, 0, sizeof(uint32_t), 0, 9, .initial = "3"},
    {0},
};
static const struct field entry_fields[] = {
    {"weight", &field_integer, FIELD_AT(struct entry, weight), 0, 99, .initial = "7"},
    {0},
};
static const struct field entry_name = {"name", &field_text, FIELD_AT(struct entry, name), .min = 1, .max = 5};
static const struct field thing_fields[] = {
    {"flag", &field_flag, AT(is_on), .initial = "true"},
    {"byte", &field_integer, AT(byte), 0, 255, .initial = "1"},
    {"port", &field_integer, AT(port), 1, 65535, .initial = "80"},
    {"count", &field_integer, AT(count), 0, UINT32_MAX, .initial = "4000000000"},
    {"bytes", &field_size, AT(bytes), 1024, 0x1p40, "none", .may_be_none = true},
    {"ms", &field_ms, AT(ms), 50, 86400e3, .initial = "1.5s"},
    {"ns", &field_ns, AT(ns), 1, 172800e3, .initial = "2ms"},
    {"share", &field_number, AT(share), 0, 1, .initial = "0.25"},
    {"colour", &field_choice, AT(colour), .names = colours, .initial = "green"},
    {"colours", &field_choices, AT(colours), .names = colours},
    {"text", &field_text, AT(text), .min = 1, .max = 4},
    {"string", &field_string, AT(string), .min = 1},
    {"texts", &field_texts, FIELD_LIST_AT(struct thing, texts, n_texts), 1, 3, .initial = NULL},
    {"list", &field_list, FIELD_LIST_AT(struct thing, entries, n_entries), 0, 2, .fields = entry_fields,
     .entry = sizeof(struct entry), .check = check_entry},
    {"map", &field_map, FIELD_LIST_AT(struct thing, entries, n_entries), 1, 2, .fields = entry_fields,
     .entry = sizeof(struct entry), .key = &entry_name},
    {"inner", &field_mapping, AT(inner), .fields = inner_fields},
    {0},
};
#undef AT

static struct arena arena;
static struct error err;

static bool read_thing(const char *yaml, struct thing *out)
{
    const struct field_reader r = {.arena = &arena};
    const struct yaml_node *root = NULL;

    arena_deinit(&arena);
    arena_init(&arena, 0, 1 << 20);
    *out = (struct thing){0};
    return fields_parse(&arena, "f.yaml", span_str(yaml), &root, &err) && fields_read(&r, thing_fields, root, out, &err);
}

static int tear_down(void **state)
{
    (void)state;
    arena_deinit(&arena);
    return 0;
}

static void what_is_left_out_has_its_default(void **state)
{
    struct thing t;

    (void)state;
    assert_true(read_thing("", &t));
    assert_true(t.is_on);
    assert_int_equal(t.byte, 1);
    assert_int_equal(t.port, 80);
    assert_int_equal(t.count, 4000000000U);
    assert_true(t.bytes == FIELD_NONE);
    assert_int_equal(t.ms, 1500);
    assert_int_equal(t.ns, 2000000);
    assert_true(t.share == 0.25);
    assert_int_equal(t.colour, GREEN);
    assert_int_equal(t.inner.depth, 3);
    assert_null(t.string);
    assert_int_equal(t.n_texts, 0);
}

static void every_type_is_read(void **state)
{
    struct thing t;

    (void)state;
    if (!read_thing("flag: false\nbyte: 255\nport: 65535\ncount: 0\nbytes: 2M\nms: 2h\nns: 1.5d\nshare: 1\ncolour: blue\n"
                    "colours: [red, blue]\ntext: abcd\nstring: a b\ntexts: [x, y]\nlist: [{weight: 1}, {}]\ninner: {depth: 9}\n",
                    &t)) {
        fail_msg("%s", err.text);
    }
    assert_false(t.is_on);
    assert_int_equal(t.byte, 255);
    assert_int_equal(t.port, 65535);
    assert_int_equal(t.count, 0);
    assert_int_equal(t.bytes, 2 << 20);
    assert_int_equal(t.ms, 7200000);
    assert_true(t.ns == INT64_C(129600000000000));
    assert_int_equal(t.colour, BLUE);
    assert_int_equal(t.colours, 1U << RED | 1U << BLUE);
    assert_true(span_is(t.text, "abcd"));
    assert_string_equal(t.string, "a b");
    assert_int_equal(t.n_texts, 2);
    assert_true(span_is(t.texts[1], "y"));
    assert_int_equal(t.n_entries, 2);
    assert_int_equal(t.entries[0].weight, 1);
    assert_int_equal(t.entries[1].weight, 7);
    assert_int_equal(t.inner.depth, 9);
    assert_true(read_thing("texts: one\ncolours: green\nmap: {a: {}, b: {weight: 2}}\n", &t));
    assert_int_equal(t.n_texts, 1);
    assert_int_equal(t.colours, 1U << GREEN);
    assert_true(span_is(t.entries[1].name, "b"));
    assert_int_equal(t.entries[1].weight, 2);
}

static void a_fault_says_where_it_is_and_what_was_expected(void **state)
{
    static const char *const cases[][2] = {
        {"7", "f.yaml:1:1: a mapping expected"},
        {"flag: yes", "f.yaml:1:7: flag: true or false expected"},
        {"port: 0", "f.yaml:1:7: port: a whole number from 1 to 65535 expected"},
        {"port: 1.5", "f.yaml:1:7: port: a whole number from 1 to 65535 expected"},
        {"port: '80'", "f.yaml:1:7: port: a whole number from 1 to 65535 expected"},
        {"port: none", "f.yaml:1:7: port: a whole number from 1 to 65535 expected"},
        {"bytes: 1", "f.yaml:1:8: bytes: a size from 1K to 1T, or none, expected"},
        {"bytes: 1.5K", "f.yaml:1:8: bytes: a size from 1K to 1T, or none, expected"},
        {"bytes: 2T", "f.yaml:1:8: bytes: a size from 1K to 1T, or none, expected"},
        {"bytes: 99999999999999999999T", "f.yaml:1:8: bytes: a size from 1K to 1T, or none, expected"},
        {"bytes: -1K", "f.yaml:1:8: bytes: a size from 1K to 1T, or none, expected"},
        {"bytes: KK", "f.yaml:1:8: bytes: a size from 1K to 1T, or none, expected"},
        {"bytes: \"1K\\0\"", "f.yaml:1:8: bytes: a size from 1K to 1T, or none, expected"},
        {"ms: 49ms", "f.yaml:1:5: ms: a time from 50ms to 1d expected"},
        {"ms: 100", "f.yaml:1:5: ms: a time from 50ms to 1d expected"},
        {"ms: 1..5s", "f.yaml:1:5: ms: a time from 50ms to 1d expected"},
        {"ms: .5s", "f.yaml:1:5: ms: a time from 50ms to 1d expected"},
        {"ms: 5.s", "f.yaml:1:5: ms: a time from 50ms to 1d expected"},
        {"ms: 1e3s", "f.yaml:1:5: ms: a time from 50ms to 1d expected"},
        {"ms: none", "f.yaml:1:5: ms: a time from 50ms to 1d expected"},
        {"ms: [1s]", "f.yaml:1:5: ms: a time from 50ms to 1d expected"},
        {"share: 1.1", "f.yaml:1:8: share: a number from 0 to 1 expected"},
        {"colour: pink", "f.yaml:1:9: colour: one of red, green, blue expected"},
        {"colours: []", "f.yaml:1:10: colours: at least one value expected"},
        {"colours: [red, pink]", "f.yaml:1:16: one of red, green, blue expected"},
        {"text: ''", "f.yaml:1:7: text: 1 to 4 characters expected"},
        {"text: abcde", "f.yaml:1:7: text: 1 to 4 characters expected"},
        {"text: {}", "f.yaml:1:7: text: a text expected"},
        {"string: ''", "f.yaml:1:9: string: a text expected"},
        {"string: \"a\\0b\"", "f.yaml:1:9: string: text without a NUL byte expected"},
        {"texts: []", "f.yaml:1:8: texts: 1 to 3 entries expected"},
        {"texts: [a, b, c, d]", "f.yaml:1:8: texts: 1 to 3 entries expected"},
        {"texts: [a, [b]]", "f.yaml:1:12: a text expected"},
        {"texts: {}", "f.yaml:1:8: texts: a list expected"},
        {"list: {}", "f.yaml:1:7: list: a list expected"},
        {"list: [{}, {}, {}]", "f.yaml:1:7: list: at most 2 entries expected"},
        {"list: [7]", "f.yaml:1:8: a mapping expected"},
        {"list: [{weight: 13}]", "f.yaml:1:8: another weight expected"},
        {"list: [{weigth: 1}]", "f.yaml:1:9: key 'weigth' is not known here (did you mean weight?)"},
        {"map: []", "f.yaml:1:6: map: a mapping expected"},
        {"map: {}", "f.yaml:1:6: map: 1 to 2 entries expected"},
        {"map: {abcdef: {}}", "f.yaml:1:7: 1 to 5 characters expected"},
        {"map: {a: 7}", "f.yaml:1:10: a: a mapping expected"},
        {"inner: {depth: 10}", "f.yaml:1:16: depth: a whole number from 0 to 9 expected"},
        {"inner: {smell: 1}", "f.yaml:1:9: key 'smell' is not known here: expected depth"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct thing t;
        err.text[0] = '\0';
        if (read_thing(cases[i][0], &t) || strcmp(err.text, cases[i][1]) != 0) {
            fail_msg("%s: %s", cases[i][0], err.text);
        }
    }
}

static void missing_keys_are_named_all_at_once(void **state)
{
    static const struct field fields[] = {
        {"one", &field_text, FIELD_AT(struct thing, text), .is_required = true},
        {"two", &field_flag, FIELD_AT(struct thing, is_on), .initial = "true"},
        {"three", &field_string, FIELD_AT(struct thing, string), .is_required = true},
        {0},
    };
    const struct field_reader r = {.arena = &arena};
    const struct yaml_node *root = NULL;
    struct thing t = {0};

    (void)state;
    arena_init(&arena, 0, 1 << 20);
    assert_true(fields_parse(&arena, "f.yaml", span_str("two: false\n"), &root, &err));
    assert_false(fields_read(&r, fields, root, &t, &err));
    assert_string_equal(err.text, "f.yaml:1:1: 'one', 'three' expected");
}

/* A file that goes on from another keeps what that said. */
static void keys_can_be_read_over_others(void **state)
{
    const struct field_reader r = {.arena = &arena};
    const struct yaml_node *first = NULL, *second = NULL;
    struct thing t = {0};

    (void)state;
    arena_init(&arena, 0, 1 << 20);
    assert_true(fields_parse(&arena, "a", span_str("port: 1\nbyte: 2\ninner: {depth: 1}\n"), &first, &err));
    assert_true(fields_parse(&arena, "b", span_str("byte: 3\ninner: {}\n"), &second, &err));
    assert_true(fields_read(&r, thing_fields, first, &t, &err));
    assert_true(fields_read_keys(&r, thing_fields, second, &t, &err));
    assert_int_equal(t.port, 1);
    assert_int_equal(t.byte, 3);
    assert_int_equal(t.inner.depth, 1);
}

static void a_rate_is_a_count_and_a_window(void **state)
{
    static const struct {
        const char *text;
        int64_t count, window; /* 0: refused */
    } cases[] = {{"5/s", 5, 1000}, {"60/m", 60, 60000}, {"1000/h", 1000, 3600000}, {"0/m", 0, 0}, {"1001/h", 0, 0},
                 {"5", 0, 0},      {"/s", 0, 0},        {"5/d", 0, 0},             {"1.5/s", 0, 0}, {"-1/s", 0, 0}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct yaml_node node = {.kind = YAML_SCALAR, .text = span_str(cases[i].text), .file = "f", .line = 1, .column = 1};
        int64_t count = 0, window = 0;
        assert_int_equal(fields_read_rate(&node, 1, 1000, &count, &window, &err), cases[i].window > 0);
        assert_int_equal(count, cases[i].count);
        assert_int_equal(window, cases[i].window);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_is_left_out_has_its_default, tear_down),
        cmocka_unit_test_teardown(every_type_is_read, tear_down),
        cmocka_unit_test_teardown(a_fault_says_where_it_is_and_what_was_expected, tear_down),
        cmocka_unit_test_teardown(missing_keys_are_named_all_at_once, tear_down),
        cmocka_unit_test_teardown(keys_can_be_read_over_others, tear_down),
        cmocka_unit_test_teardown(a_rate_is_a_count_and_a_window, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
