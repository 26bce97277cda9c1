#include "testing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "http/worker_pool.h"

static struct error err;
static atomic_int n_run, n_cancelled;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void count(void *context, struct worker *w)
{
    (void)context;
    (void)pthread_mutex_lock(&gate);
    (void)pthread_mutex_unlock(&gate);
    (void)atomic_fetch_add(w != NULL ? &n_run : &n_cancelled, 1);
}

static struct worker_pool *make(unsigned threads, unsigned queue)
{
    struct worker_pool_options options = {
        .lent = 2, .threads = threads, .queue = queue, .limits = worker_limits_default()};

    n_run = 0;
    n_cancelled = 0;
    struct worker_pool *p = worker_pool_new(&options, &err);
    assert_non_null(p);
    return p;
}

static void workers_are_lent_until_none_is_left(void **state)
{
    (void)state;
    struct worker_pool *p = make(1, 1);
    struct worker *a = worker_pool_borrow(p);
    struct worker *b = worker_pool_borrow(p);

    assert_non_null(a);
    assert_non_null(b);
    assert_ptr_not_equal(a, b);
    assert_null(worker_pool_borrow(p));
    worker_pool_give_back(p, a);
    assert_ptr_equal(worker_pool_borrow(p), a);
    worker_pool_give_back(p, a);
    worker_pool_give_back(p, b);
    worker_pool_free(p);
}

static void *borrow_and_return(void *pool)
{
    struct worker *w = worker_pool_borrow(pool);

    worker_pool_give_back(pool, w);
    return w;
}

static void a_thread_is_lent_the_worker_it_had_last(void **state)
{
    (void)state;
    struct worker_pool *p = make(1, 1);
    struct worker *mine = worker_pool_borrow(p);
    pthread_t other;
    void *of_other;

    assert_int_equal(pthread_create(&other, NULL, borrow_and_return, p), 0);
    assert_int_equal(pthread_join(other, &of_other), 0);
    worker_pool_give_back(p, mine);
    assert_ptr_not_equal(of_other, mine);
    assert_int_equal(pthread_create(&other, NULL, borrow_and_return, p), 0);
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_ptr_equal(borrow_and_return(p), mine);
    worker_pool_free(p);
}

static void every_job_runs_once(void **state)
{
    (void)state;
    enum { N = 500 };
    static struct job jobs[N];
    struct worker_pool *p = make(2, N);

    assert_true(worker_pool_start(p, &err));
    for (int i = 0; i < N; i++) {
        jobs[i] = (struct job){.run = count};
        assert_true(worker_pool_submit(p, &jobs[i]));
    }
    worker_pool_stop(p);
    assert_int_equal(n_run + n_cancelled, N);
    worker_pool_free(p);
}

static void a_full_queue_refuses(void **state)
{
    (void)state;
    static struct job jobs[8];
    struct worker_pool *p = make(1, 3);

    for (int i = 0; i < 3; i++) {
        jobs[i] = (struct job){.run = count};
        assert_true(worker_pool_submit(p, &jobs[i]));
    }
    assert_false(worker_pool_submit(p, &jobs[3]));
    assert_int_equal(worker_pool_depth(p), 3);
    assert_true(worker_pool_start(p, &err));
    worker_pool_stop(p);
    assert_int_equal(n_run + n_cancelled, 3);
    assert_false(worker_pool_submit(p, &jobs[4]));
    worker_pool_free(p);
}

static void *stop(void *context)
{
    worker_pool_stop(context);
    return NULL;
}

static void queued_jobs_are_called_off_at_the_end(void **state)
{
    (void)state;
    static struct job jobs[4];
    struct worker_pool *p = make(1, 4);

    (void)pthread_mutex_lock(&gate); /* the first job waits here */
    assert_true(worker_pool_start(p, &err));
    for (int i = 0; i < 4; i++) {
        jobs[i] = (struct job){.run = count};
        assert_true(worker_pool_submit(p, &jobs[i]));
    }
    while (worker_pool_depth(p) > 3) {
        (void)usleep(1000);
    }
    pthread_t stopper;
    assert_int_equal(pthread_create(&stopper, NULL, stop, p), 0);
    (void)usleep(50000);
    (void)pthread_mutex_unlock(&gate);
    (void)pthread_join(stopper, NULL);
    assert_int_equal(n_run, 1);
    assert_int_equal(n_cancelled, 3);
    worker_pool_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_are_lent_until_none_is_left),
        cmocka_unit_test(a_thread_is_lent_the_worker_it_had_last),
        cmocka_unit_test(every_job_runs_once),
        cmocka_unit_test(a_full_queue_refuses),
        cmocka_unit_test(queued_jobs_are_called_off_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
