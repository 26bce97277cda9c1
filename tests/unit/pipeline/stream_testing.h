/* stream_testing.h - a stream over a few rules of its own, and what each chunk of it releases. */
#ifndef FILTERD_TESTS_UNIT_PIPELINE_STREAM_TESTING_H
#define FILTERD_TESTS_UNIT_PIPELINE_STREAM_TESTING_H

#include "testing.h"

#include "pipeline/stream.h"
#include "support/judge.h"

enum { OUTPUT_MAX = 1 << 20, TEXT_MAX = 100000, HOLD_MAX = 10000 };

static const char rules[] = "rules:\n" TEST_RULE("aws", "secret", "high", "0.9", "pattern: 'AKIA[A-Z2-7]{16}'")
    TEST_RULE("code", "secret", "high", "0.4",
              "pattern: 'code-[0-9]{6}', context: {words: [pin, 'door lock'], within: 32, raise: 0.3}")
        TEST_RULE("dead", "secret", "critical", "0.95", "pattern: 'dead-[a-z]{6}'")
            TEST_RULE("needy", "secret", "high", "0.8",
                      "pattern: 'ref [0-9]{6}', context: {words: [vault], within: 32, required: true}")
                TEST_RULE("pair", "secret", "high", "0.8",
                          "pattern: 'sec-[a-z]{8}', requires: {rules: [aws], within: 40}")
                TEST_RULE("box", "secret", "critical", "0.6",
                          "pattern: 'BEGIN BOX(?:[ \\n][a-z]{4}){1,20}+(?: END)?', region: true, boundary: none");

static struct judge judge;

static inline int set_up(void **state)
{
    (void)state;
    return judge_init(&judge, rules, NULL, false) ? 0 : -1;
}

static inline int tear_down(void **state)
{
    (void)state;
    judge_deinit(&judge);
    return 0;
}

/* One stream with one channel to begin with. */
struct fixture {
    struct stream_options options;
    struct stream *stream;
    struct stream_channel *channel;
    struct buf out;
    struct error err;
};

static inline void start(struct fixture *f)
{
    struct stream_options options = f->options;

    options.snapshot = judge.snapshot;
    options.policy = snapshot_policy(judge.snapshot, (struct span){0}, (struct span){0});
    options.text_max = options.text_max > 0 ? options.text_max : TEXT_MAX;
    options.hold_max = options.hold_max > 0 ? options.hold_max : HOLD_MAX;
    f->stream = stream_new(&options, &f->err);
    assert_non_null(f->stream);
    f->channel = stream_channel(f->stream, span_str("/text"), &f->err);
    assert_non_null(f->channel);
    buf_init(&f->out, OUTPUT_MAX);
}

static inline void end(struct fixture *f)
{
    stream_free(f->stream);
    buf_deinit(&f->out);
}

static inline void assert_last(const struct fixture *f, size_t before, const char *expected)
{
    struct span released = span_slice(buf_span(&f->out), before, f->out.len);

    if (!span_is(released, expected)) {
        fail_msg("released \"" SPAN_FMT "\", expected \"%s\"", SPAN_ARG(released), expected);
    }
}

static inline void feed_to(struct fixture *f, struct stream_channel *c, const char *chunk, const char *expected)
{
    size_t before = f->out.len;

    stream_feed(f->stream, c, judge.worker, span_str(chunk), &f->out);
    assert_last(f, before, expected);
}

static inline void feed(struct fixture *f, const char *chunk, const char *expected)
{
    feed_to(f, f->channel, chunk, expected);
}

static inline void finish(struct fixture *f, enum stream_ending how, const char *expected)
{
    size_t before = f->out.len;

    stream_end(f->stream, f->channel, judge.worker, how, &f->out);
    assert_last(f, before, expected);
}

static inline void assert_unjudged(const struct fixture *f, const char *reason)
{
    struct exchange x;

    stream_exchange(f->stream, &x);
    assert_int_equal(x.action, ACTION_BLOCK);
    assert_true(span_is(x.rule, "filterd.unjudged"));
    assert_string_equal(x.unjudged_reason, reason);
    assert_int_equal(x.judged, 0);
    assert_int_equal(stream_held(f->stream), 0);
}

/* Byte by byte the stream releases what the whole text's redaction delivers. */
static inline void assert_like_whole(const char *text, const char *expected)
{
    struct fixture f = {0};
    char byte[2] = "";

    struct span whole = judge_text(&judge, span_str(text));
    if (!span_is(whole, expected)) {
        fail_msg("whole \"" SPAN_FMT "\", expected \"%s\"", SPAN_ARG(whole), expected);
    }
    start(&f);
    for (const char *at = text; *at != '\0'; at++) {
        byte[0] = *at;
        stream_feed(f.stream, f.channel, judge.worker, span_str(byte), &f.out);
    }
    stream_end(f.stream, f.channel, judge.worker, STREAM_COMPLETE, &f.out);
    assert_last(&f, 0, expected);
    end(&f);
}

#endif
