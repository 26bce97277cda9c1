/* test_stream_inquiry.c - a stream of which the supervisor is asked about sentences, paragraphs or all. */
#include "inquiry_testing.h"

/* --- units ------------------------------------------------------------------------- */

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
    assert_true(stream_question_room(d.stream) >= strlen("Fine. A hint. Fine, too. A hint again. "));
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
    assert_int_equal(stream_question_room(d.stream), 0);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
