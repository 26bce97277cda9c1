/* test_stream_exchange.c - a stream's limits, its channels, and what the record gets of it. */
#include "stream_testing.h"

#include <stdio.h>
#include <stdlib.h>

#include "decision_log/decision_log.h"
#include "decision_log/value_token.h"
#include "support/line_schema.h"

/* --- limits -------------------------------------------------------------------- */

static void more_text_than_allowed_is_unjudged(void **state)
{
    struct fixture f = {.options = {.text_max = 10}};

    (void)state;
    start(&f);
    struct stream_channel *other = stream_channel(f.stream, span_str("/other"), &f.err);
    feed(&f, "one ", "one ");
    feed_to(&f, other, "three ", "three ");
    assert_int_equal(stream_action(f.stream), ACTION_ALLOW);
    feed(&f, "x", "");
    assert_unjudged(&f, "limit reached");
    end(&f);
}

static void more_held_than_allowed_is_unjudged(void **state)
{
    struct fixture f = {.options = {.hold_max = 8}};

    (void)state;
    start(&f);
    feed(&f, "one two two abcdefgh", "one two two ");
    assert_int_equal(stream_action(f.stream), ACTION_ALLOW);
    feed(&f, "i", "");
    assert_unjudged(&f, "limit reached");
    assert_true(span_is(stream_notice(f.stream), "withheld"));
    end(&f);
}

static void a_chunk_may_be_longer_than_what_may_be_held(void **state)
{
    enum { LONG = 500000 };
    struct fixture f = {.options = {.text_max = LONG, .hold_max = 8}};
    char *text = malloc(LONG);

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < LONG; i++) {
        text[i] = (char)(i % 6 == 5 ? ' ' : 'w');
    }
    start(&f);
    stream_feed(f.stream, f.channel, judge.worker, span_of(text, LONG), &f.out);
    assert_int_equal(stream_action(f.stream), ACTION_ALLOW);
    assert_true(span_equal(buf_span(&f.out), span_of(text, LONG - stream_held(f.stream))));
    free(text);
    end(&f);
}

static void more_channels_than_allowed_are_unjudged(void **state)
{
    struct fixture f = {0};
    char path[32];

    (void)state;
    start(&f);
    for (int i = 1; i < STREAM_CHANNELS_MAX; i++) {
        (void)snprintf(path, sizeof(path), "/%d", i);
        assert_non_null(stream_channel(f.stream, span_str(path), &f.err));
    }
    assert_ptr_equal(stream_channel(f.stream, span_str("/text"), &f.err), f.channel);
    assert_int_equal(stream_action(f.stream), ACTION_ALLOW);
    assert_null(stream_channel(f.stream, span_str("/more"), &f.err));
    assert_int_equal(f.err.kind, ERROR_LIMIT);
    assert_unjudged(&f, "limit reached");
    end(&f);
}

static void a_path_too_long_is_unjudged(void **state)
{
    struct fixture f = {0};
    static char path[4096];

    (void)state;
    start(&f);
    memset(path, 'p', sizeof(path) - 1);
    assert_null(stream_channel(f.stream, span_str(path), &f.err));
    assert_unjudged(&f, "limit reached");
    end(&f);
}

/* --- channels and the record ---------------------------------------------------- */

static void channels_hold_each_their_own(void **state)
{
    struct fixture f = {0};

    (void)state;
    start(&f);
    struct stream_channel *other = stream_channel(f.stream, span_str("/other"), &f.err);
    assert_ptr_equal(stream_channel(f.stream, span_str("/other"), &f.err), other);
    feed(&f, "one AKIAQ3EGR7", "one ");
    feed_to(&f, other, "KJ2MXW5TZB two", "KJ2MXW5TZB ");
    feed(&f, "KJ2MXW5TZB.", "");
    assert_int_equal(stream_channel_held(f.channel), 21);
    assert_int_equal(stream_channel_held(other), 3);
    assert_int_equal(stream_held(f.stream), 24);
    finish(&f, STREAM_COMPLETE, "[aws].");
    feed_to(&f, other, " three ", "two three ");
    end(&f);
}

static void findings_have_their_place_in_the_whole_text(void **state)
{
    struct fixture f = {0};
    struct exchange x;

    (void)state;
    start(&f);
    struct stream_channel *other = stream_channel(f.stream, span_str("/other"), &f.err);
    for (int i = 0; i < 1000; i++) {
        feed(&f, "nothing\n", "nothing\n");
    }
    feed(&f, "then AKIAQ3EGR7KJ2MXW5TZB and", "then [aws] ");
    feed_to(&f, other, "a AKIAQ3EGR7KJ2MXW5TZB held", "a [aws] ");
    stream_exchange(f.stream, &x);
    assert_int_equal(x.action, ACTION_REDACT);
    assert_true(span_is(x.rule, "aws"));
    assert_int_equal(x.n_findings, 2);
    assert_int_equal(x.findings[0].channel, 0);
    assert_int_equal(x.findings[0].from, 8005);
    assert_int_equal(x.findings[0].to, 8025);
    assert_int_equal(x.findings[0].value.len, 0);
    assert_int_equal(x.findings[1].channel, 1);
    assert_int_equal(x.findings[1].from, 2);
    end(&f);
}

