#include "testing.h"

#include <pthread.h>

#include "service/metrics.h"

static struct metrics metrics;
static struct buf out;
static struct error err;

static const char *written(void)
{
    static const char *const routes[] = {"none", "filter"};

    buf_clear(&out);
    assert_true(metrics_write(&metrics, routes, 2, &out, &err));
    assert_true(buf_append_char(&out, '\0', &err));
    return out.data;
}

static int set_up(void **state)
{
    (void)state;
    metrics = (struct metrics){0};
    buf_init(&out, 1 << 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    buf_deinit(&out);
    return 0;
}

static void a_bucket_counts_what_is_not_longer(void **state)
{
    (void)state;
    histogram_add(&metrics_tally(&metrics)->judging, 1000); /* exactly 1 µs */
    histogram_add(&metrics_tally(&metrics)->judging, 1001);
    histogram_add(&metrics_tally(&metrics)->judging, 60000000000); /* past the last bound */
    const char *text = written();
    assert_non_null(strstr(text, "filterd_exchange_seconds_bucket{le=\"1e-06\"} 1\n"));
    assert_non_null(strstr(text, "filterd_exchange_seconds_bucket{le=\"2e-06\"} 2\n"));
    assert_non_null(strstr(text, "filterd_exchange_seconds_bucket{le=\"20\"} 2\n"));
    assert_non_null(strstr(text, "filterd_exchange_seconds_bucket{le=\"+Inf\"} 3\n"));
    assert_non_null(strstr(text, "filterd_exchange_seconds_count{} 3\n"));
}

static void exchanges_are_counted_by_action(void **state)
{
    (void)state;
    const struct exchange blocked = {.rule = {"filterd.unjudged", 16}};
    const struct exchange allowed = {.action = ACTION_ALLOW, .judged = 5};

    metrics_count_exchange(&metrics, &blocked, 1);
    metrics_count_exchange(&metrics, &allowed, 1);
    const char *text = written();
    assert_non_null(strstr(text, "filterd_exchanges_total{action=\"block\"} 1\n"));
    assert_non_null(strstr(text, "filterd_exchanges_total{action=\"redact\"} 0\n"));
    assert_non_null(strstr(text, "filterd_exchanges_total{action=\"allow\"} 1\n"));
    assert_non_null(strstr(text, "filterd_unjudged_total 1\n"));
    assert_non_null(strstr(text, "filterd_judged_bytes_total 5\n"));
    assert_non_null(strstr(text, "filterd_stage_seconds_count{stage=\"scan\"} 2\n"));
}

static void how_long_exchanges_took_is_known_to_a_quarter(void **state)
{
    static const struct {
        uint64_t ns;
        size_t bucket;
    } cases[] = {{0, 0}, {1023, 0}, {1024, 0}, {1279, 0}, {1280, 1}, {2047, 3}, {2048, 4}, {100000, 26}, {1000000, 39},
                 {UINT64_C(17179869183), 95}, {UINT64_C(17179869184), 95}, {UINT64_MAX, 95}};
    const struct exchange allowed = {.action = ACTION_ALLOW};
    uint64_t buckets[METRICS_ELAPSED];

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        metrics = (struct metrics){0};
        metrics_count_exchange(&metrics, &allowed, cases[i].ns);
        metrics_sum_elapsed(&metrics, buckets);
        for (size_t k = 0; k < METRICS_ELAPSED; k++) {
            assert_int_equal(buckets[k], k == cases[i].bucket);
        }
    }
}

static void answers_are_counted_by_route_and_status(void **state)
{
    (void)state;
    metrics_count_answer(&metrics, 1, 200);
    metrics_count_answer(&metrics, 1, 422);
    metrics_count_answer(&metrics, 0, 404);
    metrics_count_answer(&metrics, 0, 999); /* no such counter: nothing happens */
    const char *text = written();
    assert_non_null(strstr(text, "filterd_answers_total{route=\"filter\",status=\"200\"} 1\n"));
    assert_non_null(strstr(text, "filterd_answers_total{route=\"filter\",status=\"422\"} 1\n"));
    assert_non_null(strstr(text, "filterd_answers_total{route=\"none\",status=\"404\"} 1\n"));
}

static void *count_answer(void *unused)
{
    metrics_count_answer(&metrics, 1, 200);
    return unused;
}

static void what_threads_counted_is_added_up(void **state)
{
    enum { THREADS = METRICS_TALLIES + 1 }; /* so that two share one */
    pthread_t threads[THREADS];
    (void)state;
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, count_answer, NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_non_null(
        strstr(written(), "filterd_answers_total{route=\"filter\",status=\"200\"} 9\n"));
}

static void upstream_errors_are_counted_by_kind(void **state)
{
    (void)state;
    static const struct {
        enum upstream_error error;
        const char *line;
    } kinds[] = {
        {UPSTREAM_RESOLVE, "filterd_upstream_errors_total{kind=\"resolve\"} 1\n"},
        {UPSTREAM_CONNECT, "filterd_upstream_errors_total{kind=\"connect\"} 2\n"},
        {UPSTREAM_TLS, "filterd_upstream_errors_total{kind=\"tls\"} 3\n"},
        {UPSTREAM_TIMEOUT, "filterd_upstream_errors_total{kind=\"timeout\"} 4\n"},
        {UPSTREAM_BROKEN, "filterd_upstream_errors_total{kind=\"broken\"} 5\n"},
        {UPSTREAM_LIMIT, "filterd_upstream_errors_total{kind=\"limit\"} 6\n"},
        {UPSTREAM_MALFORMED, "filterd_upstream_errors_total{kind=\"malformed\"} 7\n"},
        {UPSTREAM_STATUS, "filterd_upstream_errors_total{kind=\"status\"} 8\n"},
    };

    assert_int_equal(COUNT(kinds), UPSTREAM_ERRORS);
    for (size_t i = 0; i < COUNT(kinds); i++) {
        metrics.proxy.errors[kinds[i].error] = i + 1;
    }
    const char *text = written();
    for (size_t i = 0; i < COUNT(kinds); i++) {
        assert_non_null(strstr(text, kinds[i].line));
    }
}

static void every_series_has_its_type(void **state)
{
    (void)state;
    char *line = NULL, *rest = NULL;
    char typed[64] = "";
    char *text = strdup(written());

    assert_non_null(text);
    for (line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        if (strncmp(line, "# TYPE ", 7) == 0) {
            (void)snprintf(typed, sizeof(typed), "%.*s", (int)strcspn(line + 7, " "), line + 7);
        } else if (line[0] != '#') {
            assert_int_equal(strncmp(line, typed, strlen(typed)), 0);
        }
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_bucket_counts_what_is_not_longer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(exchanges_are_counted_by_action, set_up, tear_down),
        cmocka_unit_test_setup_teardown(how_long_exchanges_took_is_known_to_a_quarter, set_up, tear_down),
        cmocka_unit_test_setup_teardown(answers_are_counted_by_route_and_status, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_threads_counted_is_added_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(upstream_errors_are_counted_by_kind, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_series_has_its_type, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
