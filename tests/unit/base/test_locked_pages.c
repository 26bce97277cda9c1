/* Locked memory is locked and out of core dumps, and what it held is nowhere in the process once it is given back. */
#include "testing.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/locked_pages.h"

enum { SECRET = 24, STEP = 1 << 20, KEY = 0x5a, AREA_MAX = 1 << 30 };

/* Never in memory as it is, but where a test puts it. */
static const unsigned char hidden[SECRET] = {0x2b, 0x69, 0x2e, 0x30, 0x6c, 0x02, 0x2f, 0x6b, 0x68, 0x39, 0x3b, 0x0d,
                                             0x11, 0x22, 0x33, 0x6e, 0x6a, 0x1b, 0x2c, 0x3d, 0x4e, 0x1f, 0x70, 0x21};

static void put_secret(volatile char *out)
{
    for (size_t i = 0; i < SECRET; i++) {
        out[i] = (char)(hidden[i] ^ KEY);
    }
}

static size_t count_in(const unsigned char *bytes, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; i + SECRET <= len; i++) {
        size_t k = 0;
        while (k < SECRET && (bytes[i + k] ^ KEY) == hidden[k]) {
            k++;
        }
        n += k == SECRET;
    }
    return n;
}

/* In all writable memory of the process but what it is read into, and the shadow of a sanitizer, which is terabytes. */
static size_t count_in_process(void)
{
    static unsigned char bytes[STEP + SECRET];
    FILE *maps = fopen("/proc/self/maps", "re");
    int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    char line[512], mode[5];
    unsigned long from, to;
    size_t n = 0;

    assert_non_null(maps);
    assert_true(mem >= 0);
    while (fgets(line, sizeof(line), maps) != NULL) {
        if (sscanf(line, "%lx-%lx %4s", &from, &to, mode) != 3 || strncmp(mode, "rw", 2) != 0 || to - from > AREA_MAX) {
            continue;
        }
        for (unsigned long at = from; at < to; at += STEP) {
            bool is_own = at < (unsigned long)(bytes + sizeof(bytes)) && at + STEP + SECRET > (unsigned long)bytes;
            size_t len = to - at < STEP + SECRET - 1 ? to - at : STEP + SECRET - 1;
            ssize_t got = is_own ? 0 : pread(mem, bytes, len, (off_t)at);
            n += got > 0 ? count_in(bytes, (size_t)got) : 0;
            explicit_bzero(bytes, sizeof(bytes));
        }
    }
    (void)fclose(maps);
    (void)close(mem);
    return n;
}

static bool has_flags(const void *address, const char *wanted)
{
    FILE *maps = fopen("/proc/self/smaps", "re");
    char line[512];
    unsigned long from = 0, to = 0, a, b;
    bool has = false;

    assert_non_null(maps);
    while (fgets(line, sizeof(line), maps) != NULL) {
        if (sscanf(line, "%lx-%lx ", &a, &b) == 2 && strchr(line, '-') != NULL && strncmp(line, "VmFlags", 7) != 0) {
            from = a;
            to = b;
        }
        bool is_it = (unsigned long)address >= from && (unsigned long)address < to;
        has = has || (is_it && strncmp(line, "VmFlags", 7) == 0 && strstr(line, wanted) != NULL);
    }
    (void)fclose(maps);
    return has;
}

static void pages_are_locked_and_not_dumped(void **state)
{
    size_t size = locked_pages_size(5000);
    char *pages = locked_pages_new(size);

    (void)state;
    assert_non_null(pages);
    assert_int_equal(size % (size_t)sysconf(_SC_PAGESIZE), 0);
    assert_true(has_flags(pages, " dd"));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* their mlock does nothing */
    assert_true(has_flags(pages, " lo"));
#endif
    void *plain = malloc(64);
    assert_false(has_flags(plain, " dd"));
    free(plain);
    locked_pages_free(pages, size);
}

/* A plain buffer leaves what it moved from: the search sees it. */
static void a_locked_buffer_leaves_nothing(void **state)
{
    char secret[SECRET];
    struct error err;
    struct buf b;

    (void)state;
    buf_init(&b, 1 << 20);
    buf_lock(&b);
    put_secret(secret);
    for (size_t i = 0; i < 20000; i++) {
        assert_true(buf_append(&b, span_of(secret, SECRET), &err));
    }
    explicit_bzero(secret, sizeof(secret));
    assert_true(count_in_process() >= 20000);
    assert_true(has_flags(b.data, " dd"));
    buf_wipe(&b);
    assert_int_equal(count_in_process(), 0);
    put_secret(b.data);
    buf_deinit(&b);
    assert_int_equal(count_in_process(), 0);
    assert_true(b.is_locked);
    assert_true(buf_append_str(&b, "again", &err));
    assert_true(has_flags(b.data, " dd"));
    buf_deinit(&b);
}

static void a_locked_arena_leaves_nothing(void **state)
{
    struct error err;
    struct arena a;

    (void)state;
    arena_init(&a, 64 * 1024, 1 << 24);
    assert_non_null(arena_alloc(&a, 100, &err));
    arena_lock(&a);
    for (size_t i = 0; i < 3000; i++) {
        char *memory = arena_alloc(&a, i == 1000 ? 100000 : 200, &err);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % 16, 0);
        put_secret(memory);
    }
    assert_true(count_in_process() >= 3000);
    arena_reset(&a);
    assert_int_equal(count_in_process(), 0);
    char *memory = arena_alloc(&a, 300, &err);
    assert_non_null(memory);
    assert_true(has_flags(memory, " dd"));
    put_secret(memory);
    arena_deinit(&a);
    assert_int_equal(count_in_process(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_locked_and_not_dumped),
        cmocka_unit_test(a_locked_buffer_leaves_nothing),
        cmocka_unit_test(a_locked_arena_leaves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
