/* mend.h - makes JSON with split characters in its strings parseable without loss.
 *
 * Upstreams split text by tokens, not characters: half of a surrogate pair ends one delta and the
 * other half begins the next, or a multi-byte character is split into bytes. Such JSON is ill-formed.
 * mend_json replaces each lone half and each bad byte by a private-use character; mend_undo restores
 * those of a decoded string: a half as three bytes like a character, a bad byte
 * as itself. Well-formed text never reaches this module, so its own private-use characters are safe. */
#ifndef FILTERD_PROTOCOL_WIRE_MEND_H
#define FILTERD_PROTOCOL_WIRE_MEND_H

#include "base/arena.h"

/* *is_mended: something was replaced. */
MUST_CHECK bool mend_json(struct arena *a, struct span json, struct span *out, bool *is_mended,
                          struct error *err);
MUST_CHECK bool mend_undo(struct arena *a, struct span text, struct span *out, struct error *err);

/* A lone half is encoded in three bytes. */
enum { HALF_BYTES = 3 };
bool mend_is_high_half(struct span text);
bool mend_is_low_half(struct span text);
/* The character of both halves, four bytes. */
void mend_join(const char high[HALF_BYTES], const char low[HALF_BYTES], char out[4]);

#endif
