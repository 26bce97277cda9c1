/* test_traffic.c - rows by upstream, protocol and policy: found again, bounded, escaped. */
#include "testing.h"

#include <pthread.h>
#include <stdio.h>

#include "upstream/traffic.h"

static const char *const actions[TRAFFIC_ACTIONS] = {"block", "redact", "allow"};
static const char *const kinds[TRAFFIC_KINDS] = {"k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"};
static struct traffic traffic;
static struct buf out;
static struct error err;

static struct traffic_row *row(const char *upstream, const char *protocol, const char *policy)
{
    return traffic_row(&traffic, span_str(upstream), span_str(protocol), span_str(policy));
}

static const char *written(void)
{
    buf_clear(&out);
    assert_true(traffic_write(&traffic, actions, kinds, &out, &err));
    assert_true(buf_append_char(&out, '\0', &err));
    return out.data;
}

static int set_up(void **state)
{
    (void)state;
    memset(&traffic, 0, sizeof(traffic));
    buf_init(&out, 1 << 22);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    buf_deinit(&out);
    return 0;
}

static void each_combination_has_one_row(void **state)
{
    (void)state;
    struct traffic_row *a = row("ai", "openai", "default");

    assert_ptr_equal(a, row("ai", "openai", "default"));
    assert_ptr_not_equal(a, row("ai", "openai", "strict"));
    assert_ptr_not_equal(a, row("ai2", "openai", "default"));
    assert_ptr_not_equal(a, row("ai", "ollama", "default"));
    assert_ptr_not_equal(a, row("", "", "default"));
    assert_int_equal(traffic.n, 5);
}

static void rows_are_written_with_their_labels(void **state)
{
    (void)state;
    struct traffic_row *r = row("ai", "openai", "default");
    atomic_fetch_add(&r->actions[1], 3);
    atomic_fetch_add(&r->failures[7], 2);
    atomic_fetch_add(&r->answers, 2);
    atomic_fetch_add(&r->first_byte_ns, 1500000000);
    atomic_fetch_add(&row("", "", "a\"b\\c\n")->actions[2], 1);
    const char *text = written();

    assert_non_null(strstr(text, "filterd_verdicts_total{upstream=\"ai\",protocol=\"openai\",policy=\"default\",action=\"redact\"} 3\n"));
    assert_non_null(strstr(text, "filterd_upstream_failures_total{upstream=\"ai\",protocol=\"openai\",policy=\"default\",kind=\"k7\"} 2\n"));
    assert_non_null(strstr(text, "filterd_upstream_first_byte_seconds_sum{upstream=\"ai\",protocol=\"openai\",policy=\"default\",} 1.500000000\n"));
    assert_non_null(strstr(text, "filterd_upstream_first_byte_seconds_count{upstream=\"ai\",protocol=\"openai\",policy=\"default\",} 2\n"));
    assert_non_null(strstr(text, "policy=\"a\\\"b\\\\c\\n\",action=\"allow\"} 1\n"));
    assert_null(strstr(text, "action=\"block\""));
}

static void rows_are_bounded(void **state)
{
    (void)state;
    char name[2 * TRAFFIC_NAME_MAX];

    for (size_t i = 0; i < 2 * TRAFFIC_ROWS_MAX; i++) {
        (void)snprintf(name, sizeof(name), "u%zu", i);
        atomic_fetch_add(&row(name, "openai", "default")->actions[0], 1);
    }
    assert_int_equal(traffic.n, TRAFFIC_ROWS_MAX);
    assert_non_null(strstr(written(), "filterd_verdicts_total{upstream=\"other\",protocol=\"other\",policy=\"other\",action=\"block\"} 512\n"));
}

static void a_long_name_is_cut_and_found_again(void **state)
{
    (void)state;
    char name[2 * TRAFFIC_NAME_MAX];

    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    assert_ptr_equal(row(name, "p", "q"), row(name, "p", "q"));
    assert_int_equal(strlen(row(name, "p", "q")->upstream), TRAFFIC_NAME_MAX);
    assert_int_equal(traffic.n, 1);
}

static void *add_rows(void *context)
{
    char name[32];

    (void)context;
    for (size_t i = 0; i < 1000; i++) {
        (void)snprintf(name, sizeof(name), "u%zu", i % 100);
        atomic_fetch_add(&row(name, "openai", "default")->actions[0], 1);
    }
    return NULL;
}

static void threads_that_add_the_same_row_share_it(void **state)
{
    (void)state;
    pthread_t threads[4];
    uint64_t sum = 0;

    for (size_t i = 0; i < COUNT(threads); i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, add_rows, NULL), 0);
    }
    for (size_t i = 0; i < COUNT(threads); i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_int_equal(traffic.n, 100);
    for (size_t i = 0; i < traffic.n; i++) {
        sum += traffic.rows[i].actions[0];
    }
    assert_int_equal(sum, 4000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_combination_has_one_row, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_are_written_with_their_labels, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_are_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_long_name_is_cut_and_found_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(threads_that_add_the_same_row_share_it, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
