/* csv.h - reads CSV strictly (RFC 4180) from a stream, row by row.
 *
 * A field is bare, without quotes, or quoted, where "" is a quote and anything else is itself. Rows end with CRLF or LF;
 * every row has as many fields as the first. Text is valid UTF-8; a byte order mark at the beginning is skipped. Errors are
 * "file:line:column: what was expected", never content; columns count bytes. */
#ifndef FILTERD_DATASET_CSV_H
#define FILTERD_DATASET_CSV_H

#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

enum { CSV_FIELDS_MAX = 1024, CSV_ROW_MAX = 1024 * 1024, CSV_BUFFER = 256 * 1024 };

struct csv {
    FILE *file;
    const char *name;
    char delimiter;
    uint64_t line, column; /* of the next byte; they begin with 1 */
    struct buf text;       /* of the row's fields, one after another */
    size_t ends[CSV_FIELDS_MAX];
    size_t n_fields;       /* of the row */
    size_t n_expected;     /* of every row; 0: the first is not read */
    char *buffer;
    size_t at, len;        /* in it */
};

/* The delimiter is not a quote, CR or LF. */
MUST_CHECK bool csv_open(struct csv *c, FILE *file, const char *name, char delimiter, struct error *err);
void csv_close(struct csv *c); /* not the file */

/* The next row; *is_end when there is none. */
MUST_CHECK bool csv_next(struct csv *c, bool *is_end, struct error *err);
/* Valid until the next row. */
struct span csv_field(const struct csv *c, size_t i);

#endif
