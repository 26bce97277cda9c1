#include "testing.h"

#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "enforce/agents.h"
#include "support/judge.h"
#include "support/line_schema.h"

static const char rules[] =
    "rules:\n" TEST_RULE("one", "secret", "critical", "0.9", "pattern: 'one-[a-z0-9]{8}', tags: [cloud]")
        TEST_RULE("two", "pii", "medium", "0.7", "pattern: 'two-[a-z0-9]{8}'");

#define POLICY(entries, more) "policies:\n  default:\n    rules: [local]\n" more "    actions:\n" entries

static unsigned kinds_of(const char *policy, const char *text)
{
    struct judge j;

    memset(&j, 0, sizeof(j));
    if (!judge_init(&j, rules, policy, false)) {
        fail_msg("%s", j.err.text);
    }
    (void)judge_text(&j, span_str(text));
    unsigned kinds = agents_kinds(&j.x);
    judge_deinit(&j);
    return kinds;
}

#define REDACT "      - {category: secret, action: redact}\n"
#define BLOCK "      - {category: pii, action: block}\n"

static void what_is_acted_on_counts_once_for_each_category(void **state)
{
    (void)state;
    assert_int_equal(kinds_of(POLICY(REDACT BLOCK, ""), "nothing here"), 0);
    assert_int_equal(kinds_of(POLICY(REDACT BLOCK, ""), "one-abcdefgh one-abcdefgi one-abcdefgj"), 1U << VIOLATION_SECRET);
    assert_int_equal(kinds_of(POLICY(REDACT BLOCK, ""), "one-abcdefgh two-abcdefgh"),
                     1U << VIOLATION_SECRET | 1U << VIOLATION_PII | 1U << VIOLATION_BLOCK);
    assert_int_equal(kinds_of(POLICY(REDACT, ""), "two-abcdefgh"), 0); /* found, and allowed */
}

static void what_is_only_tried_or_excepted_counts_nothing(void **state)
{
    (void)state;
    assert_int_equal(kinds_of(POLICY(REDACT BLOCK, "    shadow: true\n"), "one-abcdefgh two-abcdefgh"), 0);
    assert_int_equal(kinds_of(POLICY("      - {category: secret, action: block, shadow: true}\n", ""), "one-abcdefgh"), 0);
    assert_int_equal(kinds_of(POLICY(REDACT, "    exceptions: [{rule: one, why: ours}]\n"), "one-abcdefgh"), 0);
}

static void what_could_not_be_judged_is_not_the_agents_fault(void **state)
{
    struct judge j;

    (void)state;
    memset(&j, 0, sizeof(j));
    assert_true(judge_init(&j, rules, POLICY(REDACT, ""), false));
    (void)judge_text(&j, span_str("one-abcdefgh"));
    exchange_fail(&j.x, "a test");
    assert_int_equal(agents_kinds(&j.x), 0);
    judge_deinit(&j);
}

/* --- reactions ------------------------------------------------------------ */

static const struct violations thresholds = {
    .is_on = true,
    .weights = {[VIOLATION_HONEYTOKEN] = 50, [VIOLATION_EGRESS] = 1},
    .half_life_ns = INT64_C(600000000000),
    .thresholds = {{50, REACTION_ALERT}, {100, REACTION_KILL}},
    .n_thresholds = 2,
    .ask_ns = INT64_C(1000000000),
};
static const struct agent_key one = {{"acme", 4}, {"one", 3}};

static char path[64];
static struct agents agents;
static struct decision_log *decisions;

static int set_up(void **state)
{
    const struct agents_options options = {.accounts = 8, .slots = 4};
    struct error err;

    (void)state;
    (void)snprintf(path, sizeof(path), "/tmp/filterd-agents-%d.jsonl", (int)getpid());
    memset(&agents, 0, sizeof(agents));
    decisions = decision_log_open(path, &err);
    return decisions == NULL || !agents_open(&agents, &options, decisions, &err) || !agents_start(&agents, &err);
}

static int tear_down(void **state)
{
    (void)state;
    agents_close(&agents);
    decision_log_close(decisions);
    (void)unlink(path);
    return 0;
}

/* What the log holds, NUL-terminated; closes it. */
static const char *recorded(struct buf *text)
{
    struct error err;

    decision_log_close(decisions);
    decisions = NULL;
    buf_init(text, 1 << 20);
    assert_true(file_read(path, text, &err) && buf_append_char(text, '\0', &err));
    return text->data;
}

static void report(enum violation kind, int64_t at)
{
    const struct agents_cause cause = {"jail", span_str("/work/.env"), at};
    struct error err;

    assert_true(agents_report(&agents, &thresholds, &one, kind, &cause, &err));
}

