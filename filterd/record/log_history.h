/* log_history.h - the checkpoints of a log in order, each verified with the keys that the lines up to it announce; internal to
 * log_check.c.
 *
 * What does not hold is a text in `finding`, "" when all does; only what cannot be read is an error. One thread. */
#ifndef FILTERD_RECORD_LOG_HISTORY_H
#define FILTERD_RECORD_LOG_HISTORY_H

#include "record/checkpoint_store.h"
#include "record/log_keys.h"

struct log_history {
    const char *record; /* the folder */
    struct checkpoint_history file;
    struct buf note;           /* of the awaited one; empty: none is left */
    struct log_keys keys;      /* with what the lines announce */
    struct checkpoint awaited; /* the next one; size 0: none */
    uint64_t behind, verified; /* sizes of the one before it, and of the last whose signatures hold */
    char finding[384];
};

/* `record` is borrowed. Nothing is awaited yet. */
MUST_CHECK bool log_history_open(struct log_history *h, const char *record, const struct log_keys *keys, struct error *err);
void log_history_close(struct log_history *h); /* of zeroed memory, too */

MUST_CHECK bool log_history_next(struct log_history *h, struct error *err);
/* A key that the line announces signs the checkpoints that cover it: the awaited one does. */
MUST_CHECK bool log_history_line(struct log_history *h, struct span line, uint64_t seq, struct span origin, struct error *err);
/* After the lines from `base` to `last`: the newest checkpoint may be one that only a retired key signed, and record/keys may name
 * a key that no line announces. */
void log_history_end(struct log_history *h, const struct checkpoint *newest, uint64_t base, uint64_t last);

#endif
