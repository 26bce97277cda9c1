#include "testing.h"

#include <stdlib.h>

#include "jail/policy/event.h"
#include "policy/violations.h"

static struct jail_events *new_events(void)
{
    struct jail_events *e = calloc(1, sizeof(*e));

    assert_non_null(e);
    return e;
}

static void events_are_kept_in_order_with_what_they_say(void **state)
{
    struct jail_events *e = new_events();

    (void)state;
    jail_event_report(e, JAIL_EVENT_PATH_HONEYTOKEN, "/work/.env");
    jail_event_report(e, JAIL_EVENT_NET_RAW, "udp 192.0.2.1:9");
    assert_int_equal(e->n, 2);
    assert_string_equal(e->items[0].detail, "/work/.env");
    assert_int_equal(e->items[1].kind, JAIL_EVENT_NET_RAW);
    assert_true(e->items[1].utc_ns >= e->items[0].utc_ns && e->items[0].utc_ns > 0);
    free(e);
}

static void past_the_limit_they_are_counted(void **state)
{
    struct jail_events *e = new_events();

    (void)state;
    for (int i = 0; i < JAIL_EVENTS_MAX + 5; i++) {
        jail_event_report(e, JAIL_EVENT_NET_DNS, "name");
    }
    assert_int_equal(e->n, JAIL_EVENTS_MAX);
    assert_int_equal(e->counts[JAIL_EVENT_NET_DNS], JAIL_EVENTS_MAX + 5);
    free(e);
}

static void a_detail_is_one_line_of_limited_length(void **state)
{
    struct jail_events *e = new_events();
    char text[400];

    (void)state;
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    text[1] = '\n';
    text[2] = 0x1b;
    text[3] = 0x7f;
    jail_event_report(e, JAIL_EVENT_PATH_HONEYTOKEN, text);
    assert_int_equal(strlen(e->items[0].detail), JAIL_EVENT_DETAIL - 1);
    assert_memory_equal(e->items[0].detail, "a???a", 5);
    free(e);
}

static void what_is_no_kind_is_not_counted(void **state)
{
    struct jail_events *e = new_events();

    (void)state;
    jail_event_report(e, JAIL_EVENT_KINDS, "");
    jail_event_report(e, (enum jail_event_kind)-1, "");
    assert_int_equal(e->n, 0);
    assert_string_equal(jail_event_name((enum jail_event_kind)-1), "unknown");
    free(e);
}

static void every_kind_has_a_name(void **state)
{
    (void)state;
    for (int i = 0; i < JAIL_EVENT_KINDS; i++) {
        assert_non_null(strchr(jail_event_name((enum jail_event_kind)i), '.'));
        enum violation v;
        const char *counted = jail_event_violation((enum jail_event_kind)i);
        assert_true(counted == NULL || violation_find(span_str(counted), &v)); /* a word that filterd knows */
    }
}

static void count(void *context, const struct jail_event *event)
{
    *(int *)context += event->kind == JAIL_EVENT_NET_LOST;
}

static void each_event_is_forwarded(void **state)
{
    struct jail_events *e = new_events();
    int told = 0;

    (void)state;
    e->forward = count;
    e->context = &told;
    jail_event_report(e, JAIL_EVENT_NET_LOST, "");
    assert_int_equal(told, 1);
    free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_kept_in_order_with_what_they_say),
        cmocka_unit_test(past_the_limit_they_are_counted),
        cmocka_unit_test(a_detail_is_one_line_of_limited_length),
        cmocka_unit_test(what_is_no_kind_is_not_counted),
        cmocka_unit_test(every_kind_has_a_name),
        cmocka_unit_test(each_event_is_forwarded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
