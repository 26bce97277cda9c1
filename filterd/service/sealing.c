#include "service/sealing.h"

#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

#include "base/locked_pages.h"
#include "base/log.h"
#include "pipeline/pipeline.h"

enum { FREED_BYTE = 0xff }; /* what freed memory holds; new memory has zeros */

static bool has_keys(const char *state_directory)
{
    char path[PATH_MAX];
    int len = state_directory == NULL ? -1 : snprintf(path, sizeof(path), "%s/" SHRED_FOLDER "/" SHRED_FILE, state_directory);

    return len > 0 && len < (int)sizeof(path) && access(path, F_OK) == 0;
}

/* An original that only its reviewers can open is not to be left in the memory that it came from: what is freed is
 * overwritten, in libraries too; buffers of requests and streams and the workers' memory are locked. */
static void lock_texts(struct service *s)
{
    (void)mallopt(M_PERTURB, FREED_BYTE);
    buf_lock_texts();
    worker_pool_lock(s->pool);
    atomic_store(&s->is_sealing, true);
}

bool sealing_open(struct service *s, const struct snapshot *snapshot, struct error *err)
{
    if (s->sealer != NULL || (!snapshot_seals(snapshot) && !has_keys(s->options->state_directory))) {
        return true;
    }
    struct sealer *sealer = sealer_open(s->options->state_directory, s->options->log, err);
    if (sealer == NULL) {
        return false;
    }
    decision_log_before_write(s->log, sealer_sync, sealer);
    s->sealer = sealer;
    lock_texts(s);
    return true;
}

void sealing_apply_stream(struct service *s, struct exchange *x, struct sealed_note *note)
{
    struct error err;
    enum seal_result result = sealer_seal(s->sealer, x, note, &err);

    x->sealed = result == SEAL_NOTHING ? NULL : note;
    if (result == SEAL_DONE) {
        (void)atomic_fetch_add(&s->metrics.sealed, 1);
    } else if (result == SEAL_FAILED) {
        (void)atomic_fetch_add(&s->metrics.unsealed, 1);
        log_error("seal: an original could not be sealed: %s", err.text);
    }
}

void sealing_apply(struct service *s, struct exchange *x, struct sealed_note *note)
{
    sealing_apply_stream(s, x, note);
    bool must_block = x->sealed != NULL && note->has_failed && x->policy->seal->on_failure == SEAL_FAILURE_BLOCK;
    if (must_block && x->action != ACTION_BLOCK) {
        exchange_fail(x, "the original could not be sealed");
    }
}
