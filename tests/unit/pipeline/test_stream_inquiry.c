/* test_stream_inquiry.c - a stream of which the supervisor is asked about sentences, paragraphs or all, by a supervisor
 * that answers as the text says. */
#include "testing.h"

#include <stdio.h>
#include <string.h>

#include "pipeline/stream_inquiry.h"
#include "policy/supervisor.h"
#include "support/judge.h"
#include "support/random.h"

enum { ROOM = 1 << 16, TEXTS = 150, CUTTINGS = 6 };

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

static void open_with(struct delivery *d, const char *policy)
{
    *d = (struct delivery){0};
    if (!judge_init(&d->judge, rules, policy, false)) {
        fail_msg("%s", d->judge.err.text);
    }
    buf_init(&d->kept, ROOM);
    buf_init(&d->delivered, ROOM);
    buf_init(&d->questions, ROOM);
}

static void begin(struct delivery *d)
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

static void finish(struct delivery *d)
{
    stream_free(d->stream);
    d->stream = NULL;
}

static void close_all(struct delivery *d)
{
    stream_free(d->stream);
    judge_deinit(&d->judge);
    buf_deinit(&d->kept);
    buf_deinit(&d->delivered);
    buf_deinit(&d->questions);
}

/* EVIL is harm, HANG is no answer in time, all else is fine. */
static void answer(struct delivery *d, struct span question)
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
static void deliver(struct delivery *d, bool is_end)
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

static void feed_span(struct delivery *d, struct span chunk)
{
    if (!stream_waits(d->stream)) {
        stream_mark(d->stream);
    }
    stream_feed(d->stream, d->channel, d->judge.worker, chunk, &d->kept);
    deliver(d, false);
}

static void feed(struct delivery *d, const char *chunk)
{
    feed_span(d, span_str(chunk));
}

static void end(struct delivery *d, enum stream_ending how)
{
    if (!stream_waits(d->stream)) {
        stream_mark(d->stream);
    }
    stream_end(d->stream, d->channel, d->judge.worker, how, &d->kept);
    deliver(d, true);
}

static void assert_span(struct span got, const char *expected)
{
    if (!span_is(got, expected)) {
        fail_msg("\"" SPAN_FMT "\", expected \"%s\"", SPAN_ARG(got), expected);
    }
}

static void assert_delivered(const struct delivery *d, const char *expected)
{
    assert_span(buf_span(&d->delivered), expected);
    assert_true(stream_waits(d->stream) || stream_released(d->stream) == d->delivered.len);
}

static void assert_questions(const struct delivery *d, const char *expected)
{
    assert_span(buf_span(&d->questions), expected);
}

static void assert_blocked(const struct delivery *d, const char *rule, const char *reason)
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

/* --- units ------------------------------------------------------------------------- */

#define SENTENCES "when: {category: content}, hold: sentence"

static void a_unit_leaves_when_it_has_ended_and_only_a_grey_one_is_asked_about(void **state)
{
    struct delivery d;
    struct exchange x;

    (void)state;
    open_with(&d, POLICY(SENTENCES));
    begin(&d);
    feed(&d, "One is fi");
    assert_delivered(&d, "");
    assert_int_equal(stream_held(d.stream), 9);
    feed(&d, "ne. Two");
    assert_delivered(&d, "One is fine. ");
    assert_int_equal(d.asked, 0);
    feed(&d, " has a hint");
    assert_delivered(&d, "One is fine. ");
    feed(&d, ", and a KEY1234. The th");
    assert_questions(&d, "|One is fine. Two has a hint, and a [key]. ");
    assert_delivered(&d, "One is fine. Two has a hint, and a [key]. ");
    end(&d, STREAM_COMPLETE);
    assert_delivered(&d, "One is fine. Two has a hint, and a [key]. The th");
    assert_int_equal(d.asked, 1);
    stream_exchange(d.stream, &x);
    assert_int_equal(x.action, ACTION_REDACT);
    assert_int_equal(x.supervision->outcome, SUPERVISION_ANSWERED);
    assert_int_equal(x.n_units, 1);
    assert_int_equal(x.units[0].channel, 0);
    assert_int_equal(x.units[0].from, 13);
    assert_int_equal(x.units[0].to, 42);
    assert_int_equal(x.judged, x.bytes);
    close_all(&d);
}

