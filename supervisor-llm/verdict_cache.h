/* verdict_cache.h - the same question, the same answer: a bounded table of verdicts.
 *
 * Keys are digests of all that an answer depends on; a verdict is kept as it is, without the text
 * it is about. The one that was of no use for longest makes room. Not thread-safe. */
#ifndef FILTERD_SUPERVISOR_LLM_VERDICT_CACHE_H
#define FILTERD_SUPERVISOR_LLM_VERDICT_CACHE_H

#include "base/error.h"
#include "base/span.h"
#include "judge/supervision.h"

enum { VERDICT_KEY = 32 };

struct verdict_key {
    uint8_t bytes[VERDICT_KEY];
};

/* What an answer depends on. */
struct verdict_subject {
    struct span text, policy; /* as shown; the policy's digest */
    struct span prompt;       /* digest of the prompt's texts */
    struct span model;
    unsigned categories;
};
struct verdict_key verdict_key_of(const struct verdict_subject *s);

struct verdict_cache;

/* Room for `entries` verdicts, all of it taken now; each lasts for ttl_ns. 0 entries: keeps nothing. */
struct verdict_cache *verdict_cache_new(size_t entries, uint64_t ttl_ns, struct error *err);
void verdict_cache_free(struct verdict_cache *c);

/* NULL when there is none, or it is too old. Valid until the next put. */
const struct supervision *verdict_cache_get(struct verdict_cache *c, const struct verdict_key *key, uint64_t now_ns);
/* Keeps answers only. */
void verdict_cache_put(struct verdict_cache *c, const struct verdict_key *key, const struct supervision *verdict,
                       uint64_t now_ns);
size_t verdict_cache_count(const struct verdict_cache *c);

#endif
