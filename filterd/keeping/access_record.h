/* access_record.h - what is put on record about somebody who looks at records: who, in which role, at what. The line's schema is
 * in filterd-decision-log(5), type "access". */
#ifndef FILTERD_KEEPING_ACCESS_RECORD_H
#define FILTERD_KEEPING_ACCESS_RECORD_H

#include "enforce/decision_log.h"

enum { ACCESS_RECORD_MAX = 32 * 1024 };

struct access_event {
    const char *by, *role;
    const char *what;  /* static word: list, record, reveal, export, search, key */
    uint64_t item;     /* number of the line; 0: left out */
    struct span query; /* canonical text; ptr NULL: left out. Not with an item */
    struct span kek, blob; /* of a key: its id, and the original that it is for; empty: left out */
    struct span purpose;   /* empty: left out */
    struct span request;   /* id of a reveal; empty: left out */
    int64_t now_ns;    /* UTC */
};

/* Into `line`, in place of what that holds; it needs a ceiling of ACCESS_RECORD_MAX. */
MUST_CHECK bool access_record_format(const struct access_event *e, struct buf *line, struct error *err);

/* Waits until it is on disk: what is looked at may be shown then. */
MUST_CHECK bool access_record_write(struct decision_log *log, const struct access_event *e, struct error *err);

#endif