static void a_threshold_becomes_an_order_and_a_record(void **state)
{
    struct jail_kill_target nothing;
    struct kill_outcome o = {0};
    struct buf text;

    (void)state;
    jail_kill_init(&nothing);
    (void)killer_add(agents.killer, &one, &nothing, -1);
    report(VIOLATION_HONEYTOKEN, 1);
    assert_false(killer_next(agents.killer, &o));
    report(VIOLATION_HONEYTOKEN, 2);
    for (int i = 0; i < 500 && !killer_next(agents.killer, &o); i++) {
        (void)usleep(10000);
    }
    assert_true((o.orders & ORDER_KILL) != 0);
    assert_string_equal(o.why, "policy: 100.0 violations");
    const char *lines = recorded(&text);
    assert_non_null(strstr(lines, "\"event\":\"honeytoken\",\"tenant\":\"acme\",\"agent\":\"one\",\"by\":\"jail\",\"why\":\"/work/.env\""));
    assert_non_null(strstr(lines, "\"event\":\"alert\""));
    assert_non_null(strstr(lines, "\"event\":\"kill\",\"tenant\":\"acme\",\"agent\":\"one\",\"by\":\"policy\",\"why\":\"100.0 "
                                  "violations\",\"state\":\"killed\",\"violations\":100.0,\"counts\":{\"honeytoken\":2}"));
    buf_deinit(&text);
}

static void a_stopped_agent_is_not_admitted_until_it_is_revived(void **state)
{
    const struct agents_cause cause = {"operator", span_str("a drill"), 5};
    struct agent_account a;
    struct error err;
    int64_t wait;

    (void)state;
    assert_int_equal(agents_admit(&agents, &thresholds, &one, 5, &a, &wait), AGENTS_MAY);
    assert_true(agents_react(&agents, &one, REACTION_REVOKE, &cause, &err));
    assert_int_equal(agents_admit(&agents, &thresholds, &one, 6, &a, &wait), AGENTS_STOPPED);
    assert_string_equal(agents_rule(a.state), "filterd.agent-revoked");
    const struct agents_cause revival = {"operator", span_str("it was a false alarm"), 7};
    assert_true(agents_revive(&agents, &one, &revival));
    assert_false(agents_revive(&agents, &one, &revival));
    assert_int_equal(agents_admit(&agents, &thresholds, &one, 8, &a, &wait), AGENTS_MAY);
}

static void a_question_without_an_answer_kills(void **state)
{
    const struct agents_cause cause = {"policy", span_str("a test"), 1};
    struct agent_account a;
    struct error err;

    (void)state;
    assert_true(agents_react(&agents, &one, REACTION_ASK, &cause, &err));
    assert_int_equal(agents_settle_questions(&agents, &thresholds, 2), 0);
    assert_int_equal(agents_settle_questions(&agents, &thresholds, 2 * thresholds.ask_ns), 1);
    assert_true(ledger_look(agents.ledger, &thresholds, &one, 2 * thresholds.ask_ns, &a));
    assert_int_equal(a.state, AGENT_KILLED);
}

static void a_question_may_end_in_going_on(void **state)
{
    const struct agents_cause cause = {"policy", span_str("a test"), 1};
    struct violations lenient = thresholds;
    struct agent_account a;
    struct error err;

    (void)state;
    lenient.ask_resumes = true;
    assert_true(agents_react(&agents, &one, REACTION_ASK, &cause, &err));
    assert_int_equal(agents_settle_questions(&agents, &lenient, 2 * thresholds.ask_ns), 1);
    assert_true(ledger_look(agents.ledger, &lenient, &one, 2 * thresholds.ask_ns, &a));
    assert_int_equal(a.state, AGENT_ACTIVE);
}

/* --- the fleet --------------------------------------------------------------- */

static unsigned claimed, lifted;

static bool claim(void *context, unsigned reaction, const struct agent_event *cause)
{
    (void)context;
    claimed |= reaction;
    return strcmp(cause->by, "policy") == 0;
}

static void lift(void *context, bool is_revival, const struct agent_event *cause)
{
    (void)context, (void)cause;
    lifted += is_revival;
}

static void what_another_node_may_have_seen_first_is_claimed_before_it_is_recorded(void **state)
{
    const struct agents_cause drill = {"operator", span_str("a drill"), 5};
    struct agent_account a;
    struct error err;
    struct buf text;

    (void)state;
    agents.fleet = (struct agents_fleet){.claim = claim, .lift = lift};
    claimed = lifted = 0;
    report(VIOLATION_EGRESS, 1);
    agents_learn(&agents, &thresholds, &one, 60, 2);
    assert_int_equal(claimed, REACTION_ALERT);
    agents_learn(&agents, &thresholds, &one, 120, 3);
    assert_int_equal(claimed, REACTION_ALERT | REACTION_KILL);
    assert_true(ledger_look(agents.ledger, &thresholds, &one, 3, &a) && a.state == AGENT_KILLED);
    assert_true(agents_revive(&agents, &one, &drill) && lifted == 1);
    assert_true(agents_react(&agents, &one, REACTION_KILL, &drill, &err));
    const char *lines = recorded(&text);
    assert_null(strstr(lines, "\"event\":\"alert\""));
    assert_null(strstr(lines, "\"by\":\"policy\""));
    assert_non_null(strstr(lines, "\"event\":\"kill\"")); /* the operator's */
    buf_deinit(&text);
}

