/* inquiry_testing.h - a stream and whoever delivers it, with a supervisor that answers as the text says. */
#ifndef FILTERD_TESTS_UNIT_PIPELINE_INQUIRY_TESTING_H
#define FILTERD_TESTS_UNIT_PIPELINE_INQUIRY_TESTING_H

#include "testing.h"

#include <string.h>

#include "pipeline/stream_inquiry.h"
#include "policy/supervisor.h"
#include "support/judge.h"

enum { ROOM = 1 << 16 };

static const char rules[] =
    "rules:\n" TEST_RULE("key", "secret", "high", "0.9", "pattern: 'KEY[0-9]{4}'")
        TEST_RULE("gone", "secret", "high", "0.9", "pattern: 'GONE[0-9]{4}', boundary: none")
            TEST_RULE("bomb", "injection", "high", "0.9", "pattern: BOMB")
                TEST_RULE("long", "content", "low", "0.5", "pattern: 'from here[^<>]{1,200}to here', boundary: none")
                    TEST_RULE("hint", "content", "low", "0.5", "pattern: hint");

#define POLICY(supervisor)                                                                                             \
    "policies:\n  default:\n    rules: [local]\n    actions:\n"                                                        \
    "      - {rule: gone, action: redact, with: remove}\n"                                                              \
    "      - {category: secret, action: redact}\n      - {category: injection, action: block}\n"                       \
    "    supervisor: {" supervisor "}\n    notice: withheld\n"

/* --- whoever delivers ------------------------------------------------------------- */

struct delivery {
    struct judge judge;
    struct stream *stream;
    struct stream_channel *channel;
    struct buf kept, delivered, questions;
    unsigned asked;
    const char *stop; /* what makes the agent end while it is asked about */
};

static inline void open_with(struct delivery *d, const char *policy)
{
    *d = (struct delivery){0};
    if (!judge_init(&d->judge, rules, policy, false)) {
        fail_msg("%s", d->judge.err.text);
    }
    buf_init(&d->kept, ROOM);
    buf_init(&d->delivered, ROOM);
    buf_init(&d->questions, ROOM);
}

static inline void begin(struct delivery *d)
{
    const struct stream_options options = {
        .snapshot = d->judge.snapshot,
        .policy = snapshot_policy(d->judge.snapshot, (struct span){0}, (struct span){0}),
        .text_max = ROOM,
        .hold_max = ROOM,
        .can_wait = true,
    };
    struct error err;

    d->stream = stream_new(&options, &err);
    assert_non_null(d->stream);
    d->channel = stream_channel(d->stream, span_str("/text"), &err);
    assert_non_null(d->channel);
    buf_clear(&d->kept);
    buf_clear(&d->delivered);
    buf_clear(&d->questions);
    d->asked = 0;
}

static inline void finish(struct delivery *d)
{
    stream_free(d->stream);
    d->stream = NULL;
}

static inline void close_all(struct delivery *d)
{
    stream_free(d->stream);
    judge_deinit(&d->judge);
    buf_deinit(&d->kept);
    buf_deinit(&d->delivered);
    buf_deinit(&d->questions);
}

/* EVIL is harm, HANG is no answer in time, all else is fine. */
static inline void answer(struct delivery *d, struct span question)
{
    struct supervision s = {.outcome = SUPERVISION_ANSWERED, .confidence = 0.9};
    struct error err;

    d->asked++;
    assert_true(buf_append_char(&d->questions, '|', &err) && buf_append(&d->questions, question, &err));
    if (memmem(question.ptr, question.len, "HANG", 4) != NULL) {
        s.outcome = SUPERVISION_TIMEOUT;
    } else if (memmem(question.ptr, question.len, "EVIL", 4) != NULL) {
        s.is_violation = true;
        s.category = SUPERVISOR_HARM;
        s.evidence[0].to = s.n_evidence = 1;
    }
    if (d->stop != NULL && memmem(question.ptr, question.len, d->stop, strlen(d->stop)) != NULL) {
        stream_block(d->stream, span_str("filterd.agent-killed"), "the agent is stopped");
    }
    stream_take_answer(d->stream, d->judge.worker, &s);
}

/* What does not wait leaves; what is blocked is dropped. */
static inline void deliver(struct delivery *d, bool is_end)
{
    struct exchange x;
    struct error err;

    while (is_end ? stream_waits(d->stream) : stream_asks(d->stream)) {
        if (stream_ask(d->stream, &x)) {
            answer(d, x.question);
        }
    }
    if (stream_waits(d->stream)) {
        return;
    }
    if (stream_action(d->stream) != ACTION_BLOCK) {
        assert_true(buf_append(&d->delivered, buf_span(&d->kept), &err));
    }
    buf_clear(&d->kept);
}

static inline void feed_span(struct delivery *d, struct span chunk)
{
    if (!stream_waits(d->stream)) {
        stream_mark(d->stream);
    }
    stream_feed(d->stream, d->channel, d->judge.worker, chunk, &d->kept);
    deliver(d, false);
}

static inline void feed(struct delivery *d, const char *chunk)
{
    feed_span(d, span_str(chunk));
}

static inline void end(struct delivery *d, enum stream_ending how)
{
    if (!stream_waits(d->stream)) {
        stream_mark(d->stream);
    }
    stream_end(d->stream, d->channel, d->judge.worker, how, &d->kept);
    deliver(d, true);
}

static inline void assert_span(struct span got, const char *expected)
{
    if (!span_is(got, expected)) {
        fail_msg("\"" SPAN_FMT "\", expected \"%s\"", SPAN_ARG(got), expected);
    }
}

static inline void assert_delivered(const struct delivery *d, const char *expected)
{
    assert_span(buf_span(&d->delivered), expected);
    assert_true(stream_waits(d->stream) || stream_released(d->stream) == d->delivered.len);
}

static inline void assert_questions(const struct delivery *d, const char *expected)
{
    assert_span(buf_span(&d->questions), expected);
}

static inline void assert_blocked(const struct delivery *d, const char *rule, const char *reason)
{
    struct exchange x;

    stream_exchange(d->stream, &x);
    assert_int_equal(x.action, ACTION_BLOCK);
    assert_span(x.rule, rule);
    assert_span(x.notice, "withheld");
    if (reason == NULL) {
        assert_null(x.unjudged_reason);
    } else {
        assert_string_equal(x.unjudged_reason, reason);
    }
    assert_false(stream_waits(d->stream));
    assert_false(stream_asks(d->stream));
}

#define SENTENCES "when: {category: content}, hold: sentence"

#endif
