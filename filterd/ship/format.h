/* format.h - lines of the decision log as sinks take them: OTLP logs and traces, OCSF events, CEF in syslog messages, the lines
 * themselves.
 *
 * A batch is begun, filled line by line and ended; its bytes are then the body of a request, or written to a connection or a
 * file. Lines that a format has no record for are skipped and counted. A batch contains only clear members of the record, its
 * tokens and the digest of the line, never content. Not thread-safe; a batch belongs to one sink. */
#ifndef FILTERD_SHIP_FORMAT_H
#define FILTERD_SHIP_FORMAT_H

#include "base/arena.h"
#include "ship/config.h"
#include "ship/line.h"

/* A line of 64 KiB may have 64 findings under 64 rules. */
enum { SHIP_BODY_MAX = 256 * 1024 * 1024 };

struct ship_batch {
    struct buf body;
    struct arena memory; /* of one line */
    size_t n_lines, n_records, n_skipped;
    char node[256 + 1]; /* of the last line; OTLP groups by it */
    bool is_framed; /* RFC 6587 octet counting in place of newlines */
};

struct out;
struct ship_format {
    const char *media_type;
    void (*begin)(struct ship_batch *b, struct out *o); /* may be NULL, as may end */
    /* How many records it wrote. */
    size_t (*line)(struct ship_batch *b, struct out *o, const struct ship_line *line);
    void (*end)(struct ship_batch *b, struct out *o);
};

/* By enum ship_format_kind. */
const struct ship_format *ship_format(unsigned kind);

void ship_batch_init(struct ship_batch *b);
void ship_batch_deinit(struct ship_batch *b);
MUST_CHECK bool ship_batch_begin(struct ship_batch *b, const struct ship_format *f, struct error *err);
MUST_CHECK bool ship_batch_add(struct ship_batch *b, const struct ship_format *f, struct span line, struct error *err);
MUST_CHECK bool ship_batch_end(struct ship_batch *b, const struct ship_format *f, struct error *err);

/* The formats; for format.c. */
void ship_otlp_begin(struct ship_batch *b, struct out *o);
size_t ship_otlp_line(struct ship_batch *b, struct out *o, const struct ship_line *line);
void ship_otlp_end(struct ship_batch *b, struct out *o);
/* Before a record: the comma behind the last one, or a resource of the line's node and what is in `scope`. */
void ship_otlp_place(struct ship_batch *b, struct out *o, const struct ship_line *line, const char *scope);
void ship_traces_begin(struct ship_batch *b, struct out *o);
size_t ship_traces_line(struct ship_batch *b, struct out *o, const struct ship_line *line);
void ship_traces_end(struct ship_batch *b, struct out *o);
size_t ship_ocsf_line(struct ship_batch *b, struct out *o, const struct ship_line *line);
size_t ship_cef_line(struct ship_batch *b, struct out *o, const struct ship_line *line);

#endif
