/* index_follow.h - keeps an index up to date with the files of a log.
 *
 * The file at the path identifies the log. Lines are read in order from all files of the log, whatever their names, so rotation
 * and compression need no special care. The index is rebuilt if it belongs to another log or its last line differs from the
 * file's: after a crash that lost lines, or when a new log began at the same path. One thread. */
#ifndef FILTERD_INDEX_INDEX_FOLLOW_H
#define FILTERD_INDEX_INDEX_FOLLOW_H

#include "index/index_fold.h"

struct index_place {
    const char *log;   /* the open file */
    const char *folder; /* of the log's files */
    const char *index; /* path of the index */
    const struct index_maker *maker; /* NULL: index_fold.h */
};

/* What makes a file of lines, as index_fold.h does; `make_file` NULL: it does not keep where lines are. */
struct index_maker {
    const struct index_schema *schema;
    void *(*make)(struct index_store *store, struct error *err);
    void (*free)(void *fold);
    const struct index_position *(*position)(const void *fold);
    bool (*make_file)(void *fold, const char *path, uint64_t first_seq, const struct tree_hash *first, int64_t *id,
                      struct error *err);
    bool (*add)(void *fold, struct span line, int64_t file, uint64_t offset, struct error *err);
    bool (*commit)(void *fold, const char *origin, struct error *err);
};

struct index_follow;

/* NULL on failure. DENIED: another process writes the index. The place is borrowed. */
struct index_follow *index_follow_open(const struct index_place *place, struct error *err);
/* The same from the first line on, with nothing of what there was. */
struct index_follow *index_follow_rebuild(const struct index_place *place, struct error *err);
void index_follow_close(struct index_follow *f); /* accepts NULL */

/* Indexes the next lines, INDEX_BATCH at most and none behind line `last`, for about `budget_ms`; they are in the index when this
 * returns true. *more: there are others. A line that is not whole yet ends what there is. After a failure everything is read
 * anew at the next call. */
MUST_CHECK bool index_follow_step(struct index_follow *f, uint64_t last, unsigned budget_ms, bool *more, struct error *err);
/* The number of the last line in the index. */
uint64_t index_follow_seq(const struct index_follow *f);
/* Of a rebuilt one, behind its last line: it is not of use before. */
MUST_CHECK bool index_follow_finish(struct index_follow *f, struct error *err);

#endif
