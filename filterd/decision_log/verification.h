/* verification.h - "verify now": all lines of the record compared with what was signed, in a thread of its own, with low priority.
 *
 * One at a time. The thread reads files and nothing of the service, so that a stop need not wait for it: what it has and what it
 * found is shared by count. It sees what filterctl record verify sees with the log's own key; who does not trust this machine
 * verifies on theirs. Any thread. */
#ifndef FILTERD_DECISION_LOG_VERIFICATION_H
#define FILTERD_DECISION_LOG_VERIFICATION_H

#include <stdint.h>

#include "record/log_view.h"
#include "record/note.h"

enum verification_state { VERIFICATION_NONE, VERIFICATION_RUNS, VERIFICATION_GOOD, VERIFICATION_BAD, VERIFICATION_FAILED };

struct verification_result {
    enum verification_state state;
    int64_t begun_ns, ended_ns; /* UTC; 0: not yet */
    uint64_t lines, checkpoints;
    uint64_t size;    /* lines that the newest checkpoint signs */
    char finding[512]; /* of BAD: the first thing that is not right; of FAILED: why it could not be checked */
};

struct verification;
/* NULL on failure. */
struct verification *verification_new(struct error *err);
void verification_free(struct verification *v); /* accepts NULL */

/* False with DENIED: one runs already. `view` and `key` are copied. */
MUST_CHECK bool verification_start(struct verification *v, const struct log_view *view, const struct note_key *key,
                                   struct error *err);
void verification_look(struct verification *v, struct verification_result *out);

#endif
