/* mend.h - JSON whose strings hold cut characters, made readable without losing what was cut.
 *
 * Upstreams split text by tokens, not characters: half of a surrogate pair ends one delta and the
 * other half begins the next, or a multi-byte character is cut into bytes. Such JSON is ill-formed.
 * mend_json puts a private-use character for each lone half and each bad byte; mend_undo turns
 * those of a decoded string back: a half to its three bytes as if it were a character, a bad byte
 * to itself. Text without a fault never comes here, so its own private-use characters are safe. */
#ifndef FILTERD_PROTOCOL_MEND_H
#define FILTERD_PROTOCOL_MEND_H

#include "base/arena.h"

/* *is_mended: something was put in place. */
MUST_CHECK bool mend_json(struct arena *a, struct span json, struct span *out, bool *is_mended,
                          struct error *err);
MUST_CHECK bool mend_undo(struct arena *a, struct span text, struct span *out, struct error *err);

/* The length of what follows `at` when it is a lone half, three bytes; else 0. */
enum { HALF_BYTES = 3 };
bool mend_is_high_half(struct span text);
bool mend_is_low_half(struct span text);
/* The character of both halves, four bytes. */
void mend_join(const char high[HALF_BYTES], const char low[HALF_BYTES], char out[4]);

#endif
