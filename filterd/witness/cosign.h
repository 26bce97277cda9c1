/* cosign.h - a witness: answers a request with a signature or the reason for refusing one.
 *
 * It signs a checkpoint that is consistent with the newest one it signed of the same origin, and stores it before it returns
 * the signature; lookup, storing and signing are atomic under a lock. As the log's own signer it makes the first signature,
 * for any origin, and the request has the checkpoint's text alone; as a witness it cosigns checkpoints signed by a known
 * log. Any thread. */
#ifndef FILTERD_WITNESS_COSIGN_H
#define FILTERD_WITNESS_COSIGN_H

#include <pthread.h>

#include "witness/state.h"

struct witness {
    bool is_local;
    const char *name;            /* of the witness's key; of the local signer, the origin is */
    uint8_t seed[NOTE_SEED];
    uint8_t next[NOTE_SEED];     /* of the local signer, with has_next: signs beside `seed` until it replaces it (local_keys.h) */
    bool has_next;
    const char *keys;            /* folder of the local signer's keys; NULL: it cannot retire one */
    const struct note_key *logs; /* that a witness knows; an origin may have several keys */
    size_t n_logs;
    struct witness_state state;
    pthread_mutex_t lock;
};

struct witness_answer {
    unsigned status; /* of HTTP, as C2SP tlog-witness has them: 200, 400, 403, 404, 409, 422; 500: the state failed */
    bool is_size;    /* the body is the size that was signed, of type text/x.tlog.size */
    struct buf body; /* signature lines; else the reason, in one line */
};

/* `now` in seconds since the epoch. The body's buffer is initialised by the caller. On 500 err says why. */
void witness_cosign(struct witness *w, struct span request, uint64_t now, struct witness_answer *answer, struct error *err);

/* Likewise for a request of record/manifest_note.h; of the log's own signer alone. */
void witness_sign_manifest(const struct witness *w, struct span request, struct witness_answer *answer, struct error *err);

#endif
