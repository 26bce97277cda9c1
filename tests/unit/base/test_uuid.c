#include "testing.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/uuid.h"

enum { THREADS = 4, EACH = 2000 };

static const int64_t NOON = INT64_C(1767182400123456789);

static void an_id_has_the_time_version_and_variant_in_place(void **state)
{
    uint8_t uuid[UUID_BYTES];
    struct error err;
    uint64_t ms = 0;
    (void)state;
    assert_true(uuid_make(NOON, uuid, &err));
    for (int i = 0; i < 6; i++) {
        ms = ms << 8 | uuid[i];
    }
    assert_true(ms == (uint64_t)(NOON / 1000000));
    assert_int_equal(uuid[6] >> 4, 7);
    assert_int_equal(((uuid[6] & 15) << 8) | uuid[7], 456789 * 4096 / 1000000);
    assert_int_equal(uuid[8] >> 6, 2);
}

static void ids_grow_though_the_clock_stands_or_goes_back(void **state)
{
    uint8_t before[UUID_BYTES] = {0}, after[UUID_BYTES];
    struct error err;
    (void)state;
    for (int i = 0; i < 10000; i++) {
        assert_true(uuid_make(NOON - (int64_t)i / 2 * 1000000, after, &err));
        assert_true(memcmp(before, after, UUID_BYTES) < 0);
        memcpy(before, after, UUID_BYTES);
    }
}

static void *make_many(void *uuids)
{
    uint8_t(*mine)[UUID_BYTES] = uuids;
    struct error err;

    for (int i = 0; i < EACH; i++) {
        if (!uuid_make(NOON, mine[i], &err)) {
            return uuids;
        }
    }
    return NULL;
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, 8); /* the time part alone must differ */
}

static void threads_never_make_the_same_time(void **state)
{
    static uint8_t uuids[THREADS * EACH][UUID_BYTES];
    pthread_t threads[THREADS];
    (void)state;
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, make_many, uuids[i * EACH]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    qsort(uuids, COUNT(uuids), UUID_BYTES, compare);
    for (size_t i = 1; i < COUNT(uuids); i++) {
        assert_true(compare(uuids[i - 1], uuids[i]) < 0);
    }
}

static void the_random_part_is_never_the_same(void **state)
{
    static uint8_t uuids[EACH][UUID_BYTES], random[EACH][8];
    struct error err;
    (void)state;
    for (int i = 0; i < EACH; i++) {
        assert_true(uuid_make(NOON, uuids[i], &err));
        memcpy(random[i], uuids[i] + 8, 8);
    }
    qsort(random, EACH, 8, compare);
    for (size_t i = 1; i < EACH; i++) {
        assert_true(compare(random[i - 1], random[i]) < 0);
    }
}

static void a_child_draws_its_own_random_bytes(void **state)
{
    uint8_t uuid[UUID_BYTES], of_child[UUID_BYTES];
    struct error err;
    int ends[2];
    (void)state;
    assert_true(uuid_make(NOON, uuid, &err));
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        bool is_reported =
            uuid_make(NOON, uuid, &err) && write(ends[1], uuid, UUID_BYTES) == UUID_BYTES;
        _exit(is_reported ? 0 : 1);
    }
    assert_int_equal(read(ends[0], of_child, UUID_BYTES), UUID_BYTES);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(uuid_make(NOON, uuid, &err));
    assert_memory_not_equal(uuid + 8, of_child + 8, 8);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static void the_text_form_reads_back(void **state)
{
    static const char text[] = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f";
    uint8_t uuid[UUID_BYTES];
    char out[UUID_TEXT + 1];
    (void)state;
    assert_true(uuid_parse(span_str(text), uuid));
    uuid_format(uuid, out);
    assert_string_equal(out, text);
    assert_true(uuid_parse(span_str("017F22E2-79B0-7CC3-98C4-DC0C0C07398F"), uuid));
    uuid_format(uuid, out);
    assert_string_equal(out, text);
}

static void what_is_no_uuid_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398ff",
        "017f22e2079b0-7cc3-98c4-dc0c0c07398f",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398g",
        "-17f22e2-79b0-7cc3-98c4-dc0c0c07398f",
    };
    uint8_t uuid[UUID_BYTES];
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_false(uuid_parse(span_str(texts[i]), uuid));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_has_the_time_version_and_variant_in_place),
        cmocka_unit_test(ids_grow_though_the_clock_stands_or_goes_back),
        cmocka_unit_test(threads_never_make_the_same_time),
        cmocka_unit_test(the_random_part_is_never_the_same),
        cmocka_unit_test(a_child_draws_its_own_random_bytes),
        cmocka_unit_test(the_text_form_reads_back),
        cmocka_unit_test(what_is_no_uuid_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
