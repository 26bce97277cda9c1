/* stream_table.h - streams that wait for their next chunk: found by id, used by one at a time.
 *
 * An id is 128 random bits; with the wrong owner it is as if it were not there. A stream is either
 * waiting or taken. One that has waited too long is given to `expired`, by the table's own thread;
 * a taken one never is. Any thread. */
#ifndef FILTERD_HTTP_STREAM_TABLE_H
#define FILTERD_HTTP_STREAM_TABLE_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum { STREAM_ID = 16, STREAM_ID_TEXT = 2 * STREAM_ID, STREAM_OWNER = 32 };

struct stream_id {
    uint8_t bytes[STREAM_ID];
};
/* Lower-case hexadecimal, NUL-terminated; and back: false for anything else. */
void stream_id_format(const struct stream_id *id, char text[STREAM_ID_TEXT + 1]);
MUST_CHECK bool stream_id_parse(struct span text, struct stream_id *id);

/* Who may use it: what identifies a caller, compared whole. */
struct stream_owner {
    uint8_t bytes[STREAM_OWNER];
};

/* Part of what the caller keeps; all but the owner is the table's. */
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
    /* The entry is the callee's from then on. Not called under the table's lock. */
    void (*expired)(void *context, struct stream_entry *e);
    void *context;
};

/* NULL on failure. */
struct stream_table *stream_table_new(const struct stream_table_options *options,
                                      struct error *err);
/* Starts the thread that looks for those that have waited too long. */
MUST_CHECK bool stream_table_start(struct stream_table *t, struct error *err);
/* Ends the thread; all that wait expire. None may be taken. Accepts NULL. */
void stream_table_free(struct stream_table *t);

/* Gives the entry an id; it is taken by the caller. LIMIT when the table is full. */
MUST_CHECK bool stream_table_add(struct stream_table *t, struct stream_entry *e, struct error *err);

enum stream_found { STREAM_ABSENT, STREAM_BUSY, STREAM_TAKEN };
/* The entry when it is TAKEN: the caller's alone until it is given back or removed. */
enum stream_found stream_table_take(struct stream_table *t, const struct stream_id *id,
                                    const struct stream_owner *owner, struct stream_entry **e);
/* A taken one waits from now on. */
void stream_table_give_back(struct stream_table *t, struct stream_entry *e);
/* A taken one is the caller's, and no longer the table's. */
void stream_table_remove(struct stream_table *t, struct stream_entry *e);

size_t stream_table_count(struct stream_table *t);
/* What the thread does, as of that moment (clock_monotonic_ns). */
void stream_table_expire(struct stream_table *t, uint64_t now_ns);

#endif
