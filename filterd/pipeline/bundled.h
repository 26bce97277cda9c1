/* bundled.h - the rules of a service that takes them from signed policy bundles alone (bundle/store.h).
 *
 * The main thread starts it before others run; one update at a time afterwards. What metrics read is atomic. */
#ifndef FILTERD_PIPELINE_BUNDLED_H
#define FILTERD_PIPELINE_BUNDLED_H

#include <stdatomic.h>

#include "pipeline/load.h"
#include "bundle/store.h"

struct bundled {
    struct policy_bundle_place place; /* bundles NULL: rules do not come in bundles */
    const char *cache_directory;      /* as in rule_set_options */
    struct policy_bundle_taken taken;
    bool blocks_expired;              /* no verdicts once the bundle in force has expired */
    _Atomic uint64_t version, highest, refused; /* in use; ever taken; updates that failed */
    _Atomic int64_t expires_ns;       /* UTC */
    atomic_bool is_expired;           /* the log says so */
};

/* Takes the newest bundle. When it is refused, the one that was taken before stays, and the log says why; without one that is
 * an error. The place's texts are borrowed. */
MUST_CHECK bool bundled_start(struct bundled *b, const struct policy_bundle_place *place, const char *cache_directory, struct error *err);
/* Takes the newest bundle, if it is newer; on failure the one before stays. True without bundles. */
MUST_CHECK bool bundled_update(struct bundled *b, struct error *err);
/* Returns from that version to the one before (policy_bundle_withdraw). */
MUST_CHECK bool bundled_withdraw(struct bundled *b, uint64_t version, struct error *err);

/* The rules that were taken last are now those of the service. */
void bundled_use(struct bundled *b);

/* Any thread. The log says so once. */
bool bundled_is_expired(struct bundled *b);
bool bundled_blocks(struct bundled *b);   /* it has, and that blocks */
extern const char bundled_expired_rule[]; /* blocks then */
extern const char bundled_expired_reason[];

#endif
