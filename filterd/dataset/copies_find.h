/* copies_find.h - finds what a text copied from the documents of a table.
 *
 * A copy is fingerprints of one document (winnow.h), each no further from the one before than a window, with none between them that
 * no document has. At both ends it has the letters, up to WINNOW_WINDOW - 1, whose grams the document has, too. It counts when it has
 * WINNOW_LETTERS letters, so that it is found under every key, and the least length that is asked for, from behind the letter before
 * it to the letter that follows, but for what is more than COPIES_GAP bytes away; or, where a share is asked for, so many of the document's
 * letters. Found is what is from the first
 * letter of the first fingerprint to the last letter of the copy, so that up to WINNOW_WINDOW - 1 letters before it are copied, too.
 *
 * A copy that counts has every whole window within it as the document has it. So only one window of each `least` bytes is looked
 * at, and what is around it is winnowed when its fingerprint may be of a document; all of the text where `least` is below COPIES_APART.
 *
 * Text is valid UTF-8; offsets are bytes. Thread-safe. */
#ifndef FILTERD_DATASET_COPIES_FIND_H
#define FILTERD_DATASET_COPIES_FIND_H

#include "dataset/table.h"
#include "dataset/winnow.h"

enum { COPIES_DOCUMENTS_MAX = 8, /* a fingerprint in more of them is boilerplate */
       COPIES_APART = 96,
       COPIES_GAP = 32,          /* bytes at either end that are no letters and count */
       COPIES_AT_ONCE = 16,      /* documents that are followed at one place; the text's best known come first */
       COPIES_LETTERS = 128,     /* letters before a place that decide what is found behind it, */
       COPIES_REACH = COPIES_LETTERS * WINNOW_GAP_MAX }; /* and at most so many bytes */

/* Which copies count. */
struct copies_wanted {
    size_t run;     /* those of so many bytes */
    unsigned share; /* and those of so many percent of their document's letters; 0: no */
    size_t least;   /* the least bytes of one, from its first letter to its last; at most `run` */
};

/* False: the table has no lengths, and a share is asked for. O(documents) then. */
MUST_CHECK bool copies_want(const struct table *t, size_t run, unsigned share, struct copies_wanted *out, struct error *err);

typedef bool copy_fn(void *context, size_t from, size_t to, struct error *err);

/* Calls on_copy for each copy that counts, until it returns false. *open_from, which may be NULL: where the
 * first copy begins that more text could complete; text.len: none. That is at least WINNOW_GRAM - 1 letters. */
MUST_CHECK bool copies_find(const struct table *t, const struct copies_wanted *wanted, struct span text, bool is_open, copy_fn *on_copy,
                            void *context, size_t *open_from, struct error *err);

/* Where to begin, so that what is found behind `from` is what the whole text has there. */
size_t copies_begin(struct span text, size_t from);

#endif
