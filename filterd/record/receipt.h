/* receipt.h - the text form of a receipt: "<seq>.<Base64url of the leaf hash>", which names one line of a proven log.
 *
 * It gives access to the proof of that line and of no other, because hashes of other lines cannot be guessed. Any
 * thread. */
#ifndef FILTERD_RECORD_RECEIPT_H
#define FILTERD_RECORD_RECEIPT_H

#include "record/tree.h"

enum { RECEIPT_TEXT = 20 + 1 + 43 }; /* at most, without the NUL */

void receipt_format(uint64_t seq, const struct tree_hash *leaf, char text[RECEIPT_TEXT + 1]);
/* All of the text. MALFORMED without its bytes. */
MUST_CHECK bool receipt_parse(struct span text, uint64_t *seq, struct tree_hash *leaf, struct error *err);

#endif
