#include "testing.h"

#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/clock.h"
#include "http/stream_table.h"

enum { SECOND = 1000000000 };

static struct error err;
static atomic_int n_expired;
static const struct stream_owner nobody;

static void count(void *context, struct stream_entry *e)
{
    (void)context;
    (void)e;
    (void)atomic_fetch_add(&n_expired, 1);
}

static struct stream_table *make(size_t max, uint64_t wait_ns)
{
    const struct stream_table_options options = {.max = max, .wait_ns = wait_ns, .expired = count};

    n_expired = 0;
    struct stream_table *t = stream_table_new(&options, &err);
    assert_non_null(t);
    return t;
}

static enum stream_place place_of(const char *text, struct stream_id *id, unsigned node)
{
    return stream_id_parse(span_str(text), id, &node);
}

static void ids_are_written_in_one_way(void **state)
{
    (void)state;
    struct stream_id id = {{0x01, 0xab}}, again;
    char text[STREAM_ID_TEXT + 1];

    stream_id_format(&id, 0, text);
    assert_string_equal(text, "01ab0000000000000000000000000000");
    assert_int_equal(place_of(text, &again, 0), STREAM_ID_HERE);
    assert_memory_equal(&id, &again, sizeof(id));
    assert_int_equal(place_of("01AB0000000000000000000000000000", &again, 0), STREAM_ID_NONE);
    assert_int_equal(place_of("01ab00000000000000000000000000", &again, 0), STREAM_ID_NONE);
    assert_int_equal(place_of("01ab000000000000000000000000000z", &again, 0), STREAM_ID_NONE);
    assert_int_equal(place_of("", &again, 0), STREAM_ID_NONE);
}

static void an_id_says_which_node_has_the_stream(void **state)
{
    (void)state;
    struct stream_id id = {{0x01, 0xab}}, again;
    char text[STREAM_ID_TEXT + 1];
    unsigned node = 7;

    stream_id_format(&id, 1234, text);
    assert_string_equal(text, "1234-01ab0000000000000000000000000000");
    assert_int_equal(stream_id_parse(span_str(text), &again, &node), STREAM_ID_ELSEWHERE);
    assert_int_equal(node, 1234);
    stream_id_format(&id, 7, text);
    assert_string_equal(text, "07-01ab0000000000000000000000000000");
    assert_int_equal(place_of(text, &again, 7), STREAM_ID_HERE);
    assert_int_equal(place_of(text, &again, 0), STREAM_ID_NONE);
    assert_int_equal(place_of(text + 3, &again, 7), STREAM_ID_NONE);
    assert_int_equal(place_of("7-01ab0000000000000000000000000000", &again, 7), STREAM_ID_NONE);
    assert_int_equal(place_of("-01ab0000000000000000000000000000", &again, 7), STREAM_ID_NONE);
    assert_int_equal(place_of("00007-01ab0000000000000000000000000000", &again, 7), STREAM_ID_NONE);
    assert_int_equal(place_of("00-01ab0000000000000000000000000000", &again, 7), STREAM_ID_NONE);
}

static void it_is_taken_by_one_at_a_time(void **state)
{
    (void)state;
    struct stream_table *t = make(4, SECOND);
    struct stream_entry e = {0}, *taken = NULL;

    assert_true(stream_table_add(t, &e, &err));
    assert_int_equal(stream_table_take(t, &e.id, &nobody, &taken), STREAM_BUSY);
    stream_table_give_back(t, &e);
    assert_int_equal(stream_table_take(t, &e.id, &nobody, &taken), STREAM_TAKEN);
    assert_ptr_equal(taken, &e);
    assert_int_equal(stream_table_take(t, &e.id, &nobody, &taken), STREAM_BUSY);
    stream_table_remove(t, &e);
    assert_int_equal(stream_table_take(t, &e.id, &nobody, &taken), STREAM_ABSENT);
    assert_int_equal(stream_table_count(t), 0);
    stream_table_free(t);
    assert_int_equal(n_expired, 0);
}

static void anothers_stream_is_not_there(void **state)
{
    (void)state;
    const struct stream_owner mine = {{1}}, yours = {{2}};
    struct stream_table *t = make(4, SECOND);
    struct stream_entry e = {.owner = mine}, *taken = NULL;
    struct stream_id other = {{9}};

    assert_true(stream_table_add(t, &e, &err));
    stream_table_give_back(t, &e);
    assert_int_equal(stream_table_take(t, &e.id, &yours, &taken), STREAM_ABSENT);
    assert_int_equal(stream_table_take(t, &other, &mine, &taken), STREAM_ABSENT);
    assert_int_equal(stream_table_take(t, &e.id, &mine, &taken), STREAM_TAKEN);
    stream_table_remove(t, &e);
    stream_table_free(t);
}

