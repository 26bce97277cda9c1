/* index_files.h - the lines of rows, from the log's files; for index_*.c alone.
 *
 * A plain file is read at the row's offset. A compressed file is read from its beginning, once for all rows of a request. A
 * moved file is found by its first line. One thread. */
#ifndef FILTERD_INDEX_INDEX_FILES_H
#define FILTERD_INDEX_INDEX_FILES_H

#include "index/index_cursor.h"
#include "record/log_reader.h"

enum { INDEX_FETCH_MAX = 64 };

struct index_files {
    sqlite3 *db;
    const char *folder;
    struct log_files found; /* of the log, in order; none: not looked for yet */
    bool is_found;
    int64_t file; /* that is open; 0: none */
    int fd;
};

void index_files_init(struct index_files *f, sqlite3 *db, const char *folder);
void index_files_deinit(struct index_files *f);

/* Appends the line of each row to `text`, whose ceiling is at least n * TREE_LEAF_MAX, and says in lines[i] where; ptr NULL: it
 * is in none of the files any more. Rows have falling numbers, n is at most INDEX_FETCH_MAX. */
MUST_CHECK bool index_files_read(struct index_files *f, const struct index_row *rows, size_t n, struct buf *text,
                                 struct span *lines, struct error *err);

#endif
