/* batch.h - work for threads, its results taken in the order in which it was given.
 *
 * A batch is a file to judge or a run of lines. Threads call run(); the thread that owns the
 * struct batches calls sink() for each batch in order. Versions in a repository come in chains: run() gets
 * several at once, always the same ones. At most a few chains per thread are in flight, so memory stays bounded
 * however long the input is. */
#ifndef FILTERD_CTL_BATCH_H
#define FILTERD_CTL_BATCH_H

#include "ctl/report.h"
#include "ctl/source/contents.h"
#include "ctl/source/seen.h"

/* A version of a file in a repository. */
struct batch_blob {
    const struct history_commit *commit; /* that brought it; NULL: it is staged */
    struct content *content, *before;    /* held; before: what it replaces; NULL: that is not known, or nothing */
    size_t number;                       /* its place among all versions, as they are reported */
    bool is_read;                        /* there was a content, which may be released by now */
    bool is_known;                       /* its findings are not reported, now or later: it was there before */
};

enum { BATCH_CHAIN_MAX = 128, BATCH_CHAIN_BYTES = 2048 * 1024 }; /* versions; their bytes, but for the last one's */

struct batch {
    struct batch *next;     /* of the chain */
    char *file;          /* as shown to people */
    size_t first_line;   /* 0: the whole file, which run() reads */
    struct batch_blob blob; /* content NULL: a file, or lines */
    struct buf input;    /* lines; emptied after run() */
    struct buf output;   /* what run() made */
    struct buf findings; /* run()'s own notes of what is in the output */
    struct buf problems; /* array of struct report_problem, their `file` unset */
    struct seen prints;  /* run()'s own: fingerprints of the batch, counted */
    struct report_totals totals;
};

struct batch_task {
    void (*run)(void *context, struct worker *w, struct batch *b); /* b is the first of its chain */
    bool (*sink)(void *context, struct batch *b, struct error *err);
    void *context;
    const struct redaction_keys *keys; /* of the workers; borrowed */
};

struct batches;

/* jobs 0: as many threads as processors. Threads start as work comes. */
struct batches *batches_new(unsigned jobs, const struct batch_task *task, struct error *err);
void batches_free(struct batches *p); /* work still in flight is finished, its results dropped */

MUST_CHECK bool batches_add_file(struct batches *p, const char *file, struct error *err);
/* Takes over what the blob holds, also on failure. */
MUST_CHECK bool batches_add_blob(struct batches *p, const char *file, const struct batch_blob *blob, struct error *err);
/* A blob that could not be read. */
MUST_CHECK bool batches_add_problem(struct batches *p, const char *file, const struct batch_blob *blob, const char *reason,
                                    struct error *err);
/* All lines of a file; "-" is standard input, whose writer gets its answers before it is waited
 * for. */
MUST_CHECK bool batches_add_lines(struct batches *p, const char *file, struct error *err);
/* Waits for all and sinks them. */
MUST_CHECK bool batches_drain(struct batches *p, struct error *err);

/* Moves what run() made, with the file's name, out of a batch that is sunk; its contents are released. */
void batch_take(struct batch *to, struct batch *from);
void batch_deinit(struct batch *b);
/* Notes that the batch, or a line of it, was not judged. */
void batch_problem(struct batch *b, enum problem_kind kind, size_t line, const char *reason);

#endif