static void while_it_is_asked_nothing_since_the_mark_may_leave(void **state)
{
    struct delivery d;
    struct exchange x;

    (void)state;
    open_with(&d, POLICY(SENTENCES));
    begin(&d);
    stream_mark(d.stream);
    stream_feed(d.stream, d.channel, d.judge.worker, span_str("Fine. A hint. Fine, too. A hint again. And"), &d.kept);
    assert_true(stream_waits(d.stream) && stream_asks(d.stream));
    assert_false(stream_waits_whole(d.stream));
    assert_true(stream_ask(d.stream, &x));
    assert_span(x.question, "Fine. A hint. ");
    answer(&d, x.question);
    assert_true(stream_waits(d.stream) && stream_asks(d.stream));
    assert_true(stream_ask(d.stream, &x));
    assert_span(x.question, "Fine. A hint. Fine, too. A hint again. ");
    answer(&d, x.question);
    assert_false(stream_waits(d.stream) || stream_asks(d.stream));
    assert_span(buf_span(&d.kept), "Fine. A hint. Fine, too. A hint again. ");
    close_all(&d);
}

static void a_violation_blocks_and_what_had_left_stays(void **state)
{
    struct delivery d;
    struct exchange x;

    (void)state;
    open_with(&d, POLICY(SENTENCES));
    begin(&d);
    feed(&d, "A hint. Fine. EVIL without any. ");
    feed(&d, "A hint of EVIL. More. ");
    assert_delivered(&d, "A hint. Fine. EVIL without any. ");
    assert_blocked(&d, "supervisor.harm", NULL);
    stream_exchange(d.stream, &x);
    assert_int_equal(x.n_units, 2);
    assert_false(x.units[0].is_violation);
    assert_true(x.units[1].is_violation);
    assert_int_equal(x.units[1].category, SUPERVISOR_HARM);
    assert_true(x.supervision->is_violation);
    feed(&d, "A hint. ");
    assert_int_equal(d.asked, 2);
    close_all(&d);
}

static void without_an_answer_the_policy_says_what_happens(void **state)
{
    struct delivery d;
    struct exchange x;

    (void)state;
    open_with(&d, POLICY(SENTENCES));
    begin(&d);
    feed(&d, "Fine. A HANG in a hint. More.");
    assert_delivered(&d, "");
    assert_blocked(&d, "filterd.unjudged", "the supervisor did not answer in time");
    close_all(&d);

    open_with(&d, POLICY(SENTENCES ", on_failure: allow"));
    begin(&d);
    feed(&d, "Fine. A HANG in a hint. A hint, far from it. ");
    end(&d, STREAM_COMPLETE);
    assert_delivered(&d, "Fine. A HANG in a hint. A hint, far from it. ");
    stream_exchange(d.stream, &x);
    assert_int_equal(x.action, ACTION_ALLOW);
    assert_int_equal(x.n_units, 2);
    assert_int_equal(x.units[0].outcome, SUPERVISION_TIMEOUT);
    assert_int_equal(x.supervision->outcome, SUPERVISION_TIMEOUT); /* the gravest */
    close_all(&d);
}

static void paragraphs_are_asked_about_whole(void **state)
{
    struct delivery d;

    (void)state;
    open_with(&d, POLICY("when: {category: content}, hold: paragraph"));
    begin(&d);
    feed(&d, "One. A hint. Two.\n\nThree. ");
    assert_questions(&d, "|One. A hint. Two.\n\n");
    assert_delivered(&d, "One. A hint. Two.\n\n");
    end(&d, STREAM_COMPLETE);
    assert_delivered(&d, "One. A hint. Two.\n\nThree. ");
    close_all(&d);
}

static void always_means_every_unit_that_says_anything(void **state)
{
    struct delivery d;

    (void)state;
    open_with(&d, POLICY("when: always, hold: sentence"));
    begin(&d);
    feed(&d, "One.\n\n \n\nTwo.");
    end(&d, STREAM_COMPLETE);
    assert_questions(&d, "|One.\n|One.\n\n \n\nTwo.");
    assert_delivered(&d, "One.\n\n \n\nTwo.");
    close_all(&d);
}

