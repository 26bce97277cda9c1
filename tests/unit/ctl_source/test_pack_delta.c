#include "testing.h"

#include "ctl/source/pack_delta.h"

#define TEXT(literal) span_of(literal, sizeof(literal) - 1)

static const char base[] = "0123456789";

static bool apply(struct span delta, char *to, size_t room)
{
    struct error err;
    size_t len;

    if (!pack_delta_begin(&delta, sizeof(base) - 1, &len, &err)) {
        return false;
    }
    assert_in_range(len, 0, room);
    memset(to, 0, room);
    return pack_delta_apply(delta, TEXT(base), to, len, &err);
}

static void copies_and_what_is_new_make_the_content(void **state)
{
    char to[64];

    (void)state;
    assert_true(apply(TEXT("\x0a\x05\x05hello"), to, sizeof(to)));
    assert_string_equal(to, "hello");
    assert_true(apply(TEXT("\x0a\x0a\x90\x0a"), to, sizeof(to))); /* no offset: 0 */
    assert_string_equal(to, base);
    assert_true(apply(TEXT("\x0a\x08\x91\x06\x04\x02xy\x91\x00\x02"), to, sizeof(to)));
    assert_string_equal(to, "6789xy01");
    assert_true(apply(TEXT("\x0a\x00"), to, sizeof(to)));
    assert_string_equal(to, "");
}

static void a_copy_without_a_size_has_64_kib(void **state)
{
    enum { LEN = 0x10000 };
    static char large[LEN + 2], to[LEN];
    struct span delta = TEXT("\x82\x80\x04\x80\x80\x04\x81\x02");
    struct error err;
    size_t len;

    (void)state;
    memset(large, 'a', sizeof(large));
    large[2] = 'b';
    assert_true(pack_delta_begin(&delta, sizeof(large), &len, &err));
    assert_int_equal(len, LEN);
    assert_true(pack_delta_apply(delta, span_of(large, sizeof(large)), to, len, &err));
    assert_memory_equal(to, large + 2, LEN);
}

/* Each is cut, or says what is not so. */
static void what_is_not_intact_is_refused(void **state)
{
    static const struct span deltas[] = {
        {"", 0},
        {"\x0a", 1},
        {"\x8a", 1},
        {"\x0b\x01\x01x", 4},             /* another base */
        {"\x0a\x05\x05hell", 7},           /* less than it says */
        {"\x0a\x06\x05hello", 8},          /* less than the content */
        {"\x0a\x04\x05hello", 8},          /* more than the content */
        {"\x0a\x01\x00", 3},               /* reserved */
        {"\x0a\x01\x91\x0a\x01", 5},       /* behind the base */
        {"\x0a\x02\x91\x09\x02", 5},       /* over its end */
        {"\x0a\x01\x9f\xff\xff\xff\xff\x01", 8},
        {"\x0a\x01\x91\x00", 4},           /* no size */
        {"\x0a\x01\xff\x00\x00", 5},
        {"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12},
    };
    char to[64];

    (void)state;
    for (size_t i = 0; i < COUNT(deltas); i++) {
        assert_false(apply(deltas[i], to, sizeof(to)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_and_what_is_new_make_the_content),
        cmocka_unit_test(a_copy_without_a_size_has_64_kib),
        cmocka_unit_test(what_is_not_intact_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
