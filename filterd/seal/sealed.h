/* sealed.h - a sealed original: an age file for reviewers around data that is encrypted under a key that can be shredded.
 *
 *   age(to, "filterd-sealed/1 <key id>\n" + nonce + XChaCha20-Poly1305(key, plaintext))
 *   age(to, age(also, …))                               with a second group: a key of each group is needed
 *
 * The first line is authenticated with what follows it. No state: any thread. */
#ifndef FILTERD_SEAL_SEALED_H
#define FILTERD_SEAL_SEALED_H

#include "seal/age.h"
#include "seal/shred.h"

#define SEALED_FORMAT "filterd-sealed/1 "

enum { SEALED_OVERHEAD = 2 * AGE_HEADER_MAX };

struct sealed_readers {
    const struct age_recipient *to, *also; /* any member of a group opens its layer */
    size_t n_to, n_also;                   /* n_also 0: one layer */
};

/* Appends the file. `out` needs a ceiling of plain.len and SEALED_OVERHEAD and a 32nd of plain.len. */
MUST_CHECK bool sealed_write(const struct shred_key *key, const struct sealed_readers *readers, struct span plain,
                             struct buf *out, struct error *err);

/* Takes off the layers of age that the identities open: what is left begins with SEALED_FORMAT, or is an age file of
 * another group. `out` is made by the call. */
MUST_CHECK bool sealed_open_layers(const struct age_identity *identities, size_t n, struct span file, struct secret *out,
                                   struct error *err);

/* The id of the key of the innermost layer. False when the bytes are not a sealed original. */
bool sealed_key_id(struct span box, char id[SHRED_ID + 1]);
/* The plaintext, into a secret that the call makes. */
MUST_CHECK bool sealed_open_box(const struct shred_key *key, struct span box, struct secret *out, struct error *err);

#endif
