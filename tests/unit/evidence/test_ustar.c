/* Archives of plain files: written as POSIX has them, and read as strictly. */
#include "testing.h"

#include "base/buf.h"
#include "evidence/ustar.h"

enum { ARCHIVE_MAX = 64 * 1024 };

static const char zeros[2 * USTAR_BLOCK];

static void add(struct buf *out, const char *name, const char *text)
{
    char block[USTAR_BLOCK];
    struct error err;
    size_t len = strlen(text);

    assert_true(ustar_header(name, len, block, &err));
    assert_true(buf_append(out, span_of(block, sizeof(block)), &err) && buf_append_str(out, text, &err) &&
                buf_append(out, span_of(zeros, (USTAR_BLOCK - len % USTAR_BLOCK) % USTAR_BLOCK), &err));
}

static void end(struct buf *out)
{
    struct error err;
    assert_true(buf_append(out, span_of(zeros, sizeof(zeros)), &err));
}

/* How many files; -1: it is no archive. */
static int count(struct span bytes)
{
    struct ustar_reader r = {.rest = bytes};
    struct ustar_entry e;
    struct error err;

    for (int n = 0; ustar_next(&r, &e, &err); n++) {
        if (e.name.len == 0) {
            return n;
        }
    }
    return -1;
}

static void files_are_read_as_they_were_written(void **state)
{
    struct ustar_reader r;
    struct ustar_entry e;
    struct error err;
    struct buf b;

    (void)state;
    buf_init(&b, ARCHIVE_MAX);
    add(&b, "README.txt", "hello\n");
    add(&b, "proofs/1.txt", "");
    end(&b);
    r = (struct ustar_reader){.rest = buf_span(&b)};
    assert_true(ustar_next(&r, &e, &err) && span_is(e.name, "README.txt") && span_is(e.content, "hello\n"));
    assert_true(ustar_next(&r, &e, &err) && span_is(e.name, "proofs/1.txt") && e.content.len == 0);
    assert_true(ustar_next(&r, &e, &err) && e.name.len == 0);
    buf_deinit(&b);
}

static void names_stay_below_the_folder(void **state)
{
    static const char *const names[] = {"", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", ".a", "a/.b", "a b", "a\n", "\xc3\xa4"};
    char block[USTAR_BLOCK], longest[USTAR_NAME_MAX + 1];
    struct error err;

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_false(ustar_header(names[i], 0, block, &err));
    }
    memset(longest, 'a', sizeof(longest));
    longest[USTAR_NAME_MAX] = '\0';
    assert_false(ustar_header(longest, 0, block, &err));
    longest[USTAR_NAME_MAX - 1] = '\0';
    assert_true(ustar_header(longest, USTAR_SIZE_MAX, block, &err));
    assert_false(ustar_header("a", USTAR_SIZE_MAX + 1, block, &err));
}

static void files_come_in_order_each_once(void **state)
{
    static const char *const names[][2] = {{"b", "a"}, {"a", "a"}, {"a/b", "a"}};

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        struct buf b;
        buf_init(&b, ARCHIVE_MAX);
        add(&b, names[i][0], "x");
        add(&b, names[i][1], "x");
        end(&b);
        assert_int_equal(count(buf_span(&b)), -1);
        buf_deinit(&b);
    }
}

/* Any byte of a header that changes, and any length but its own. */
static void what_was_changed_is_no_archive(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b, ARCHIVE_MAX);
    add(&b, "a", "text");
    end(&b);
    assert_int_equal(count(buf_span(&b)), 1);
    for (size_t i = 0; i < USTAR_BLOCK; i++) {
        b.data[i] ^= 1;
        if (count(buf_span(&b)) != -1 && i != 154 && i != 155) { /* the two bytes behind the checksum's digits */
            fail_msg("byte %zu of the header says nothing", i);
        }
        b.data[i] ^= 1;
    }
    b.data[USTAR_BLOCK + 10] = 'x'; /* behind the end of the file */
    assert_int_equal(count(buf_span(&b)), -1);
    b.data[USTAR_BLOCK + 10] = '\0';
    for (size_t len = 0; len < b.len; len += 64) {
        assert_int_equal(count(span_of(b.data, len)), -1);
    }
    end(&b);
    assert_int_equal(count(buf_span(&b)), -1);
    buf_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read_as_they_were_written),
        cmocka_unit_test(names_stay_below_the_folder),
        cmocka_unit_test(files_come_in_order_each_once),
        cmocka_unit_test(what_was_changed_is_no_archive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