static void what_reaches_over_units_makes_all_of_them_grey(void **state)
{
    struct delivery d;

    (void)state;
    open_with(&d, POLICY(SENTENCES));
    begin(&d);
    feed(&d, "Zero. One from here. ");
    assert_delivered(&d, "Zero. "); /* the rule is not acted on, and holds all the same */
    feed(&d, "Two. Three to here. Four. ");
    end(&d, STREAM_COMPLETE);
    assert_questions(&d, "|Zero. One from here. |Zero. One from here. Two. "
                         "|Zero. One from here. Two. Three to here. ");
    assert_delivered(&d, "Zero. One from here. Two. Three to here. Four. ");
    close_all(&d);
}

static void what_was_taken_out_is_asked_about_where_the_text_goes_on(void **state)
{
    struct delivery d;

    (void)state;
    open_with(&d, POLICY("when: {rule: gone}, hold: sentence"));
    begin(&d);
    feed(&d, "One. GONE1234Two. Three. Four GONE1234");
    end(&d, STREAM_COMPLETE);
    assert_questions(&d, "|One. Two. |One. Two. Three. Four ");
    close_all(&d);
}

static void context_is_bounded_and_begins_with_a_character(void **state)
{
    struct delivery d;

    (void)state;
    open_with(&d, POLICY(SENTENCES));
    begin(&d);
    for (int i = 0; i < 2000; i++) {
        feed(&d, i % 40 == 39 ? "\xc3\xa4. " : "\xc3\xa4"); /* 84 bytes a sentence */
    }
    feed(&d, "A hint. ");
    end(&d, STREAM_COMPLETE);
    assert_int_equal(d.asked, 1);
    assert_in_range(d.questions.len, 1023 + 9, 1024 + 9);
    assert_true(((unsigned char)d.questions.data[1] & 0xc0) != 0x80);
    assert_int_equal(stream_released(d.stream), d.delivered.len);
    close_all(&d);
}

/* --- limits ------------------------------------------------------------------------ */

static void the_last_question_is_about_all_that_is_left(void **state)
{
    struct delivery d;
    struct exchange x;

    (void)state;
    open_with(&d, POLICY(SENTENCES ", questions: 2"));
    begin(&d);
    feed(&d, "A hint. Fine. Another hint. ");
    assert_true(stream_waits(d.stream)); /* the first came in the same piece */
    assert_delivered(&d, "");
    feed(&d, "Fine. A third hint. En");
    assert_int_equal(d.asked, 1);
    end(&d, STREAM_COMPLETE);
    assert_questions(&d, "|A hint. |A hint. Fine. Another hint. Fine. A third hint. En");
    assert_delivered(&d, "A hint. Fine. Another hint. Fine. A third hint. En");
    stream_exchange(d.stream, &x);
    assert_int_equal(x.n_units, 2);
    assert_true(x.units[1].is_rest);
    assert_int_equal(x.units[1].from, 14);
    finish(&d);

    begin(&d);
    feed(&d, "A hint. ");
    feed(&d, "Fine. ");
    feed(&d, "Another hint. ");
    feed(&d, "Fine, but EVIL. ");
    end(&d, STREAM_COMPLETE);
    assert_delivered(&d, "A hint. Fine. ");
    assert_blocked(&d, "supervisor.harm", NULL);
    close_all(&d);
}

static void who_delivers_nothing_before_the_end_asks_once(void **state)
{
    struct delivery d;
    struct exchange x;

    (void)state;
    open_with(&d, POLICY(SENTENCES));
    begin(&d);
    stream_wait_whole(d.stream);
    assert_true(stream_waits_whole(d.stream));
    feed(&d, "A hint. Fine. Another hint. ");
    assert_int_equal(d.delivered.len, 0);
    end(&d, STREAM_COMPLETE);
    assert_questions(&d, "|A hint. Fine. Another hint. ");
    assert_delivered(&d, "A hint. Fine. Another hint. ");
    stream_exchange(d.stream, &x);
    assert_int_equal(x.n_units, 0);
    close_all(&d);
}

