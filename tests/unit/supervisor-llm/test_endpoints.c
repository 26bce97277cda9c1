#include "testing.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "supervisor-llm/endpoints.h"

static void a_file_is_read_in_order_with_its_defaults(void **state)
{
    static const char yaml[] = "hedge_ms: 300\nsupervisors:\n  near: {url: 'http://127.0.0.1:8080/v1/', model: small, "
                               "format: grammar}\n  far: {url: https://api.example.com/v1, model: large, concurrency: 3, "
                               "tokens_per_minute: 1000, max_completion_tokens: true}\n"
                               "webhook: {url: 'http://127.0.0.1:9/hook'}\n";
    struct error err;
    struct endpoints *e = endpoints_parse("s.yaml", span_str(yaml), &err);

    (void)state;
    assert_non_null(e);
    assert_int_equal(e->n, 2);
    assert_string_equal(e->items[0].name, "near");
    assert_string_equal(e->items[0].url, "http://127.0.0.1:8080/v1");
    assert_int_equal(e->items[0].port, 8080);
    assert_int_equal(e->items[0].format, PROMPT_GRAMMAR);
    assert_int_equal(e->items[0].concurrency, 8);
    assert_int_equal(e->items[1].port, 443);
    assert_int_equal(e->items[1].concurrency, 3);
    assert_true(e->items[1].is_completion_named);
    assert_int_equal(e->items[1].format, PROMPT_JSON_SCHEMA);
    assert_int_equal(e->hedge_ms, 300);
    assert_int_equal(e->retries, 2);
    assert_int_equal(e->webhook.port, 9);
    assert_null(e->prompts);
    endpoints_free(e);
}

static void faults_are_named_with_their_place(void **state)
{
    static const char *const cases[][2] = {
        {"", "s.yaml:1:1: 'supervisors' expected"},
        {"retries: 1\n", "'supervisors' expected"},
        {"supervisors: {}\n", "s.yaml:1:14: supervisors: 1 to 16 entries expected"},
        {"supervisors: {a: {}}\n", "s.yaml:1:18: 'url', 'model' expected"},
        {"supervisors: {a: {model: m}}\n", "'url' expected"},
        {"supervisors: {a: {url: 'http://h', model: ''}}\n", "model: 1 to 128 characters expected"},
        {"supervisors: {a: {url: 'ftp://h', model: m}}\n", "url: http:// or https://"},
        {"supervisors: {a: {url: 'http://u:p@h', model: m}}\n", "url: http:// or https://"},
        {"supervisors: {a: {url: 'http://h/?k=v', model: m}}\n", "url: http:// or https://"},
        {"supervisors: {a: {url: 'http://h?', model: m}}\n", "url: http:// or https://"},
        {"supervisors: {a: {url: 'http://h', model: m, keys: k}}\n", "key 'keys' is not known here"},
        {"supervisors: {a: {url: 'http://h', model: m, concurrency: 0}}\n", "s.yaml:1:59: concurrency: a whole number from 1 to 1024 expected"},
        {"supervisors: {'a b': {url: 'http://h', model: m}}\n", "a name of 1 to 64 printable characters expected"},
        {"supervisors: {a: {url: 'http://h', model: m}}\nretry: 1\n", "s.yaml:2:1: key 'retry' is not known here"},
        {"supervisors: {a: {url: 'http://h', model: m}}\nwebhook: {}\n", "'url' expected"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct error err = {0};
        assert_null(endpoints_parse("s.yaml", span_str(cases[i][0]), &err));
        if (strstr(err.text, cases[i][1]) == NULL) {
            fail_msg("%s: got %s", cases[i][0], err.text);
        }
    }
}

static void keys_come_from_files_and_are_part_of_no_error(void **state)
{
    char directory[] = "/tmp/endpoints-XXXXXX", key[100], file[100], yaml[400];
    struct error err = {0};

    (void)state;
    assert_non_null(mkdtemp(directory));
    (void)snprintf(key, sizeof(key), "%s/key", directory);
    (void)snprintf(file, sizeof(file), "%s/s.yaml", directory);
    (void)snprintf(yaml, sizeof(yaml), "supervisors: {a: {url: 'http://h', model: m, key: %s}}\n", key);
    assert_true(file_write_atomic(file, span_str(yaml), 0600, &err));
    assert_null(endpoints_load(file, &err));
    assert_true(file_write_atomic(key, span_str(" sk-not-a-real-one\n"), 0600, &err));
    struct endpoints *e = endpoints_load(file, &err);
    assert_non_null(e);
    assert_string_equal(e->items[0].key, "Authorization: Bearer sk-not-a-real-one");
    endpoints_free(e);
    assert_true(file_write_atomic(key, span_str("two lines\nof sk-not-a-real-one"), 0600, &err));
    assert_null(endpoints_load(file, &err));
    assert_null(strstr(err.text, "sk-not"));
    assert_non_null(strstr(err.text, "one line of printable characters expected"));
    (void)unlink(key);
    (void)unlink(file);
    (void)rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_in_order_with_its_defaults),
        cmocka_unit_test(faults_are_named_with_their_place),
        cmocka_unit_test(keys_come_from_files_and_are_part_of_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
