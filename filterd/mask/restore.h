/* restore.h - writes values in place of their pseudonyms, in a text that comes in pieces.
 *
 * The output, joined, is the same for every cutting of the text. Held is only what may still become a pseudonym that was issued:
 * a proper beginning of one, at most RESTORE_HELD_MAX bytes. A text that has no such beginning at its end is not held at all.
 *
 * Pseudonyms are found in any case of their letters, the first one that the text spells. What only looks like one, because its
 * conversation did not issue it or the text ends in it, stays as it is and is counted.
 *
 * In JSON a value inside a string is escaped for it, and a pseudonym is also found where its characters are written as escapes
 * ("\u005bperson-name-3f2a]").
 *
 * Restored text is not judged here: the caller judges what the model wrote, and restores what passed.
 *
 *   struct restorer r;
 *   restorer_init(&r, masking, RESTORE_TEXT, 0);
 *   restorer_feed(&r, piece, false, &out, &err)    any number of times
 *   restorer_feed(&r, last, true, &out, &err)      once; the last piece may be empty
 *   restorer_deinit(&r) */
#ifndef FILTERD_MASK_RESTORE_H
#define FILTERD_MASK_RESTORE_H

#include "base/buf.h"
#include "mask/masking.h"

enum { RESTORE_ESCAPE = 6, RESTORE_HELD_MAX = RESTORE_ESCAPE * MASKING_PSEUDONYM_MAX };

enum restore_syntax {
    RESTORE_GUESS, /* JSON, while the text begins like an object or an array of JSON, otherwise TEXT; anew behind the end of each */
    RESTORE_TEXT,
    RESTORE_JSON,
};

struct restore_counts {
    uint64_t restored; /* values written */
    uint64_t withheld; /* pseudonyms left, because of their value's category */
    uint64_t unknown;  /* likewise, because they were not issued or are not finished */
};

/* One text. Not thread-safe; its masking is. */
struct restorer {
    struct masking *masking; /* a reference of its own */
    unsigned withheld;       /* bit per category of values that are not restored */
    struct restore_counts counts;
    enum restore_syntax syntax;
    bool is_guessed;
    size_t depth;   /* of what was guessed to be JSON: objects and arrays that are open */
    char first;     /* while it is guessed: the first character that is not white space */
    bool is_string; /* JSON: inside a string */
    size_t n_held;
    char held[RESTORE_HELD_MAX];
};

void restorer_init(struct restorer *r, struct masking *m, enum restore_syntax syntax, unsigned withheld);
void restorer_deinit(struct restorer *r);

/* Appends what may go on. False with LIMIT or NO_MEMORY of `out`: the text is incomplete then, and the restorer of no more use. */
MUST_CHECK bool restorer_feed(struct restorer *r, struct span piece, bool is_last, struct buf *out, struct error *err);

/* A whole text at once; adds to the counts. */
MUST_CHECK bool restore_whole(struct masking *m, enum restore_syntax syntax, unsigned withheld, struct span text,
                              struct restore_counts *counts, struct buf *out, struct error *err);

#endif
