#include "testing.h"

#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "fleet/fleet.h"
#include "link/wire.h"
#include "support/judge.h"

#define SECOND INT64_C(1000000000)

/* The test is filterd-link, and says what it likes. */
static const char rules[] = "rules:\n" TEST_RULE("one", "secret", "critical", "0.9", "pattern: 'one-[a-z0-9]{8}', tags: [cloud]");
static const char policy[] = "policies:\n  default:\n    rules: [local]\n    actions:\n      - {category: secret, action: redact}\n"
                             "violations:\n  weights: {secret: 10}\n  half_life: 10m\n  actions: [{at: 20, do: alert}, {at: 40, do: kill}]\n";
static const struct agent_key one = {{"", 0}, {"one", 3}};

static struct judge judge;
static struct agents agents;
static struct decision_log *decisions;
static struct fleet *fleet;
static char log_path[64], socket_path[64];
static int link_end;

static struct snapshot *current(void *context)
{
    (void)context;
    return snapshot_ref(judge.snapshot);
}

/* Bundles: version 12 is in use and can be withdrawn; 13 is refused. */
static struct bundled bundled = {.version = 12, .highest = 12, .expires_ns = 5 * SECOND};
static bool has_bundles;

static bool reload(void *context, struct error *err)
{
    (void)context;
    return atomic_load(&bundled.version) == 11 || error_set(err, ERROR_INVALID, "rules-13.note: no signature");
}

static bool withdraw(void *context, uint64_t version, struct error *err)
{
    (void)context;
    if (version != 12) {
        return error_set(err, ERROR_DENIED, "another is in use");
    }
    atomic_store(&bundled.version, 11);
    return true;
}

static void count(void *context, struct fleet_counts *out)
{
    static uint64_t n;

    (void)context;
    n += 10;
    *out = (struct fleet_counts){.answers = 100 + n, .blocked = n / 10, .unjudged = 3};
}

static void open_fleet(bool is_strict, int64_t lease_ns)
{
    const struct fleet_owner owner = {.agents = &agents, .snapshot = current, .lease_ns = lease_ns, .is_strict = is_strict,
                                      .bundles = {.bundled = has_bundles ? &bundled : NULL, .reload = reload, .withdraw = withdraw, .count = count}};
    char text[80];
    struct address a;
    struct error err;

    (void)snprintf(text, sizeof(text), "unix:%s", socket_path);
    assert_true(address_parse(text, &a, &err));
    fleet = fleet_open(&owner, &a, &err);
    assert_non_null(fleet);
    assert_true(fleet_start(fleet, &err));
    link_end = link_wire_connect(socket_path, &err);
    assert_true(link_end >= 0);
}

static int set_up(void **state)
{
    const struct agents_options options = {.accounts = LEDGER_MAX_DEFAULT, .slots = 4};
    struct error err;

    (void)state;
    (void)snprintf(log_path, sizeof(log_path), "/tmp/filterd-fleet-%d.jsonl", (int)getpid());
    (void)snprintf(socket_path, sizeof(socket_path), "/tmp/filterd-fleet-%d.sock", (int)getpid());
    memset(&agents, 0, sizeof(agents));
    memset(&judge, 0, sizeof(judge));
    link_end = -1;
    fleet = NULL;
    decisions = decision_log_open(log_path, &err);
    return decisions == NULL || !judge_init(&judge, rules, policy, false) || !agents_open(&agents, &options, decisions, &err) ||
           !agents_start(&agents, &err);
}

static int tear_down(void **state)
{
    (void)state;
    fleet_close(fleet);
    agents_close(&agents);
    decision_log_close(decisions);
    judge_deinit(&judge);
    if (link_end >= 0) {
        (void)close(link_end);
    }
    (void)unlink(log_path);
    return 0;
}

/* The next message of that kind; others are passed over. False: the connection is closed. */
static bool next(enum link_message_kind kind, struct link_message *m)
{
    for (int i = 0; i < 400; i++) {
        struct pollfd waiting = {.fd = link_end, .events = POLLIN};
        (void)poll(&waiting, 1, 50);
        enum link_received received = link_message_receive(link_end, m);
        if (received == LINK_RECEIVED && m->kind == (uint32_t)kind) {
            return true;
        }
        if (received == LINK_CLOSED) {
            return false;
        }
    }
    fail_msg("no message of kind %d", (int)kind);
    return false;
}

