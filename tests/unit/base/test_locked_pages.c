/* Locked memory is locked and out of core dumps, and what it held is nowhere in the process once it is given back. */
#include "testing.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/locked_pages.h"
#include "support/process_memory.h"

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

static void buffers_for_text_are_locked_from_then_on(void **state)
{
    char secret[SECRET];
    struct error err;
    struct buf before, after;

    (void)state;
    buf_init_text(&before, 1 << 20);
    assert_false(before.is_locked);
    buf_lock_texts();
    buf_init_text(&after, 1 << 20);
    assert_true(after.is_locked);
    put_secret(secret);
    for (unsigned i = 0; i < 1000; i++) {
        char *was = after.data;
        size_t room = after.cap - after.len;
        assert_true(buf_append(&after, span_of(secret, SECRET), &err));
        assert_true(was == after.data || room < SECRET); /* its pages are used whole */
        assert_true(after.cap % (size_t)sysconf(_SC_PAGESIZE) == 0);
    }
    explicit_bzero(secret, sizeof(secret));
    assert_true(count_in_process() >= 1000);
    buf_deinit(&after);
    assert_int_equal(count_in_process(), 0);
    /* The greatest length is not a whole page's. */
    buf_init_text(&after, 5000);
    for (unsigned i = 0; i < 5000; i++) {
        assert_true(buf_append_char(&after, 'x', &err));
    }
    assert_false(buf_append_char(&after, 'x', &err));
    assert_int_equal(after.cap, 5000);
    buf_deinit(&after);
    buf_deinit(&before);
}

/* In a process without the right to exceed the limit. */
static void the_limit_of_locked_memory_is_noticed(void **state)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) /* their mlock does nothing */
    (void)state;
    skip();
#else
    const struct rlimit none = {0, 0};
    int status = 0;

    (void)state;
    assert_false(atomic_load(&locked_pages_exceeded));
    pid_t child = fork();
    if (child == 0) {
        bool is_ready = setrlimit(RLIMIT_MEMLOCK, &none) == 0 && (geteuid() != 0 || setresuid(65534, 65534, 65534) == 0);
        void *pages = is_ready ? locked_pages_new(locked_pages_size(1)) : NULL;
        _exit(pages != NULL && atomic_load(&locked_pages_exceeded) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
#endif
}

static void pages_that_are_kept_are_locked_and_empty(void **state)
{
    size_t size = locked_pages_size(1);
    char *first[20], *pages;

    (void)state;
    for (size_t i = 0; i < COUNT(first); i++) {
        first[i] = locked_pages_new(size);
        memset(first[i], 'x', size);
    }
    for (size_t i = 0; i < COUNT(first); i++) {
        locked_pages_free(first[i], size);
    }
    for (size_t i = 0; i < COUNT(first); i++) {
        pages = first[i] = locked_pages_new(size);
        assert_true(pages[0] == '\0' && memcmp(pages, pages + 1, size - 1) == 0);
        assert_true(has_flags(pages, " dd"));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        assert_true(has_flags(pages, " lo"));
#endif
        for (size_t k = 0; k < i; k++) {
            assert_ptr_not_equal(first[k], pages);
        }
    }
    for (size_t i = 0; i < COUNT(first); i++) {
        locked_pages_free(first[i], size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_that_are_kept_are_locked_and_empty),
        cmocka_unit_test(pages_are_locked_and_not_dumped),
        cmocka_unit_test(the_limit_of_locked_memory_is_noticed),
        cmocka_unit_test(buffers_for_text_are_locked_from_then_on),
        cmocka_unit_test(a_locked_buffer_leaves_nothing),
        cmocka_unit_test(a_locked_arena_leaves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
