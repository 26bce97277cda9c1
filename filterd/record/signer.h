/* signer.h - the client of the log's signer, `filterd-witness --local`: a separate process that holds the log's key.
 *
 * It signs only checkpoints that are consistent with those signed before. If the service cannot access the signer's directory,
 * an attacker who controls the service can get a continuation signed but no fork. It also signs the manifests of evidence
 * bundles, whose lines are proven by a checkpoint and not by this signature. The signer is started before the sandbox and
 * before any thread, and exits when the socket is closed. Any thread may have it sign, once it is connected. */
#ifndef FILTERD_RECORD_SIGNER_H
#define FILTERD_RECORD_SIGNER_H

#include <sys/types.h>

#include "record/checkpoint.h"

/* The request of signer_retire. */
#define SIGNER_RETIRE "retire\n"

enum { SIGNER_TIMEOUT_MS = 5000, SIGNER_START_TIMEOUT_MS = 20000, SIGNER_REQUEST_MAX = 8 * 1024 };

struct signer {
    int socket; /* SOCK_SEQPACKET; -1: none */
    pid_t pid;
    uint8_t public[NOTE_PUBLIC];
    uint8_t next[NOTE_PUBLIC]; /* of the key that follows; with has_next */
    bool has_next;             /* both sign until signer_retire */
    unsigned n_unanswered;     /* requests whose answers did not come in time */
};

/* Starts `program` (NULL: filterd-witness beside this program) with the key and the state in `directory`:
 * keys/log.key, made where it is missing, keys/log.next, and signed/. Waits for its public keys. */
MUST_CHECK bool signer_start(struct signer *s, const char *program, const char *directory, struct error *err);
/* The same over a socket that is connected already; it is closed by signer_stop. */
MUST_CHECK bool signer_connect(struct signer *s, int socket, struct error *err);
void signer_stop(struct signer *s);

/* The vkey of a log of that origin, for its first line. */
MUST_CHECK bool signer_key(const struct signer *s, struct span origin, struct note_key *out, struct error *err);
/* The key that follows it; *has_next false: there is none. */
MUST_CHECK bool signer_next_key(const struct signer *s, struct span origin, struct note_key *out, bool *has_next, struct error *err);
/* The signer replaces its key by the next one, which alone signs from then on. */
MUST_CHECK bool signer_retire(struct signer *s, struct error *err);

/* Appends the whole note: the checkpoint's text and the log's signature lines, one of each key. `old` is the size of the last one that was
 * signed for this origin (0: none), `proof` from there to `size`. DENIED: the signer signed another size before, which is
 * then in *signed_size, or the proof does not hold. LIMIT: it could not read or write its state, or was too slow; ask again later. After
 * any other failure the signer is of no use any more. */
MUST_CHECK bool signer_sign(struct signer *s, struct span text, uint64_t old, const struct tree_proof *proof,
                            struct buf *note, uint64_t *signed_size, struct error *err);

/* Appends the signature lines of a manifest's note (manifest_note.h); `sha256` is the manifest's, in hexadecimal digits. */
MUST_CHECK bool signer_sign_manifest(struct signer *s, struct span origin, const char *sha256, struct buf *lines,
                                     struct error *err);

#endif