static void say(enum link_message_kind kind, unsigned what, uint64_t order, const char *agent)
{
    struct link_message m;

    link_message_init(&m, kind);
    m.what = what;
    m.order = order;
    m.at_ns = kind == LINK_CONTACT ? (int64_t)clock_monotonic_ns() : clock_utc_ns();
    (void)link_text_set(m.agent, sizeof(m.agent), span_str(agent));
    (void)link_text_set(m.node, sizeof(m.node), span_str("web-2"));
    assert_int_equal(link_message_send(link_end, &m), LINK_SENT);
}

static void say_others(const char *agent, double score)
{
    struct link_message m;

    link_message_init(&m, LINK_OTHERS);
    m.score = score;
    m.at_ns = clock_utc_ns();
    (void)link_text_set(m.agent, sizeof(m.agent), span_str(agent));
    assert_int_equal(link_message_send(link_end, &m), LINK_SENT);
}

static void grant(const struct link_message *claim, bool is_won)
{
    struct link_message m;

    link_message_init(&m, LINK_GRANT);
    m.id = claim->id;
    m.is_done = is_won;
    assert_int_equal(link_message_send(link_end, &m), LINK_SENT);
}

static void meet(uint64_t order)
{
    struct link_message m;

    say(LINK_HELLO, 0, 0, "");
    assert_true(next(LINK_HELLO, &m));
    assert_true(next(LINK_SYNC, &m));
    say(LINK_SYNCED, 0, order, "");
    say(LINK_CONTACT, 0, 0, "");
    for (int i = 0; i < 400 && fleet_contact(fleet) != FLEET_FINE; i++) {
        (void)usleep(5000);
    }
    assert_int_equal(fleet_contact(fleet), FLEET_FINE);
}

static struct agent_account violate(void)
{
    struct agent_account a;
    struct error err;
    const struct agents_cause cause = {"reporter", span_str("a test"), clock_utc_ns()};

    assert_true(agents_report(&agents, &judge.snapshot->violations, &one, VIOLATION_SECRET, &cause, &err));
    (void)ledger_look(agents.ledger, &judge.snapshot->violations, &one, clock_utc_ns(), &a);
    return a;
}

static unsigned count_lines(const char *what)
{
    struct buf text;
    struct error err;
    unsigned n = 0;

    fleet_close(fleet);
    fleet = NULL;
    decision_log_close(decisions);
    decisions = NULL;
    buf_init(&text, 1 << 20);
    assert_true(file_read(log_path, &text, &err) && buf_append_char(&text, '\0', &err));
    for (const char *at = text.data; (at = strstr(at, what)) != NULL; at++) {
        n++;
    }
    buf_deinit(&text);
    return n;
}

static void a_part_is_sent_and_a_crossing_claimed_and_recorded_by_who_won(void **state)
{
    struct link_message m;

    (void)state;
    open_fleet(false, SECOND);
    meet(3);
    (void)violate();
    assert_true(next(LINK_PART, &m));
    assert_true(m.score == 10 && m.half_life_ns == 600 * SECOND && m.order == 3);
    say_others("one", 15);
    assert_true(next(LINK_CLAIM, &m));
    assert_true(m.what == REACTION_ALERT && m.score == 20 && m.until_ns > m.at_ns);
    grant(&m, true);
    say_others("one", 35);
    assert_true(next(LINK_CLAIM, &m) && m.what == REACTION_KILL);
    grant(&m, false);
    say(LINK_ORDER, REACTION_KILL, 4, "one");
    assert_true(next(LINK_ACK, &m) && m.order == 4);
    assert_int_equal(count_lines("\"event\":\"alert\""), 1);
}

static void who_lost_a_claim_records_nothing(void **state)
{
    struct link_message m;

    (void)state;
    open_fleet(false, SECOND);
    meet(0);
    (void)violate();
    say_others("one", 35);
    for (int i = 0; i < 2; i++) {
        assert_true(next(LINK_CLAIM, &m));
        grant(&m, false);
    }
    say(LINK_ORDER, REACTION_KILL, 4, "one");
    assert_true(next(LINK_ACK, &m));
    assert_int_equal(count_lines("\"by\":\"policy\""), 0);
}

static void a_claim_without_an_answer_is_recorded_in_time(void **state)
{
    struct link_message m;

    (void)state;
    open_fleet(false, SECOND);
    meet(0);
    (void)violate();
    say_others("one", 35);
    assert_true(next(LINK_CLAIM, &m));
    (void)usleep(400000);
    assert_int_equal(count_lines("\"by\":\"policy\""), 2);
}

