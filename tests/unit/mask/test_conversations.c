#include "testing.h"

#include <stdio.h>

#include "base/ascii.h"
#include "mask/conversations.h"

enum { BYTES_MAX = 16 * 1024 };

static const struct conversation_owner alice = {{1}}, bob = {{2}};
static struct error err;
static struct conversations *all;
static char handle[CONVERSATION_HANDLE_TEXT + 1];

static int set_up(void **state)
{
    static const struct conversations_options options = {
        .max = 4, .idle_ns = 100, .limits = {.entries = 10, .bytes = 64 * 1024}, .bytes_max = BYTES_MAX};
    (void)state;
    all = conversations_new(&options, &err);
    assert_non_null(all);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    conversations_free(all);
    return 0;
}

static struct masking *open_one(const struct conversation_owner *owner, const char *id, uint64_t now_ns)
{
    struct masking *m = conversations_open(all, owner, span_str(id), now_ns, handle, &err);

    assert_non_null(m);
    return m;
}

static struct span pseudonym(struct masking *m)
{
    struct masked_value v = {.kind = span_str("key"), .value = span_str("a value")};
    struct span p;

    assert_true(masking_pseudonym(m, &v, NULL, 0, &p, &err));
    return p;
}

static size_t count(void)
{
    struct conversations_counts counts;

    conversations_count(all, &counts);
    return counts.open;
}

static void an_id_finds_its_conversation(void **state)
{
    char first[sizeof(handle)];
    (void)state;

    struct masking *a = open_one(&alice, "one", 1);
    memcpy(first, handle, sizeof(handle));
    struct masking *b = open_one(&alice, "one", 2);
    assert_ptr_equal(a, b);
    assert_string_equal(first, handle);
    struct masking *c = open_one(&alice, "two", 2);
    assert_ptr_not_equal(a, c);
    assert_false(span_equal(pseudonym(a), pseudonym(c)));
    assert_int_equal(count(), 2);
    masking_unref(a);
    masking_unref(b);
    masking_unref(c);
}

static void an_owner_has_its_own_conversations(void **state)
{
    (void)state;

    struct masking *a = open_one(&alice, "one", 1);
    assert_null(conversations_find(all, &bob, span_str(handle), 1));
    struct masking *found = conversations_find(all, &alice, span_str(handle), 1);
    assert_ptr_equal(found, a);
    struct masking *b = open_one(&bob, "one", 1);
    assert_ptr_not_equal(a, b);
    assert_false(span_equal(pseudonym(a), pseudonym(b)));
    masking_unref(a);
    masking_unref(b);
    masking_unref(found);
}

static void without_an_id_each_is_another(void **state)
{
    (void)state;

    struct masking *a = open_one(&alice, "", 1), *b = open_one(&alice, "", 1);
    assert_ptr_not_equal(a, b);
    assert_false(span_equal(pseudonym(a), pseudonym(b)));
    struct masking *found = conversations_find(all, &alice, span_str(handle), 1);
    assert_ptr_equal(found, b);
    masking_unref(a);
    masking_unref(b);
    masking_unref(found);
}

static void one_that_is_idle_is_dropped_and_resumed_with_the_same_pseudonyms(void **state)
{
    char before[100];
    (void)state;

    struct masking *a = open_one(&alice, "one", 1000);
    struct span p = pseudonym(a);
    (void)snprintf(before, sizeof(before), "%.*s", (int)p.len, p.ptr);
    masking_unref(a);
    conversations_expire(all, 1100);
    assert_int_equal(count(), 1);
    conversations_expire(all, 1101);
    assert_int_equal(count(), 0);
    assert_null(conversations_find(all, &alice, span_str(handle), 1101));
    a = open_one(&alice, "one", 1102);
    assert_int_equal(masking_count(a), 0);
    assert_true(span_is(pseudonym(a), before));
    masking_unref(a);
}

static void use_keeps_a_conversation_and_its_reference_the_masking(void **state)
{
    (void)state;

    struct masking *a = open_one(&alice, "one", 1000);
    struct masking *found = conversations_find(all, &alice, span_str(handle), 1090);
    conversations_expire(all, 1150);
    assert_int_equal(count(), 1);
    conversations_expire(all, 2000);
    assert_int_equal(count(), 0);
    (void)pseudonym(found);
    masking_unref(found);
    masking_unref(a);
}

static void the_one_used_least_recently_makes_room(void **state)
{
    static const char *const ids[] = {"0", "1", "2", "3"};
    struct conversations_counts counts;
    char handles[COUNT(ids)][sizeof(handle)];
    (void)state;

    for (size_t i = 0; i < COUNT(ids); i++) {
        masking_unref(open_one(&alice, ids[i], 10 + i));
        memcpy(handles[i], handle, sizeof(handle));
    }
    masking_unref(open_one(&alice, "0", 20));
    masking_unref(open_one(&alice, "4", 21));
    for (size_t i = 0; i < COUNT(ids); i++) {
        struct masking *m = conversations_find(all, &alice, span_str(handles[i]), 22);
        assert_int_equal(m == NULL, i == 1);
        masking_unref(m);
    }
    conversations_count(all, &counts);
    assert_int_equal(counts.open, 4);
    assert_int_equal(counts.opened, 5);
    assert_int_equal(counts.displaced, 1);
    assert_int_equal(counts.expired, 0);
}

