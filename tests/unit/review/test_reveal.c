#include "testing.h"

#include <ctype.h>

#include "review/reveal.h"

enum { STEPS = 200000 };

static const struct reveal_scope scope = {
    .tenant = "acme", .item = 7, .blob = "0123abcd", .purpose = REVEAL_INCIDENT, .matter = "INC-4711"};

static bool step(struct reveal *r, enum reveal_verb verb, const char *by, int64_t ts_ms, const char *why)
{
    const struct reveal_event e = {.verb = verb, .ts_ms = ts_ms, .by = span_str(by), .why = span_str(why),
                                   .until_ms = ts_ms + REVEAL_GRANT_MS, .scope = &scope};
    struct error err;

    return reveal_step(r, &e, r, &err);
}

static void a_second_person_grants_an_hour_to_the_asker(void **state)
{
    struct reveal r = {.state = REVEAL_NONE};

    (void)state;
    assert_true(step(&r, REVEAL_ASK, "anna", 0, ""));
    assert_false(step(&r, REVEAL_OPEN, "anna", 1, ""));
    assert_false(step(&r, REVEAL_APPROVE, "anna", 1, ""));
    assert_false(step(&r, REVEAL_APPROVE, "aNNa", 1, ""));
    assert_true(step(&r, REVEAL_APPROVE, "ben", 1, ""));
    assert_false(step(&r, REVEAL_APPROVE, "carol", 1, "")); /* the second of two approvals */
    assert_false(step(&r, REVEAL_OPEN, "ben", 2, ""));
    assert_true(step(&r, REVEAL_OPEN, "anna", 2, ""));
    assert_true(reveal_is_granted(&r, REVEAL_GRANT_MS));
    assert_false(reveal_is_granted(&r, 1 + REVEAL_GRANT_MS));
}

static void opening_again_needs_a_reason_and_ends_with_the_hour(void **state)
{
    struct reveal r = {.state = REVEAL_NONE};

    (void)state;
    assert_true(step(&r, REVEAL_ASK, "anna", 0, "") && step(&r, REVEAL_APPROVE, "ben", 0, ""));
    assert_true(step(&r, REVEAL_OPEN, "anna", 1, ""));
    assert_false(step(&r, REVEAL_OPEN, "anna", 2, ""));
    assert_true(step(&r, REVEAL_OPEN, "anna", 2, "the browser was closed"));
    assert_int_equal(r.opened, 2);
    assert_false(step(&r, REVEAL_OPEN, "anna", REVEAL_GRANT_MS, "late"));
    assert_true(step(&r, REVEAL_CLOSE, "anna", REVEAL_GRANT_MS, ""));
    assert_false(step(&r, REVEAL_OPEN, "anna", 3, "closed"));
}

/* In each state, at each edge of the hour, for each person: the asker has the key while the grant lasts, and nobody else ever. */
static void the_key_is_the_askers_while_the_grant_lasts(void **state)
{
    static const char *const people[] = {"anna", "ANNA", "anna ", "ben", "carol", ""};
    static const int64_t times[] = {0, 1, REVEAL_GRANT_MS - 1, REVEAL_GRANT_MS, REVEAL_GRANT_MS + 1, INT64_MAX};

    (void)state;
    for (unsigned s = REVEAL_NONE; s <= REVEAL_STATES; s++) {
        const struct reveal r = {.state = (enum reveal_state)s, .scope = scope, .by = "anna", .decided_by = "ben", .until_ms = REVEAL_GRANT_MS};
        for (size_t i = 0; i < COUNT(people) * COUNT(times); i++) {
            const char *by = people[i % COUNT(people)];
            int64_t now_ms = times[i / COUNT(people)];
            bool is_expected = (s == REVEAL_GRANTED || s == REVEAL_OPENED) && strcmp(by, "anna") == 0 && now_ms < REVEAL_GRANT_MS;
            struct error err;

            assert_int_equal(reveal_may_have_key(&r, span_str(by), now_ms, &err), is_expected);
            assert_true(is_expected || err.kind == (strcmp(by, "anna") == 0 ? ERROR_INVALID : ERROR_DENIED));
        }
    }
}

static void what_is_asked_for_is_whole(void **state)
{
    struct reveal none = {.state = REVEAL_NONE}, out;
    struct error err;

    (void)state;
    for (unsigned lacks = 0; lacks < 4; lacks++) {
        struct reveal_scope s = scope;
        s.item = lacks == 0 ? 0 : s.item;
        s.blob[0] = lacks == 1 ? '\0' : s.blob[0];
        s.purpose = lacks == 2 ? REVEAL_NO_PURPOSE : s.purpose;
        s.matter[0] = lacks == 3 ? '\0' : s.matter[0];
        const struct reveal_event e = {.verb = REVEAL_ASK, .by = span_str("anna"), .scope = &s};
        assert_false(reveal_step(&none, &e, &out, &err));
    }
    const struct reveal asked = {.state = REVEAL_ASKED, .by = "anna", .scope = scope};
    const struct reveal_event longer = {.verb = REVEAL_APPROVE, .by = span_str("ben"), .until_ms = REVEAL_GRANT_MS + 1};
    assert_false(reveal_step(&asked, &longer, &out, &err));
}

static unsigned long long seed = 2463534242ULL;

static unsigned roll(unsigned n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 33) % n;
}

static bool same_letters(const char *a, const char *b)
{
    for (; *a != '\0' && tolower((unsigned char)*a) == tolower((unsigned char)*b); a++, b++) {
    }
    return *a == *b;
}

/* Whatever is tried, and by whom: nothing is opened but by the asker, within an hour of another person's approval. */
static void random_steps_never_open_without_a_second_person(void **state)
{
    static const char *const people[] = {"anna", "ANNA", "ben", "carol", "uid 0", ""};
    struct reveal r = {.state = REVEAL_NONE};
    unsigned opened = 0;
    int64_t now = 0, approved = 0;

    (void)state;
    for (unsigned i = 0; i < STEPS; i++) {
        const struct reveal before = r;
        const char *by = people[roll(COUNT(people))];
        enum reveal_verb verb = roll(REVEAL_VERBS + 1);
        bool is_done = step(&r, verb, by, now, roll(2) == 0 ? "" : "again");
        if (!is_done) {
            assert_memory_equal(&before, &r, sizeof(r));
        } else if (verb == REVEAL_APPROVE || verb == REVEAL_REFUSE) {
            assert_false(same_letters(r.by, by));
            approved = now;
        } else if (verb == REVEAL_OPEN) {
            assert_string_equal(r.by, by);
            assert_true(r.decided_by[0] != '\0' && !same_letters(r.by, r.decided_by));
            assert_true(now - approved < REVEAL_GRANT_MS);
            opened++;
        }
        if (r.state == REVEAL_REFUSED || r.state == REVEAL_CLOSED) {
            assert_false(reveal_is_granted(&r, now));
            r = roll(4) == 0 ? (struct reveal){.state = REVEAL_NONE} : r;
        }
        now += roll(8) == 0 ? REVEAL_GRANT_MS / 3 : 1000;
    }
    assert_true(opened > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_person_grants_an_hour_to_the_asker),
        cmocka_unit_test(opening_again_needs_a_reason_and_ends_with_the_hour),
        cmocka_unit_test(the_key_is_the_askers_while_the_grant_lasts),
        cmocka_unit_test(what_is_asked_for_is_whole),
        cmocka_unit_test(random_steps_never_open_without_a_second_person),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
