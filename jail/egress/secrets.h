/* secrets.h - credentials that stay outside the jail and are inserted into outgoing requests.
 *
 * The jail writes the placeholder "filterd-credential-NAME" into the value of a header. What it stands
 * for is read once at the start, is in no error and no record, and is wiped at the end, or before it when it is revoked.
 * Any thread. */
#ifndef FILTERD_JAIL_EGRESS_SECRETS_H
#define FILTERD_JAIL_EGRESS_SECRETS_H

#include <pthread.h>

#include "base/buf.h"
#include "jail/egress/policy.h"

enum { EGRESS_SECRET_MAX = 4096 };

struct egress_secret {
    const struct egress_credential *credential;
    char value[EGRESS_SECRET_MAX + 1];
    size_t len;
    int64_t uses_left;
};

struct egress_secrets {
    struct egress_secret *items; /* owned */
    size_t n;
    uint64_t started_ns;
    pthread_mutex_t lock; /* of values, uses and: */
    bool is_revoked;
};

/* Reads files and variables; a line end behind the value is not part of it. The values have only bytes that a header
 * may have. On failure what was made is released by deinit. */
MUST_CHECK bool egress_secrets_init(struct egress_secrets *s, const struct egress_policy *p, uint64_t now_ns,
                                    struct error *err);
void egress_secrets_deinit(struct egress_secrets *s);

/* Wipes all values: from now on every placeholder is refused. How many there were; 0 the second time. */
size_t egress_secrets_revoke(struct egress_secrets *s);

/* True when the value has a placeholder, also of a credential that does not exist. */
bool egress_secrets_wants(struct span value);

/* Appends the header's value with what each placeholder stands for, and counts a use of it. DENIED when a placeholder
 * is of no credential, of one for other places, of one that is used up or too old, or of any after a
 * revocation; *out is then of no use. */
MUST_CHECK bool egress_secrets_fill(struct egress_secrets *s, const struct egress_target *target, struct span value,
                                    uint64_t now_ns, struct buf *out, struct error *err);

#endif
