/* test_survey.c - messages are found in a body before it is read, and those that are known need not be read. */
#include "testing.h"

#include <sodium.h>

#include "prompt/prompt_judge.h"
#include "support/random.h"

enum { MEMORY = 1 << 20, ROUNDS = 20000 };

static struct history *history;
static struct history_scope scope;
static struct arena arena, texts_arena;
static struct prompt_survey s;
static struct error err;

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, 0, MEMORY);
    arena_init(&texts_arena, 0, MEMORY);
    history = sodium_init() >= 0 ? history_new(HISTORY_ENTRIES_DEFAULT, &err) : NULL;
    return history != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    history_free(history);
    arena_deinit(&arena);
    arena_deinit(&texts_arena);
    return 0;
}

static size_t survey(struct span body)
{
    arena_reset(&arena);
    assert_true(prompt_survey(&arena, history, &scope, "openai-chat", body, &s, &err));
    return s.n;
}

static bool is_valid(const char *body)
{
    return json_validate_known(span_str(body), prompt_survey_valid(&s), &err);
}

static void know(const char *body, size_t i, size_t bytes)
{
    assert_true(survey(span_str(body)) > i);
    history_add_texts(history, &s.keys[i], history_texts(bytes, bytes));
}

static const char two[] = "{\"model\":\"m\", \"messages\": [ {\"role\":\"user\",\"content\":\"a ] } \\\" \\\\\"} ,{\"role\":\"assistant\",\"content\":[{}]}],\"n\":1}";

static void messages_are_the_units_of_the_body(void **state)
{
    struct prompt_texts texts;
    size_t at = 0;

    (void)state;
    assert_int_equal(survey(span_str(two)), 2);
    assert_true(prompt_texts_read(&texts_arena, "openai-chat", span_str(two), &texts, &err));
    for (size_t i = 0; i < texts.n_units; i++) {
        if (texts.units[i].is_message) {
            struct history_key key;
            history_keys_of(history, &scope, &texts.units[i], 1, NULL, &key);
            assert_true(span_equal(texts.units[i].json, s.messages[at].json));
            assert_ptr_equal(texts.units[i].place, s.messages[at].place);
            assert_memory_equal(&key, &s.keys[at], sizeof(key));
            at++;
        }
    }
    assert_int_equal(at, 2);
}

static void other_members_and_forms_have_none(void **state)
{
    (void)state;
    assert_int_equal(survey(span_str("{\"massages\":[{\"a\":1}]}")), 0);
    assert_int_equal(survey(span_str("{\"mess\\u0061ges\":[{\"a\":1}]}")), 0);
    assert_int_equal(survey(span_str("{\"x\":{\"messages\":[{\"a\":1}]}}")), 0);
    assert_int_equal(survey(span_str("[{\"messages\":[{\"a\":1}]}]")), 0);
    assert_int_equal(survey(span_str("{\"messages\":[\"a\",1,null,[{}]]}")), 0);
    assert_int_equal(survey(span_str("")), 0);
}

static void a_known_message_is_not_read(void **state)
{
    struct prompt_texts all, rest;

    (void)state;
    know(two, 0, 41);
    assert_int_equal(survey(span_str(two)), 2);
    assert_int_equal(s.n_known, 1);
    assert_int_equal(s.text_bytes[0], 42);
    assert_true(is_valid(two));
    assert_true(prompt_texts_read_valid(&texts_arena, "openai-chat", span_str(two), &all, &err));
    assert_true(prompt_texts_read_known(&texts_arena, "openai-chat", span_str(two), prompt_survey_known(&s), &rest, &err));
    assert_int_equal(rest.n_units, all.n_units);
    assert_int_equal(rest.n_messages, all.n_messages);
    for (size_t i = 0, gone = 0; i < all.n_units; i++) {
        assert_true(span_equal(rest.units[i].json, all.units[i].json) && rest.units[i].message == all.units[i].message);
        gone += rest.units[i].to - rest.units[i].from == 0 && all.units[i].to > all.units[i].from;
        assert_true(i + 1 < all.n_units || gone == 1);
    }
    for (size_t i = 0, k = 0; i < rest.document.n; i++, k++) {
        while (all.document.channels[k].text.ptr != rest.document.channels[i].text.ptr) {
            assert_true(++k < all.document.n);
        }
        assert_true(span_equal(all.document.channels[k].path, rest.document.channels[i].path));
        assert_int_equal(all.document.channels[k].role, rest.document.channels[i].role);
    }
}

