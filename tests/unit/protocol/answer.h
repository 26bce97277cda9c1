/* answer.h - an upstream's answer through a translation, in a test.
 *
 * When a text is released is the stream's affair. Answers are therefore compared as joined: the
 * pieces of one text that follow each other count as one, numbers of events only have to go up by
 * one, members may stand in any order. All else counts: which events, in which order, every member
 * of them. No answer may hold a planted secret, wherever it stands. */
#ifndef FILTERD_TESTS_UNIT_PROTOCOL_ANSWER_H
#define FILTERD_TESTS_UNIT_PROTOCOL_ANSWER_H

#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

#include "decision_log/decision_log.h"
#include "pipeline/load.h"
#include "protocol/wire/framing.h"
#include "protocol/protocol.h"
#include "protocol/wire/tree.h"
#include "support/line_schema.h"
#include "support/shipped.h"

/* Made up; the shapes are what the shipped rules look for. A key is redacted, a private key blocks.
 */
#define KEY       "AKIAQWB5PDKHX6PYGPAN"
#define KEY_LABEL "[aws-access-key-id]"
#define PEM(newline)                                                                               \
    "-----BEGIN RSA PRIVATE KEY-----" newline                                                      \
    "MIIEpAIBAAKCAQEA7bq4pNkJ3xRzJt0mV9dQk2yF8sHcWlXo1uZGvT5eYbP6nA4r" newline                     \
    "-----END RSA PRIVATE KEY-----"
#define NOTICE "This answer was withheld by policy."

enum { ANSWER_MAX = 1 << 20, MESSAGES_MAX = 256 };

struct answer_setting {
    struct snapshot *snapshot;
    struct worker *worker;
    struct masking *masking; /* NULL: none */
};

struct answer_request {
    const char *protocol, *path, *query, *body;
    const char *method;    /* NULL: POST */
    const char *body_type; /* NULL: JSON */
    bool is_unjudged;
    unsigned status;
    const char *type;
    const char *upstream;
    const char *const *deltas; /* where pieces of texts stand in a message; NULL-terminated */
    size_t cut;                /* bytes in each piece; 0: all at once */
    size_t event_max;          /* 0: ANSWER_MAX */
    bool is_broken;            /* the connection broke at the end */
    bool ends_turn;
    enum block_style block; /* soft, unless it ends_turn */
    const char *client;
};

struct answer {
    struct stream *stream;
    struct translation *translation;
    enum head_use head;
    bool is_read, is_over, is_blocked, is_broken_off;
    bool was_over, needed_no_more; /* before the upstream's end was known */
    enum action action;
    size_t n_findings, waiting_max;
    char finding_path[128], rule[64]; /* of the last finding; the deciding rule */
    struct buf out;
    char type[64];
    /* From here on not cleared for each answer: it would take longer than the answer. */
    char text[ANSWER_MAX];
    char record[DECISION_LINE_MAX]; /* its last one */
    struct error err;
};

static struct answer_setting setting;
static struct answer last;

