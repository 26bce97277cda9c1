#include "testing.h"

#include "signin/sessions.h"

static struct error err;
static struct sessions *sessions;

static const uint64_t second = 1000;
enum { LIMIT_S = 3 * SESSION_LIFE_S - 7 };

static const uint8_t anna[TOKEN_HASH] = {1}, ben[TOKEN_HASH] = {2};

static int begin(void **state)
{
    (void)state;
    sessions = sessions_new(LIMIT_S, &err);
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
    bool is_limited;

    for (; t < (SESSION_LIFE_S - 1) * second; t += 600 * second) {
        assert_true(is_there(&id, t) && is_there(&longer, t));
    }
    assert_true(sessions_extend(sessions, span_str(longer.text), SESSION_LIFE_S * second - 1, &is_limited));
    assert_false(is_limited);
    assert_false(is_there(&id, SESSION_LIFE_S * second));
    assert_true(is_there(&longer, SESSION_LIFE_S * second));
    assert_false(sessions_extend(sessions, span_str(id.text), SESSION_LIFE_S * second, &is_limited));
}

/* Extended at every use, from whatever moment it was opened, with whatever steps. */
static void no_session_outlives_the_limit(void **state)
{
    (void)state;
    for (uint64_t step = 7; step < SESSION_IDLE_S; step += 331) {
        uint64_t opened = step * 77 * second, end_ms = opened + LIMIT_S * second, t = opened;
        struct id id = open_at(anna, opened);
        bool is_limited = false, was_limited = false;
        while (t < end_ms) {
            assert_true(is_there(&id, t));
            assert_true(sessions_extend(sessions, span_str(id.text), t, &is_limited));
            assert_int_equal(is_limited, t + SESSION_LIFE_S * second >= end_ms);
            was_limited |= is_limited;
            t += step * second;
        }
        assert_true(was_limited);
        assert_false(sessions_extend(sessions, span_str(id.text), end_ms, &is_limited));
        assert_false(is_there(&id, end_ms));
    }
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

static void a_challenge_is_of_use_once_for_a_while_and_in_its_session_alone(void **state)
{
    const uint64_t last = (uint64_t)SESSION_CHALLENGE_S * second;
    uint8_t made[SESSION_CHALLENGE], again[SESSION_CHALLENGE], taken[SESSION_CHALLENGE];
    struct id a = open_at(anna, 0), b = open_at(anna, 0);

    (void)state;
    assert_false(sessions_take_challenge(sessions, span_str(a.text), 0, taken));
    assert_true(sessions_challenge(sessions, span_str(a.text), 0, made));
    assert_false(sessions_take_challenge(sessions, span_str(b.text), 1, taken));
    assert_true(sessions_take_challenge(sessions, span_str(a.text), last - 1, taken));
    assert_memory_equal(made, taken, sizeof(made));
    assert_false(sessions_take_challenge(sessions, span_str(a.text), last - 1, taken));
    assert_true(sessions_challenge(sessions, span_str(a.text), 0, again));
    assert_memory_not_equal(made, again, sizeof(made));
    assert_false(sessions_take_challenge(sessions, span_str(a.text), last, taken));
    assert_false(sessions_take_challenge(sessions, span_str(a.text), 0, taken));
}

static void a_newer_challenge_replaces_the_one_before(void **state)
{
    uint8_t older[SESSION_CHALLENGE], newer[SESSION_CHALLENGE], taken[SESSION_CHALLENGE];
    struct id a = open_at(anna, 0);

    (void)state;
    assert_true(sessions_challenge(sessions, span_str(a.text), 0, older));
    assert_true(sessions_challenge(sessions, span_str(a.text), 1, newer));
    assert_true(sessions_take_challenge(sessions, span_str(a.text), 2, taken));
    assert_memory_equal(newer, taken, sizeof(taken));
    sessions_close(sessions, span_str(a.text));
    assert_false(sessions_challenge(sessions, span_str(a.text), 3, older));
}

static void a_confirmed_session_has_another_id_and_the_same_end(void **state)
{
    struct id a = open_at(anna, 5), b, c;
    struct session before, after, again;

    (void)state;
    assert_true(sessions_find(sessions, span_str(a.text), false, 6, &before));
    assert_int_equal(before.passkey, 0);
    assert_int_equal(before.opened_ms, 5);
    assert_true(sessions_confirm(sessions, span_str(a.text), 3, 7, b.text));
    assert_false(is_there(&a, 8));
    assert_true(sessions_find(sessions, span_str(b.text), false, 8, &after));
    assert_int_equal(after.passkey, 3);
    assert_int_equal(after.confirmed_ms, 7);
    assert_int_equal(after.ends_ms, before.ends_ms);
    assert_memory_equal(after.owner, anna, TOKEN_HASH);
    assert_memory_not_equal(after.key, before.key, SESSION_KEY);
    assert_true(sessions_confirm(sessions, span_str(b.text), 3, 9, c.text));
    assert_true(sessions_find(sessions, span_str(c.text), false, 9, &again));
    assert_int_equal(again.confirmed_ms, 9);
    assert_memory_equal(after.key, again.key, SESSION_KEY); /* forms of other tabs stay valid */
    assert_false(sessions_confirm(sessions, span_str(b.text), 3, 10, c.text));
}

static void a_confirmation_is_fresh_for_a_while(void **state)
{
    const uint64_t last = (uint64_t)SESSION_FRESH_S * second;
    const struct session confirmed = {.passkey = 3, .confirmed_ms = 5, .opened_ms = 1}, never = {.confirmed_ms = 5, .opened_ms = 1};

    (void)state;
    assert_true(session_is_fresh(&confirmed, 5 + last - 1));
    assert_false(session_is_fresh(&confirmed, 5 + last));
    assert_false(session_is_fresh(&never, 5));
    assert_true(session_is_new(&never, last));
    assert_false(session_is_new(&never, 1 + last));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_id_finds_its_session_and_no_other),
        TEST(a_session_ends_when_it_is_idle),
        TEST(a_session_ends_after_its_life_unless_it_is_extended),
        TEST(no_session_outlives_the_limit),
        TEST(closing_ends_one_session),
        TEST(the_oldest_of_one_owner_gives_way),
        TEST(a_full_table_refuses_others_and_has_room_again),
        TEST(failures_count_by_address_and_are_forgotten),
        TEST(keys_of_forms_differ_by_name),
        TEST(a_challenge_is_of_use_once_for_a_while_and_in_its_session_alone),
        TEST(a_newer_challenge_replaces_the_one_before),
        TEST(a_confirmation_is_fresh_for_a_while),
        TEST(a_confirmed_session_has_another_id_and_the_same_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