static void it_takes_no_more_than_it_may(void **state)
{
    (void)state;
    struct stream_table *t = make(3, SECOND);
    struct stream_entry e[4] = {0};

    for (int i = 0; i < 3; i++) {
        assert_true(stream_table_add(t, &e[i], &err));
    }
    assert_false(stream_table_add(t, &e[3], &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    stream_table_remove(t, &e[1]);
    assert_true(stream_table_add(t, &e[3], &err));
    for (int i = 0; i < 4; i++) {
        if (i != 1) {
            stream_table_give_back(t, &e[i]);
        }
    }
    assert_int_equal(stream_table_count(t), 3);
    stream_table_free(t);
    assert_int_equal(n_expired, 3);
}

static void only_those_that_wait_too_long_expire(void **state)
{
    (void)state;
    struct stream_table *t = make(8, 10 * (uint64_t)SECOND);
    struct stream_entry e[4] = {0}, *taken = NULL;

    for (int i = 0; i < 4; i++) {
        assert_true(stream_table_add(t, &e[i], &err));
        if (i < 3) {
            stream_table_give_back(t, &e[i]);
        }
    }
    assert_int_equal(stream_table_take(t, &e[1].id, &nobody, &taken), STREAM_TAKEN);
    stream_table_expire(t, clock_monotonic_ns() + 9 * (uint64_t)SECOND);
    assert_int_equal(n_expired, 0);
    stream_table_expire(t, clock_monotonic_ns() + 11 * (uint64_t)SECOND);
    assert_int_equal(n_expired, 2); /* neither of the two that are taken */
    assert_int_equal(stream_table_take(t, &e[0].id, &nobody, &taken), STREAM_ABSENT);
    stream_table_give_back(t, &e[1]);
    stream_table_give_back(t, &e[3]);
    assert_int_equal(stream_table_count(t), 2);
    stream_table_free(t);
    assert_int_equal(n_expired, 4);
}

static void the_thread_expires_them(void **state)
{
    (void)state;
    struct stream_table *t = make(8, 50 * 1000 * 1000);
    struct stream_entry e[2] = {0};

    assert_true(stream_table_start(t, &err));
    for (int i = 0; i < 2; i++) {
        assert_true(stream_table_add(t, &e[i], &err));
        stream_table_give_back(t, &e[i]);
        usleep(20000);
    }
    for (int i = 0; i < 1000 && n_expired < 2; i++) {
        usleep(10000);
    }
    assert_int_equal(n_expired, 2);
    assert_int_equal(stream_table_count(t), 0);
    stream_table_free(t);
}

/* --- many threads ---------------------------------------------------------- */

enum { SHARED = 16, THREADS = 4, ROUNDS = 3000 };

struct shared {
    struct stream_entry entry;
    int uses; /* guarded by the taking alone */
};

static struct shared shared[SHARED];
static struct stream_id ids[SHARED];

static void *use(void *context)
{
    struct stream_table *t = context;
    struct stream_entry *e = NULL;
    long n = 0;

    for (int i = 0; i < ROUNDS; i++) {
        if (stream_table_take(t, &ids[i % SHARED], &nobody, &e) == STREAM_TAKEN) {
            ((struct shared *)(void *)e)->uses++;
            n++;
            stream_table_give_back(t, e);
        }
        struct stream_entry own = {0};
        if (stream_table_add(t, &own, &err)) {
            stream_table_remove(t, &own);
        }
    }
    return (void *)n;
}

static void threads_do_not_disturb_each_other(void **state)
{
    (void)state;
    struct stream_table *t = make(SHARED + THREADS, 60 * (uint64_t)SECOND);
    pthread_t threads[THREADS];
    long uses = 0, counted = 0;

    assert_true(stream_table_start(t, &err));
    for (int i = 0; i < SHARED; i++) {
        assert_true(stream_table_add(t, &shared[i].entry, &err));
        ids[i] = shared[i].entry.id;
        stream_table_give_back(t, &shared[i].entry);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, use, t), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *n = NULL;
        assert_int_equal(pthread_join(threads[i], &n), 0);
        uses += (long)n;
    }
    for (int i = 0; i < SHARED; i++) {
        counted += shared[i].uses;
    }
    assert_int_equal(uses, counted);
    assert_int_equal(stream_table_count(t), SHARED);
    stream_table_free(t);
    assert_int_equal(n_expired, SHARED);
}

static int set_up(void **state)
{
    (void)state;
    return sodium_init() < 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_written_in_one_way),
        cmocka_unit_test(an_id_says_which_node_has_the_stream),
        cmocka_unit_test(it_is_taken_by_one_at_a_time),
        cmocka_unit_test(anothers_stream_is_not_there),
        cmocka_unit_test(it_takes_no_more_than_it_may),
        cmocka_unit_test(only_those_that_wait_too_long_expire),
        cmocka_unit_test(the_thread_expires_them),
        cmocka_unit_test(threads_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