static void what_stands_is_done_and_what_stands_here_alone_is_ordered(void **state)
{
    const struct agents_cause cause = {"operator", span_str("a drill"), clock_utc_ns()};
    const struct agent_key alone = {{"", 0}, {"alone", 5}}, elsewhere = {{"", 0}, {"elsewhere", 9}};
    struct agent_account a;
    struct link_message m;
    struct error err;

    (void)state;
    assert_true(agents_react(&agents, &alone, REACTION_KILL, &cause, &err));
    open_fleet(false, SECOND);
    say(LINK_HELLO, 0, 0, "");
    assert_true(next(LINK_SYNC, &m));
    say(LINK_STANDING, REACTION_KILL, 7, "elsewhere");
    assert_true(next(LINK_ACK, &m) && m.order == 7);
    say(LINK_SYNCED, 0, 9, "");
    assert_true(next(LINK_CLAIM, &m));
    assert_string_equal(m.agent, "alone");
    assert_true(m.what == REACTION_KILL);
    assert_true(ledger_look(agents.ledger, &judge.snapshot->violations, &elsewhere, clock_utc_ns(), &a) && a.state == AGENT_KILLED);
    say(LINK_ORDER, LINK_REVIVE, 10, "elsewhere");
    assert_true(next(LINK_ACK, &m) && m.order == 10);
    assert_false(ledger_look(agents.ledger, &judge.snapshot->violations, &elsewhere, clock_utc_ns(), &a));
}

static void what_is_not_expected_ends_the_contact(void **state)
{
    struct link_message m;
    struct error err;

    (void)state;
    open_fleet(false, SECOND);
    say(LINK_SYNCED, 0, 9, ""); /* before anything was asked for */
    assert_false(next(LINK_SYNC, &m));
    (void)close(link_end);
    link_end = link_wire_connect(socket_path, &err);
    meet(0);
    say(LINK_ACK, 0, 1, ""); /* it is for the other side */
    assert_false(next(LINK_HELLO, &m));
    (void)close(link_end);
    link_end = link_wire_connect(socket_path, &err);
    meet(0);
    assert_int_equal(send(link_end, "x", 1, 0), 1);
    assert_false(next(LINK_HELLO, &m));
}

static void contact_is_lost_after_the_lease_and_strict_before_the_first(void **state)
{
    (void)state;
    assert_int_equal(fleet_contact(NULL), FLEET_FINE);
    open_fleet(true, SECOND / 2);
    assert_int_equal(fleet_contact(fleet), FLEET_BLOCKS);
    meet(0);
    (void)usleep(700000);
    assert_int_equal(fleet_contact(fleet), FLEET_BLOCKS);
    assert_true(fleet_is_lost(fleet));
}

/* Answers are counted from when the bundle came into use. */
static void a_bundle_that_is_refused_or_withdrawn_is_reported(void **state)
{
    struct link_message m;

    (void)state;
    has_bundles = true;
    open_fleet(false, 5 * SECOND);
    has_bundles = false;
    meet(0);
    assert_true(next(LINK_POLICY, &m));
    assert_true(m.order == 12 && m.id == 12 && m.until_ns == 5 * SECOND && m.refused == 0 && m.at_ns > 0);
    assert_true(m.answers == 10 * m.blocked && m.unjudged == 0);
    say(LINK_FETCHED, 0, 13, "");
    while (next(LINK_POLICY, &m) && m.refused == 0) {
    }
    assert_int_equal(m.refused, 13);
    assert_string_equal(m.text, "rules-13.note: no signature");
    assert_true(m.order == 12 && m.answers > 0);
    say(LINK_WITHDRAW, 0, 12, "");
    while (next(LINK_POLICY, &m) && m.order == 12) {
    }
    assert_true(m.order == 11 && m.answers == 10); /* since the taking, one look before */
    while (m.refused != 0 && next(LINK_POLICY, &m)) {
    }
    assert_string_equal(m.text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_part_is_sent_and_a_crossing_claimed_and_recorded_by_who_won, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_lost_a_claim_records_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_claim_without_an_answer_is_recorded_in_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_stands_is_done_and_what_stands_here_alone_is_ordered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_expected_ends_the_contact, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_bundle_that_is_refused_or_withdrawn_is_reported, set_up, tear_down),
        cmocka_unit_test_setup_teardown(contact_is_lost_after_the_lease_and_strict_before_the_first, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
