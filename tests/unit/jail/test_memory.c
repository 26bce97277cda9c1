/* The allocator of the jail's release, under other names: this test has the C library's own. */
#include "testing.h"

#include "base/span.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void *jail_malloc(size_t size);
void jail_free(void *memory);
void *jail_calloc(size_t n, size_t size);
void *jail_realloc(void *memory, size_t size);
void *jail_aligned_alloc(size_t alignment, size_t size);

#define malloc jail_malloc
#define free jail_free
#define calloc jail_calloc
#define realloc jail_realloc
#define aligned_alloc jail_aligned_alloc
#include "jail/musl/memory.c"
#undef malloc
#undef free
#undef calloc
#undef realloc
#undef aligned_alloc

static const size_t sizes[] = {0, 1, 47, 48, 49, 4000, 16368, 16369, 100000, 3000000};

static void blocks_are_aligned_and_apart(void **state)
{
    unsigned char *blocks[COUNT(sizes)];

    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        blocks[i] = jail_malloc(sizes[i]);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 16, 0);
        memset(blocks[i], (int)i + 1, sizes[i]);
    }
    for (size_t i = 0; i < COUNT(sizes); i++) {
        for (size_t at = 0; at < sizes[i]; at++) {
            assert_int_equal(blocks[i][at], i + 1);
        }
        jail_free(blocks[i]);
    }
}

static void a_freed_block_is_used_again_and_calloc_clears_it(void **state)
{
    unsigned char *first = jail_malloc(1000);

    (void)state;
    memset(first, 0xff, 1000);
    jail_free(first);
    unsigned char *again = jail_calloc(10, 100);
    assert_ptr_equal(again, first);
    for (size_t i = 0; i < 1000; i++) {
        assert_int_equal(again[i], 0);
    }
    jail_free(again);
}

static void realloc_keeps_what_was_there(void **state)
{
    unsigned char *b = jail_realloc(NULL, 10);

    (void)state;
    memset(b, 7, 10);
    for (size_t size = 20; size < 1000000; size *= 3) {
        b = jail_realloc(b, size);
        assert_non_null(b);
        for (size_t i = 0; i < 10; i++) {
            assert_int_equal(b[i], 7);
        }
    }
    jail_free(b);
    jail_free(NULL);
}

static void more_than_there_is_fails(void **state)
{
    (void)state;
    errno = 0;
    assert_null(jail_malloc(SIZE_MAX));
    assert_int_equal(errno, ENOMEM);
    assert_null(jail_calloc(SIZE_MAX / 2, 3));
    assert_null(jail_malloc((size_t)1 << 60));
    assert_null(jail_aligned_alloc(4096, 4096));
    void *b = jail_aligned_alloc(16, 100);
    assert_non_null(b);
    jail_free(b);
}

/* How a process ends that frees `b` `times` over. */
static int end_of(char *b, int times)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        (void)close(STDERR_FILENO);
        for (int i = 0; i < times; i++) {
            jail_free(b);
        }
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void what_was_not_given_out_is_not_taken_back(void **state)
{
    char *b = jail_malloc(100);

    (void)state;
    memset(b, 0, 100);
    assert_int_equal(end_of(b, 1), 0);
    int twice = end_of(b, 2), inside = end_of(b + 16, 1), between = end_of(b + 1, 1);
    assert_true(WIFSIGNALED(twice) && WTERMSIG(twice) == SIGABRT);
    assert_true(WIFSIGNALED(inside) && WTERMSIG(inside) == SIGABRT);
    assert_true(WIFSIGNALED(between) && WTERMSIG(between) == SIGABRT);
    jail_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_and_apart),
        cmocka_unit_test(a_freed_block_is_used_again_and_calloc_clears_it),
        cmocka_unit_test(realloc_keeps_what_was_there),
        cmocka_unit_test(more_than_there_is_fails),
        cmocka_unit_test(what_was_not_given_out_is_not_taken_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
