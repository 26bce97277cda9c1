/* answer.h - an upstream's answer through a translation, in a test. */
#ifndef FILTERD_TESTS_UNIT_PROTOCOL_ANSWER_H
#define FILTERD_TESTS_UNIT_PROTOCOL_ANSWER_H

#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

#include "pipeline/load.h"
#include "protocol/protocol.h"

/* Made up; the shapes are what the shipped rules look for. A key is redacted, a private key blocks.
 */
#define KEY       "AKIAQWB5PDKHX6PYGPAN"
#define KEY_LABEL "[aws-access-key-id]"

enum { ANSWER_MAX = 1 << 20 };

struct answer_setting {
    struct snapshot *snapshot;
    struct worker *worker;
};

struct answer_request {
    const char *protocol, *path, *query, *body;
    unsigned status;
    const char *type;
    const char *upstream;
    size_t cut;     /* bytes in each piece; 0: all at once */
    bool is_broken; /* the connection broke at the end */
    bool ends_turn;
};

struct answer {
    struct stream *stream;
    struct translation *translation;
    enum head_use head;
    bool is_read, is_over, is_blocked;
    enum action action;
    size_t n_findings;
    char finding_path[128], rule[64]; /* of the last finding; the deciding rule */
    struct buf out;
    char text[ANSWER_MAX];
    char type[64];
    struct error err;
};

static struct answer_setting setting;
static struct answer last;

static inline int open_setting(void **state)
{
    const struct rule_set_options options = {0};
    const struct worker_limits limits = worker_limits_default();
    struct error err;

    (void)state;
    setting.snapshot = snapshot_open(NULL, NULL, &options, &err);
    setting.worker = worker_new(&limits, NULL, &err);
    return setting.snapshot == NULL || setting.worker == NULL;
}

static inline int close_setting(void **state)
{
    (void)state;
    worker_free(setting.worker);
    snapshot_unref(setting.snapshot);
    return 0;
}

static inline struct stream *new_stream(void)
{
    struct error err;
    struct stream_options options = {
        .snapshot = setting.snapshot,
        .policy = snapshot_policy(setting.snapshot, (struct span){0}, (struct span){0}),
        .text_max = ANSWER_MAX,
        .hold_max = ANSWER_MAX};

    return stream_new(&options, &err);
}

static inline void feed_answer(const struct answer_request *r)
{
    size_t len = strlen(r->upstream), step = r->cut == 0 ? len : r->cut;

    last.is_read = true;
    for (size_t at = 0; at < len && last.is_read; at += step) {
        size_t n = len - at < step ? len - at : step;
        last.is_read = translation_feed(last.translation, setting.worker,
                                        span_of(r->upstream + at, n), &last.out, &last.err);
    }
    if (last.is_read) {
        last.is_read =
            translation_end(last.translation, setting.worker, !r->is_broken, &last.out, &last.err);
    }
}

/* What the client gets; `last` says the rest. */
static inline const char *translate(const struct answer_request *r)
{
    struct translation_request request = {.path = span_str(r->path),
                                          .query = span_str(r->query == NULL ? "" : r->query),
                                          .body = span_str(r->body),
                                          .ends_turn = r->ends_turn,
                                          .event_max = ANSWER_MAX};
    const struct protocol *p = protocol_find(span_str(r->protocol));

    memset(&last, 0, sizeof(last) - sizeof(last.err));
    assert_non_null(p);
    assert_int_equal(protocol_route(p, span_str("POST"), request.path, &request.route),
                     ROUTE_JUDGED);
    last.stream = request.stream = new_stream();
    last.translation = translation_new(&request, &last.err);
    if (last.translation == NULL) {
        fail_msg("%s", last.err.text);
        return NULL;
    }
    last.head = translation_head(last.translation, r->status == 0 ? 200 : r->status,
                                 span_str(r->type == NULL ? "" : r->type));
    buf_init(&last.out, ANSWER_MAX - 1);
    feed_answer(r);
    last.is_over = translation_is_over(last.translation);
    last.is_blocked = translation_is_blocked(last.translation);
    (void)snprintf(last.type, sizeof(last.type), "%s", translation_type(last.translation));
    struct exchange x;
    translation_exchange(last.translation, &x);
    last.action = x.action;
    last.n_findings = x.n_findings;
    (void)snprintf(last.rule, sizeof(last.rule), SPAN_FMT, SPAN_ARG(x.rule));
    if (x.n_findings > 0) {
        const struct channel *c = &x.channels[x.findings[x.n_findings - 1].channel];
        (void)snprintf(last.finding_path, sizeof(last.finding_path), SPAN_FMT, SPAN_ARG(c->path));
    }
    if (last.out.len > 0) {
        memcpy(last.text, last.out.data, last.out.len);
    }
    last.text[last.out.len] = '\0';
    buf_deinit(&last.out);
    translation_free(last.translation);
    stream_free(last.stream);
    return last.text;
}

/* The same bytes leave however the upstream's are cut. */
static inline void assert_any_cutting(struct answer_request r, const char *expected)
{
    for (r.cut = 0; r.cut <= 7; r.cut++) {
        assert_string_equal(translate(&r), expected);
    }
}

static inline void assert_holds(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("no \"%s\" in: %s", part, text);
    }
}

static inline void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part) != NULL) {
        fail_msg("\"%s\" in: %s", part, text);
    }
}

#endif
