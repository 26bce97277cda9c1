/* row_columns.h - takes structs from rows of review.db and binds them to statements, by a table; internal to this folder.
 *
 * A table has one row for each column, in the order of the columns; it ends with a row without a name. */
#ifndef FILTERD_REVIEW_ROW_COLUMNS_H
#define FILTERD_REVIEW_ROW_COLUMNS_H

#include <sqlite3.h>
#include <stddef.h>

enum column_kind {
    COLUMN_TEXT,   /* char[size], NUL-terminated; a longer text is truncated */
    COLUMN_NUMBER, /* int64_t, or uint64_t up to INT64_MAX */
    COLUMN_WORD,   /* unsigned, or an enum without a negative value */
    COLUMN_FLAG,   /* bool */
};

struct row_column {
    const char *name;
    enum column_kind kind;
    size_t offset, size;
};

/* Columns from the first on; `row` has the members that the table names. */
void row_columns_take(sqlite3_stmt *s, const struct row_column *table, void *row);

/* Parameters from ?1 on. The texts of `row` are to stay until the statement has run. */
void row_columns_bind(sqlite3_stmt *s, const struct row_column *table, const void *row);

#endif
