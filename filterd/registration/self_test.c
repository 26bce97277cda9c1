#include "registration/self_test.h"

#include "base/log.h"

enum { TIMEOUT_S = 10 };

#define SECOND UINT64_C(1000000000)

void self_test_init(struct self_test *t, struct helper *helper, uint64_t interval_s)
{
    *t = (struct self_test){.helper = helper, .slot = -1, .interval_ns = interval_s * SECOND};
}

static void finish(struct self_test *t, struct agents *a, bool is_passed, uint64_t now_ns)
{
    (void)atomic_fetch_add(is_passed ? &a->self_tests : &a->self_test_failures, 1);
    atomic_store(&a->can_kill, is_passed);
    helper_bury_victim(t->helper);
    t->stage = SELF_TEST_IDLE;
    t->due_ns = now_ns + t->interval_ns;
}

static void fail(struct self_test *t, struct agents *a, const char *why, uint64_t now_ns)
{
    log_error("agents: the kill's self-test failed: %s", why);
    finish(t, a, false, now_ns);
}

static void begin(struct self_test *t, struct agents *a, uint64_t now_ns)
{
    if (!helper_ask_victim(t->helper)) {
        fail(t, a, "there is no helper", now_ns);
        return;
    }
    t->stage = SELF_TEST_ASKED;
    t->due_ns = now_ns + TIMEOUT_S * SECOND;
}

void self_test_answer(struct self_test *t, struct agents *a, const struct agent_message *m, struct agent_handles *h,
                      uint64_t now_ns)
{
    const struct agent_key no_agent = {0};
    struct jail_kill_target target;

    if (t->stage != SELF_TEST_ASKED) {
        return; /* it came too late */
    }
    if (m->kind != WIRE_HELLO) {
        fail(t, a, m->text, now_ns);
        return;
    }
    agent_handles_take(h, &target);
    t->slot = killer_add(a->killer, &no_agent, &target, -1);
    if (t->slot < 0) {
        jail_kill_close(&target);
        fail(t, a, "no slot is free", now_ns);
        return;
    }
    t->stage = SELF_TEST_RUNNING;
    killer_order_slot(a->killer, t->slot, ORDER_KILL, "self-test");
}

void self_test_step(struct self_test *t, struct agents *a, uint64_t now_ns)
{
    if (t->stage == SELF_TEST_IDLE && t->slot >= 0 && killer_remove(a->killer, t->slot)) {
        t->slot = -1;
    }
    if (now_ns < t->due_ns) {
        return;
    }
    if (t->stage != SELF_TEST_IDLE) {
        fail(t, a, "it took too long", now_ns);
    } else if (t->slot < 0) {
        begin(t, a, now_ns);
    }
}

bool self_test_take(struct self_test *t, struct agents *a, const struct kill_outcome *o, uint64_t now_ns)
{
    if (t->slot < 0 || o->slot != t->slot) {
        return false;
    }
    if (t->stage == SELF_TEST_RUNNING && o->kill.is_verified) {
        bool is_first = atomic_load(&a->self_tests) == 0;
        atomic_store(&a->self_test_us, (uint64_t)o->since_order_us);
        finish(t, a, true, now_ns);
        if (is_first) {
            log_info("agents: the kill's self-test passed by=%s processes=%lld us=%lld",
                     (o->kill.steps & JAIL_KILL_STEP_CGROUP_KILL) != 0 ? "cgroup.kill" : "pidfd",
                     (long long)o->kill.processes, (long long)o->since_order_us);
        }
    } else if (t->stage == SELF_TEST_RUNNING) {
        fail(t, a, "the victim could not be seen to die", now_ns);
    }
    return true;
}
