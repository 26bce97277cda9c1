/* key_rotation.h - the log's signer goes over from its key to the next one (filterd-witness --rotate-key).
 *
 * While the signer has a next key, both sign. A line of type admin announces the next key, and the old one is retired once a
 * checkpoint covers this line, and the quorum of the witnesses has cosigned it where one is awaited. A crash at any point leaves
 * a signer with both keys, whose next start announces again and goes on, or one with the new key alone. */
#ifndef FILTERD_DECISION_LOG_KEY_ROTATION_H
#define FILTERD_DECISION_LOG_KEY_ROTATION_H

#include <stdint.h>

#include "decision_log/decision_log.h"

struct signer;

struct key_rotation {
    struct decision_log *log;
    struct signer *signer;
    const char *record; /* the folder */
    uint64_t covered;   /* lines that must be cosigned before the old key is retired; 0: it is not awaited */
};

/* Once the log has a checkpoint. DENIED: the log goes on under another key than the signer has. A line that cannot be written or
 * signed is an error; a key that cannot be retired signs on, until the next start. */
MUST_CHECK bool key_rotation_begin(struct key_rotation *r, bool awaits_quorum, struct error *err);
/* The quorum has cosigned that many lines: true when this retires the old key. One thread. */
bool key_rotation_cosigned(struct key_rotation *r, uint64_t size);

#endif
