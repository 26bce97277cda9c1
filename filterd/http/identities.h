/* identities.h - names of agents, tenants, applications and sessions from callers, in the form that filterd may show.
 *
 * A name may contain a secret like any text. Each is judged under the tenant's policy; if that redacts or blocks something,
 * the name's token replaces it in the record, the ledger, hooks, answers and operators' routes. Equal names have
 * equal tokens under the same keys, so that an agent has one account. Policies compare the original name.
 * Sessions and end users are always shown as tokens; of a user nothing else is kept. Clean names are cached. Any thread. */
#ifndef FILTERD_HTTP_IDENTITIES_H
#define FILTERD_HTTP_IDENTITIES_H

#include "state/keys.h"
#include "decision_log/value_token.h"
#include "http/filter_request.h"

struct identities;

/* `keys` are borrowed. NULL on failure. */
struct identities *identities_new(const struct keys *keys, struct error *err);
/* Accepts NULL. */
void identities_free(struct identities *n);

/* Replaces given names by shown names, which may be in the arena; who->given has the original where it differs.
 * A name with invisible parts, or one that looks like a token, is a fault with its JSON pointer. */
MUST_CHECK bool identity_show(struct identities *n, const struct snapshot *snapshot, struct arena *a, struct identity *who,
                           struct filter_fault *fault);

/* What stands for an end user's id, of any length; under token.key, as accounts. */
MUST_CHECK bool identity_user(const struct identities *n, struct span id, struct value_token *out, struct error *err);

/* identity_show for one short text of the record, such as a reporter's reason. */
MUST_CHECK bool identity_show_text(struct identities *n, const struct snapshot *snapshot, struct arena *a, struct span *text,
                                struct filter_fault *fault);

#endif