static inline int open_setting(void **state)
{
    const struct rule_set_options options = shipped_options();
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

static inline struct stream *new_stream(void)
{
    struct error err;
    struct stream_options options = {
        .snapshot = setting.snapshot,
        .policy = snapshot_policy(setting.snapshot, (struct span){0}, (struct span){0}),
        .masking = setting.masking,
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
        size_t waiting = translation_waiting(last.translation);
        last.waiting_max = waiting > last.waiting_max ? waiting : last.waiting_max;
    }
    last.was_over = translation_is_over(last.translation);
    last.needed_no_more = translation_needs_no_more(last.translation);
    if (last.is_read) {
        last.is_read =
            translation_end(last.translation, setting.worker, !r->is_broken, &last.out, &last.err);
    }
}

/* The line that stays of the answer. */
static inline void record_answer(const struct exchange *x)
{
    const struct decision_stream stream = {.phase = "final", .end = "whole", .protocol = ""};
    const struct decision_keys keys = {.key_id = "k1"};
    struct error err;
    struct buf line;

    buf_init(&line, DECISION_RECORD_MAX);
    assert_true(decision_format_stream(x, &stream, &keys, 0, &line, &err));
    assert_line(buf_span(&line));
    (void)snprintf(last.record, sizeof(last.record), SPAN_FMT, SPAN_ARG(buf_span(&line)));
    buf_deinit(&line);
    assert_lacks(last.record, KEY);
    assert_lacks(last.record, "MIIE");
}

/* What the client gets; `last` says the rest. */
static inline const char *translate(const struct answer_request *r)
{
    struct translation_request request = {.path = span_str(r->path),
                                          .query = span_str(r->query == NULL ? "" : r->query),
                                          .body = span_str(r->body == NULL ? "" : r->body),
                                          .type = span_str(r->body_type == NULL ? "" : r->body_type),
                                          .is_unjudged = r->is_unjudged,
                                          .block = r->ends_turn ? BLOCK_END_TURN : r->block,
                                          .client = span_str(r->client == NULL ? "" : r->client),
                                          .event_max =
                                              r->event_max == 0 ? ANSWER_MAX : r->event_max};
    const struct protocol *p = protocol_find(span_str(r->protocol));

    memset(&last, 0, offsetof(struct answer, text));
    last.text[0] = last.record[0] = '\0';
    assert_non_null(p);
    assert_int_not_equal(protocol_route(p, span_str(r->method == NULL ? "POST" : r->method), request.path, &request.route),
                         ROUTE_REFUSED);
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
    last.is_broken_off = translation_is_broken_off(last.translation);
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
    record_answer(&x);
    if (last.out.len > 0) {
        memcpy(last.text, last.out.data, last.out.len);
    }
    last.text[last.out.len] = '\0';
    assert_lacks(last.text, KEY);
    assert_lacks(last.text, "MIIE");
    buf_deinit(&last.out);
    translation_free(last.translation);
    stream_free(last.stream);
    return last.text;
}

/* --- joined ------------------------------------------------------------------------ */

/* The messages of an answer; of a text in pieces the first one has all of it. */
struct joined {
    struct arena memory;
    struct joined_message {
        struct node *root, *text; /* NULL where there is none */
        struct span raw, shape;   /* shape: the message without the text */
    } messages[MESSAGES_MAX];
    size_t n, n_read;
};

static inline int compare_names(const void *a, const void *b)
{
    struct span x = (*(struct node *const *)a)->name, y = (*(struct node *const *)b)->name;
    int order = memcmp(x.ptr, y.ptr, x.len < y.len ? x.len : y.len);

    return order != 0 ? order : (x.len > y.len) - (x.len < y.len);
}

static inline void sort_members(struct node *object)
{
    struct node *sorted[TREE_MEMBERS_MAX];
    size_t n = 0;

    for (struct node *at = object->first; at != NULL; at = at->next) {
        sorted[n++] = at;
    }
    qsort(sorted, n, sizeof(sorted[0]), compare_names);
    object->first = object->last = NULL;
    for (size_t i = 0; i < n; i++) {
        sorted[i]->next = NULL;
        node_append(object, sorted[i]);
    }
}

static inline struct span written(struct joined *j, const struct node *root)
{
    struct span copy;
    struct error err;
    struct buf buf;

    buf_init(&buf, ANSWER_MAX);
    assert_true(tree_write(root, &buf, &err));
    assert_true(arena_copy(&j->memory, buf_span(&buf), &copy, &err));
    buf_deinit(&buf);
    return copy;
}

/* The piece of a text, in a message of which pieces are sent. */
static inline struct node *find_piece(struct node *root, const char *const *deltas)
{
    const struct node *type = node_member(root, "type");

    if (type != NULL && memmem(type->text.ptr, type->text.len, "delta", 5) == NULL) {
        return NULL;
    }
    for (; deltas != NULL && *deltas != NULL; deltas++) {
        const struct node *n = node_at(root, *deltas);
        if (node_is_string(n)) {
            return (struct node *)(uintptr_t)n;
        }
    }
    return NULL;
}

/* Numbered messages are numbered from 0, each by one more. */
static inline void take_number(struct joined *j, struct node *root)
{
    struct node *number = node_member(root, "sequence_number");
    size_t n;

    if (number != NULL) {
        assert_true(node_index(number, &n));
        assert_int_equal(n, j->n_read);
        node_remove(number);
    }
}

static inline void join_message(struct joined *j, struct span message, const char *const *deltas)
{
    struct joined_message m = {0}, *before = j->n == 0 ? NULL : &j->messages[j->n - 1];
    struct error err;

    assert_true(j->n < MESSAGES_MAX);
    assert_true(arena_copy(&j->memory, message, &m.raw, &err));
    m.root = tree_read(&j->memory, m.raw, &err);
    if (m.root != NULL) {
        take_number(j, m.root);
        for (struct node *n = m.root; n != NULL; n = tree_next(m.root, n)) {
            if (n->kind == JSON_KIND_OBJECT) {
                sort_members(n);
            }
        }
        m.text = find_piece(m.root, deltas);
    }
    j->n_read++;
    if (m.text != NULL) {
        struct span piece = m.text->text;
        node_set_text(m.text, span_str(""));
        m.shape = written(j, m.root);
        node_set_text(m.text, piece);
        if (before != NULL && before->text != NULL && span_equal(before->shape, m.shape)) {
            size_t len = before->text->text.len + piece.len;
            char *both = arena_alloc(&j->memory, len + 1, &err);
            memcpy(both, before->text->text.ptr, before->text->text.len);
            memcpy(both + before->text->text.len, piece.ptr, piece.len);
            node_set_text(before->text, span_of(both, len));
            return;
        }
    }
    j->messages[j->n++] = m;
}

/* Where events have names, each has the name that its data says. */
static inline void assert_named(const char *events)
{
    char type[256];

    for (const char *at = strstr(events, "event: "); at != NULL; at = strstr(at + 1, "event: ")) {
        int len = (int)strcspn(at + 7, "\n");
        (void)snprintf(type, sizeof(type), "\"type\":\"%.*s\"", len, at + 7);
        const char *data = at + 7 + len;
        assert_int_equal(strncmp(data, "\ndata: {", 8), 0);
        assert_non_null(memmem(data, strcspn(data + 1, "\n"), type, strlen(type)));
    }
}

/* The answer as joined, a message a line, into `out` of ANSWER_MAX bytes. */
static inline void join(const char *answer, const char *const *deltas, char *out)
{
    static struct joined j;
    struct framer framer;
    struct span rest = span_str(answer), message;
    struct error err;
    bool is_complete;
    size_t len = 0;

    j.n = j.n_read = 0;
    arena_init(&j.memory, 1 << 16, 1 << 26);
    framer_init(&framer,
                *answer == 'd' || *answer == 'e' ? FRAMING_EVENTS
                : *answer == '['                 ? FRAMING_ARRAY
                                                 : FRAMING_LINES,
                ANSWER_MAX);
    assert_named(answer);
    while (rest.len > 0) {
        assert_true(framer_next(&framer, &rest, &message, &is_complete, &err));
        if (is_complete) {
            join_message(&j, message, deltas);
        }
    }
    assert_true(framer_end(&framer, &message, &is_complete, &err));
    if (is_complete) {
        join_message(&j, message, deltas);
    }
    *out = '\0';
    for (size_t i = 0; i < j.n; i++) {
        const struct joined_message *m = &j.messages[i];
        struct span text = m->root == NULL ? m->raw : written(&j, m->root);
        len += (size_t)snprintf(out + len, ANSWER_MAX - len, SPAN_FMT "\n", SPAN_ARG(text));
    }
    framer_deinit(&framer);
    arena_deinit(&j.memory);
}

static inline void assert_joined(const char *answer, const char *expected,
                                 const char *const *deltas)
{
    static char a[ANSWER_MAX], b[ANSWER_MAX];

    join(answer, deltas, a);
    join(expected, deltas, b);
    assert_string_equal(a, b);
}

/* Joined it is what is expected, and the same bytes leave however the upstream's are cut. */
static inline void assert_any_cutting(struct answer_request r, const char *expected)
{
    static char whole[ANSWER_MAX];

    r.cut = 0;
    (void)snprintf(whole, sizeof(whole), "%s", translate(&r));
    assert_joined(whole, expected, r.deltas);
    for (r.cut = 1; r.cut <= 7; r.cut++) {
        assert_string_equal(translate(&r), whole);
    }
}

/* What a client puts together of a member in those lines that hold `of`. */
static inline const char *text_of_all(const char *answer, const char *of, const char *member)
{
    static char texts[2][ANSWER_MAX];
    static unsigned turn;
    char *text = texts[turn++ % 2];
    size_t n = 0;

    for (const char *line = answer; *line != '\0'; line += *line == '\n') {
        const char *end = line + strcspn(line, "\n");
        const char *at = memmem(line, (size_t)(end - line), of, strlen(of)) == NULL ? NULL : line;
        while (at != NULL && (at = strstr(at, member)) != NULL && at < end) {
            for (at += strlen(member); *at != '"'; at++) {
                text[n++] = *at;
            }
        }
        line = end;
    }
    text[n] = '\0';
    return text;
}

#endif
