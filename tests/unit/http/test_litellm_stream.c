#include "testing.h"

#include "http/litellm_stream.h"

static size_t held(const char *released, const char *output)
{
    struct buf text;
    struct litellm_stream s = {.released = &text, .n = 1};
    struct error err;

    buf_init(&text, 1000);
    assert_true(buf_append_str(&text, released, &err));
    size_t n = litellm_stream_held(&s, 0, span_str(output));
    buf_deinit(&text);
    return n;
}

static void held_is_what_the_stream_has_not_released(void **state)
{
    (void)state;
    assert_int_equal(held("use [key] ", "use [key] now"), 3);
    assert_int_equal(held("use ", "use [key]"), 5);
    assert_int_equal(held("all", "all"), 0);
    assert_int_equal(held("", ""), 0);
}

static void it_is_counted_in_code_points(void **state)
{
    (void)state;
    assert_int_equal(held("é", "éé\xf0\x9f\x98\x80x"), 3);
}

static void all_is_held_when_nothing_is_known(void **state)
{
    (void)state;
    const struct litellm_stream none = {0};

    assert_int_equal(litellm_stream_held(&none, 0, span_str("text")), 4);
    assert_int_equal(litellm_stream_held(&none, 7, span_str("é")), 1);
    assert_int_equal(held("other", "text"), 4);
    assert_int_equal(held("text and more", "text"), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_is_what_the_stream_has_not_released),
        cmocka_unit_test(it_is_counted_in_code_points),
        cmocka_unit_test(all_is_held_when_nothing_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
