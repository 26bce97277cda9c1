#include "testing.h"

#include "regex/stretches.h"

enum { N_TEXTS = 3000, TEXT_MAX = 700, SEED = 3, STRETCHES_MAX = TEXT_MAX };

static const struct {
    struct requirement required;
    uint32_t reach;
} gates[] = {
    {{{{UINT64_C(0x03ff) << 48, 0, 0, 0}}, 1, 1}, 0},
    {{{{UINT64_C(0x03ff) << 48, 0, 0, 0}}, 2, 2}, 5},
    {{{{UINT64_C(0x03ff) << 48, 0, 0, 0}}, 4, 9}, 20},
    {{{{0, UINT64_C(0x07fffffe), 0, 0}}, 16, 16}, 40},
    {{{{0, 0, UINT64_MAX, UINT64_MAX}}, 1, 1}, 3},
    {{{{0, UINT64_C(0x07fffffe), 0, 0}}, 3, 64}, 1},
};

struct told {
    size_t from[COUNT(gates)][STRETCHES_MAX], to[COUNT(gates)][STRETCHES_MAX], n[COUNT(gates)];
    size_t all, stop_at;
};

static bool note(void *context, size_t gate, size_t from, size_t to)
{
    struct told *t = context;

    assert_true(gate < COUNT(gates) && from < to);
    assert_true(t->n[gate] == 0 || t->to[gate][t->n[gate] - 1] <= from);
    t->from[gate][t->n[gate]] = from;
    t->to[gate][t->n[gate]++] = to;
    return ++t->all != t->stop_at;
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

static size_t make_text(uint32_t *random, char *text)
{
    static const char *const kinds[] = {"1", " ", "12", "A", "B", "bc", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x94\x93"};
    size_t len = 0, wanted = next_random(random) % TEXT_MAX;

    for (;;) {
        const char *kind = next_random(random) % 4 == 0 ? kinds[next_random(random) % COUNT(kinds)] : ".";
        for (size_t n = next_random(random) % 30 + 1; n > 0; n--) {
            if (len + strlen(kind) > wanted) {
                return len;
            }
            memcpy(text + len, kind, strlen(kind));
            len += strlen(kind);
        }
    }
}

static bool has_place(struct span text, const struct requirement *required, size_t first, size_t *last)
{
    unsigned n = 0;

    for (size_t at = first; at < text.len && at - first < required->within && n < required->n; at++) {
        n += byte_set_has(&required->class, (unsigned char)text.ptr[at]);
        *last = at;
    }
    return n == required->n && byte_set_has(&required->class, (unsigned char)text.ptr[first]);
}

static bool is_reported(const struct told *t, size_t gate, size_t from, size_t to)
{
    for (size_t i = 0; i < t->n[gate]; i++) {
        if (t->from[gate][i] <= from && t->to[gate][i] >= to) {
            return true;
        }
    }
    return false;
}

static bool is_boundary(struct span text, size_t at)
{
    return at == text.len || ((unsigned char)text.ptr[at] & 0xc0) != 0x80;
}

static size_t assert_tells_all(const struct told *t, size_t gate, struct span text)
{
    size_t places = 0;

    for (size_t at = 0, last = 0; at < text.len; at++) {
        if (has_place(text, &gates[gate].required, at, &last)) {
            size_t room = gates[gate].reach + 1;
            size_t to = last + 1 + room < text.len ? last + 1 + room : text.len;
            assert_true(is_reported(t, gate, at > room ? at - room : 0, to));
            places++;
        }
    }
    for (size_t i = 0; i < t->n[gate]; i++) {
        assert_true(is_boundary(text, t->from[gate][i]) && is_boundary(text, t->to[gate][i]));
    }
    assert_true((places == 0) == (t->n[gate] == 0));
    return places;
}

static struct stretches all_gates(void)
{
    struct stretches s = {.n = 0};

    for (size_t i = 0; i < COUNT(gates); i++) {
        assert_true(stretches_add(&s, &gates[i].required, gates[i].reach));
    }
    return s;
}

static void every_place_lies_in_a_stretch(void **state)
{
    const struct stretches s = all_gates();
    char text[TEXT_MAX];
    uint32_t random = SEED;
    size_t places[COUNT(gates)] = {0};

    (void)state;
    for (size_t i = 0; i < N_TEXTS; i++) {
        struct told told = {.all = 0};
        const struct span all = span_of(text, make_text(&random, text));
        assert_true(stretches_each(&s, all, note, &told));
        for (size_t k = 0; k < COUNT(gates); k++) {
            places[k] += assert_tells_all(&told, k, all);
        }
    }
    for (size_t k = 0; k < COUNT(gates); k++) {
        assert_true(places[k] > 0);
    }
}

static void text_without_a_place_is_left_out(void **state)
{
    const struct stretches s = all_gates();
    struct told told = {.all = 0};
    static const char text[] = "nothing of that kind is here, and then 7 apples, and much more text without any of what is asked for at all; "
                               "so that there is room for another one: 8 pears";

    (void)state;
    assert_true(stretches_each(&s, span_str(text), note, &told));
    assert_int_equal(told.n[0], 2);
    assert_int_equal(told.from[0][0], 38);
    assert_int_equal(told.to[0][0], 41);
    assert_int_equal(told.all, 2);
    assert_true(stretches_each(&s, span_str(""), note, &told));
}

static void a_search_can_be_stopped(void **state)
{
    const struct stretches s = all_gates();
    struct told told = {.stop_at = 1};

    (void)state;
    assert_false(stretches_each(&s, span_str("1 and then 2"), note, &told));
    assert_int_equal(told.all, 1);
}

static void only_what_fits_is_taken(void **state)
{
    struct stretches s = {.n = 0};
    struct requirement none = {.n = 1, .within = 1}, many = gates[0].required;

    (void)state;
    many.n = REQUIREMENT_BYTES_MAX + 1;
    assert_false(stretches_add(&s, &none, 1));
    assert_false(stretches_add(&s, &many, 1));
    for (size_t i = 0; i < STRETCH_GATES_MAX; i++) {
        assert_true(stretches_add(&s, &gates[0].required, 1));
    }
    assert_false(stretches_add(&s, &gates[0].required, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_place_lies_in_a_stretch),
        cmocka_unit_test(text_without_a_place_is_left_out),
        cmocka_unit_test(a_search_can_be_stopped),
        cmocka_unit_test(only_what_fits_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
