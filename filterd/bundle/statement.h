/* statement.h - what a signed note says of a policy bundle: which archive it is, of which version, until when.
 *
 * The text of the note (record/note.h), a line for each member, in this order:
 *
 *     example.com/policy                  the name of the series of bundles
 *     version 4711                        only grows
 *     digest sha256:9f86…                 of the archive
 *     created 2026-11-22T17:00:00Z
 *     expires 2026-12-22T17:00:00Z
 *     engine >=0.1                        the oldest filterd that understands it
 *     keys 3                              the generation of keys (bundle/keys.h) that signs it
 *
 * Pure. Parsed spans are borrowed from the text. Any thread. */
#ifndef FILTERD_BUNDLE_STATEMENT_H
#define FILTERD_BUNDLE_STATEMENT_H

#include <stdint.h>

#include "base/buf.h"
#include "base/digest.h"

struct policy_bundle {
    struct span name;   /* as that of a key of a note */
    uint64_t version;   /* from 1 */
    char sha256[DIGEST_SHA256_HEX + 1];
    int64_t created_ns, expires_ns; /* UTC, whole seconds */
    struct span engine; /* "0.1" or "0.1.0" */
    uint64_t keys;      /* from 1 */
};

/* MALFORMED names the line and what was expected there. */
MUST_CHECK bool policy_bundle_parse(struct span text, struct policy_bundle *out, struct error *err);
MUST_CHECK bool policy_bundle_format(const struct policy_bundle *b, struct buf *out, struct error *err);
/* INVALID: it has expired, was created in the future, or needs a newer filterd than `version`. */
MUST_CHECK bool policy_bundle_check(const struct policy_bundle *b, int64_t now_ns, const char *version, struct error *err);

#endif
