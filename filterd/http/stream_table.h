/* stream_table.h - a table of open streams by id, each used by one request at a time.
 *
 * An id is 128 random bits; with the wrong owner the stream is absent. A stream is either
 * waiting or taken. The table's own thread passes one that has waited too long to `expired`,
 * never a taken one. Any thread. */
#ifndef FILTERD_HTTP_STREAM_TABLE_H
#define FILTERD_HTTP_STREAM_TABLE_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum { STREAM_ID = 16, STREAM_NODE_MAX = 9999, STREAM_ID_TEXT = 5 + 2 * STREAM_ID, STREAM_OWNER = 32 };

struct stream_id {
    uint8_t bytes[STREAM_ID];
};
/* Lower-case hexadecimal, NUL-terminated; before it the number of the node, where it has one: "07-01ab…". */
void stream_id_format(const struct stream_id *id, unsigned node, char text[STREAM_ID_TEXT + 1]);
/* And back. ELSEWHERE: *node is another. NONE: it is no id of a stream here. */
enum stream_place { STREAM_ID_NONE, STREAM_ID_ELSEWHERE, STREAM_ID_HERE };
enum stream_place stream_id_parse(struct span text, struct stream_id *id, unsigned *node);

/* The identity of the caller that may use a stream, compared as a whole. */
struct stream_owner {
    uint8_t bytes[STREAM_OWNER];
};

/* Embedded in the caller's stream; the caller sets the owner, the table the rest. */
struct stream_entry {
    struct stream_owner owner;
    struct stream_id id;
    struct stream_entry *chain;         /* in its bucket */
    struct stream_entry *older, *newer; /* while it waits */
    uint64_t waits_since_ns;
    bool is_taken;
};

struct stream_table;

struct stream_table_options {
    size_t max;
    uint64_t wait_ns;
    /* Takes the entry over. Not called under the table's lock. */
    void (*expired)(void *context, struct stream_entry *e);
    void *context;
};

/* NULL on failure. */
struct stream_table *stream_table_new(const struct stream_table_options *options,
                                      struct error *err);
/* Starts the thread that expires streams. */
MUST_CHECK bool stream_table_start(struct stream_table *t, struct error *err);
/* Ends the thread and expires all waiting streams. No stream may be taken. Accepts NULL. */
void stream_table_free(struct stream_table *t);

/* Adds the entry with a new id, taken by the caller. LIMIT when the table is full. */
MUST_CHECK bool stream_table_add(struct stream_table *t, struct stream_entry *e, struct error *err);

enum stream_found { STREAM_ABSENT, STREAM_BUSY, STREAM_TAKEN };
/* Sets *e when TAKEN: only the caller may use it until it is given back or removed. */
enum stream_found stream_table_take(struct stream_table *t, const struct stream_id *id,
                                    const struct stream_owner *owner, struct stream_entry **e);
/* Returns a taken entry to the table, where it waits. */
void stream_table_give_back(struct stream_table *t, struct stream_entry *e);
/* Removes a taken entry, which the caller then owns. */
void stream_table_remove(struct stream_table *t, struct stream_entry *e);

size_t stream_table_count(struct stream_table *t);
/* Expires streams as the thread does, at the given time (clock_monotonic_ns). */
void stream_table_expire(struct stream_table *t, uint64_t now_ns);

#endif
