/* transform.h - one way to undo one obfuscation: where it is found, what it is decoded to, where it may still go on.
 *
 * A transform sees one piece of the parent at a time; offsets are into that piece's text. It keeps
 * nothing between calls and never looks at a byte more often than a fixed number of times. */
#ifndef FILTERD_VIEW_TRANSFORM_H
#define FILTERD_VIEW_TRANSFORM_H

#include "view/builder.h"
#include "view/pending.h"
#include "view/survey.h"

/* One piece of the parent, and what is known about it. */
struct source_piece {
    struct span text;
    uint32_t base; /* where the piece starts in the parent */
    struct survey survey;
    const struct view *parent;
    const struct view_piece *piece;
    const struct view_hint *hints; /* those of this piece; their offsets are the parent's */
    size_t n_hints;
};

struct region {
    size_t from, to;
};

struct transform {
    const char *name;
    enum view_kind kind;
    unsigned marks; /* of the survey; 0 for those that hints name */
    /* The first region at or behind `at`; false when there is none. */
    bool (*next)(const struct source_piece *r, size_t at, struct region *out);
    /* Writes one piece, several or none. The next region is looked for at region->to. */
    void (*rewrite)(const struct source_piece *r, const struct region *region, struct builder *b);
    /* How far back from the end of the text `next` and `rewrite` may do something else once more text is there: see
     * pending.h. A stream releases what no transform calls pending, so the answer must never be too small. */
    struct pending (*pending)(struct span text, size_t first);
};

/* Defines NAME_transform. It takes every method: a transform that lacks one does not compile. */
#define TRANSFORM_DEFINE(id, name, kind, marks, next, rewrite, pending)                                                \
    const struct transform id##_transform = {name, kind, marks, next, rewrite, pending}

extern const struct transform fold_transform, tags_transform, escapes_transform,
    quoted_printable_transform, wrapped_transform, concatenated_transform, spaced_transform,
    base64_transform, hex_transform, numbers_transform, rot13_transform, reversed_transform,
    turned_transform, rendered_transform, grouped_transform, literals_transform, dump_transform,
    codes_transform, base32_transform;

/* A run of the base64 alphabets, if it is an encoding when it is turned: pieces of turned_transform. */
void turned_run_write(const struct source_piece *r, const struct region *region, struct builder *b);

const struct transform *const *transforms_all(size_t *n);

/* Where the next change would be made at or behind `at`. */
typedef bool (*find_change_fn)(const struct source_piece *r, size_t at, struct region *change);
/* The first region of transforms that rewrite in place: the lines that hold a change, of long lines
 * what lies between white space at some distance before and behind it; neighbours joined. */
bool source_next_lines(const struct source_piece *r, size_t at, find_change_fn find,
                        struct region *out);
/* The first run of at least `min` characters of these classes; marked by SURVEY_RUN. */
bool source_next_run(const struct source_piece *r, size_t at, unsigned classes, size_t min,
                      struct region *out);
/* Where the words before `at` begin that a piece starts with, so that what they say of a token is
 * not lost: not before the line, and not far. */
size_t source_context_before(const struct source_piece *r, size_t at);
/* Whether the parent only copied the region and the bytes next to it, so that its own child holds
 * what the transform would make of it already. */
bool source_is_copy(const struct source_piece *r, const struct region *region);

/* --- for the methods `pending` --- */

/* Where the character begins that ends at `end`; end > 0. */
static inline size_t character_begin(struct span text, size_t end)
{
    size_t at = end - 1;

    while (at > 0 && ((unsigned char)text.ptr[at] & 0xc0) == 0x80) {
        at--;
    }
    return at;
}

/* What is read otherwise from its first byte on, so that a match before it may go on in it. */
static inline struct pending pending_from_here(struct span text, size_t from)
{
    return (struct pending){.from = from, .altered = from < text.len ? from : SIZE_MAX};
}

/* What becomes a piece of its own, so that nothing before it goes on in it. */
static inline struct pending pending_apart(size_t from)
{
    return (struct pending){.from = from, .altered = SIZE_MAX};
}

/* The run of characters of these classes at the end, as a piece of its own. */
struct pending pending_in_run(struct span text, size_t first, unsigned classes);

#endif
