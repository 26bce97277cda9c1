/* test_stream_classifiers.c - what a classifier judges, as the policy's hold says: whole texts, and streams chunk by chunk. */
#include "testing.h"

#include <stdio.h>

#include "pipeline/pipeline.h"
#include "pipeline/stream.h"

/* A unit that holds "loud" is found whole. */
static unsigned head_of(const void *self, struct span name)
{
    (void)self;
    return span_is(name, "shouting") ? 0 : CLASSIFIER_HEADS_MAX;
}

static bool judge_unit(const void *self, struct span unit, const double wanted[CLASSIFIER_HEADS_MAX],
                       classifier_found_fn *found, void *context, struct error *err)
{
    const struct classifier_place place = {.head = 0, .from = 0, .to = unit.len, .score = 0.9};

    (void)self;
    return wanted[0] > place.score || memmem(unit.ptr, unit.len, "loud", 4) == NULL || found(context, &place, err);
}

static struct span digest_of(const void *self)
{
    (void)self;
    return span_str("digest");
}

static const struct classifier shouting = {.head = head_of, .judge = judge_unit, .digest = digest_of};
static const struct classifier *const *offer(struct error *err)
{
    static const struct classifier *const classifiers[] = {&shouting, NULL};

    (void)err;
    return classifiers;
}

static const char rules[] =
    "rules:\n"
    "  - id: loud\n    title: Loud\n    category: content\n    severity: low\n    classifier: shouting\n    threshold: 0.5\n"
    "    match: [loud, loud, loud]\n    no_match: [a, b, c]\n"
    "  - id: aws\n    title: Key\n    category: secret\n    severity: high\n    pattern: 'AKIA[A-Z2-7]{16}'\n    confidence: 0.9\n"
    "    match: [AKIAQ3EGR7KJ2MXW5TZB, AKIAQ3EGR7KJ2MXW5TZB, AKIAQ3EGR7KJ2MXW5TZB]\n    no_match: [a, b, c]\n";

struct fixture {
    struct snapshot *snapshot;
    struct worker *worker;
    struct stream *stream;
    struct stream_channel *channel;
    struct buf out;
};

static void start(struct fixture *f, const char *hold)
{
    const struct rule_file file = {.path = "rules/test/test.yaml", .content = span_str(rules)};
    const struct rule_set_options options = {.classifiers = offer};
    const struct worker_limits limits = worker_limits_default();
    char policy[300];
    struct error err;

    struct rule_set *set = rule_set_load(&file, 1, &options, &err);
    assert_non_null(set);
    (void)snprintf(policy, sizeof(policy),
                   "policies:\n  default:\n    rules: [test]\n    hold: %s\n    actions: [{confidence: '>=0.5', action: redact}]\n",
                   hold);
    f->snapshot = snapshot_load(set, "policy.yaml", span_str(policy), &err);
    assert_non_null(f->snapshot);
    rule_set_unref(set);
    f->worker = worker_new(&limits, NULL, &err);
    assert_non_null(f->worker);
    const struct stream_options stream = {.snapshot = f->snapshot,
                                          .policy = snapshot_policy(f->snapshot, (struct span){0}, (struct span){0}),
                                          .text_max = 100000,
                                          .hold_max = 50000};
    f->stream = stream_new(&stream, &err);
    assert_non_null(f->stream);
    f->channel = stream_channel(f->stream, span_str("/text"), &err);
    assert_non_null(f->channel);
    buf_init(&f->out, 1 << 20);
}

static void end(struct fixture *f)
{
    stream_free(f->stream);
    worker_free(f->worker);
    snapshot_unref(f->snapshot);
    buf_deinit(&f->out);
}

static void feed(struct fixture *f, const char *chunk, const char *expected)
{
    size_t before = f->out.len;

    stream_feed(f->stream, f->channel, f->worker, span_str(chunk), &f->out);
    struct span released = span_slice(buf_span(&f->out), before, f->out.len);
    if (!span_is(released, expected)) {
        fail_msg("released \"" SPAN_FMT "\", expected \"%s\"", SPAN_ARG(released), expected);
    }
}

static void finish(struct fixture *f, const char *expected)
{
    size_t before = f->out.len;

    stream_end(f->stream, f->channel, f->worker, STREAM_COMPLETE, &f->out);
    struct span released = span_slice(buf_span(&f->out), before, f->out.len);
    if (!span_is(released, expected)) {
        fail_msg("at the end \"" SPAN_FMT "\", expected \"%s\"", SPAN_ARG(released), expected);
    }
}

static void assert_whole(const char *hold, const char *text, const char *expected)
{
    struct fixture f = {0};

    start(&f, hold);
    struct channel channel = {.text = span_str(text)};
    struct exchange x = {.snapshot = f.snapshot,
                         .policy = snapshot_policy(f.snapshot, (struct span){0}, (struct span){0}),
                         .channels = &channel,
                         .n_channels = 1};
    (void)worker_begin(f.worker);
    pipeline_judge(f.worker, &x);
    if (!span_is(channel.output, expected)) {
        fail_msg("%s: \"" SPAN_FMT "\", expected \"%s\"", hold, SPAN_ARG(channel.output), expected);
    }
    for (size_t i = 0; i < x.n_findings; i++) {
        assert_int_equal(x.findings[i].source, span_is(x.findings[i].rule->id, "loud") ? FINDING_CLASSIFIER : FINDING_RULE);
    }
    end(&f);
}