static void a_message_with_a_finding_is_read_but_not_validated(void **state)
{
    (void)state;
    assert_int_equal(survey(span_str(two)), 2);
    history_add_valid(history, &s.keys[1]);
    know(two, 0, 41);
    assert_int_equal(survey(span_str(two)), 2);
    assert_true(s.n_known == 1 && s.n_valid == 2 && s.text_bytes[1] == 0);
    assert_true(span_equal(s.valid[0], s.messages[0].json) && span_equal(s.valid[1], s.messages[1].json));
    assert_ptr_equal(prompt_survey_known(&s).values[0].ptr, s.messages[0].json.ptr);
    assert_true(is_valid(two));
}

/* The same bytes where they are no element: the rest must be refused or read as a whole. */
static void a_known_message_elsewhere_is_read(void **state)
{
    static const char *const bodies[] = {"{\"messages\":[{\"role\":\"user\"}]]", "{\"messages\":[{\"role\":\"user\"}],}",
                                         "{\"messages\":[{\"role\":\"user\"} {\"role\":\"user\"}]}", "{\"messages\":[{\"role\":\"user\"}",
                                         "{\"a\":\"\\x\",\"messages\":[{\"role\":\"user\"}]}", "{\"messages\":[{\"role\":\"user\"}]}x"};

    (void)state;
    know("{\"messages\":[{\"role\":\"user\"}]}", 0, 8);
    for (size_t i = 0; i < COUNT(bodies); i++) {
        (void)survey(span_str(bodies[i]));
        assert_false(is_valid(bodies[i]));
    }
    const struct span stray = span_str("{\"role\":\"user\"}");
    const struct json_known known = {.values = &stray, .n = 1};
    assert_false(json_validate_known(span_str("{\"messages\":[{\"role\":\"user\"}]}"), known, &err));
}

static void assert_same_members(const char *body)
{
    struct json_iterator all = json_iterate(json_root(span_str(body))), rest = json_iterate_known(span_str(body), prompt_survey_valid(&s));
    struct json_value value, other;
    struct span name, other_name;

    while (json_next(&all, &name, &value)) {
        assert_true(json_next(&rest, &other_name, &other));
        assert_true(span_equal(name, other_name) && other.kind == value.kind && span_equal(other.raw, value.raw));
    }
    assert_false(json_next(&rest, &other_name, &other));
    assert_int_equal(rest.known.n, 0);
}

/* A body of `n` messages, with what is at `at` instead of one. */
static void write_messages(char *body, size_t size, size_t n, size_t at, const char *instead)
{
    size_t len = (size_t)snprintf(body, size, "{\"model\":\"m\",\"messages\":[");

    for (size_t i = 0; i < n; i++) {
        const char *comma = i == 0 ? "" : ", ";
        len += (size_t)(i == at ? snprintf(body + len, size - len, "%s%s", comma, instead)
                                : snprintf(body + len, size - len, "%s{\"role\":\"%s\",\"content\":\"%zu\"}", comma, i % 2 == 0 ? "user" : "assistant", i));
    }
    (void)snprintf(body + len, size - len, "]}");
}