static void what_is_held_is_not_judged_yet(void **state)
{
    struct fixture f = {0};
    struct exchange x;

    (void)state;
    start(&f);
    feed(&f, "the key AKIAQ3EGR7KJ2MXW5TZB and more", "the key [aws] and ");
    stream_exchange(f.stream, &x);
    assert_int_equal(x.n_channels, 1);
    assert_true(span_is(x.channels[0].path, "/text"));
    assert_null(x.channels[0].text.ptr);
    assert_null(x.channels[0].output.ptr);
    assert_int_equal(x.channels[0].text.len, 37);
    assert_int_equal(x.channels[0].output.len, 18);
    assert_int_equal(x.channels[0].judged, 33);
    assert_int_equal(x.bytes, 37);
    assert_int_equal(x.judged, 33);
    finish(&f, STREAM_COMPLETE, "more");
    stream_exchange(f.stream, &x);
    assert_int_equal(x.judged, 37);
    end(&f);
}

static void the_record_takes_a_streams_exchange(void **state)
{
    static const struct decision_keys keys = {.token = {1, 2, 3}, .key_id = "k1"};
    struct fixture f = {
        .options = {.now_ns = INT64_C(1709210096000000789), .id = {.bytes = {1, 2, 3}}, .token_keys = &keys}};
    struct exchange x;
    struct buf line;

    (void)state;
    buf_init(&line, DECISION_RECORD_MAX);
    start(&f);
    feed(&f, "the key AKIAQ3EGR7KJ2MXW5TZB and ", "the key [aws] and ");
    finish(&f, STREAM_COMPLETE, "");
    stream_exchange(f.stream, &x);
    assert_true(decision_format(&x, &keys, 1000, &line, &f.err));
    assert_line(buf_span(&line));
    assert_non_null(memmem(line.data, line.len, "\"aws\"", 5));
    assert_non_null(memmem(line.data, line.len, x.findings[0].token.ptr, x.findings[0].token.len));
    assert_null(memmem(line.data, line.len, "AKIA", 4));
    buf_deinit(&line);
    end(&f);
}

/* Cut anywhere, and as its view reads it: the token that the record of the whole text has. */
static void a_finding_has_the_token_of_its_value(void **state)
{
    static const struct decision_keys keys = {.token = {1, 2, 3}, .key_id = "k1"};
    static const char *const texts[] = {"the key AKIAQ3EGR7KJ2MXW5TZB and ", "the key QUtJQVEzRUdSN0tKMk1YVzVUWkI= and "};
    struct value_token expected;
    struct exchange x;

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        for (size_t cut = 0; cut < strlen(texts[i]); cut++) {
            struct fixture f = {.options = {.token_keys = &keys}};
            start(&f);
            assert_true(value_token_make(&keys, span_str("AKIAQ3EGR7KJ2MXW5TZB"), &expected, &f.err));
            stream_feed(f.stream, f.channel, judge.worker, span_of(texts[i], cut), &f.out);
            stream_feed(f.stream, f.channel, judge.worker, span_str(texts[i] + cut), &f.out);
            stream_end(f.stream, f.channel, judge.worker, STREAM_COMPLETE, &f.out);
            stream_exchange(f.stream, &x);
            assert_int_equal(x.n_findings, 1);
            assert_true(span_is(x.findings[0].token, expected.text));
            end(&f);
        }
    }
}

static void the_identity_is_kept(void **state)
{
    char tenant[] = "acme", agent[] = "bot-7";
    struct fixture f = {.options = {.who = {.tenant = span_str(tenant), .agent = span_str(agent)}}};
    struct exchange x;

    (void)state;
    start(&f);
    memset(tenant, 'x', 4);
    memset(agent, 'x', 5);
    stream_exchange(f.stream, &x);
    assert_true(span_is(x.who.tenant, "acme"));
    assert_true(span_is(x.who.agent, "bot-7"));
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_text_than_allowed_is_unjudged),
        cmocka_unit_test(more_held_than_allowed_is_unjudged),
        cmocka_unit_test(a_chunk_may_be_longer_than_what_may_be_held),
        cmocka_unit_test(more_channels_than_allowed_are_unjudged),
        cmocka_unit_test(a_path_too_long_is_unjudged),
        cmocka_unit_test(channels_hold_each_their_own),
        cmocka_unit_test(findings_have_their_place_in_the_whole_text),
        cmocka_unit_test(what_is_held_is_not_judged_yet),
        cmocka_unit_test(the_record_takes_a_streams_exchange),
        cmocka_unit_test(a_finding_has_the_token_of_its_value),
        cmocka_unit_test(the_identity_is_kept),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
