#include "base/buf.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/locked_pages.h"

enum { BUF_FIRST_CAPACITY = 256, BUF_TIGHT_STEP = 128, BUF_TIGHT_MAX = 4096 };

atomic_bool locked_pages_exceeded;
static atomic_bool locks_texts;

/* --- locked pages ----------------------------------------------------------------- */

/* Sizes in pages, and how many of each are kept: 1.2 MiB at most. */
enum { KEPT_SIZES = 8, KEPT_MAX = 8 };

struct kept {
    struct kept *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept *kept[KEPT_SIZES];
static unsigned n_kept[KEPT_SIZES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Pages that a child of fork inherits are not locked. */
static void forget(void)
{
    (void)pthread_mutex_init(&lock, NULL);
    memset(kept, 0, sizeof(kept));
    memset(n_kept, 0, sizeof(n_kept));
}

static void forget_in_children(void)
{
    (void)pthread_atfork(NULL, NULL, forget);
}

/* SIZE_MAX: pages of that size are not kept. */
static size_t place_of(size_t size)
{
    size_t n = size / (size_t)sysconf(_SC_PAGESIZE);

    return n > 0 && n <= KEPT_SIZES ? n - 1 : SIZE_MAX;
}

static void *take_kept(size_t size)
{
    size_t at = place_of(size);
    struct kept *pages = NULL;

    if (at == SIZE_MAX) {
        return NULL;
    }
    (void)pthread_mutex_lock(&lock);
    if (kept[at] != NULL) {
        pages = kept[at];
        kept[at] = pages->next;
        n_kept[at]--;
        pages->next = NULL;
    }
    (void)pthread_mutex_unlock(&lock);
    return pages;
}

static bool keep(void *pages, size_t size)
{
    size_t at = place_of(size);
    bool has_room = false;

    if (at == SIZE_MAX) {
        return false;
    }
    (void)pthread_once(&once, forget_in_children);
    (void)pthread_mutex_lock(&lock);
    if (n_kept[at] < KEPT_MAX) {
        *(struct kept *)pages = (struct kept){.next = kept[at]};
        kept[at] = pages;
        n_kept[at]++;
        has_room = true;
    }
    (void)pthread_mutex_unlock(&lock);
    return has_room;
}

void *locked_pages_new(size_t size)
{
    void *pages = take_kept(size);

    if (pages != NULL) {
        return pages;
    }
    pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        return NULL;
    }
    if (madvise(pages, size, MADV_DONTDUMP) != 0) {
        (void)munmap(pages, size);
        return NULL;
    }
    if (mlock(pages, size) != 0) {
        atomic_store_explicit(&locked_pages_exceeded, true, memory_order_relaxed);
    }
    return pages;
}

void locked_pages_free(void *pages, size_t size)
{
    if (pages == NULL) {
        return;
    }
    explicit_bzero(pages, size);
    if (!keep(pages, size)) {
        (void)munmap(pages, size);
    }
}

/* --- buffers ---------------------------------------------------------------------- */

void buf_init(struct buf *b, size_t max)
{
    *b = (struct buf){.max = max};
}

void buf_init_text(struct buf *b, size_t max)
{
    *b = (struct buf){.max = max, .is_locked = atomic_load_explicit(&locks_texts, memory_order_relaxed)};
}

void buf_lock_texts(void)
{
    atomic_store(&locks_texts, true);
}

void buf_deinit(struct buf *b)
{
    if (b->is_locked) {
        locked_pages_free(b->data, locked_pages_size(b->cap));
    } else {
        free(b->data);
    }
    *b = (struct buf){.max = b->max, .is_locked = b->is_locked};
}

void buf_lock(struct buf *b)
{
    buf_deinit(b);
    b->is_locked = true;
}

void buf_wipe(struct buf *b)
{
    if (b->data != NULL) {
        explicit_bzero(b->data, b->cap);
    }
    b->len = 0;
}

/* Not by mremap: the place that it leaves would not be wiped. */
static char *resize_locked(const struct buf *b, size_t cap)
{
    char *data = locked_pages_new(locked_pages_size(cap));

    if (data != NULL && b->len > 0) {
        memcpy(data, b->data, b->len);
    }
    if (data != NULL) {
        locked_pages_free(b->data, locked_pages_size(b->cap));
    }
    return data;
}

static bool resize(struct buf *b, size_t cap, struct error *err)
{
    cap = b->is_locked ? locked_pages_size(cap) : cap; /* pages are used whole */
    cap = cap < b->max ? cap : b->max;
    char *data = b->is_locked ? resize_locked(b, cap) : realloc(b->data, cap);
    if (data == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "buffer: no memory for %zu bytes", cap);
    }
    b->data = data;
    b->cap = cap;
    return true;
}

static bool has_room(const struct buf *b, size_t more, struct error *err)
{
    return more <= b->max - b->len || error_set(err, ERROR_LIMIT, "buffer: more than %zu bytes", b->max);
}

bool buf_grow(struct buf *b, size_t more, struct error *err)
{
    size_t cap = b->cap < BUF_FIRST_CAPACITY ? BUF_FIRST_CAPACITY : b->cap;

    if (!has_room(b, more, err)) {
        return false;
    }
    while (cap < b->len + more) {
        cap = cap > b->max / 2 ? b->max : cap * 2;
    }
    return resize(b, cap, err);
}

bool buf_reserve_tight(struct buf *b, size_t more, struct error *err)
{
    if (more <= b->cap - b->len) {
        return true;
    }
    if (!has_room(b, more, err)) {
        return false;
    }
    size_t need = b->len + more;
    return need > BUF_TIGHT_MAX ? buf_grow(b, more, err)
                                : resize(b, (need + BUF_TIGHT_STEP - 1) / BUF_TIGHT_STEP * BUF_TIGHT_STEP, err);
}

bool buf_appendf(struct buf *b, struct error *err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len < 0 || !buf_reserve(b, (size_t)len + 1, err)) {
        return len < 0 ? error_set(err, ERROR_INTERNAL, "buffer: bad format") : false;
    }
    va_start(args, format);
    (void)vsnprintf(b->data + b->len, (size_t)len + 1, format, args);
    va_end(args);
    b->len += (size_t)len;
    return true;
}