/* What comes behind it is as it would be without the prefix. */
static void a_row_of_messages_is_known_by_one_key(void **state)
{
    enum { BEFORE = 10, NOW = 13, NONE = 99 };
    static const struct {
        size_t at, prefix;
        const char *instead;
    } cases[] = {{NONE, BEFORE, ""},
                 {BEFORE, BEFORE, "{\"role\":\"tool\"}"},
                 {BEFORE, 0, "{\"content\":\"x\",\"role\":\"assistant\"}"}, /* goes on */
                 {BEFORE, 0, "{}"},
                 {BEFORE, 0, "\"x\""},
                 {3, 0, "{}"},
                 {3, 0, "\"x\""},
                 {0, 0, "[1]"}};
    struct prompt_texts all, rest;
    char body[1000];

    (void)state;
    write_messages(body, sizeof(body), BEFORE, NONE, "");
    assert_int_equal(survey(span_str(body)), BEFORE);
    assert_int_equal(s.n_prefix, BEFORE);
    history_add_texts(history, &s.prefix_keys[1], history_texts(41, 0));
    for (size_t i = 0; i < COUNT(cases); i++) {
        write_messages(body, sizeof(body), NOW, cases[i].at, cases[i].instead);
        (void)survey(span_str(body));
        assert_int_equal(s.prefix, cases[i].prefix);
        assert_int_equal(s.n_known, cases[i].prefix > 0);
        assert_true(is_valid(body) && s.text_bytes[0] == (cases[i].prefix > 0 ? 42 : 0));
        assert_same_members(body);
        assert_true(prompt_texts_read_valid(&texts_arena, "openai-chat", span_str(body), &all, &err));
        assert_true(prompt_texts_read_known(&texts_arena, "openai-chat", span_str(body), prompt_survey_known(&s), &rest, &err));
        assert_int_equal(rest.n_messages, all.n_messages);
        size_t gone = all.document.n - rest.document.n;
        assert_true((gone > 0) == (cases[i].prefix > 0));
        for (size_t k = rest.document.n; k > 3; k--) { /* before them are the names and the model */
            assert_true(span_equal(rest.document.channels[k - 1].path, all.document.channels[k - 1 + gone].path));
        }
        assert_int_equal(rest.units[rest.n_units - 1].message, all.units[all.n_units - 1].message);
    }
    write_messages(body, sizeof(body), 7, NONE, "");
    assert_true(survey(span_str(body)) == 7 && s.n_prefix == 0);
}

/* Bodies of broken JSON with known messages: the same are valid as when all of them is read. */
static void validity_does_not_depend_on_what_is_known(void **state)
{
    static const char *const pieces[] = {"{\"role\":\"user\"}", "{\"messages\":", "[", "]", "{", "}", ",", ":", "\"", "\\", "\"x\"", " ", "1", "{\"role\":\"user\",\"content\":\"]}\"}"};
    struct random r = {.state = 77};
    char body[400];
    size_t n_valid = 0;

    (void)state;
    know("{\"messages\":[{\"role\":\"user\"}]}", 0, 8);
    know("{\"messages\":[{\"role\":\"user\",\"content\":\"]}\"}]}", 0, 17);
    for (size_t round = 0; round < ROUNDS; round++) {
        size_t len = (size_t)snprintf(body, sizeof(body), "{\"messages\":[{\"role\":\"user\"}");
        for (size_t k = random_below(&r, 5); k > 0; k--) {
            len += (size_t)snprintf(body + len, sizeof(body) - len, "%s%s", random_below(&r, 3) > 0 ? "," : "", pieces[random_below(&r, COUNT(pieces))]);
        }
        len += (size_t)snprintf(body + len, sizeof(body) - len, "%s", random_below(&r, 4) > 0 ? "]}" : "");
        (void)survey(span_of(body, len));
        bool is_all_valid = json_validate(span_of(body, len), &err);
        assert_true(is_valid(body) == is_all_valid);
        if (is_all_valid) {
            assert_same_members(body);
        }
        n_valid += is_all_valid;
    }
    assert_true(n_valid > ROUNDS / 20 && n_valid < ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(messages_are_the_units_of_the_body, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_members_and_forms_have_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_known_message_is_not_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_message_with_a_finding_is_read_but_not_validated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_known_message_elsewhere_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_row_of_messages_is_known_by_one_key, set_up, tear_down),
        cmocka_unit_test_setup_teardown(validity_does_not_depend_on_what_is_known, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
