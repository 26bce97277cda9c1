/* export.h - an evidence bundle: lines of a log with what proves them, for who has neither filterd nor the log.
 *
 * A selection by a query has an inclusion proof for each line: it proves that these lines are in the log, not that there are
 * no others. A range has one proof for all its lines: nothing inside it was left out. The same question at the same
 * checkpoint gives the same bytes. One thread. */
#ifndef FILTERD_CTL_RECORD_EXPORT_H
#define FILTERD_CTL_RECORD_EXPORT_H

#include "base/buf.h"
#include "policy/policy.h"
#include "query/query.h"

enum { EXPORT_LINES_MAX = 1000000, EXPORT_PROOFS_MAX = 200000 /* lines with a proof each */ };

/* Puts the export on record; false ends it. */
typedef bool export_record_fn(void *context, struct error *err);

struct export_request {
    export_record_fn *record; /* called before a line is read; NULL: nothing is put on record */
    void *context;
    const char *log;     /* path of the open file */
    const char *key;     /* of the log, 64 hex digits in a file */
    const char *out;     /* path of the bundle */
    const struct query *query; /* NULL: the range */
    uint64_t first, last;
    const char *purpose; /* NULL: none was given */
    const char *by;
    const struct snapshot *snapshot; /* of the texts that may have been in force; NULL: there are none to compare */
    const char *rules, *policy;      /* where they come from, as in filterctl check; NULL: those built in */
};

struct export_result {
    uint64_t n, newer; /* lines in the bundle; lines that match and are behind the newest checkpoint */
    uint64_t size;     /* of that checkpoint */
};

/* NOT_FOUND: no line matches, and there is no bundle. */
MUST_CHECK bool export_bundle(const struct export_request *request, struct export_result *out, struct error *err);

/* What a bundle's signature is over: "filterd export v1", a line with the manifest's SHA-256. No checkpoint begins so. */
MUST_CHECK bool export_signed_text(struct span manifest, struct buf *out, struct error *err);

#endif
