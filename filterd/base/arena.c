#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/locked_pages.h"

enum { ARENA_BLOCK_FIRST = 256, ARENA_BLOCK_SIZE = 64 * 1024, ARENA_ALIGN = 16 };

struct arena_block {
    struct arena_block *next;
    size_t size, used;
    alignas(ARENA_ALIGN) char bytes[];
};

void arena_init(struct arena *a, size_t keep, size_t max)
{
    *a = (struct arena){.keep = keep, .max = max};
}

static void free_block(const struct arena *a, struct arena_block *b)
{
    if (a->is_locked) {
        locked_pages_free(b, sizeof(*b) + b->size);
    } else {
        free(b);
    }
}

/* The size of a locked one is what its pages have room for. */
static struct arena_block *new_block(const struct arena *a, size_t size)
{
    size_t all = a->is_locked ? locked_pages_size(sizeof(struct arena_block) + size) : sizeof(struct arena_block) + size;
    struct arena_block *b = a->is_locked ? locked_pages_new(all) : malloc(all);

    if (b != NULL) {
        *b = (struct arena_block){.size = all - sizeof(*b)};
    }
    return b;
}

void arena_deinit(struct arena *a)
{
    for (struct arena_block *b = a->first; b != NULL;) {
        struct arena_block *next = b->next;
        free_block(a, b);
        b = next;
    }
    *a = (struct arena){.keep = a->keep, .max = a->max, .is_locked = a->is_locked};
}

void arena_lock(struct arena *a)
{
    arena_deinit(a);
    a->is_locked = true;
}

/* Keeps blocks from the front up to `keep` bytes: the largest exchange does not pin its memory. */
void arena_reset(struct arena *a)
{
    size_t kept = 0;
    struct arena_block **link = &a->first;

    while (*link != NULL) {
        struct arena_block *b = *link;
        if (kept + b->size > a->keep) {
            *link = b->next;
            free_block(a, b);
            continue;
        }
        kept += b->size;
        if (a->is_locked) {
            explicit_bzero(b->bytes, b->used);
        }
        b->used = 0;
        link = &b->next;
    }
    a->current = a->first;
    a->used = 0;
}

static struct arena_block *block_with_room(struct arena *a, size_t size)
{
    for (struct arena_block *b = a->current; b != NULL; b = b->next) {
        if (size <= b->size - b->used) {
            a->current = b;
            return b;
        }
    }
    /* Blocks double from the first on: thousands of arenas hold little, some hold much. */
    size_t block_size = a->current == NULL ? ARENA_BLOCK_FIRST : 2 * a->current->size;
    block_size = block_size > ARENA_BLOCK_SIZE ? ARENA_BLOCK_SIZE : block_size;
    block_size = size > block_size ? size : block_size;
    struct arena_block *b = new_block(a, block_size);
    if (b == NULL) {
        return NULL;
    }
    if (a->current == NULL) {
        b->next = a->first;
        a->first = b;
    } else {
        b->next = a->current->next;
        a->current->next = b;
    }
    a->current = b;
    return b;
}

void *arena_alloc(struct arena *a, size_t size, struct error *err)
{
    if (size > a->max || a->max - size < a->used) {
        error_set(err, ERROR_LIMIT, "working memory: more than %zu bytes", a->max);
        return NULL;
    }
    size_t rounded = (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    struct arena_block *b = block_with_room(a, rounded);
    if (b == NULL) {
        error_set(err, ERROR_NO_MEMORY, "working memory: no memory for %zu bytes", size);
        return NULL;
    }
    void *memory = b->bytes + b->used;
    b->used += rounded;
    a->used += rounded;
    return memory;
}

void *arena_array(struct arena *a, size_t n, size_t size, struct error *err)
{
    if (size != 0 && n > SIZE_MAX / 2 / size) {
        error_set(err, ERROR_LIMIT, "working memory: more than %zu bytes", a->max);
        return NULL;
    }
    return arena_alloc(a, n * size, err);
}

bool arena_copy(struct arena *a, struct span text, struct span *copy, struct error *err)
{
    char *bytes = arena_alloc(a, text.len, err);
    if (bytes == NULL) {
        return false;
    }
    if (text.len > 0) {
        memcpy(bytes, text.ptr, text.len);
    }
    *copy = span_of(bytes, text.len);
    return true;
}

const char *arena_string(struct arena *a, struct span text, struct error *err)
{
    char *copy = arena_alloc(a, text.len + 1, err);

    if (copy == NULL) {
        return NULL;
    }
    if (text.len > 0) {
        memcpy(copy, text.ptr, text.len);
    }
    copy[text.len] = '\0';
    return copy;
}
