/* admin_digests.h - what the record says of things that are no files: keys and recipients. Pure. */
#ifndef FILTERD_SERVICE_ADMIN_DIGESTS_H
#define FILTERD_SERVICE_ADMIN_DIGESTS_H

#include "enforce/keys.h"
#include "policy/policy.h"
#include "service/admin.h"

/* Which keys these are, without telling anything of them. `values` makes the tokens of values now. */
MUST_CHECK bool admin_digest_keys(const struct keys *keys, const struct decision_keys *values, char out[ADMIN_DIGEST],
                                  struct error *err);
/* Of the groups that policies seal to; empty, when no policy seals. */
MUST_CHECK bool admin_digest_recipients(const struct snapshot *snapshot, char out[ADMIN_DIGEST], struct error *err);

#endif
