/* test_stream_whole.c - a stream of which nothing is taken before its end. */
#include "stream_testing.h"

/* However it comes, it leaves as if it had come as one chunk. */
static void it_leaves_at_its_end(void **state)
{
    static char words[9000];
    struct fixture f = {.options.is_taken_whole = true};

    (void)state;
    memset(words, 'a', sizeof(words) - 1);
    for (size_t i = 5; i < sizeof(words) - 1; i += 6) {
        words[i] = ' ';
    }
    start(&f);
    feed(&f, "the key AKIAQ3EGR7", "");
    feed(&f, "KJ2MXW5TZB and ", "");
    assert_int_equal(stream_held(f.stream), 33);
    finish(&f, STREAM_COMPLETE, "the key [aws] and ");
    assert_int_equal(stream_action(f.stream), ACTION_REDACT);
    end(&f);
    start(&f);
    feed(&f, "the key ", "");
    feed(&f, "dead-abcdef", "");
    finish(&f, STREAM_COMPLETE, "");
    assert_int_equal(stream_action(f.stream), ACTION_BLOCK);
    end(&f);
    start(&f);
    feed(&f, "it is ", "");
    finish(&f, STREAM_TRUNCATED, "it is ");
    end(&f);
    start(&f);
    stream_feed(f.stream, f.channel, judge.worker, span_str(words), &f.out);
    assert_true(stream_held(f.stream) < 10); /* a long one leaves before its end */
    end(&f);
}

/* What could have left is not held against it. */
static void it_may_hold_as_much_as_another(void **state)
{
    struct fixture f = {.options = {.is_taken_whole = true, .hold_max = 30}};

    (void)state;
    start(&f);
    feed(&f, "these are thirty bytes ", "");
    feed(&f, "and more AKIA", "these are thirty bytes and more ");
    feed(&f, "Q3EGR7KJ2MXW5TZB ", "");
    finish(&f, STREAM_COMPLETE, "[aws] ");
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_leaves_at_its_end),
        cmocka_unit_test(it_may_hold_as_much_as_another),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
