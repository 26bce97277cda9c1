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
    _Atomic uint64_t version, refused; /* in force; updates that failed */
    _Atomic int64_t expires_ns;        /* UTC */
};

/* Takes the newest bundle. When it is refused, the one that was taken before stays, and the log says why; without one that is
 * an error. The place's texts are borrowed. */
MUST_CHECK bool bundled_start(struct bundled *b, const struct policy_bundle_place *place, const char *cache_directory, struct error *err);
/* Takes the newest bundle, if it is newer; on failure the one before stays. True without bundles. */
MUST_CHECK bool bundled_update(struct bundled *b, struct error *err);

#endif
