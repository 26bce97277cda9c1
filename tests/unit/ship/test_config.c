/* A configuration is right or refused with its place; no error has a secret. */
#include "testing.h"

#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "ship/config.h"

static void a_whole_configuration_is_read(void **state)
{
    static const char yaml[] = "log: /l\nstate: /s\ndrain: 3s\nsinks:\n"
                               "  siem: {format: otlp, url: 'https://c.example:4318/v1/logs/', timeout: 2s, batch: 7}\n"
                               "  old: {format: cef, syslog: '[2001:db8::1]:6514', ca: /ca, certificate: /c, key: /k}\n"
                               "  lake: {format: ocsf, file: /var/spool/ocsf.jsonl}\n";
    struct error err = {.text = ""};

    (void)state;
    struct ship_config *c = ship_config_parse("x", span_str(yaml), &err);
    if (c == NULL) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(c->n_sinks, 3);
    assert_int_equal(c->drain, 3000);
    assert_string_equal(c->sinks[0].url, "https://c.example:4318/v1/logs");
    assert_int_equal(c->sinks[0].timeout, 2000);
    assert_int_equal(c->sinks[0].batch, 7);
    assert_string_equal(c->sinks[1].syslog.host, "2001:db8::1");
    assert_string_equal(c->sinks[1].syslog.port, "6514");
    assert_int_equal(c->sinks[1].format, SHIP_CEF);
    assert_string_equal(c->sinks[2].file, "/var/spool/ocsf.jsonl");
    assert_int_equal(c->sinks[2].batch, 500);
    ship_config_free(c);
}

static void what_is_not_right_is_refused(void **state)
{
    static const struct {
        const char *sink, *expected;
    } rows[] = {
        {"a: {format: otlp}", "one of 'url', 'syslog' and 'file'"},
        {"a: {format: record, url: 'https://x', file: /f}", "one of 'url', 'syslog' and 'file'"},
        {"a: {format: otlp, file: /f}", "another format expected"},
        {"a: {format: cef, url: 'https://x'}", "another format expected"},
        {"a: {format: ocsf, syslog: 'h:1'}", "another format expected"},
        {"a: {format: otlp, url: 'http://collector:4318/v1/logs'}", "https expected"},
        {"a: {format: otlp, url: 'http://localhost.example/v1/logs'}", "https expected"},
        {"a: {format: otlp, url: 'https://u:p@x/v1/logs'}", "url"},
        {"a: {format: otlp, url: 'https://x/v1/logs?token=abc'}", "url"},
        {"a: {format: cef, syslog: host}", "host:port expected"},
        {"a: {format: cef, syslog: '2001:db8::1:6514'}", "host:port expected"},
        {"a: {format: cef, syslog: ':6514'}", "host:port expected"},
        {"a: {format: cef, syslog: 'h:6514', headers: {A: {file: /f}}}", "no 'headers'"},
        {"a: {format: record, file: /f, ca: /ca}", "no 'ca'"},
        {"a: {format: otlp, url: 'https://x', certificate: /c}", "'certificate' and 'key' expected together"},
        {"a: {format: otlp, url: 'https://x', headers: {'A b': {file: /f}}}", "the name of a header"},
        {"a: {format: otlp, url: 'https://x', headers: {A: {file: /f, prefix: \"x\\n\"}}}", "printable ASCII"},
        {"a: {format: otlp, url: 'https://x', batch: 501}", "batch"},
        {"a: {format: leef, url: 'https://x'}", "format"},
        {"a: {format: otlp, url: 'https://x', retries: 3}", "retries"},
        {"'../a': {format: otlp, url: 'https://x'}", "a name of 1 to 32"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char yaml[512];
        struct error err = {.text = ""};
        (void)snprintf(yaml, sizeof(yaml), "sinks:\n  %s\n", rows[i].sink);
        struct ship_config *c = ship_config_parse("x", span_str(yaml), &err);
        if (c != NULL || strstr(err.text, rows[i].expected) == NULL || strncmp(err.text, "x:", 2) != 0) {
            fail_msg("%s: %s", rows[i].sink, c != NULL ? "taken" : err.text);
        }
    }
}

static void a_secret_becomes_a_header_and_never_an_error(void **state)
{
    static const struct {
        const char *file, *line; /* NULL: refused */
    } rows[] = {
        {"Zq8vN3-token\n", "Authorization: Bearer Zq8vN3-token"},
        {"  \n", NULL},
        {"Zq8vN3\nZq8vN3", NULL},
        {"Zq8vN3\x01", NULL},
    };
    char folder[] = "/tmp/filterd-ship-XXXXXX", secret[64], path[64], yaml[512];

    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(secret, sizeof(secret), "%s/token", folder);
    (void)snprintf(path, sizeof(path), "%s/ship.yaml", folder);
    (void)snprintf(yaml, sizeof(yaml),
                   "sinks: {a: {format: otlp, url: 'https://x', headers: {Authorization: {file: %s, prefix: 'Bearer '}}}}", secret);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct error err = {.text = ""};
        assert_true(file_write_atomic(path, span_str(yaml), 0600, &err));
        assert_true(file_write_atomic(secret, span_str(rows[i].file), 0600, &err));
        struct ship_config *c = ship_config_load(path, &err);
        assert_int_equal(c != NULL, rows[i].line != NULL);
        if (c != NULL) {
            assert_string_equal(c->sinks[0].headers[0].line, rows[i].line);
        }
        assert_null(strstr(err.text, "Zq8vN3"));
        ship_config_free(c);
    }
    (void)unlink(secret);
    (void)unlink(path);
    (void)rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_configuration_is_read),
        cmocka_unit_test(what_is_not_right_is_refused),
        cmocka_unit_test(a_secret_becomes_a_header_and_never_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
