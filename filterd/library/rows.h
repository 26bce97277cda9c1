/* rows.h - what was judged, a row for each text: growing buffers, one for each column of the result.
 *
 * Each thread fills its own rows; rows_move puts them one after the other. Lengths instead of offsets, and -1 for null, so that
 * nothing has to be adjusted then. Not thread-safe. */
#ifndef FILTERD_LIBRARY_ROWS_H
#define FILTERD_LIBRARY_ROWS_H

#include "base/buf.h"
#include "library/judge.h"

/* The columns, and what an element of each is. */
#define ROWS_COLUMNS(X)                                                                                                                    \
    X(action, int8_t)          /* -1: the text was null */                                                                                 \
    X(rule, int16_t)           /* -1: none */                                                                                              \
    X(text_length, int32_t)    /* -1: null */                                                                                              \
    X(text, char)                                                                                                                          \
    X(n_findings, int32_t)     /* -1: null */                                                                                              \
    X(error_length, int32_t)   /* -1: null */                                                                                              \
    X(error, char)                                                                                                                         \
    X(finding_rule, int16_t)                                                                                                               \
    X(finding_start, int32_t)                                                                                                              \
    X(finding_end, int32_t)                                                                                                                \
    X(finding_confidence, float)                                                                                                           \
    X(finding_action, int8_t)                                                                                                              \
    X(finding_category, int8_t)                                                                                                            \
    X(finding_severity, int8_t)                                                                                                            \
    X(finding_view_length, int32_t)                                                                                                        \
    X(finding_view, char)

enum rows_column {
#define ROWS_COLUMN(name, type) ROWS_##name,
    ROWS_COLUMNS(ROWS_COLUMN)
#undef ROWS_COLUMN
    ROWS_COLUMN_COUNT
};

struct rows {
    struct buf columns[ROWS_COLUMN_COUNT];
};

/* How many elements of the column there are. */
size_t rows_count(const struct rows *rows, enum rows_column column);

/* has_large_text: the texts may be more than 2 GiB together. */
void rows_init(struct rows *rows, bool has_large_text);
void rows_deinit(struct rows *rows);

/* A row for a null. On failure, here and below, the rows are to be thrown away. */
MUST_CHECK bool rows_add_null(struct rows *rows, struct error *err);
/* A row for a verdict, with its text or without. */
MUST_CHECK bool rows_add(struct rows *rows, const struct filterd_engine *engine, const struct exchange *x, bool with_text, struct error *err);
/* Appends the rows of `from`, which is empty then. */
MUST_CHECK bool rows_move(struct rows *to, struct rows *from, struct error *err);

#endif
