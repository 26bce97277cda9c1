/* view.h - the views of a text: raw, folded, decoded, each with an offset map to the text as sent.
 *
 * View 0 is the raw text, repaired to UTF-8 byte for byte (utf8.h). From each view at most one
 * child is made: the pieces of the parent that some transform would read differently, one after
 * another. Plain text has no child, and the test for that is one cheap pass. Children of
 * children undo nested obfuscations. Depth is counted for each piece: how many decodings led to it
 * (base64, escapes, ROT13, ...), and apart from these how many joinings (lines, spaces, literals,
 * other letters); neither is more than the limit. So wrapped base64 in wrapped base64 is two deep.
 *
 *   parent   decode this: cGFzc3dvcmQgPSB4...   and ｇｈｐ＿...
 *   child    password = x...\n  and ghp_...\n          (two pieces)
 *
 * A piece is what one transform made of one region of one piece of the parent: whole lines for
 * transforms that rewrite characters in place (fold, escapes, quoted-printable; of a long line the
 * part around what changed, cut at white space), the encoded run alone for the others (base64, hex,
 * lists of numbers). Adjacent changed lines form one piece. Pieces are separated by '\n', which
 * belongs to none; a match never spans pieces. What a piece only copied from its parent is not read
 * again: the parent's own child has it decoded. A child's text is valid UTF-8.
 *
 * Offsets are bytes. Every byte of a piece has an origin: a half-open range of the parent. Nothing
 * here depends on time, threads or addresses. Memory comes from the arena; sizes are checked
 * before allocation. Thread-safe: no state. */
#ifndef FILTERD_VIEW_VIEW_H
#define FILTERD_VIEW_VIEW_H

#include <stdint.h>

#include "base/arena.h"

enum view_kind { VIEW_RAW, VIEW_FOLDED, VIEW_DECODED };

enum {
    VIEW_TEXT_MAX = 64 * 1024 * 1024,
    VIEW_DEPTH_MAX = 4,                   /* of limits */
    VIEW_LEVELS_MAX = 2 * VIEW_DEPTH_MAX, /* children of children */
};

/* view_len bytes of the view come from parent_len bytes of the parent, in units: every view_unit
 * bytes come from parent_unit bytes, the last unit of a segment from what is left. One byte of a
 * unit comes from all of it. Copies have units of one byte; base64 three from four, %41 one from
 * three. */
struct view_segment {
    uint32_t view_from, view_len;
    uint32_t parent_from, parent_len;
    uint16_t view_unit, parent_unit;
    bool is_copy;     /* the parent's own bytes */
    bool is_backward; /* the first unit of the view is the last of the parent */
};

struct view_piece {
    uint32_t from, to; /* in the view's text */
    enum view_kind kind;
    uint8_t decodings, joinings;        /* that led here, with this one */
    const char *transform;              /* static name: "fold", "base64", "escapes", … */
    uint32_t first_segment, n_segments; /* in order of view_from; they cover the piece */
};

struct view {
    struct span text;
    const struct view *parent;       /* NULL for the raw view */
    unsigned level;                  /* 0 for the raw view */
    const struct view_piece *pieces; /* in order of from; the raw view has one, all of it */
    size_t n_pieces;
    const struct view_segment *segments;
};

struct view_limits {
    unsigned depth;   /* of decodings, and of joinings; 0 uses only the raw view */
    size_t max_bytes; /* of one child's text; past it expansion fails with LIMIT */
    size_t max_pieces;
};

/* A region that another pass found reason to read differently: the scanner sees the first letters
 * of a known token in ROT13 or backwards. The run of token characters around the region is read so. */
enum view_hint_kind { VIEW_HINT_ROT13, VIEW_HINT_REVERSED };
struct view_hint {
    enum view_hint_kind kind;
    uint32_t from, to; /* in the parent's text */
};

/* The raw view of a text that utf8_repair has made valid. */
void view_raw(struct span valid_utf8, struct view_piece *whole, struct view *out);

/* Makes the child of `parent`; *child is NULL when no transform would read anything differently or
 * its pieces are as deep as they may be. Hints are in order of from, each within one piece; they may be NULL when
 * there are none. */
MUST_CHECK bool view_expand(struct arena *a, const struct view *parent,
                            const struct view_hint *hints, size_t n_hints,
                            const struct view_limits *limits, const struct view **child,
                            struct error *err);

/* Whether the piece was rewritten in place: whole lines, of which only some characters changed. */
bool view_is_in_place(const struct view_piece *piece);

/* Whether the piece is parts of a word that only a reader or a program joins: what it says counts for tokens alone. */
bool view_is_joined(const struct view_piece *piece);

/* The piece that holds the byte at `offset`; NULL between pieces. O(log pieces). */
const struct view_piece *view_piece_at(const struct view *v, size_t offset);

/* The segment that holds the byte at `offset` of the piece, which has segments: it is not of the
 * raw view. O(log segments). */
const struct view_segment *view_segment_at(const struct view *v, const struct view_piece *piece,
                                           size_t offset);

/* The range of the raw text that the bytes [from, to) of `v` come from, through all parents. Both
 * ends lie in one piece; from < to. */
void view_to_raw(const struct view *v, size_t from, size_t to, size_t *raw_from, size_t *raw_to);

#endif
