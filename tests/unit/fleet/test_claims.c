#include "testing.h"

#include "base/clock.h"
#include "fleet/claims.h"

static struct claims claims;
static const struct agent_account account = {.tenant = "acme", .agent = "one", .score = 100, .order = 3};
static const struct agent_event crossing = {.by = "policy", .key = {{"acme", 4}, {"one", 3}}, .why = {"100.0 violations", 16},
                                            .account = &account, .now_ns = 5};
static const struct claim_order kill_order = {.what = REACTION_KILL};

static int set_up(void **state)
{
    (void)state;
    memset(&claims, 0, sizeof(claims));
    claims_init(&claims);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    claims_deinit(&claims);
    return 0;
}

static void claims_are_sent_in_their_order_and_taken_once(void **state)
{
    struct link_message m;
    struct claim c;

    (void)state;
    assert_false(claims_next(&claims, &m));
    assert_true(claims_add(&claims, &kill_order, &crossing));
    assert_true(claims_add(&claims, &(struct claim_order){.what = LINK_REVIVE, .is_recorded = true}, &crossing));
    assert_true(claims_next(&claims, &m));
    assert_true(link_message_is_valid(&m) && m.what == REACTION_KILL && m.order == 3 && m.at_ns == 5);
    assert_string_equal(m.text, "100.0 violations");
    uint64_t first = m.id;
    claims_set_sent(&claims, first);
    assert_true(claims_next(&claims, &m) && m.what == LINK_REVIVE);
    claims_set_sent(&claims, m.id);
    assert_false(claims_next(&claims, &m));
    assert_true(claims_take(&claims, first, &c) && c.what == REACTION_KILL && c.account.score == 100);
    assert_false(claims_take(&claims, first, &c));
    claims_queue_again(&claims);
    assert_true(claims_next(&claims, &m) && m.what == LINK_REVIVE);
}

static void a_late_claim_is_recorded_once_and_stays(void **state)
{
    int64_t now_ms = clock_monotonic_ms();
    struct link_message m;
    struct claim c;

    (void)state;
    assert_true(claims_add(&claims, &kill_order, &crossing));
    assert_false(claims_next_unrecorded(&claims, false, now_ms, &c));
    assert_in_range(claims_wait_ms(&claims, now_ms, 1000), 1, CLAIM_LATE_MS + 10);
    assert_true(claims_next_unrecorded(&claims, false, now_ms + CLAIM_LATE_MS + 1000, &c));
    assert_false(claims_next_unrecorded(&claims, true, now_ms + CLAIM_LATE_MS + 1000, &c));
    assert_int_equal(claims_wait_ms(&claims, now_ms, 1000), 1000);
    assert_true(claims_next(&claims, &m));
    assert_true(claims_take(&claims, m.id, &c) && c.is_recorded);
}

static void without_contact_each_is_recorded(void **state)
{
    struct claim c;
    unsigned n = 0;

    (void)state;
    while (claims_add(&claims, &kill_order, &crossing)) {
        n++;
    }
    assert_int_equal(n, CLAIMS_MAX);
    for (; claims_next_unrecorded(&claims, true, 0, &c); n--) {
    }
    assert_int_equal(n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(claims_are_sent_in_their_order_and_taken_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_late_claim_is_recorded_once_and_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_contact_each_is_recorded, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