static void who_cannot_wait_goes_without_from_the_first_byte(void **state)
{
    struct delivery d;
    struct error err;

    (void)state;
    open_with(&d, POLICY(SENTENCES));
    const struct stream_options options = {
        .snapshot = d.judge.snapshot,
        .policy = snapshot_policy(d.judge.snapshot, (struct span){0}, (struct span){0}),
        .text_max = ROOM,
        .hold_max = ROOM,
    };
    d.stream = stream_new(&options, &err);
    assert_non_null(d.stream);
    assert_blocked(&d, "filterd.unjudged", "the policy's supervisor cannot be asked here");
    close_all(&d);
}

/* --- what happens meanwhile --------------------------------------------------------- */

static void a_block_meanwhile_stays_and_the_answer_is_known(void **state)
{
    struct delivery d = {0};
    struct exchange x;

    (void)state;
    open_with(&d, POLICY(SENTENCES));
    d.stop = "second";
    begin(&d);
    feed(&d, "A hint. ");
    feed(&d, "A second hint. ");
    assert_delivered(&d, "A hint. ");
    assert_blocked(&d, "filterd.agent-killed", "the agent is stopped");
    stream_exchange(d.stream, &x);
    assert_int_equal(x.n_units, 2);
    assert_int_equal(x.units[1].outcome, SUPERVISION_ANSWERED);
    assert_false(x.units[1].is_violation);
    close_all(&d);
}

static void a_rule_that_blocks_ends_it_unasked(void **state)
{
    struct delivery d;

    (void)state;
    open_with(&d, POLICY(SENTENCES));
    begin(&d);
    feed(&d, "Fine. ");
    feed(&d, "A hint. A BOMB. ");
    assert_delivered(&d, "Fine. ");
    assert_blocked(&d, "bomb", NULL);
    assert_int_equal(d.asked, 0);
    close_all(&d);
}

static void a_part_beside_the_stream_is_a_question_of_its_own(void **state)
{
    struct delivery d;
    struct exchange x;

    (void)state;
    open_with(&d, POLICY(SENTENCES));
    begin(&d);
    static const char *const parts[] = {"nothing here", "a hint with KEY1234", "EVIL hint"};
    for (size_t i = 0; i < COUNT(parts); i++) {
        struct channel channels[] = {{.text = span_str(parts[i])}, {.text = span_str("name")}};
        struct exchange part;
        stream_exchange(d.stream, &part);
        part.channels = channels;
        part.n_channels = COUNT(channels);
        (void)worker_begin(d.judge.worker);
        pipeline_judge(d.judge.worker, &part);
        stream_mark(d.stream);
        stream_add_part(d.stream, &part);
        deliver(&d, false);
    }
    assert_questions(&d, "|a hint with [key]\nname\n|EVIL hint\nname\n");
    assert_blocked(&d, "supervisor.harm", NULL);
    stream_exchange(d.stream, &x);
    assert_int_equal(x.n_units, 2);
    assert_int_equal(x.units[0].channel, SUPERVISION_BESIDE);
    close_all(&d);
}

/* --- however it is cut ---------------------------------------------------------------- */

static void make_text(struct random *r, struct buf *text)
{
    static const char *const pieces[] = {
        "A sentence. ",  "With a hint in it. ",     "KEY1234 ",       "KEY12",  "hint",       ".\n\n", "! ",  "\n",
        "An EVIL one. ", "An EVIL one with hint. ", "a HANG hint? ",  "GONE1234", "\xe3\x80\x82", "\xc3\xa4", " ",   ".",
        "from here ",    "to here ",                "word word word ", "x",      "(hint.) ",   "wordword",
    };
    struct error err;
    size_t n = 1 + random_below(r, 30);

    buf_clear(text);
    for (size_t i = 0; i < n; i++) {
        size_t times = random_below(r, 20) == 0 ? 60 : 1;
        const char *piece = pieces[random_below(r, COUNT(pieces))];
        for (size_t k = 0; k < times; k++) {
            assert_true(buf_append_str(text, piece, &err));
        }
    }
}

