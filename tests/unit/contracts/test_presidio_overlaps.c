#include "testing.h"

#include "contracts/presidio_overlaps.h"
#include "support/random.h"

enum { FEW = 40, ROUNDS = 3000, MANY = 200000 };

static const char *const entities[] = {"PERSON", "PERSONS", ""};

static bool is_contained(const struct presidio_place *places, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (places[i].from <= places[at].from && places[i].to >= places[at].to && span_equal(places[i].entity, places[at].entity)) {
            return true;
        }
    }
    return false;
}

static void what_an_earlier_place_contains_is_repeated(void **state)
{
    struct presidio_place places[FEW];
    struct random r = {.state = 4711};
    struct arena arena;
    struct error err;

    (void)state;
    arena_init(&arena, 1 << 12, 1 << 20);
    for (size_t round = 0; round < ROUNDS; round++) {
        size_t n = random_below(&r, FEW + 1);
        for (size_t i = 0; i < n; i++) {
            size_t from = random_below(&r, 12);
            places[i] = (struct presidio_place){.from = from, .to = from + random_below(&r, 12), .entity = span_str(entities[random_below(&r, 3)])};
        }
        assert_true(presidio_mark_repeated(places, n, &arena, &err));
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(places[i].is_repeated, is_contained(places, i));
        }
        arena_reset(&arena);
    }
    arena_deinit(&arena);
}

/* With one look at all that came before for each it would take minutes. */
static void overlaps_of_very_many_places_are_resolved_in_time(void **state)
{
    struct presidio_place *places = calloc(MANY, sizeof(*places));
    struct arena arena;
    struct error err;

    (void)state;
    assert_non_null(places);
    for (size_t i = 0; i < MANY; i++) {
        places[i] = (struct presidio_place){.from = 2 * (i / 2), .to = 2 * (i / 2) + 2, .entity = span_str("EMAIL_ADDRESS")};
    }
    arena_init(&arena, 1 << 12, 1 << 28);
    assert_true(presidio_mark_repeated(places, MANY, &arena, &err));
    for (size_t i = 0; i < MANY; i++) {
        assert_int_equal(places[i].is_repeated, i % 2);
    }
    arena_deinit(&arena);
    free(places);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_an_earlier_place_contains_is_repeated), cmocka_unit_test(overlaps_of_very_many_places_are_resolved_in_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
