/* jailed.h - runs a program on a document that may be hostile, in a jail (filterd-jail(1)).
 *
 * The jail has no network, no file of the machine but what is below /usr, strict system calls, one processor, 512 MiB of memory,
 * 60 seconds, and 64 MiB for its output and for each file. A machine that lacks one of its mechanisms runs nothing. Its policy is in a
 * folder in TMPDIR, else /tmp, for the time of the run. SIGINT, SIGTERM, SIGHUP and SIGQUIT end the jail first, then the process.
 * filterd-jail is the one beside this program, else that in /usr/bin. One at a time in a process. */
#ifndef FILTERD_CTL_SOURCE_JAILED_H
#define FILTERD_CTL_SOURCE_JAILED_H

#include "base/buf.h"

enum {
    JAILED_LIMIT = 124,    /* of time or output */
    JAILED_REFUSED = 125,  /* there is no jail, and nothing ran */
    JAILED_SIGNAL = 128,   /* and the number of the signal that ended it */
    JAILED_GONE = 255,     /* filterd-jail was killed */
    JAILED_MESSAGES = 32 * 1024, /* bytes that are read of its messages */
};

struct jailed {
    int code;                           /* exit code, the program's or one of the above */
    char messages[JAILED_MESSAGES + 1]; /* NUL-terminated; may quote the document, unless code is JAILED_REFUSED */
};

/* `command`, at most 16 strings and NULL, reads `document` from its standard input, in a folder that it may write to. Appends its output
 * to `out`; LIMIT when that is full. NOT_FOUND: filterd-jail is not installed. */
MUST_CHECK bool jailed_run(const char *const *command, struct span document, struct buf *out, struct jailed *result, struct error *err);

#endif
