/* export.h - an evidence bundle: lines of a log with what proves them, for readers without filterd or the log.
 *
 * A selection by a query has an inclusion proof for each line: it proves that these lines are in the log, not that there are
 * no others. A range has one proof for all its lines: nothing inside it was left out. The same question at the same
 * checkpoint gives the same bytes from filterctl record export and from the service. One thread for a bundle. */
#ifndef FILTERD_EVIDENCE_EXPORT_H
#define FILTERD_EVIDENCE_EXPORT_H

#include <stdatomic.h>

#include "policy/policy.h"
#include "query/query.h"
#include "record/note.h"

enum { EXPORT_LINES_MAX = 1000000, EXPORT_PROOFS_MAX = 200000 /* lines with a proof each */ };

/* Puts the export on record; false ends it. */
typedef bool export_record_fn(void *context, struct error *err);

/* Who has the log's key. */
struct export_signer {
    bool (*key)(void *context, struct span origin, struct note_key *out, struct error *err);
    /* Appends the signature line of the manifest's note (record/manifest_note.h); `key` is that of key(). */
    bool (*sign)(void *context, const struct note_key *key, const char *sha256, struct buf *lines, struct error *err);
    void *context;
};

/* Shared with other threads. */
struct export_progress {
    atomic_bool is_stopped; /* set by them: the export fails with DENIED */
    _Atomic uint64_t read, taken; /* lines */
};

struct export_request {
    export_record_fn *record; /* called before a line is read; NULL: nothing is put on record */
    void *context;
    const char *log;     /* path of the open file */
    const struct export_signer *signer;
    const char *out;     /* path of the bundle */
    const struct query *query; /* NULL: the range */
    uint64_t first, last;
    const char *purpose; /* NULL: none was given */
    const char *by;
    const struct snapshot *snapshot; /* of the texts that may have been in force; NULL: there are none to compare */
    const struct query *visible; /* lines about the selected ones have to match it, too; NULL: all may be in the bundle */
    const char *folder;          /* for a file without a name, of what is gathered; NULL: $TMPDIR or /tmp */
    uint64_t bytes_max;          /* of the bundle; 0: as much as there are lines. More is LIMIT */
    uint64_t free_min;           /* bytes that are left free on that disk; else LIMIT */
    struct export_progress *progress; /* NULL: nobody asks */
    const char *rules, *policy;      /* where they come from, as in filterctl check; NULL: those built in */
};

struct export_result {
    uint64_t n, newer; /* lines in the bundle; lines that match and are behind the newest checkpoint */
    uint64_t size;     /* of that checkpoint */
};

/* NOT_FOUND: no line matches, and there is no bundle. */
MUST_CHECK bool export_bundle(const struct export_request *request, struct export_result *out, struct error *err);

#endif
