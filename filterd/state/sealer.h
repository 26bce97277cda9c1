/* sealer.h - seals originals of exchanges: plaintext, keys, file and the record's note of it.
 *
 * The plaintext is only ever in locked memory. Any thread. */
#ifndef FILTERD_STATE_SEALER_H
#define FILTERD_STATE_SEALER_H

#include "judge/exchange.h"
#include "policy/seal.h"
#include "seal/shred.h"

struct sealer;

/* Keys in <state>/shred, files in the folder `seal` beside the decision log. NULL with what was expected. */
struct sealer *sealer_open(const char *state_directory, const char *log, struct error *err);
void sealer_close(struct sealer *s);

enum seal_result { SEAL_FAILED, SEAL_NOTHING, SEAL_DONE };
/* What the policy of a judged exchange wants sealed, with the note that its record gets. A NULL sealer fails where
 * something is wanted. */
enum seal_result sealer_seal(struct sealer *s, const struct exchange *x, struct sealed_note *note, struct error *err);

/* The key of originals of that id, for a caller who may have it. NOT_FOUND when it was erased, or with a NULL sealer. The
 * caller wipes it. */
MUST_CHECK bool sealer_find_key(struct sealer *s, const char *id, struct shred_key *out, struct error *err);

/* All files that were written before are on disk when this returns true; for decision_log_before_write. */
bool sealer_sync(void *sealer, struct error *err);

#endif
