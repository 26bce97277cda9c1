/* original_json.h - the plaintext of a sealed original:
 *
 *   {"v":1,"req_id":"01a2…","time":1793491200,"tenant":"acme",…,"action":"block","what":"span","partial":true,
 *    "parts":[{"channel":0,"path":"/0","start":12,"text":"…"}]}
 *
 * filterd-seal(7) has each member. Of an exchange that is kept whole it has all that judging it again takes. */
#ifndef FILTERD_STATE_ORIGINAL_JSON_H
#define FILTERD_STATE_ORIGINAL_JSON_H

#include "judge/originals.h"

enum { ORIGINAL_JSON_MAX = 128 * 1024 * 1024 };

/* Into a secret that the call makes. NOT_FOUND when the exchange has no part to seal. */
MUST_CHECK bool original_json(const struct exchange *x, struct secret *out, struct error *err);

#endif
