#include "decision_log/decision_queue.h"

#include "testing.h"

static struct decision_queue queue;

static void done(void *context, bool is_durable)
{
    (void)context;
    (void)is_durable;
}

static void add(bool is_deferred, decision_done_fn *then)
{
    static const char line[] = "{\"a\":1}";
    const struct queued_line entry = {.len = sizeof(line) - 1, .is_deferred = is_deferred, .done = then};
    struct error err;

    assert_true(decision_queue_add(&queue, line, &entry, &err));
}

static void only_a_line_that_somebody_waits_for_is_urgent(void **state)
{
    (void)state;
    decision_queue_init(&queue);
    add(false, NULL);
    assert_false(decision_queue_is_urgent(&queue));
    add(true, done);
    assert_false(decision_queue_is_urgent(&queue));
    add(false, done);
    assert_true(decision_queue_is_urgent(&queue));
    decision_queue_clear(&queue);
    assert_false(decision_queue_is_urgent(&queue));
    decision_queue_deinit(&queue);
}

static void so_many_bytes_are_urgent_whoever_waits(void **state)
{
    static char line[DECISION_RECORD_MAX];
    const struct queued_line entry = {.len = sizeof(line)};
    struct error err;
    size_t n = 0;
    (void)state;
    memset(line, ' ', sizeof(line));
    memcpy(line, "{\"a\":1", 6);
    line[sizeof(line) - 1] = '}';
    decision_queue_init(&queue);
    while (!decision_queue_is_urgent(&queue)) {
        assert_true(decision_queue_add(&queue, line, &entry, &err));
        n++;
    }
    assert_in_range(n, 2, 32);
    decision_queue_deinit(&queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_a_line_that_somebody_waits_for_is_urgent),
        cmocka_unit_test(so_many_bytes_are_urgent_whoever_waits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
