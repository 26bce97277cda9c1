#include "testing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/clock.h"
#include "fleet/review_orders.h"

/* A note is the id of its order, followed by what comes of it. */
static const char good[] = "00000000000000000000000000000001 good", refused[] = "00000000000000000000000000000002 refused",
                  later[] = "00000000000000000000000000000003 later", forged[] = "00000000000000000000000000000004 forged";

static struct review_orders *orders;
static atomic_uint n_carried, n_woken;
static atomic_bool is_held;

static bool read_note(void *context, const char *note, struct fleet_review *out)
{
    (void)context;
    memcpy(out->id, note, REVIEW_ORDER_ID);
    (void)snprintf(out->node, sizeof(out->node), "web-%c", note[REVIEW_ORDER_ID - 1]);
    out->item = 17;
    return strstr(note, "forged") == NULL;
}

static bool carry_out(void *context, const char *node, const char *note, struct fleet_outcome *out)
{
    (void)context;
    assert_string_equal(node, "web-7");
    while (atomic_load(&is_held)) {
        (void)usleep(1000);
    }
    (void)atomic_fetch_add(&n_carried, 1);
    out->line = strstr(note, "good") != NULL ? 99 : 0;
    (void)snprintf(out->why, sizeof(out->why), "%s", out->line == 0 ? "somebody was faster" : "");
    return strstr(note, "later") == NULL;
}

static void wake(void *context)
{
    (void)context;
    (void)atomic_fetch_add(&n_woken, 1);
}

static const struct fleet_reviews owner = {.read = read_note, .carry_out = carry_out};

static int set_up(void **state)
{
    struct link_message hello;
    struct error err;

    (void)state;
    atomic_store(&n_carried, 0);
    atomic_store(&is_held, false);
    orders = review_orders_open(&owner, wake, NULL, &err);
    if (orders == NULL) {
        return 1;
    }
    link_message_init(&hello, LINK_HELLO);
    (void)link_text_set(hello.node, sizeof(hello.node), span_str("web-7"));
    review_orders_greet(orders, &hello);
    return !review_orders_start(orders, &err);
}

static int tear_down(void **state)
{
    (void)state;
    review_orders_close(orders);
    return 0;
}

static void take(uint64_t id, const char *note)
{
    struct link_message m;

    link_message_init(&m, LINK_REVIEW_TAKE);
    m.id = id;
    (void)link_text_set(m.note, sizeof(m.note), span_str(note));
    review_orders_take(orders, &m);
}

static void learn(uint64_t id, const char *note, bool is_settled, uint64_t line)
{
    struct link_message m;

    link_message_init(&m, LINK_REVIEW_STATE);
    m.id = id;
    m.is_done = is_settled;
    m.order = line;
    m.at_ns = (int64_t)id;
    (void)link_text_set(m.note, sizeof(m.note), span_str(note));
    review_orders_learn(orders, &m);
}

static bool next(struct link_message *m)
{
    for (int i = 0; i < 1000; i++) {
        if (review_orders_next(orders, m)) {
            return true;
        }
        (void)usleep(1000);
    }
    return false;
}

static void an_order_is_carried_out_and_settled(void **state)
{
    struct link_message m;

    (void)state;
    take(7, good);
    assert_true(next(&m));
    assert_true(m.kind == LINK_REVIEW_SETTLED && m.id == 7 && m.order == 99);
    assert_true(review_orders_next(orders, &m)); /* until it was sent */
    review_orders_set_sent(orders, &m);
    assert_false(review_orders_next(orders, &m));
    take(8, refused);
    assert_true(next(&m));
    assert_true(m.id == 8 && m.order == 0);
    assert_string_equal(m.text, "somebody was faster");
}

static void an_order_that_comes_again_meanwhile_is_carried_out_once(void **state)
{
    struct link_message m;

    (void)state;
    atomic_store(&is_held, true);
    take(7, good);
    take(7, good);
    atomic_store(&is_held, false);
    assert_true(next(&m));
    take(7, good);
    (void)usleep(20000);
    assert_int_equal(atomic_load(&n_carried), 1);
}

