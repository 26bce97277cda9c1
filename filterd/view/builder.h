/* builder.h - a child view while transforms write it: pieces, text, origins.
 *
 * A builder that failed ignores what follows; builder_finish reports the failure. So transforms
 * write without asking after each call, and loops over regions stop on builder_has_failed. */
#ifndef FILTERD_VIEW_BUILDER_H
#define FILTERD_VIEW_BUILDER_H

#include "view/view.h"

/* Where bytes come from: `len` bytes of the parent at `from`, in units as view.h has them. */
struct origin {
    size_t from, len;
    uint16_t view_unit, parent_unit;
    bool is_backward;
};

struct builder {
    struct arena *arena;
    const struct view_limits *limits;
    struct error *err;
    bool has_failed;
    uint32_t base; /* where the parent's piece starts: origins count from there */
    uint8_t decodings, joinings; /* that led to the parent's piece */
    char *text;
    size_t len, text_cap;
    struct view_piece *pieces;
    size_t n_pieces, pieces_cap;
    struct view_segment *segments;
    size_t n_segments, segments_cap;
    char *scratch; /* for one region's decoded bytes */
    size_t scratch_cap;
};

void builder_init(struct builder *b, struct arena *a, const struct view_limits *limits,
                  struct error *err);
/* Offsets given from now on count from `base` in the parent. */
void builder_read_from(struct builder *b, uint32_t base);
/* Pieces begun from now on are made of this one. */
void builder_count_from(struct builder *b, const struct view_piece *parent);
static inline bool builder_has_failed(const struct builder *b)
{
    return b->has_failed;
}

/* Fails it for want of memory. */
void builder_fail(struct builder *b, const char *what);

/* Between begin and end, one piece. A piece without text is left out. */
void builder_begin(struct builder *b, const char *transform, enum view_kind kind);
void builder_end(struct builder *b);

/* `len` bytes of the parent as they are; `text` is the parent's piece. */
void builder_copy(struct builder *b, struct span text, size_t from, size_t len);
/* Units that follow each other in both texts become one segment. */
void builder_put(struct builder *b, struct span bytes, const struct origin *origin);
/* One code point that all of [from, from + len) stands for. */
void builder_put_code_point(struct builder *b, uint32_t code_point, size_t from, size_t len);

/* Room for `size` bytes until the next call; NULL when the builder fails. */
char *builder_scratch(struct builder *b, size_t size);

/* *child is NULL when there is no piece. */
MUST_CHECK bool builder_finish(struct builder *b, const struct view *parent,
                               const struct view **child);

#endif
