#include "testing.h"

#include <stdio.h>

#include "ctl/source/contents.h"

enum { ROOM = 100 };

static struct content *made(size_t len)
{
    static const char bytes[ROOM + 2] = "0123456789";
    struct error err;
    struct content *c = content_new(span_of(bytes, len), &err);

    assert_non_null(c);
    return c;
}

/* As check_history does: read, kept, given away. */
static void put(struct contents *c, const char *id, size_t len)
{
    struct content *content = made(len);

    contents_put(c, span_str(id), content);
    content_release(content);
}

static bool take(struct contents *c, const char *id)
{
    struct content *content = contents_take(c, span_str(id));

    content_release(content);
    return content != NULL;
}

static void expect(struct contents *c, const char *id)
{
    struct error err;

    assert_true(contents_expect(c, span_str(id), &err));
}

static void a_content_is_kept_until_its_last_use(void **state)
{
    struct contents c;

    (void)state;
    contents_init(&c, ROOM);
    expect(&c, "aa");
    expect(&c, "aa");
    put(&c, "aa", 10);
    assert_int_equal(c.bytes, 10);
    assert_true(take(&c, "aa"));
    assert_int_equal(c.bytes, 10);
    assert_true(take(&c, "aa"));
    assert_int_equal(c.bytes, 0);
    assert_false(take(&c, "aa"));
    contents_deinit(&c);
}

static void what_no_version_replaces_is_not_kept(void **state)
{
    struct contents c;

    (void)state;
    contents_init(&c, ROOM);
    put(&c, "aa", 10);
    assert_false(take(&c, "aa"));
    expect(&c, "bb");
    put(&c, "cc", 10);
    assert_int_equal(c.bytes, 0);
    assert_false(take(&c, "cc"));
    assert_false(take(&c, "bb")); /* it was never read, and is not waited for any more */
    put(&c, "bb", 10);
    assert_int_equal(c.bytes, 0);
    contents_deinit(&c);
}

static void older_ones_make_room(void **state)
{
    struct contents c;

    (void)state;
    contents_init(&c, ROOM);
    expect(&c, "aa");
    expect(&c, "bb");
    expect(&c, "cc");
    expect(&c, "dd");
    put(&c, "aa", 40);
    put(&c, "bb", 40);
    put(&c, "cc", 40);
    assert_int_equal(c.bytes, 80);
    assert_false(take(&c, "aa"));
    assert_true(take(&c, "bb"));
    put(&c, "dd", ROOM + 1); /* more than there is room for */
    assert_false(take(&c, "dd"));
    assert_true(take(&c, "cc"));
    assert_int_equal(c.bytes, 0);
    contents_deinit(&c);
}

/* A content that was taken outlives the contents. */
static void a_holder_keeps_its_content(void **state)
{
    struct contents c;

    (void)state;
    contents_init(&c, ROOM);
    expect(&c, "aa");
    expect(&c, "aa");
    put(&c, "aa", 10);
    struct content *held = contents_take(&c, span_str("aa"));
    contents_deinit(&c);
    assert_int_equal(held->len, 10);
    assert_memory_equal(held->bytes, "0123456789", held->len);
    content_release(held);
}

/* More ids than there are slots at first, kept and taken out of order. */
static void many_are_kept(void **state)
{
    enum { N = 1000 };
    static char ids[N][8];
    struct contents c;

    (void)state;
    contents_init(&c, N);
    for (size_t i = 0; i < N; i++) {
        (void)snprintf(ids[i], sizeof(ids[i]), "%zu", i);
        expect(&c, ids[i]);
    }
    for (size_t i = 0; i < N; i++) {
        put(&c, ids[i], 1);
    }
    assert_int_equal(c.bytes, N);
    for (size_t i = 0; i < N; i++) {
        assert_true(take(&c, ids[i * 7 % N]));
    }
    assert_int_equal(c.bytes, 0);
    assert_int_equal(c.oldest, 0);
    assert_int_equal(c.newest, 0);
    contents_deinit(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_content_is_kept_until_its_last_use),
        cmocka_unit_test(what_no_version_replaces_is_not_kept),
        cmocka_unit_test(older_ones_make_room),
        cmocka_unit_test(a_holder_keeps_its_content),
        cmocka_unit_test(many_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