static void only_a_handle_as_it_was_given_is_one(void **state)
{
    char text[sizeof(handle) + 1];
    (void)state;

    masking_unref(open_one(&alice, "", 1));
    (void)snprintf(text, sizeof(text), "%s0", handle);
    assert_null(conversations_find(all, &alice, span_str(text), 1));
    assert_null(conversations_find(all, &alice, span_of(handle, CONVERSATION_HANDLE_TEXT - 1), 1));
    assert_null(conversations_find(all, &alice, span_of("", 0), 1));
    for (char *at = handle; *at != '\0'; at++) {
        *at = ascii_is_lower(*at) ? (char)(*at - 32) : *at;
    }
    struct masking *m = conversations_find(all, &alice, span_str(handle), 1);
    bool has_letters = strpbrk(handle, "ABCDEF") != NULL;
    assert_int_equal(m == NULL, has_letters);
    masking_unref(m);
}

static void an_id_that_is_too_long_is_refused(void **state)
{
    char id[CONVERSATION_ID_MAX + 1];
    (void)state;

    memset(id, 'i', sizeof(id));
    assert_null(conversations_open(all, &alice, span_of(id, sizeof(id)), 1, handle, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    masking_unref(conversations_open(all, &alice, span_of(id, sizeof(id) - 1), 1, handle, &err));
    assert_int_equal(count(), 1);
}

/* What is dropped makes room again. */
static void all_together_have_one_limit_of_memory(void **state)
{
    struct masking *a = open_one(&alice, "one", 1000), *b = open_one(&alice, "two", 1000);
    struct conversations_counts counts;
    char value[BYTES_MAX / 4];
    size_t n = 0;
    (void)state;

    memset(value, 'v', sizeof(value));
    struct masked_value v = {.kind = span_str("key"), .value = span_of(value, sizeof(value))};
    struct span p;
    while (masking_pseudonym(n % 2 == 0 ? a : b, &v, NULL, 0, &p, &err)) {
        value[0] = (char)('a' + n++);
    }
    assert_int_equal(n, 3);
    assert_int_equal(err.kind, ERROR_LIMIT);
    masking_unref(a);
    masking_unref(b);
    conversations_expire(all, 2000);
    conversations_count(all, &counts);
    assert_int_equal(counts.bytes, 0);
    masking_unref(open_one(&alice, "one", 2001));
}

/* Nobody keeps others from masking by filling the memory with conversations. */
static void a_full_memory_is_that_of_the_least_recently_used(void **state)
{
    char ids[8][2] = {"0", "1", "2", "3", "4", "5", "6", "7"};
    struct conversations_counts counts;
    char value[BYTES_MAX / 4];
    struct span p;
    (void)state;

    memset(value, 'v', sizeof(value));
    struct masked_value v = {.kind = span_str("key"), .value = span_of(value, sizeof(value))};
    for (unsigned i = 0; i < COUNT(ids); i++) {
        struct masking *m = open_one(&alice, ids[i], 1000 + i);
        assert_true(masking_pseudonym(m, &v, NULL, 0, &p, &err));
        masking_unref(m);
    }
    struct masking *used = open_one(&alice, "7", 1010), *m = open_one(&bob, "one", 1011);
    assert_true(masking_pseudonym(m, &v, NULL, 0, &p, &err));
    masking_unref(m);
    m = open_one(&bob, "two", 1012);
    assert_true(masking_pseudonym(m, &v, NULL, 0, &p, &err));
    assert_int_equal(masking_count(used), 1);
    conversations_count(all, &counts);
    assert_true(counts.bytes <= BYTES_MAX && counts.displaced > 0);
    masking_unref(m);
    masking_unref(used);
    m = open_one(&alice, "7", 1013); /* who was in use is not dropped */
    assert_int_equal(masking_count(m), 1);
    masking_unref(m);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(an_id_finds_its_conversation),
        TEST(an_owner_has_its_own_conversations),
        TEST(without_an_id_each_is_another),
        TEST(one_that_is_idle_is_dropped_and_resumed_with_the_same_pseudonyms),
        TEST(use_keeps_a_conversation_and_its_reference_the_masking),
        TEST(the_one_used_least_recently_makes_room),
        TEST(only_a_handle_as_it_was_given_is_one),
        TEST(an_id_that_is_too_long_is_refused),
        TEST(all_together_have_one_limit_of_memory),
        TEST(a_full_memory_is_that_of_the_least_recently_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