static void a_text_is_judged_by_the_units_of_its_policy(void **state)
{
    static const char text[] = "One is quiet. Two is loud. Three is quiet.\n\nFour is quiet.";
    (void)state;
    assert_whole("sentence", text, "One is quiet. [loud]Three is quiet.\n\nFour is quiet.");
    assert_whole("paragraph", text, "[loud]Four is quiet.");
    assert_whole("all", text, "[loud]");
    assert_whole("none", text, "[loud]");
}

static void a_finding_of_a_rule_and_one_of_a_classifier_merge(void **state)
{
    (void)state;
    assert_whole("sentence", "Be loud: AKIAQ3EGR7KJ2MXW5TZB. Quiet. AKIAQ3EGR7KJ2MXW5TZB.", "[aws]Quiet. [aws].");
}

static void a_sentence_leaves_when_it_has_ended(void **state)
{
    struct fixture f = {0};
    (void)state;
    start(&f, "sentence");
    feed(&f, "One is", "");
    feed(&f, " quiet.", "");
    feed(&f, " Two is lo", "One is quiet. ");
    feed(&f, "ud", "");
    feed(&f, ". Three", "[loud]");
    finish(&f, "Three");
    end(&f);
}

static void a_paragraph_leaves_when_it_has_ended(void **state)
{
    struct fixture f = {0};
    (void)state;
    start(&f, "paragraph");
    feed(&f, "One is quiet. So is two.", "");
    feed(&f, "\n", "");
    feed(&f, "\nThree is ", "One is quiet. So is two.\n\n");
    feed(&f, "loud. Four is quiet.\n\n", "[loud]");
    finish(&f, "");
    end(&f);
}

static void all_leaves_at_the_end(void **state)
{
    struct fixture f = {0};
    (void)state;
    start(&f, "all");
    feed(&f, "One is quiet.\n\nTwo, too.\n\n", "");
    feed(&f, "Three.\n\n", "");
    finish(&f, "One is quiet.\n\nTwo, too.\n\nThree.\n\n");
    end(&f);
}

static void with_none_a_stream_goes_on_and_says_so(void **state)
{
    struct fixture f = {0};
    struct exchange x;
    (void)state;
    start(&f, "none");
    feed(&f, "Two is loud and ", "Two is loud and ");
    feed(&f, "AKIAQ3EGR7KJ2MXW5TZB ", "[aws] ");
    finish(&f, "");
    stream_exchange(f.stream, &x);
    assert_true(x.is_unclassified);
    assert_int_equal(x.n_findings, 1);
    end(&f);
}

static void findings_of_classifiers_are_recorded_once(void **state)
{
    struct fixture f = {0};
    struct exchange x;
    (void)state;
    start(&f, "sentence");
    feed(&f, "Two is loud. Three is ", "[loud]");
    feed(&f, "quiet. Four is ", "Three is quiet. ");
    feed(&f, "loud. ", "[loud]");
    finish(&f, "");
    stream_exchange(f.stream, &x);
    assert_false(x.is_unclassified);
    assert_int_equal(x.n_findings, 2);
    assert_int_equal(x.findings[0].source, FINDING_CLASSIFIER);
    assert_int_equal(x.findings[0].from, 0);
    assert_int_equal(x.findings[0].to, 13);
    assert_int_equal(x.findings[1].from, 29);
    end(&f);
}

static void a_sentence_without_an_end_leaves_at_its_bound(void **state)
{
    struct fixture f = {0};
    char chunk[101];
    (void)state;
    start(&f, "sentence");
    memset(chunk, 'a', sizeof(chunk) - 1);
    chunk[sizeof(chunk) - 1] = '\0';
    chunk[50] = ' ';
    for (int i = 0; i < 30; i++) {
        stream_feed(f.stream, f.channel, f.worker, span_str(chunk), &f.out);
        assert_true(stream_held(f.stream) < 512 + 16 + 200);
    }
    assert_true(stream_released(f.stream) > 2000);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_judged_by_the_units_of_its_policy),
        cmocka_unit_test(a_finding_of_a_rule_and_one_of_a_classifier_merge),
        cmocka_unit_test(a_sentence_leaves_when_it_has_ended),
        cmocka_unit_test(a_paragraph_leaves_when_it_has_ended),
        cmocka_unit_test(all_leaves_at_the_end),
        cmocka_unit_test(with_none_a_stream_goes_on_and_says_so),
        cmocka_unit_test(findings_of_classifiers_are_recorded_once),
        cmocka_unit_test(a_sentence_without_an_end_leaves_at_its_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