static void stream_through(struct delivery *d, struct random *r, struct span text, size_t most)
{
    begin(d);
    for (size_t at = 0; at < text.len;) {
        size_t n = 1 + random_below(r, most);
        n = n < text.len - at ? n : text.len - at;
        feed_span(d, span_slice(text, at, at + n));
        at += n;
    }
    end(d, STREAM_COMPLETE);
}

static void assert_same_for_every_cutting(const char *policy, uint64_t seed)
{
    static const size_t most[CUTTINGS] = {1, 3, 17, 100, 600, ROOM};
    struct random r = {.state = seed};
    struct delivery d;
    struct buf text, questions, delivered;
    struct error err;
    unsigned blocked = 0, asked = 0;

    open_with(&d, policy);
    buf_init(&text, ROOM);
    buf_init(&questions, ROOM);
    buf_init(&delivered, ROOM);
    for (int i = 0; i < TEXTS; i++) {
        make_text(&r, &text);
        enum action action = ACTION_ALLOW;
        for (size_t k = 0; k < CUTTINGS; k++) {
            stream_through(&d, &r, buf_span(&text), most[k]);
            if (k == 0) {
                buf_clear(&questions);
                buf_clear(&delivered);
                assert_true(buf_append(&questions, buf_span(&d.questions), &err));
                assert_true(buf_append(&delivered, buf_span(&d.delivered), &err));
                action = stream_action(d.stream);
                blocked += action == ACTION_BLOCK;
                asked += d.asked;
            }
            assert_int_equal(stream_action(d.stream), action);
            assert_true(span_equal(buf_span(&questions), buf_span(&d.questions)));
            assert_int_equal(stream_released(d.stream), d.delivered.len);
            /* Of a blocked one less may have left, when more of it came in one piece. */
            assert_true(span_starts_with(buf_span(&delivered), buf_span(&d.delivered)));
            assert_true(action == ACTION_BLOCK || d.delivered.len == delivered.len);
            finish(&d);
        }
    }
    assert_in_range(blocked, TEXTS / 20, TEXTS - TEXTS / 20); /* both kinds are among them */
    assert_in_range(asked, TEXTS / 10, (size_t)TEXTS * 48);
    buf_deinit(&text);
    buf_deinit(&questions);
    buf_deinit(&delivered);
    close_all(&d);
}

static void questions_and_verdict_are_the_same_for_every_cutting(void **state)
{
    (void)state;
    assert_same_for_every_cutting(POLICY(SENTENCES), 1);
    assert_same_for_every_cutting(POLICY(SENTENCES ", on_failure: allow, questions: 3"), 2);
    assert_same_for_every_cutting(POLICY("when: {category: content}, hold: paragraph"), 3);
    assert_same_for_every_cutting(POLICY("when: [{category: content}, {category: secret}], hold: sentence"), 4);
    assert_same_for_every_cutting(POLICY("when: always, hold: sentence, questions: 48"), 5);
    assert_same_for_every_cutting(POLICY("when: {category: content}, hold: all"), 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_unit_leaves_when_it_has_ended_and_only_a_grey_one_is_asked_about),
        cmocka_unit_test(while_it_is_asked_nothing_since_the_mark_may_leave),
        cmocka_unit_test(a_violation_blocks_and_what_had_left_stays),
        cmocka_unit_test(without_an_answer_the_policy_says_what_happens),
        cmocka_unit_test(paragraphs_are_asked_about_whole),
        cmocka_unit_test(always_means_every_unit_that_says_anything),
        cmocka_unit_test(what_reaches_over_units_makes_all_of_them_grey),
        cmocka_unit_test(what_was_taken_out_is_asked_about_where_the_text_goes_on),
        cmocka_unit_test(context_is_bounded_and_begins_with_a_character),
        cmocka_unit_test(the_last_question_is_about_all_that_is_left),
        cmocka_unit_test(who_delivers_nothing_before_the_end_asks_once),
        cmocka_unit_test(who_cannot_wait_goes_without_from_the_first_byte),
        cmocka_unit_test(a_block_meanwhile_stays_and_the_answer_is_known),
        cmocka_unit_test(a_rule_that_blocks_ends_it_unasked),
        cmocka_unit_test(a_part_beside_the_stream_is_a_question_of_its_own),
        cmocka_unit_test(questions_and_verdict_are_the_same_for_every_cutting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
