/* self_test.h - the periodic self-test of the kill: a victim process is killed by the same threads, descriptors and
 * escalation steps that kill agents. Only the thread of registration_socket.c uses it. */
#ifndef FILTERD_REGISTRATION_SELF_TEST_H
#define FILTERD_REGISTRATION_SELF_TEST_H

#include "enforce/agents.h"
#include "enforce/helper.h"
#include "jail/lease/agent_wire.h"

enum self_test_stage { SELF_TEST_IDLE, SELF_TEST_ASKED, SELF_TEST_RUNNING };

struct self_test {
    enum self_test_stage stage;
    struct helper *helper; /* borrowed */
    int slot;             /* of RUNNING, or left by one that failed; -1: none */
    uint64_t due_ns, interval_ns;
};

/* The first test is due at once. */
void self_test_init(struct self_test *t, struct helper *helper, uint64_t interval_s);
/* Starts a test that is due. Does not block. */
void self_test_step(struct self_test *t, struct agents *a, uint64_t now_ns);
/* Handles the helper's answer; handles that it takes are set to -1. */
void self_test_answer(struct self_test *t, struct agents *a, const struct agent_message *m, struct agent_handles *h,
                      uint64_t now_ns);
/* True when the outcome is that of the test. */
bool self_test_take(struct self_test *t, struct agents *a, const struct kill_outcome *o, uint64_t now_ns);

#endif
