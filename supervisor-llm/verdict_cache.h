/* verdict_cache.h - a bounded LRU cache of verdicts.
 *
 * Keys are digests of everything that an answer depends on; verdicts are stored without their
 * texts. A full cache evicts the least recently used verdict. Not thread-safe. */
#ifndef FILTERD_SUPERVISOR_LLM_VERDICT_CACHE_H
#define FILTERD_SUPERVISOR_LLM_VERDICT_CACHE_H

#include "base/error.h"
#include "base/span.h"
#include "judge/supervision.h"

enum { VERDICT_KEY = 32 };

struct verdict_key {
    uint8_t bytes[VERDICT_KEY];
};

/* Everything that an answer depends on. */
struct verdict_subject {
    struct span text, policy; /* as shown; the policy's digest */
    struct span prompt;       /* digest of the prompt's texts */
    struct span model;
    unsigned categories;
};
struct verdict_key verdict_key_of(const struct verdict_subject *s);

struct verdict_cache;

/* Allocates space for `entries` verdicts, each valid for ttl_ns. 0 entries: stores nothing. */
struct verdict_cache *verdict_cache_new(size_t entries, uint64_t ttl_ns, struct error *err);
void verdict_cache_free(struct verdict_cache *c);

/* NULL when there is none, or it has expired. Valid until the next put. */
const struct supervision *verdict_cache_get(struct verdict_cache *c, const struct verdict_key *key, uint64_t now_ns);
/* Stores only answers. */
void verdict_cache_put(struct verdict_cache *c, const struct verdict_key *key, const struct supervision *verdict,
                       uint64_t now_ns);
size_t verdict_cache_count(const struct verdict_cache *c);

#endif
