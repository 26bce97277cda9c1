/* history.h - which versions of which files a repository's commits brought, oldest first, or what is staged.
 *
 * Texts are borrowed from the history's own buffer. Names, authors and paths are the repository's: any bytes but NUL. */
#ifndef FILTERD_CTL_SOURCE_HISTORY_H
#define FILTERD_CTL_SOURCE_HISTORY_H

#include <stdint.h>

#include <pthread.h>
#include <stdatomic.h>

#include "ctl/source/git.h"

struct history_commit {
    struct span id; /* hexadecimal */
    struct span author, address;
    int64_t time; /* seconds since 1970; 0: the commit has none that is a number */
};

/* One version of one file, or its end. A merge has those that are in none of its parents. */
struct history_change {
    uint32_t commit; /* index; HISTORY_STAGED: none yet */
    struct span path;
    struct span blob;   /* hexadecimal */
    struct span before; /* the blobs it replaces, a space between; zeroes: there was none */
    bool is_removal;    /* blob is zeroes */
};

#define HISTORY_STAGED UINT32_MAX

/* A thread that reads the list of all commits and finds what they changed in the packs (history_trees.h). */
struct history_reader {
    pthread_t thread;
    struct git commits, place; /* while they run: the list, and where the repository's objects are */
    atomic_bool is_stopping;
    bool is_started, is_read;
    struct error err; /* where it is not read */
};

struct history {
    struct git git; /* while it runs */
    bool is_staged;
    struct history_reader reader; /* of all that there is */
    struct buf objects; /* the repository's folder of objects, NUL-terminated; empty: it was not asked for */
    struct buf text;
    struct history_commit *commits;
    size_t n_commits, max_commits;
    struct history_change *changes;
    size_t n_changes, max_changes;
};

/* Before history_deinit. */
void history_init(struct history *h);
/* Start git. Of those that `ranges` name, as git does (main..HEAD); n 0: all that a branch, a tag or another reference leads to. */
MUST_CHECK bool history_start(struct history *h, char *const *ranges, int n, struct error *err);
/* What is in the index and not in the last commit. */
MUST_CHECK bool history_start_staged(struct history *h, struct error *err);
/* Waits for git and reads what it prints. */
MUST_CHECK bool history_read(struct history *h, struct error *err);
void history_deinit(struct history *h);

/* What git prints, in h->text already. */
MUST_CHECK bool history_parse(struct history *h, struct error *err);
/* Takes the first blob off `before`, skipping those of zeroes; false when none is left. */
bool history_next_before(struct span *before, struct span *blob);

#endif
