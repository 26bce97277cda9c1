/* lines.h - a text by whole lines, many at a time, from a file (also gzipped) or standard input; of UTF-16 and UTF-32 with a
 * mark in front it gives UTF-8. */
#ifndef FILTERD_CTL_LINES_H
#define FILTERD_CTL_LINES_H

#include "view/encoding.h"

enum { LINES_BATCH = 64 * 1024, LINE_MAX_BYTES = 64 * 1024 * 1024 };

struct lines {
    const char *name;
    void *gz; /* NULL: standard input */
    struct buf pending;
    size_t line; /* number of the first pending line, from 1 */
    bool is_at_end;
    struct encoding encoding; /* unit 0: nothing was read yet */
};

/* "-" is standard input. */
MUST_CHECK bool lines_open(struct lines *l, const char *path, struct error *err);
void lines_close(struct lines *l);

/* Puts the next lines into `out`, at least one and about LINES_BATCH bytes; out is empty at the
 * end. The last line may lack its newline. */
MUST_CHECK bool lines_next(struct lines *l, struct buf *out, size_t *first_line, struct error *err);
/* True when lines_next would wait for more standard input. */
bool lines_would_wait(const struct lines *l);

/* Takes the first line off `text`, without its newline; false when nothing is left. */
bool lines_split(struct span *text, struct span *line);

#endif
