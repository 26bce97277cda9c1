/* views.h - a text and its views, for tests: what a reader of all views finds, and where. */
#ifndef FILTERD_TESTS_UNIT_TEXT_VIEWS_H
#define FILTERD_TESTS_UNIT_TEXT_VIEWS_H

#include "testing.h"

#include <stdlib.h>

#include "text/utf8.h"
#include "view/view.h"

enum { TEST_MAX_BYTES = 16 * 1024 * 1024, TEST_MAX_PIECES = 1024 * 1024 };

struct views {
    struct arena arena;
    struct span text; /* repaired */
    struct view_piece whole;
    struct view raw;
    const struct view *level[VIEW_LEVELS_MAX + 1]; /* NULL behind the last */
};

static inline void views_make_hinted(struct views *v, struct span text,
                                     const struct view_hint *hints, size_t n_hints)
{
    struct view_limits limits = {
        .depth = VIEW_DEPTH_MAX, .max_bytes = TEST_MAX_BYTES, .max_pieces = TEST_MAX_PIECES};
    struct error err;

    *v = (struct views){0};
    arena_init(&v->arena, 0, (size_t)1 << 30);
    assert_true(utf8_repair(&v->arena, text, &v->text, &err));
    view_raw(v->text, &v->whole, &v->raw);
    v->level[0] = &v->raw;
    for (size_t i = 0; i < VIEW_LEVELS_MAX && v->level[i] != NULL; i++) {
        assert_true(view_expand(&v->arena, v->level[i], i == 0 ? hints : NULL, i == 0 ? n_hints : 0,
                                &limits, &v->level[i + 1], &err));
    }
}

static inline void views_make(struct views *v, struct span text)
{
    views_make_hinted(v, text, NULL, 0);
}

static inline void views_release(struct views *v)
{
    arena_deinit(&v->arena);
}

/* Whether a view down to level `deepest` holds the word, and the raw range of the first. */
static inline bool views_find(const struct views *v, const char *word, size_t deepest,
                              size_t *raw_from, size_t *raw_to)
{
    size_t len = strlen(word);

    for (size_t i = 0; i <= deepest && v->level[i] != NULL; i++) {
        struct span text = v->level[i]->text;
        const char *at = memmem(text.ptr, text.len, word, len);
        if (at != NULL) {
            size_t from = (size_t)(at - text.ptr);
            view_to_raw(v->level[i], from, from + len, raw_from, raw_to);
            return true;
        }
    }
    return false;
}

#endif
