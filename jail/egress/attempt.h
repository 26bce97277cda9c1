/* attempt.h - the egress record: a JSON line for every attempt, allowed or refused.
 *
 * A zeroed attempt was refused. It contains no part of a body, a header or a credential. Names can carry secrets, so query
 * values are masked, as are path segments and labels of a refused host that look like more than a name. */
#ifndef FILTERD_JAIL_EGRESS_ATTEMPT_H
#define FILTERD_JAIL_EGRESS_ATTEMPT_H

#include <stdatomic.h>

#include "base/buf.h"
#include "jail/egress/account.h"
#include "jail/egress/address.h"
#include "jail/egress/wire/host.h"
#include "jail/egress/policy.h"

enum egress_outcome {
    EGRESS_REFUSED,
    EGRESS_FAILED,
    EGRESS_ALLOWED,
    EGRESS_OPENED, /* it begins; its end is another line */
};

struct egress_attempt {
    const char *kind; /* static: "http", "connect", "dns" */
    int64_t time_ns;  /* UTC */
    uint64_t started_ns;
    enum egress_outcome outcome;
    const char *reason; /* static word: "host", "address", "filter", …; NULL when allowed */
    char detail[200];   /* readable; quotes nothing from the jail */
    char host[EGRESS_HOST_MAX + 1]; /* empty: none could be parsed */
    uint16_t port;
    char method[EGRESS_METHOD_MAX + 1];
    struct span target;   /* with the query; borrowed until the line is written */
    bool is_answer; /* a response was refused: not an act of the jail */
    bool is_target_secret; /* the filter found something in the target */
    struct span rule;     /* of the egress policy; empty: none allowed it */
    char filter_rule[EGRESS_NAME_MAX + 1]; /* the rule of filterd that decided about the content */
    char address[EGRESS_ADDRESS_TEXT];     /* connected to, or refused */
    char original[EGRESS_ADDRESS_TEXT];    /* the original destination of a captured connection */
    unsigned status;                       /* of the answer to the jail; 0: none */
    int64_t bytes_out, bytes_in;           /* to and from the server */
};

struct egress_log {
    int fd;
    int cut; /* readable when nothing may wait any more; -1: never */
    struct egress_account refusals; /* the rate of lines of what was refused or failed */
    const char *jail, *agent; /* borrowed; may be NULL */
    void (*notify)(void *context, const struct egress_attempt *a); /* called after each line but OPENED; NULL: none */
    void *notify_context;
    int64_t room;             /* bytes behind the end of the file that are reserved before anything leaves */
    atomic_bool is_broken;    /* a line could not be written: nothing more may leave */
};

/* Appends to the file (mode 0600); "-" is standard output. `attempts`: under way at once. */
MUST_CHECK bool egress_log_open(struct egress_log *log, const char *path, int64_t attempts, struct error *err);
void egress_log_close(struct egress_log *log);

/* Before anything leaves: true when the line of each attempt under way has room on the disk. Any thread. */
bool egress_log_has_room(const struct egress_log *log);

/* Writes one line, with the duration until now, in one write; that of what was refused or failed at a limited rate, a hundred a second
 * when the first thousand are used up. Any thread. */
void egress_log_write(struct egress_log *log, const struct egress_attempt *a);
/* Writes the line of an attempt that is about to leave; false: it must not, as this line or its last one cannot be written. */
MUST_CHECK bool egress_log_open_attempt(struct egress_log *log, const struct egress_attempt *a);

/* A short readable summary with the same masking as the line: "https evil.test:443 refused: host". */
void egress_attempt_summarise(const struct egress_attempt *a, char *text, size_t size);

/* The line without the log's file, for tests. */
MUST_CHECK bool egress_attempt_print(const struct egress_attempt *a, const struct egress_log *log, uint64_t now_ns,
                                     struct buf *out, struct error *err);

#endif
