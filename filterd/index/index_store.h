/* index_store.h - a file that is made of a log's lines: SQLite, with a schema that has a version.
 *
 * Everything in it can be recomputed from the lines, so a file of another version, or one that is not SQLite's, is replaced, and
 * writes do not wait for the disk (synchronous=NORMAL). One process writes it, ensured by a lock on <path>.lock; any number
 * read. No connection is used by two threads at once. */
#ifndef FILTERD_INDEX_INDEX_STORE_H
#define FILTERD_INDEX_INDEX_STORE_H

#include <sqlite3.h>
#include <stdint.h>

#include "record/checkpoint.h"
#include "record/tree.h"

enum {
    INDEX_VERSION = 2,
    INDEX_BLOCK_LINES = 4096,     /* lines of which times, req_ids and keys are kept together */
    INDEX_REGION_LINES = 65536,   /* lines of which agents are kept together, when all are indexed */
    INDEX_PART_LINES = INDEX_REGION_LINES / 64, /* that a bit of a region stands for */
    INDEX_FILTER = 16 * 1024, /* bytes of a Bloom filter over the keys of a block: two a line, 16 bits each */
};

/* How far the index is: behind line `seq`, which is in `file` and ends at `offset`. Zeroed: it is empty. */
struct index_position {
    char origin[CHECKPOINT_ORIGIN_MAX + 1];
    int64_t file;
    uint64_t offset, seq;
    struct tree_hash leaf; /* of that line */
};

/* What a file has. Each has a table `position`, too. */
struct index_schema {
    int version;
    const char *const *tables; /* SQL; NULL-terminated */
    const char *indexes;       /* likewise; they come last in a bulk load */
};
extern const struct index_schema index_schema; /* of the index of lines */

struct index_store {
    sqlite3 *db;
    int lock;
    const struct index_schema *schema;
};

/* For writing. DENIED: another process writes it. */
MUST_CHECK bool index_store_open(struct index_store *s, const struct index_schema *schema, const char *path, struct error *err);
/* The same, emptied. `is_bulk`: for many lines at once, without a journal; a crash leaves no index. */
MUST_CHECK bool index_store_renew(struct index_store *s, const char *path, bool is_bulk, struct error *err);
/* Makes what a bulk load leaves for its end. */
MUST_CHECK bool index_store_finish_bulk(struct index_store *s, struct error *err);
void index_store_close(struct index_store *s); /* of zeroed memory, too */

/* For reading. NOT_FOUND: there is none, or it is of another version. */
MUST_CHECK bool index_store_open_read(sqlite3 **db, const struct index_schema *schema, const char *path, struct error *err);

MUST_CHECK bool index_position_read(sqlite3 *db, struct index_position *out, struct error *err);
MUST_CHECK bool index_position_write(sqlite3 *db, const struct index_position *position, struct error *err);

/* For the files of this folder: SYSTEM, INVALID or DENIED with what SQLite says. False. */
bool index_fail(sqlite3 *db, struct error *err);
MUST_CHECK bool index_execute(sqlite3 *db, const char *sql, struct error *err);
MUST_CHECK bool index_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **out, struct error *err);
/* Steps to the end of a statement without rows, and resets it. */
MUST_CHECK bool index_run(sqlite3 *db, sqlite3_stmt *statement, struct error *err);

#endif
