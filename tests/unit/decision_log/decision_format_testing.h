/* decision_format_testing.h - an exchange to record, and its record read back. */
#ifndef FILTERD_TESTS_DECISION_FORMAT_TESTING_H
#define FILTERD_TESTS_DECISION_FORMAT_TESTING_H

#include "testing.h"

#include <jansson.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/digest.h"
#include "decision_log/decision_log.h"
#include "support/line_schema.h"

static const struct decision_keys keys = {.token = {1, 2, 3}, .key_id = "k1"};

static const struct check_type luhn = {.name = "luhn"}, entropy = {.name = "entropy"};
static const struct rule_check checks[] = {{.type = &entropy}, {.type = &luhn}};

static inline struct span text_of(const char *text)
{
    return span_of(text, strlen(text));
}

struct fixture {
    struct rule rule;
    struct policy policy;
    struct channel channels[200];
    struct finding findings[200];
    struct exchange exchange;
    struct buf line;
    json_t *record;
};

static inline void start(struct fixture *f)
{
    *f = (struct fixture){
        .rule = {.id = text_of("payment-card"),
                 .category = CATEGORY_PII,
                 .severity = SEVERITY_HIGH,
                 .checks = checks,
                 .n_checks = COUNT(checks)},
        .policy = {.name = text_of("default"), .digest = text_of("sha256:00ff")},
    };
    f->exchange = (struct exchange){
        .policy = &f->policy,
        .id = {.bytes = {0x01, 0x7f, 0x22, 0xe2, 0x79, 0xb0, 0x7c, 0xc3, 0x98, 0xc4, 0xdc, 0x0c,
                         0x0c, 0x07, 0x39, 0x8f}},
        .now_ns = INT64_C(1709210096000000789), /* on a leap day */
        .channels = f->channels,
        .findings = f->findings,
        .action = ACTION_ALLOW,
    };
}

static inline struct channel *add_channel(struct fixture *f, const char *path, const char *text)
{
    struct channel *c = &f->channels[f->exchange.n_channels++];
    *c = (struct channel){.path = text_of(path), .text = text_of(text)};
    c->output = c->text;
    c->judged = c->text.len;
    return c;
}

static inline struct finding *add_finding(struct fixture *f, uint32_t channel, size_t from,
                                          size_t to)
{
    struct finding *n = &f->findings[f->exchange.n_findings++];
    *n = (struct finding){.rule = &f->rule,
                          .channel = channel,
                          .from = from,
                          .to = to,
                          .transform = "raw",
                          .confidence = 0.98,
                          .action = ACTION_REDACT};
    return n;
}

static inline const json_t *format(struct fixture *f)
{
    struct error err;

    json_decref(f->record); /* of an earlier call */
    buf_deinit(&f->line);
    buf_init(&f->line, DECISION_RECORD_MAX);
    if (!decision_format(&f->exchange, &keys, 41999, &f->line, &err)) {
        fail_msg("%s", err.text);
    }
    assert_null(memchr(f->line.data, '\n', f->line.len));
    assert_line(buf_span(&f->line));
    f->record = json_loadb(f->line.data, f->line.len, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(f->record);
    return f->record;
}

static inline void end(struct fixture *f)
{
    json_decref(f->record);
    f->record = NULL;
    buf_deinit(&f->line);
}

static inline const char *text_at(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static inline long long number_at(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

static inline const json_t *item(const json_t *record, const char *array, size_t i)
{
    return json_array_get(json_object_get(record, array), i);
}

static inline void assert_token(const char *token, const char *value)
{
    char hex[DIGEST_TOKEN_HEX + 1], expected[64];
    struct error err;
    assert_true(digest_token(keys.token, text_of(value), hex, &err));
    (void)snprintf(expected, sizeof(expected), "k1:%s", hex);
    assert_string_equal(token, expected);
}

static inline bool holds(const struct fixture *f, const char *text)
{
    return memmem(f->line.data, f->line.len, text, strlen(text)) != NULL;
}

#endif
