#include "testing.h"

#include "base/buf.h"
#include "enforce/redact.h"
#include "support/judge.h"

/* What a redaction leaves may be a finding of "second", which the text as it was sent is not. */
static const char rules[] = "rules:\n" TEST_RULE("first", "secret", "medium", "0.7", "pattern: 'key-[0-9]{6}'")
    TEST_RULE("second", "secret", "medium", "0.7", "pattern: 'by \\[first\\] and (?<secret>pin-[0-9]{4})'");

struct asked {
    struct judge judge;
    size_t reach; /* bytes on each side of a place; SIZE_MAX: nothing is appended */
    unsigned n;
};

static bool append(void *context, const struct channel *c, const struct redacted_places *places, struct buf *out, struct error *err)
{
    struct asked *a = context;

    a->n++;
    for (size_t i = 0; a->reach != SIZE_MAX && i < places->n; i++) {
        size_t from = places->items[i].out_from, to = places->items[i].out_to + a->reach;
        from = from > a->reach ? from - a->reach : 0;
        if (!buf_append(out, span_slice(c->output, from, to < c->output.len ? to : c->output.len), err) || !buf_append_char(out, '\n', err)) {
            return false;
        }
    }
    return true;
}

static void judge_near(struct asked *a, const char *text)
{
    const struct redacted_near near = {.append = append, .context = a};
    struct judge *j = &a->judge;

    a->n = 0;
    (void)worker_begin(j->worker);
    j->channel = (struct channel){.text = span_str(text)};
    j->x = (struct exchange){.snapshot = j->snapshot,
                             .policy = snapshot_policy(j->snapshot, (struct span){0}, (struct span){0}),
                             .channels = &j->channel,
                             .n_channels = 1,
                             .near = &near};
    pipeline_judge(j->worker, &j->x);
}

static int set_up(void **state)
{
    static struct asked a;

    *state = &a;
    return judge_init(&a.judge, rules, NULL, true) ? 0 : -1;
}

static int tear_down(void **state)
{
    struct asked *a = *state;

    judge_deinit(&a->judge);
    return 0;
}

static void what_is_found_near_a_place_is_found(void **state)
{
    struct asked *a = *state;

    for (a->reach = 20; a->reach != 0; a->reach = a->reach == SIZE_MAX ? 0 : SIZE_MAX) {
        judge_near(a, "open it by key-123456 and pin-1234 or not");
        assert_int_equal(a->judge.x.action, ACTION_REDACT);
        assert_int_equal(a->judge.x.n_findings, 2);
        assert_true(a->n > 0);
    }
}

/* The other half: all of the text is not searched again, or this would be found. */
static void what_is_near_alone_is_searched(void **state)
{
    struct asked *a = *state;

    a->reach = 3;
    judge_near(a, "open it by key-123456 and pin-1234 or not");
    assert_int_equal(a->judge.x.action, ACTION_REDACT);
    assert_int_equal(a->judge.x.n_findings, 1);
    assert_int_equal(a->n, 1);
}

static void nothing_is_asked_where_nothing_is_redacted(void **state)
{
    struct asked *a = *state;

    a->reach = 20;
    judge_near(a, "open it by hand");
    assert_int_equal(a->judge.x.action, ACTION_ALLOW);
    assert_int_equal(a->n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_found_near_a_place_is_found),
        cmocka_unit_test(what_is_near_alone_is_searched),
        cmocka_unit_test(nothing_is_asked_where_nothing_is_redacted),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
