/* test_stream_prepare.c - a service pays for its first stream before that begins. */
#include "testing.h"

#include <malloc.h>

#include "pipeline/load.h"
#include "pipeline/stream.h"
#include "support/shipped.h"

/* Sanitizers' allocators do not count: 0. */
static size_t bytes_in_use(void)
{
    struct mallinfo2 m = mallinfo2();

    return m.uordblks + m.hblkhd;
}

/* What stays of a stream of that policy, when it has ended. */
static size_t left_by_stream(struct snapshot *s, const struct policy *policy)
{
    const struct stream_options options = {.snapshot = s, .policy = policy, .text_max = 1 << 20, .hold_max = 1 << 20};
    struct error err;
    size_t before = bytes_in_use();
    struct stream *stream = stream_new(&options, &err);

    assert_non_null(stream);
    stream_free(stream);
    size_t after = bytes_in_use(); /* caches of freed memory move it by little, either way */
    return after > before ? after - before : 0;
}

static void the_first_stream_of_a_policy_finds_what_it_needs(void **state)
{
    enum { LITTLE = 64 * 1024 };
    const struct rule_set_options options = shipped_options();
    struct error err;
    struct snapshot *s = snapshot_open(NULL, NULL, &options, &err);
    size_t before = bytes_in_use();

    (void)state;
    assert_non_null(s);
    stream_prepare(s);
    assert_true(bytes_in_use() == 0 || bytes_in_use() - before > LITTLE);
    for (size_t i = 0; i < s->n_policies; i++) {
        assert_in_range(left_by_stream(s, &s->policies[i]), 0, LITTLE);
    }
    snapshot_unref(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_stream_of_a_policy_finds_what_it_needs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
