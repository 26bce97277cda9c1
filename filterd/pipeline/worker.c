#include "pipeline/worker_parts.h"

#include <stdlib.h>

enum { ARENA_KEEP = 1024 * 1024 }; /* kept between exchanges: room for all but the longest texts */

struct worker_limits worker_limits_default(void)
{
    return (struct worker_limits){
        .text_max = VIEW_TEXT_MAX,
        .memory_max = (size_t)2 * 1024 * 1024 * 1024,
        .findings_max = 100000,
        .depth = 3,
    };
}

struct worker *worker_new(const struct worker_limits *limits, const struct redaction_keys *keys, struct error *err)
{
    struct worker *w = calloc(1, sizeof(*w));

    if (w == NULL) {
        error_set(err, ERROR_NO_MEMORY, "worker: no memory");
        return NULL;
    }
    arena_init(&w->arena, ARENA_KEEP, limits->memory_max);
    w->limits = *limits;
    w->keys = keys;
    w->finder.arena = &w->arena;
    w->finder.findings_max = limits->findings_max;
    w->finder.scan = scanner_scratch_new(err);
    w->finder.regex = w->finder.scan != NULL ? regex_scratch_new(err) : NULL;
    if (w->finder.regex == NULL) {
        worker_free(w);
        return NULL;
    }
    return w;
}

void worker_free(struct worker *w)
{
    if (w != NULL) {
        scanner_scratch_free(w->finder.scan);
        regex_scratch_free(w->finder.regex);
        arena_deinit(&w->arena);
        free(w);
    }
}

struct arena *worker_begin(struct worker *w)
{
    arena_reset(&w->arena);
    return &w->arena;
}

void worker_lock(struct worker *w)
{
    if (!w->arena.is_locked) {
        arena_lock(&w->arena);
    }
}

void worker_end(struct worker *w)
{
    if (w->arena.is_locked) {
        arena_reset(&w->arena);
    }
}

struct arena *worker_arena(struct worker *w)
{
    return &w->arena;
}

struct finder *worker_finder(struct worker *w)
{
    return &w->finder;
}