static void an_order_of_another_node_is_done_once(void **state)
{
    const struct agent_fleet fleet = {.order = 7, .node = span_str("web-2")}, later = {.order = 9};
    struct agent_event e = {.by = "fleet", .key = one, .why = span_str("100.0 violations"), .fleet = &fleet, .now_ns = 4};
    struct agent_account a;
    struct buf text;

    (void)state;
    agents_follow(&agents, REACTION_KILL, &e);
    agents_follow(&agents, REACTION_KILL, &e);
    assert_true(ledger_look(agents.ledger, &thresholds, &one, 4, &a));
    assert_true(a.state == AGENT_KILLED && a.order == 7);
    agents_follow_lift(&agents, true, INT64_MAX, &e); /* not later than what stands */
    e.fleet = &later;
    agents_follow_lift(&agents, true, a.first_ns - 1, &e); /* of before the account */
    assert_true(ledger_look(agents.ledger, &thresholds, &one, 4, &a) && a.state == AGENT_KILLED && a.order == 9);
    const struct agent_fleet last = {.order = 10};
    e.fleet = &last;
    agents_follow_lift(&agents, true, INT64_MAX, &e);
    assert_false(ledger_look(agents.ledger, &thresholds, &one, 4, &a));
    const char *line = strstr(recorded(&text), "\"event\":\"kill\"");
    assert_non_null(line);
    assert_non_null(strstr(line, "\"fleet\":{\"order\":7,\"node\":\"web-2\"}"));
    assert_null(strstr(line + 1, "\"event\":\"kill\""));
    buf_deinit(&text);
}

static void a_kill_is_recorded_as_it_went(void **state)
{
    struct kill_outcome o = {.orders = ORDER_CUT | ORDER_KILL, .failed = ORDER_CUT, .tries = 1, .since_order_us = 4711};
    struct agent_event e = {.event = "killed", .by = "filterd", .key = one, .why = span_str("a test"), .outcome = &o, .now_ns = 0};
    struct buf line;
    struct error err;

    (void)state;
    buf_init(&line, AGENT_RECORD_MAX);
    o.kill = (struct jail_kill_report){.is_verified = true, .steps = JAIL_KILL_STEP_PIDS_MAX | JAIL_KILL_STEP_CGROUP_KILL, .rounds = 1,
                                       .processes = 1000, .signalled_us = 100, .total_us = 4000};
    assert_true(agent_record_format(&e, &line, &err));
    assert_line(buf_span(&line));
    assert_true(buf_append_char(&line, '\0', &err));
    assert_string_equal(line.data,
                        "{\"v\":2,\"type\":\"agent\",\"ts\":\"1970-01-01T00:00:00.000000000Z\",\"event\":\"killed\",\"tenant\":\"acme\","
                        "\"agent\":\"one\",\"by\":\"filterd\",\"why\":\"a test\",\"done\":[\"kill\"],\"failed\":[\"cut_network\"],"
                        "\"kill\":{\"verified\":true,\"survivors\":0,\"processes\":1000,\"steps\":[\"pids_max\",\"cgroup_kill\"],"
                        "\"rounds\":1,\"tries\":1,\"signalled_us\":100,\"escalation_us\":4000,\"since_order_us\":4711}}");
    o.kill = (struct jail_kill_report){.processes = -1, .survivors = -1};
    assert_true(agent_record_format(&e, &line, &err));
    assert_line(buf_span(&line));
    assert_true(buf_append_char(&line, '\0', &err));
    assert_null(strstr(line.data, "verified"));
    assert_null(strstr(line.data, "survivors"));
    buf_deinit(&line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_acted_on_counts_once_for_each_category),
        cmocka_unit_test(what_is_only_tried_or_excepted_counts_nothing),
        cmocka_unit_test(what_could_not_be_judged_is_not_the_agents_fault),
        cmocka_unit_test_setup_teardown(a_threshold_becomes_an_order_and_a_record, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_stopped_agent_is_not_admitted_until_it_is_revived, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_question_without_an_answer_kills, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_question_may_end_in_going_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_another_node_may_have_seen_first_is_claimed_before_it_is_recorded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_order_of_another_node_is_done_once, set_up, tear_down),
        cmocka_unit_test(a_kill_is_recorded_as_it_went),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
