#include "testing.h"

#include "supervisor-llm/verdict_cache.h"

#define TTL 1000

static struct verdict_key key_of(unsigned number)
{
    const struct verdict_subject subject = {.text = {(const char *)&number, sizeof(number)},
                                            .policy = span_str("p"),
                                            .prompt = span_str("q"),
                                            .model = span_str("m"),
                                            .categories = 1};
    return verdict_key_of(&subject);
}

static struct supervision answer_of(double confidence)
{
    return (struct supervision){.outcome = SUPERVISION_ANSWERED, .confidence = confidence};
}

static struct verdict_cache *cache_of(size_t entries)
{
    struct error err;
    struct verdict_cache *c = verdict_cache_new(entries, TTL, &err);

    assert_non_null(c);
    return c;
}

static void put(struct verdict_cache *c, unsigned number, uint64_t now)
{
    const struct verdict_key key = key_of(number);
    const struct supervision answer = answer_of(number / 1000.0);

    verdict_cache_put(c, &key, &answer, now);
}

static const struct supervision *get(struct verdict_cache *c, unsigned number, uint64_t now)
{
    const struct verdict_key key = key_of(number);

    return verdict_cache_get(c, &key, now);
}

static void an_answer_is_found_again_until_it_is_old(void **state)
{
    struct verdict_cache *c = cache_of(4);

    (void)state;
    put(c, 7, 0);
    assert_non_null(get(c, 7, TTL - 1));
    assert_true(get(c, 7, 5)->confidence > 0.0069 && get(c, 7, 5)->confidence < 0.0071);
    assert_null(get(c, 8, 5));
    assert_null(get(c, 7, TTL));
    put(c, 7, TTL);
    assert_non_null(get(c, 7, 2 * TTL - 1));
    assert_int_equal(verdict_cache_count(c), 1);
    verdict_cache_free(c);
}

static void the_one_unused_for_longest_makes_room(void **state)
{
    struct verdict_cache *c = cache_of(3);

    (void)state;
    put(c, 1, 0);
    put(c, 2, 0);
    put(c, 3, 0);
    assert_non_null(get(c, 1, 1));
    put(c, 4, 1);
    assert_null(get(c, 2, 1));
    assert_non_null(get(c, 1, 1));
    assert_non_null(get(c, 3, 1));
    assert_non_null(get(c, 4, 1));
    assert_int_equal(verdict_cache_count(c), 3);
    verdict_cache_free(c);
}

static void it_stays_sound_under_many(void **state)
{
    struct verdict_cache *c = cache_of(50);
    uint32_t random = 1;

    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        random = random * 1664525 + 1013904223;
        unsigned number = (random >> 8) % 200;
        const struct supervision *kept = get(c, number, 0);
        assert_true(kept == NULL || (unsigned)(kept->confidence * 1000 + 0.5) == number);
        if (kept == NULL) {
            put(c, number, 0);
            assert_non_null(get(c, number, 0));
        }
    }
    assert_int_equal(verdict_cache_count(c), 50);
    verdict_cache_free(c);
}

static void what_is_no_answer_is_not_kept(void **state)
{
    struct verdict_cache *c = cache_of(4);
    const struct verdict_key key = key_of(1);

    (void)state;
    for (int i = 0; i < SUPERVISION_ANSWERED; i++) {
        const struct supervision failure = {.outcome = (enum supervision_outcome)i};
        verdict_cache_put(c, &key, &failure, 0);
    }
    assert_int_equal(verdict_cache_count(c), 0);
    verdict_cache_free(c);
}

static void without_room_nothing_is_kept(void **state)
{
    struct verdict_cache *c = cache_of(0);

    (void)state;
    put(c, 1, 0);
    assert_null(get(c, 1, 0));
    verdict_cache_free(c);
}

static void each_part_of_the_subject_counts(void **state)
{
    const struct verdict_subject base = {
        .text = span_str("ab"), .policy = span_str("c"), .prompt = span_str("d"), .model = span_str("e"), .categories = 3};
    struct verdict_subject other[6] = {base, base, base, base, base, base};

    (void)state;
    other[0].text = span_str("abc");
    other[0].policy = span_str("");
    other[1].policy = span_str("x");
    other[2].prompt = span_str("x");
    other[3].model = span_str("x");
    other[4].categories = 1;
    other[5].text = span_str("a");
    other[5].policy = span_str("bc");
    struct verdict_key key = verdict_key_of(&base);
    for (size_t i = 0; i < COUNT(other); i++) {
        struct verdict_key k = verdict_key_of(&other[i]);
        assert_memory_not_equal(key.bytes, k.bytes, VERDICT_KEY);
    }
    struct verdict_key same = verdict_key_of(&base);
    assert_memory_equal(key.bytes, same.bytes, VERDICT_KEY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_found_again_until_it_is_old),
        cmocka_unit_test(the_one_unused_for_longest_makes_room),
        cmocka_unit_test(it_stays_sound_under_many),
        cmocka_unit_test(what_is_no_answer_is_not_kept),
        cmocka_unit_test(without_room_nothing_is_kept),
        cmocka_unit_test(each_part_of_the_subject_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
