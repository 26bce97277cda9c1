/* successive.h - what left at one place of an answer, piece after piece, as far as a token may go on from it (protocol/successive.c). Pure. */
#ifndef FILTERD_PROTOCOL_WIRE_SUCCESSIVE_H
#define FILTERD_PROTOCOL_WIRE_SUCCESSIVE_H

#include <stdint.h>

#include "base/buf.h"

enum {
    SUCCESSIVE_MAX = 256, /* bytes */
    SUCCESSIVE_PIECES = 8,
    SUCCESSIVE_CLEAN = 8,
    PIECE_SHORT = 4, /* bytes; of more shorter ones in a row only where the first ones begin is known */
};

/* Zeroed: nothing left there. A stream has one for each place, so that it is small until something goes on there. */
struct successive {
    uint64_t place;
    char *text;      /* owned: the pieces, one behind another */
    uint64_t *clean; /* owned: a ring of SUCCESSIVE_CLEAN hashes; NULL: none */
    uint16_t len, size; /* bytes: of the pieces, of the memory */
    uint8_t starts[SUCCESSIVE_PIECES]; /* below SUCCESSIVE_MAX */
    uint8_t n, next_clean; /* pieces; the place of the next hash */
    bool is_short;         /* the last piece is of short ones */
};

void successive_deinit(struct successive *s);

/* The places of an answer, made as they are met: a ring (protocol/successive.c). Zeroed: none. */
struct places {
    struct successive **items; /* owned, as is each of them */
    size_t n, next; /* how many were made; where the next search begins */
};

enum { PLACES_MAX = 48 }; /* items; the one that was made first goes for another */

void places_deinit(struct places *p);

/* What of a text a token may begin in, all behind its last blank; and what one may end in. */
struct span successive_end(struct span text);
struct span successive_beginning(struct span text);
/* Whether they begin alike, as ids of one kind, times and addresses do: then one does not go on in the other. */
bool successive_are_alike(struct span a, struct span b);

bool successive_is_last(const struct successive *s, struct span text);
/* Whether the same text behind the same pieces was found clean of late, as where ids take turns. */
bool successive_is_clean(const struct successive *s, struct span text);
/* Without memory for it the text is judged again. */
void successive_keep_clean(struct successive *s, struct span text);
bool successive_is_like_last(const struct successive *s, struct span text);
/* Adds a piece. It takes the place of one that is like it, and nothing goes on over a blank. */
MUST_CHECK bool successive_keep(struct successive *s, struct span text, struct error *err);

/* Where the line ends that the place is in: at its newline, or at the end of the text. */
size_t successive_line_end(struct span text, size_t from);

/* The text that is judged: a line for each piece before that a token may begin in, which goes on with all behind it. The caller initializes
 * and frees `text`. */
struct joint_text {
    struct buf text;
    size_t lines[SUCCESSIVE_PIECES + 2], joints[SUCCESSIVE_PIECES + 1]; /* where each line begins, and what leaves now in it */
    size_t n;
};

MUST_CHECK bool joint_text_write(struct joint_text *j, const struct successive *s, struct span now, struct error *err);

#endif
