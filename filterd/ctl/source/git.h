/* git.h - runs git to read a repository, which may be hostile.
 *
 * Arguments are fixed by the caller, never a shell's. Everything that a repository's configuration could make git execute or
 * leave out is overridden: hooks, fsmonitor, pagers, external diffs, textconv, signatures, replacements, the commit graph,
 * fetching of missing objects. The user's own configuration is read (safe.directory is there). */
#ifndef FILTERD_CTL_SOURCE_GIT_H
#define FILTERD_CTL_SOURCE_GIT_H

#include <sys/types.h>

#include "base/buf.h"

struct git {
    pid_t pid;
    int out;    /* its standard output */
    int errors; /* a memory file with its standard error */
};

/* For initialisers, before git_start. */
#define GIT_NONE {.pid = -1, .out = -1, .errors = -1}

/* `arguments`, at most 40, begin with git's command and end with NULL. `in` is its standard input; -1: none. `folder` is
 * where it runs; NULL: here. */
MUST_CHECK bool git_start(struct git *g, const char *folder, const char *const *arguments, int in, struct error *err);
/* Reads some bytes; *len 0 at the end. */
MUST_CHECK bool git_read(struct git *g, char *to, size_t max, size_t *len, struct error *err);
/* Appends all that is left, and ends it. */
MUST_CHECK bool git_read_all(struct git *g, struct buf *out, struct error *err);
/* Waits; fails with git's own message when its exit code is not 0. */
MUST_CHECK bool git_end(struct git *g, struct error *err);
/* For CLEANUP: ends it when git_end has not. */
void git_stop(struct git *g);

/* Runs it to its end and appends its output. */
MUST_CHECK bool git_output(const char *folder, const char *const *arguments, struct buf *out, struct error *err);

#endif
