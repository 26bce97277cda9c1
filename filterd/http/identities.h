/* identities.h - the names that callers give, of agents, tenants, applications and sessions, as filterd may show them.
 *
 * A name may hold a secret as any text may. Each is judged, as the tenant's policy says; one in which that acts on something
 * is known by its token from then on: in the record, the ledger, hooks, answers and operators' routes. Equal names have
 * equal tokens as long as the keys are kept, so that an agent has one account. Policies compare the name as it was given.
 * Sessions are shown as tokens always. Names that are judged clean are remembered. Any thread. */
#ifndef FILTERD_HTTP_IDENTITIES_H
#define FILTERD_HTTP_IDENTITIES_H

#include "enforce/keys.h"
#include "http/filter_request.h"

struct identities;

/* `keys` are borrowed. NULL on failure. */
struct identities *identities_new(const struct keys *keys, struct error *err);
/* Accepts NULL. */
void identities_free(struct identities *n);

/* Turns names as given into names as shown, which may lie in the arena; what was given is in who->given where it differs.
 * A name that cannot be seen for what it is, or that looks like a token, is a fault with its JSON pointer. */
MUST_CHECK bool identity_show(struct identities *n, const struct snapshot *snapshot, struct arena *a, struct identity *who,
                           struct filter_fault *fault);

/* The same of one text of few words that is put on record, as a reporter's reason. */
MUST_CHECK bool identity_show_text(struct identities *n, const struct snapshot *snapshot, struct arena *a, struct span *text,
                                struct filter_fault *fault);

#endif
