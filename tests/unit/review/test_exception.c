#include "testing.h"

#include <ctype.h>
#include <stdio.h>

#include "review/exception.h"

enum { STEPS = 200000 };
static const int64_t day_ms = 24 * 3600 * 1000;

static struct exception_scope scope_of(enum exception_width width, int64_t until_ms)
{
    return (struct exception_scope){.tenant = "acme", .rule = "test-key", .width = width, .text = "x", .until_ms = until_ms};
}

static bool step(struct exception *x, enum exception_verb verb, const char *by, int64_t ts_ms, const struct exception_scope *scope,
                 bool is_admin)
{
    const struct exception_event e = {.verb = verb, .ts_ms = ts_ms, .by = span_str(by), .is_admin = is_admin, .scope = scope};
    struct error err;

    return exception_step(x, &e, x, &err);
}

static void a_second_person_makes_it_active_until_its_day(void **state)
{
    struct exception x = {.state = EXCEPTION_NONE};
    const struct exception_scope s = scope_of(EXCEPTION_VALUE, 10 * day_ms);

    (void)state;
    assert_true(step(&x, EXCEPTION_PROPOSE, "anna", 0, &s, false));
    assert_false(exception_applies(&x, 1));
    assert_false(step(&x, EXCEPTION_APPROVE, "anna", 1, NULL, true));
    assert_false(step(&x, EXCEPTION_APPROVE, "ANNA", 1, NULL, true));
    assert_false(step(&x, EXCEPTION_APPROVE, "", 1, NULL, true));
    assert_true(step(&x, EXCEPTION_APPROVE, "ben", 1, NULL, false));
    assert_true(exception_applies(&x, 10 * day_ms - 1));
    assert_false(exception_applies(&x, 10 * day_ms));
    assert_false(step(&x, EXCEPTION_APPROVE, "carol", 2, NULL, false)); /* the second of two approvals */
    assert_true(step(&x, EXCEPTION_WITHDRAW, "anna", 3, NULL, false));
    assert_false(exception_applies(&x, 4));
}

static void a_wide_one_over_what_was_confirmed_needs_an_admin(void **state)
{
    (void)state;
    for (unsigned width = EXCEPTION_VALUE; width < EXCEPTION_WIDTHS; width++) {
        for (unsigned known = 0; known < 3; known++) {
            struct exception x = {.state = EXCEPTION_NONE};
            struct exception_scope s = scope_of(width, day_ms);
            s.preview = (struct exception_preview){.findings = 9, .confirmed = known == 1, .is_cut = known == 2};
            assert_true(step(&x, EXCEPTION_PROPOSE, "anna", 0, &s, false));
            assert_int_equal(step(&x, EXCEPTION_APPROVE, "ben", 1, NULL, false), width == EXCEPTION_VALUE || known == 0);
            assert_int_equal(step(&x, EXCEPTION_APPROVE, "carol", 1, NULL, true), width != EXCEPTION_VALUE && known > 0);
        }
    }
}

static void what_is_proposed_is_whole_and_ends(void **state)
{
    static const int64_t ends[] = {0, -1, 90 * (int64_t)24 * 3600 * 1000 + 1, INT64_MAX};
    struct exception x = {.state = EXCEPTION_NONE};

    (void)state;
    for (size_t i = 0; i < COUNT(ends); i++) {
        const struct exception_scope s = scope_of(EXCEPTION_VALUE, ends[i]);
        assert_false(step(&x, EXCEPTION_PROPOSE, "anna", 0, &s, true));
    }
    struct exception_scope s = scope_of(EXCEPTION_NO_WIDTH, day_ms);
    assert_false(step(&x, EXCEPTION_PROPOSE, "anna", 0, &s, true));
    s = scope_of(EXCEPTION_APP, day_ms);
    s.text[0] = '\0';
    assert_false(step(&x, EXCEPTION_PROPOSE, "anna", 0, &s, true));
    s = scope_of(EXCEPTION_APP, day_ms);
    s.rule[0] = '\0';
    assert_false(step(&x, EXCEPTION_PROPOSE, "anna", 0, &s, true));
    assert_false(step(&x, EXCEPTION_PROPOSE, "anna", 0, NULL, true));
}

static unsigned long long seed = 88172645463325252ULL;

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

/* Whatever is tried, and by whom: what lets findings through was approved by another person, and ends. */
static void random_steps_never_let_one_person_decide(void **state)
{
    static const char *const people[] = {"anna", "ANNA", "Anna", "ben", "carol", "uid 0", ""};
    struct exception x = {.state = EXCEPTION_NONE};
    unsigned active = 0, refused = 0;
    int64_t now = 0;

    (void)state;
    for (unsigned i = 0; i < STEPS; i++) {
        struct exception before = x;
        struct exception_scope s = scope_of(roll(EXCEPTION_WIDTHS), now + ((int)roll(120) - 10) * day_ms);
        s.preview.confirmed = roll(2);
        const char *by = people[roll(COUNT(people))];
        bool is_admin = roll(3) == 0, is_done = step(&x, roll(EXCEPTION_VERBS + 1), by, now, &s, is_admin);
        now += roll(5) * day_ms / 2;
        if (!is_done) {
            assert_memory_equal(&before, &x, sizeof(x));
        } else if (x.state == EXCEPTION_ACTIVE) {
            assert_true(x.decided_by[0] != '\0' && !same_letters(x.by, x.decided_by));
            assert_true(is_admin || x.scope.width == EXCEPTION_VALUE || x.scope.preview.confirmed == 0);
            assert_false(exception_applies(&x, now + EXCEPTION_DAYS_MAX * day_ms + 1));
            active++;
        } else if (x.state == EXCEPTION_REFUSED) {
            assert_false(same_letters(x.by, x.decided_by));
            refused++;
        }
        if (x.state == EXCEPTION_REFUSED || x.state == EXCEPTION_WITHDRAWN) {
            assert_false(exception_applies(&x, 0));
            x = roll(4) == 0 ? (struct exception){.state = EXCEPTION_NONE} : x;
        }
    }
    assert_true(active > 100 && refused > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_person_makes_it_active_until_its_day),
        cmocka_unit_test(a_wide_one_over_what_was_confirmed_needs_an_admin),
        cmocka_unit_test(what_is_proposed_is_whole_and_ends),
        cmocka_unit_test(random_steps_never_let_one_person_decide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