static void what_could_not_be_done_now_is_not_settled(void **state)
{
    struct link_message m;

    (void)state;
    take(7, later);
    for (int i = 0; i < 1000 && atomic_load(&n_carried) == 0; i++) {
        (void)usleep(1000);
    }
    assert_false(review_orders_next(orders, &m));
    take(7, later); /* it is given again */
    for (int i = 0; i < 1000 && atomic_load(&n_carried) == 1; i++) {
        (void)usleep(1000);
    }
    assert_int_equal(atomic_load(&n_carried), 2);
}

static void more_than_there_is_room_for_come_again(void **state)
{
    struct link_message m;
    unsigned n = 0;

    (void)state;
    atomic_store(&is_held, true);
    for (uint64_t i = 1; i <= REVIEW_ORDERS_WAITING + 10; i++) {
        take(i, good);
    }
    atomic_store(&is_held, false);
    while (n < REVIEW_ORDERS_WAITING && next(&m)) {
        review_orders_set_sent(orders, &m);
        n++;
    }
    assert_int_equal(n, REVIEW_ORDERS_WAITING);
    take(REVIEW_ORDERS_WAITING + 5, good);
    assert_true(next(&m));
}

static enum fleet_placed placed;
static struct fleet_review answered;
static void *place(void *context)
{
    placed = review_orders_place(orders, context, 2000, &answered);
    return NULL;
}

static void a_console_waits_for_the_answer(void **state)
{
    struct link_message m;
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, place, (void *)(uintptr_t)good), 0);
    assert_true(next(&m));
    assert_int_equal(m.kind, LINK_REVIEW_PLACE);
    assert_string_equal(m.note, good);
    review_orders_set_sent(orders, &m);
    learn(5, good, false, 0);
    learn(5, good, true, 44);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(placed, FLEET_SETTLED);
    assert_true(answered.line == 44 && answered.is_placed && answered.item == 17);
}

static void a_node_that_does_not_answer_leaves_it_placed(void **state)
{
    struct fleet_review r;
    struct link_message m;
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, place, (void *)(uintptr_t)good), 0);
    assert_true(next(&m));
    review_orders_set_sent(orders, &m);
    learn(5, good, false, 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(placed, FLEET_PLACED);
    assert_int_equal(review_orders_known(orders, span_str("web-1"), &r, 1), 1);
    assert_true(r.is_placed && !r.is_settled);
    assert_int_equal(review_orders_known(orders, span_str("web-2"), &r, 1), 0);
}

static void without_contact_nothing_is_placed_later(void **state)
{
    struct link_message m;
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, place, (void *)(uintptr_t)good), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(placed, FLEET_NOT_PLACED);
    assert_false(review_orders_next(orders, &m));
    /* It was sent, and no answer came. */
    assert_int_equal(pthread_create(&thread, NULL, place, (void *)(uintptr_t)good), 0);
    assert_true(next(&m));
    review_orders_set_sent(orders, &m);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(placed, FLEET_MAY_BE_PLACED);
}

static void an_order_that_nobody_signed_is_not_shown(void **state)
{
    struct fleet_review r[4];

    (void)state;
    learn(5, forged, false, 0);
    assert_int_equal(review_orders_known(orders, span_of("", 0), r, 4), 0);
    assert_int_equal(review_orders_place(orders, forged, 0, &r[0]), FLEET_NOT_PLACED);
}

static void the_oldest_settled_ones_make_room(void **state)
{
    static struct fleet_review all[REVIEW_ORDERS_KNOWN + 1];
    char note[64];
    bool is_first_there = false;

    (void)state;
    for (unsigned i = 1; i <= REVIEW_ORDERS_KNOWN + 1; i++) {
        (void)snprintf(note, sizeof(note), "%032u good", i);
        learn(i, note, i > 1, i);
    }
    size_t n = review_orders_known(orders, span_of("", 0), all, COUNT(all));
    assert_int_equal(n, REVIEW_ORDERS_KNOWN);
    for (size_t i = 0; i < n; i++) {
        is_first_there = is_first_there || all[i].at_ns == 1;
        assert_true(all[i].at_ns != 2);
    }
    assert_true(is_first_there); /* it waits */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_order_is_carried_out_and_settled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_order_that_comes_again_meanwhile_is_carried_out_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_could_not_be_done_now_is_not_settled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(more_than_there_is_room_for_come_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_console_waits_for_the_answer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_node_that_does_not_answer_leaves_it_placed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_contact_nothing_is_placed_later, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_order_that_nobody_signed_is_not_shown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_oldest_settled_ones_make_room, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
