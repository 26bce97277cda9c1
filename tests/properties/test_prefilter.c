/* With Hyperscan switched off the findings are the same, byte for byte. FILTERD_TEXTS says how many texts are tried. */
#include "testing.h"

#include "pipeline/load.h"
#include "pipeline/pipeline.h"
#include "support/shipped.h"
#include "support/texts.h"
#include "support/world.h"

enum { TEXTS = 1000 };

struct side {
    struct snapshot *snapshot;
    struct worker *worker;
    struct channel channel;
    struct exchange x;
};

static void side_open(struct side *s, bool without_prefilter)
{
    struct rule_set_options options = shipped_options();
    const struct worker_limits limits = worker_limits_default();
    struct error err;

    options.without_prefilter = without_prefilter;
    s->snapshot = snapshot_open(NULL, NULL, &options, &err);
    if (s->snapshot == NULL) {
        fail_msg("%s", err.text);
    }
    s->worker = worker_new(&limits, NULL, &err);
    assert_non_null(s->worker);
}

static void side_close(struct side *s)
{
    worker_free(s->worker);
    snapshot_unref(s->snapshot);
}

static void side_judge(struct side *s, struct span text)
{
    (void)worker_begin(s->worker);
    s->channel = (struct channel){.text = text};
    s->x = (struct exchange){.snapshot = s->snapshot,
                             .policy = snapshot_policy(s->snapshot, (struct span){0}, (struct span){0}),
                             .channels = &s->channel,
                             .n_channels = 1};
    pipeline_judge(s->worker, &s->x);
}

static void show(const char *name, const struct side *s, struct span text)
{
    print_error("%s: %s, %zu findings in <<%.*s>>\n", name, action_name(s->x.action), s->x.n_findings, (int)text.len,
                text.ptr);
    for (size_t i = 0; i < s->x.n_findings; i++) {
        const struct finding *f = &s->x.findings[i];
        print_error("  " SPAN_FMT " %zu-%zu %s %f\n", SPAN_ARG(f->rule->id), f->from, f->to, f->transform, f->confidence);
    }
}

static bool is_same_finding(const struct finding *a, const struct finding *b)
{
    return span_equal(a->rule->id, b->rule->id) && a->from == b->from && a->to == b->to && a->view == b->view &&
           a->confidence >= b->confidence && a->confidence <= b->confidence && a->is_over_limit == b->is_over_limit;
}

static void findings_are_the_same_without_the_prefilter(void **state)
{
    struct side with = {0}, without = {0};
    struct random r = {.state = 20261121};
    struct buf text;
    size_t found = 0, texts = number_from("FILTERD_TEXTS", TEXTS);

    (void)state;
    side_open(&with, false);
    side_open(&without, true);
    buf_init(&text, 1 << 24);
    for (size_t i = 0; i < texts; i++) {
        make_text(&r, with.snapshot->rules, i % 8 == 0, &text);
        side_judge(&with, buf_span(&text));
        side_judge(&without, buf_span(&text));
        bool is_same = with.x.n_findings == without.x.n_findings && with.x.action == without.x.action;
        for (size_t k = 0; is_same && k < with.x.n_findings; k++) {
            is_same = is_same_finding(&with.x.findings[k], &without.x.findings[k]);
        }
        if (!is_same) {
            show("with", &with, buf_span(&text));
            show("without", &without, buf_span(&text));
            fail();
        }
        found += with.x.n_findings;
    }
    assert_true(found > texts); /* the texts do hold something */
    buf_deinit(&text);
    side_close(&with);
    side_close(&without);
}

static void redacting_again_changes_nothing(void **state)
{
    struct side s = {0};
    struct random r = {.state = 7};
    struct buf text, once;
    size_t redacted = 0, texts = number_from("FILTERD_TEXTS", TEXTS);
    struct error err;

    (void)state;
    side_open(&s, false);
    buf_init(&text, 1 << 24);
    buf_init(&once, 1 << 24);
    for (size_t i = 0; i < texts; i++) {
        make_text(&r, s.snapshot->rules, false, &text);
        side_judge(&s, buf_span(&text));
        if (s.x.action != ACTION_REDACT) {
            continue;
        }
        buf_clear(&once);
        assert_true(buf_append(&once, s.channel.output, &err));
        side_judge(&s, buf_span(&once));
        if (s.x.action != ACTION_ALLOW) {
            print_error("first: <<%.*s>>\n", (int)text.len, text.data);
            show("again", &s, buf_span(&once));
            fail();
        }
        redacted++;
    }
    assert_true(redacted > texts / 20);
    buf_deinit(&text);
    buf_deinit(&once);
    side_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_are_the_same_without_the_prefilter),
        cmocka_unit_test(redacting_again_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
