/* checkpoint.h - tree heads as notes (C2SP tlog-checkpoint): origin, size, root.
 *
 * The text is at least three lines: the origin, the number of leaves in decimal without leading zeros, the root in
 * Base64. Further lines are extensions: preserved in parsed checkpoints, never written. Parsed spans are borrowed. Any
 * thread. */
#ifndef FILTERD_RECORD_CHECKPOINT_H
#define FILTERD_RECORD_CHECKPOINT_H

#include "record/note.h"
#include "record/tree.h"

enum { CHECKPOINT_ORIGIN_MAX = NOTE_NAME_MAX, CHECKPOINT_TEXT_MAX = CHECKPOINT_ORIGIN_MAX + 21 + TREE_HASH_TEXT + 3 };

struct checkpoint {
    struct span origin;
    uint64_t size;
    struct tree_hash root;
    struct span extensions; /* whole lines */
    struct note note;       /* its signatures; of a text alone, none */
};

/* A whole note. No signature is verified. */
MUST_CHECK bool checkpoint_parse(struct span bytes, struct checkpoint *out, struct error *err);
/* The text alone. */
MUST_CHECK bool checkpoint_parse_text(struct span text, struct checkpoint *out, struct error *err);
/* Appends the text: three lines. INVALID: the origin could not be the name of a key. */
MUST_CHECK bool checkpoint_format(struct span origin, uint64_t size, const struct tree_hash *root, struct buf *out,
                                  struct error *err);
/* Signed by the log: the origin is the key's name, and its signature holds. INVALID says which does not. */
MUST_CHECK bool checkpoint_verify(const struct checkpoint *c, const struct note_key *log, struct error *err);

#endif
