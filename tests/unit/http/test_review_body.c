#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

#include "http/review_body.h"

static struct arena memory;
static struct review_body body;
static struct filter_fault fault;

static bool read_body(const char *text, bool is_bulk)
{
    fault = (struct filter_fault){0};
    arena_reset(&memory);
    return review_body_read(&memory, span_str(text), is_bulk, &body, &fault);
}

static void members_are_what_they_say(void **state)
{
    (void)state;
    assert_true(read_body("{\"disposition\":\"benign\",\"note\":\"n\\u00e4\",\"assignee\":\"ben\",\"undo_of\":7}", false));
    assert_int_equal(body.disposition, ITEM_BENIGN);
    assert_true(span_is(body.note, "n\xc3\xa4") && span_is(body.assignee, "ben"));
    assert_int_equal(body.undo_of, 7);
    assert_true(read_body("{\"until\":\"2026-12-01\",\"more\":100,\"until_policy\":true}", false));
    assert_true(body.snooze.until_ms == INT64_C(1796083200000) && body.snooze.more == 100 && body.snooze.until_policy);
    assert_true(read_body("", false) && body.disposition == ITEM_UNDISPOSED);
}

static void a_bulk_is_of_items_or_of_a_group(void **state)
{
    (void)state;
    assert_true(read_body("{\"step\":\"claim\",\"items\":[9,3,5]}", true));
    assert_int_equal(body.n_items, 3);
    assert_true(body.items[0] == 3 && body.items[1] == 5 && body.items[2] == 9);
    assert_true(read_body("{\"step\":\"claim\",\"group\":\"00112233445566778899aabbccddeeff\"}", true));
    assert_true(body.has_group && body.group[15] == 0xff);
}

static void five_hundred_items_are_the_most(void **state)
{
    static char text[8192];

    (void)state;
    for (unsigned n = REVIEW_ITEMS_MAX; n <= REVIEW_ITEMS_MAX + 1; n++) {
        size_t len = (size_t)snprintf(text, sizeof(text), "{\"step\":\"claim\",\"items\":[");
        for (unsigned i = 1; i <= n; i++) {
            len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%u", i == 1 ? "" : ",", i);
        }
        (void)snprintf(text + len, sizeof(text) - len, "]}");
        assert_int_equal(read_body(text, true), n == REVIEW_ITEMS_MAX);
    }
}

static void anything_else_is_refused_with_its_place(void **state)
{
    static const struct {
        const char *text;
        bool is_bulk;
        unsigned status;
        const char *pointer;
    } cases[] = {
        {"[]", false, 422, ""},
        {"{\"items\":[1]}", false, 422, "/items"},
        {"{\"step\":\"claim\"}", false, 422, "/step"},
        {"{\"disposition\":\"good\"}", false, 422, "/disposition"},
        {"{\"disposition\":\"\"}", false, 422, "/disposition"},
        {"{\"disposition\":1}", false, 422, "/disposition"},
        {"{\"disposition\":\"benign\",\"disposition\":\"benign\"}", false, 400, "/disposition"},
        {"{\"until\":\"7d\"}", false, 422, "/until"},
        {"{\"until\":\"soon\"}", false, 422, "/until"},
        {"{\"more\":0}", false, 422, "/more"},
        {"{\"more\":1.5}", false, 422, "/more"},
        {"{\"undo_of\":-1}", false, 422, "/undo_of"},
        {"{\"undo_of\":99999999999999999999}", false, 422, "/undo_of"},
        {"{\"step\":\"claim\",\"items\":[]}", true, 422, "/items"},
        {"{\"step\":\"claim\",\"items\":[1,1]}", true, 422, "/items"},
        {"{\"step\":\"claim\",\"items\":[\"1\"]}", true, 422, "/items"},
        {"{\"step\":\"claim\",\"group\":\"00\"}", true, 422, "/group"},
        {"{\"step\":\"shout\",\"items\":[1]}", true, 422, "/step"},
        {"{\"items\":[1]}", true, 422, ""},
        {"{\"step\":\"claim\"}", true, 422, ""},
        {"{\"step\":\"claim\",\"items\":[1],\"group\":\"00112233445566778899aabbccddeeff\"}", true, 422, ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (read_body(cases[i].text, cases[i].is_bulk)) {
            fail_msg("accepted: %s", cases[i].text);
        }
        assert_int_equal(fault.status, cases[i].status);
        assert_string_equal(fault.pointer, cases[i].pointer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_what_they_say),
        cmocka_unit_test(a_bulk_is_of_items_or_of_a_group),
        cmocka_unit_test(five_hundred_items_are_the_most),
        cmocka_unit_test(anything_else_is_refused_with_its_place),
    };

    arena_init(&memory, 0, 1 << 20);
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    arena_deinit(&memory);
    return status;
}
