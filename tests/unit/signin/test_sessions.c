#include "testing.h"

#include "signin/sessions.h"

static struct error err;
static struct sessions *sessions;

static const uint64_t second = 1000;

static const uint8_t anna[TOKEN_HASH] = {1}, ben[TOKEN_HASH] = {2};

static int begin(void **state)
{
    (void)state;
    sessions = sessions_new(&err);
    return sessions == NULL;
}

static int end(void **state)
{
    (void)state;
    sessions_free(sessions);
    return 0;
}

struct id {
    char text[SESSION_ID_TEXT + 1];
};

static struct id open_at(const uint8_t owner[TOKEN_HASH], uint64_t now_ms)
{
    struct id id;

    assert_true(sessions_open(sessions, owner, false, now_ms, id.text, &err));
    assert_int_equal(strlen(id.text), SESSION_ID_TEXT);
    return id;
}

static bool is_there(const struct id *id, uint64_t now_ms)
{
    struct session s;

    return sessions_find(sessions, span_str(id->text), false, now_ms, &s);
}

static void an_id_finds_its_session_and_no_other(void **state)
{
    (void)state;
    struct id a = open_at(anna, 0), b = open_at(ben, 0);
    struct session s, other;

    assert_string_not_equal(a.text, b.text);
    assert_true(sessions_find(sessions, span_str(a.text), false, 1, &s));
    assert_memory_equal(s.owner, anna, TOKEN_HASH);
    assert_true(sessions_find(sessions, span_str(b.text), false, 1, &other));
    assert_memory_not_equal(s.key, other.key, SESSION_KEY);
    assert_false(sessions_find(sessions, span_str(a.text), true, 1, &s));
    a.text[5] = a.text[5] == 'A' ? 'B' : 'A';
    assert_false(is_there(&a, 1));
    assert_false(sessions_find(sessions, span_of("", 0), false, 1, &s));
}

static void a_session_ends_when_it_is_idle(void **state)
{
    (void)state;
    struct id id = open_at(anna, 0);

    assert_true(is_there(&id, (SESSION_IDLE_S - 1) * second));
    assert_true(is_there(&id, (2 * SESSION_IDLE_S - 2) * second));
    assert_false(is_there(&id, (3 * SESSION_IDLE_S - 2) * second));
    assert_false(is_there(&id, (2 * SESSION_IDLE_S - 2) * second)); /* and stays ended */
}

static void a_session_ends_after_its_life_unless_it_is_extended(void **state)
{
    (void)state;
    struct id id = open_at(anna, 0), longer = open_at(anna, 0);
    uint64_t t = 0;

    for (; t < (SESSION_LIFE_S - 1) * second; t += 600 * second) {
        assert_true(is_there(&id, t) && is_there(&longer, t));
    }
    assert_true(sessions_extend(sessions, span_str(longer.text), SESSION_LIFE_S * second - 1));
    assert_false(is_there(&id, SESSION_LIFE_S * second));
    assert_true(is_there(&longer, SESSION_LIFE_S * second));
    assert_false(sessions_extend(sessions, span_str(id.text), SESSION_LIFE_S * second));
}

static void closing_ends_one_session(void **state)
{
    (void)state;
    struct id a = open_at(anna, 0), b = open_at(anna, 0);

    sessions_close(sessions, span_str(a.text));
    sessions_close(sessions, span_str(a.text));
    assert_false(is_there(&a, 1));
    assert_true(is_there(&b, 1));
}

static void the_oldest_of_one_owner_gives_way(void **state)
{
    (void)state;
    struct id of_ben = open_at(ben, 0), first = open_at(anna, 1), second_one = open_at(anna, 2);

    for (unsigned i = 0; i < SESSIONS_OF_ONE - 1; i++) {
        (void)open_at(anna, 3 + i);
    }
    assert_false(is_there(&first, 100));
    assert_true(is_there(&second_one, 100));
    assert_true(is_there(&of_ben, 100));
}

static void a_full_table_refuses_others_and_has_room_again(void **state)
{
    (void)state;
    struct id id;

    for (unsigned i = 0; i < SESSIONS_MAX; i++) {
        const uint8_t owner[TOKEN_HASH] = {3, (uint8_t)(i / SESSIONS_OF_ONE), (uint8_t)(i / SESSIONS_OF_ONE >> 8)};
        (void)open_at(owner, 5);
    }
    assert_false(sessions_open(sessions, ben, false, 6, id.text, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_true(sessions_open(sessions, ben, false, 5 + SESSION_IDLE_S * second, id.text, &err));
}

static void failures_count_by_address_and_are_forgotten(void **state)
{
    (void)state;
    struct span here = span_str("192.0.2.1"), there = span_str("192.0.2.77");

    for (unsigned i = 0; i < SESSION_ATTEMPTS; i++) {
        assert_true(sessions_may_try(sessions, here, 10 * second));
        sessions_count_failure(sessions, here, 10 * second);
    }
    assert_false(sessions_may_try(sessions, here, 11 * second));
    assert_true(sessions_may_try(sessions, there, 11 * second));
    assert_true(sessions_may_try(sessions, here, (10 + SESSION_ATTEMPTS_S) * second));
}

static void keys_of_forms_differ_by_name(void **state)
{
    (void)state;
    uint8_t a[SESSION_KEY], b[SESSION_KEY], again[SESSION_KEY];

    assert_true(sessions_key(sessions, span_str("anna"), a, &err) && sessions_key(sessions, span_str("ben"), b, &err) &&
                sessions_key(sessions, span_str("anna"), again, &err));
    assert_memory_equal(a, again, SESSION_KEY);
    assert_memory_not_equal(a, b, SESSION_KEY);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_id_finds_its_session_and_no_other),
        TEST(a_session_ends_when_it_is_idle),
        TEST(a_session_ends_after_its_life_unless_it_is_extended),
        TEST(closing_ends_one_session),
        TEST(the_oldest_of_one_owner_gives_way),
        TEST(a_full_table_refuses_others_and_has_room_again),
        TEST(failures_count_by_address_and_are_forgotten),
        TEST(keys_of_forms_differ_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
