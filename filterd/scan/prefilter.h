/* prefilter.h - Hyperscan: which expressions may match, ending where. Rows of one class are found without it (class_runs.h).
 *
 * What needs something rare, a byte beyond ASCII or a row of characters of tokens, is looked for only where a text has that
 * (regex/stretches.h); the hits are the same. Their order is that of the text for each expression.
 *
 * Block mode, no start of match. The databases are compiled once, or loaded from a cache file that is named by
 * the SHA-256 of everything that matters (expressions, flags, library version, processor) and verified by
 * a second digest before use; a damaged or foreign file is compiled anew, never trusted. Immutable;
 * the scratch belongs to one thread and grows to the database at hand. */
#ifndef FILTERD_SCAN_PREFILTER_H
#define FILTERD_SCAN_PREFILTER_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

struct prefilter;
struct prefilter_scratch;

/* Expression i reports as i. *bad is the one at fault, or n. directory NULL: no cache. */
struct prefilter *prefilter_new(const char *const *expressions, uint32_t n, const char *directory, uint32_t *bad,
                                struct error *err);
void prefilter_free(struct prefilter *p);
size_t prefilter_size(const struct prefilter *p);

struct prefilter_scratch *prefilter_scratch_new(struct error *err);
void prefilter_scratch_free(struct prefilter_scratch *s);

/* Called for hits; one ends at each offset from `first` to `last`, behind its last byte. Return false to stop the scan. */
typedef bool prefilter_hit_fn(void *context, uint32_t expression, uint32_t first, uint32_t last);
MUST_CHECK bool prefilter_scan(const struct prefilter *p, struct prefilter_scratch *s, struct span text,
                               prefilter_hit_fn *hit, void *context, struct error *err);

/* Called each time before a database is compiled, which may take seconds: it was not in the cache. NULL, the default: no
 * call. Before the first thread. */
void prefilter_tell_compile(void (*tell)(void));

#endif
