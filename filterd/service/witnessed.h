/* witnessed.h - what the service shows of its record to others, and the witnesses that cosign it.
 *
 * Without a proof (no checkpoint) nothing is shown. Opened with the service, closed before its record. */
#ifndef FILTERD_SERVICE_WITNESSED_H
#define FILTERD_SERVICE_WITNESSED_H

#include <limits.h>

#include "decision_log/key_rotation.h"
#include "record/log_view.h"
#include "witness/push.h"

struct service_options;
struct signer;

struct witnessed {
    char folder[PATH_MAX], record[PATH_MAX];
    struct log_view view;        /* of these two */
    struct witnesses *witnesses; /* set before service_open, owned; NULL: none */
    struct push *push;
    struct key_rotation rotation;
    uint64_t within_s; /* the quorum must have cosigned all but what is younger; 0: it need not */
};

/* Where the record is. */
MUST_CHECK bool witnessed_open(struct witnessed *w, const struct service_options *options, struct error *err);
/* Goes on with a rotation of the signer's key, and writes the policy to the record's folder, once there is a checkpoint. */
MUST_CHECK bool witnessed_start(struct witnessed *w, const struct service_options *options, struct decision_log *log, struct signer *signer,
                                struct error *err);
void witnessed_close(struct witnessed *w); /* of zeroed memory, too */

/* False: the quorum has not cosigned for longer than it may. Any thread. */
bool witnessed_is_ready(const struct witnessed *w);
/* Appends the policy (C2SP tlog-policy) by which others verify this log: its key, its witnesses, the quorum. NOT_FOUND: there
 * is no checkpoint yet. Any thread. */
MUST_CHECK bool witnessed_policy(const struct witnessed *w, const struct signer *signer, struct buf *out, struct error *err);
/* Appends the lags in Prometheus' text format. */
MUST_CHECK bool witnessed_metrics(const struct witnessed *w, struct buf *out, struct error *err);

#endif
