/* access_record.h - lines of type access: who accessed which records, in which role; and changes of the passkeys with
 * which people sign in. filterd-decision-log(5) describes the
 * members. */
#ifndef FILTERD_DECISION_LOG_ACCESS_RECORD_H
#define FILTERD_DECISION_LOG_ACCESS_RECORD_H

#include "decision_log/decision_log.h"

enum { ACCESS_RECORD_MAX = 32 * 1024 };

struct access_event {
    const char *by, *role;
    const char *what;  /* static: list, record, reveal, export, search, key, passkey */
    const char *step;  /* of a passkey, static: added, removed, reset, refused; NULL: absent */
    struct span person, passkey; /* of a passkey: whose, and which one; empty: absent */
    uint64_t item;     /* number of the line; 0: absent */
    struct span query; /* canonical text; ptr NULL: absent. Not with an item */
    struct span kek, blob; /* of a key: its id, and the original; empty: absent */
    struct span purpose;   /* empty: absent */
    struct span request;   /* id of a reveal; empty: absent */
    struct span copy_of;   /* the node whose log was looked at in a copy; "*": all; empty: this log */
    int64_t now_ns;    /* UTC */
};

/* Replaces the content of `line`, which needs a ceiling of ACCESS_RECORD_MAX. */
MUST_CHECK bool access_record_format(const struct access_event *e, struct buf *line, struct error *err);

/* Returns when the line is on disk; only then may the records be shown. */
MUST_CHECK bool access_record_write(struct decision_log *log, const struct access_event *e, struct error *err);

#endif
