/* secrets.h - credentials that stay outside the jail and are inserted into outgoing requests.
 *
 * The jail writes the placeholder "filterd-credential-NAME" into the value of a header. The secret
 * is read once at the start, appears in no error and no record, and is wiped when it is revoked or at the end.
 * Any thread. */
#ifndef FILTERD_JAIL_EGRESS_SECRETS_H
#define FILTERD_JAIL_EGRESS_SECRETS_H

#include <pthread.h>

#include "base/buf.h"
#include "jail/egress/policy.h"
#include "jail/egress/wire/echo.h"

enum { EGRESS_SECRET_MAX = 4096 };

struct egress_secret {
    const struct egress_credential *credential;
    char value[EGRESS_SECRET_MAX + 1];
    size_t len;
    char pair[EGRESS_SECRET_MAX]; /* user:password, where the value is that in base64 */
    struct echo whole, password;
    int64_t uses_left;
};

struct egress_secrets {
    struct egress_secret *items; /* owned */
    size_t n;
    uint64_t started_ns;
    pthread_mutex_t lock; /* of values, uses and: */
    bool is_revoked;
};

/* Reads files and variables; a line end after the value is not part of it. Refuses values with bytes that a header
 * must not have. Call deinit after a failure, too. */
MUST_CHECK bool egress_secrets_init(struct egress_secrets *s, const struct egress_policy *p, uint64_t now_ns,
                                    struct error *err);
void egress_secrets_deinit(struct egress_secrets *s);

/* Wipes all values and returns their number, 0 the second time. From now on every placeholder is refused. */
size_t egress_secrets_revoke(struct egress_secrets *s);

/* True when the value has a placeholder, even of a credential that does not exist. */
bool egress_secrets_wants(struct span value);

/* Appends the header's value with the secrets in place of the placeholders, and counts their uses. DENIED when a placeholder
 * has no credential, when its credential is for other targets, exhausted or expired, and after a
 * revocation; *out is then invalid. */
MUST_CHECK bool egress_secrets_fill(struct egress_secrets *s, const struct egress_target *target, struct span value,
                                    uint64_t now_ns, struct buf *out, struct error *err);

/* True when a credential is for that host, whatever the path. */
bool egress_secrets_are_for(const struct egress_secrets *s, const struct egress_host *host);

/* True when the text, of an answer, has a secret or its password in one of the forms of wire/echo.h; after a revocation of any text, as
 * nobody can tell any more. */
bool egress_secrets_are_in(struct egress_secrets *s, struct span text);
/* The length of the longest end of the text with which such a secret may begin. */
size_t egress_secrets_begun(struct egress_secrets *s, struct span text);

#endif
