/* open_exchanges.h - the exchanges of a decision log that have begun and not ended, by id; used only by
 * decision_*.c.
 *
 * Bounded: at most OPEN_EXCHANGES_MAX at a time, 7 MiB. Used by one thread. */
#ifndef FILTERD_DECISION_LOG_OPEN_EXCHANGES_H
#define FILTERD_DECISION_LOG_OPEN_EXCHANGES_H

#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"

enum { OPEN_EXCHANGES_MAX = 128 * 1024, EXCHANGE_ID = 36 /* bytes of an id as it is recorded */ };

struct open_exchange {
    char id[EXCHANGE_ID];
    uint32_t next; /* in its bucket, or among the free ones: an index + 1; 0: the last */
    off_t at;      /* of its open record in the file; negative: a free one */
    size_t len;    /* of that line, without its newline */
};

struct open_exchanges {
    struct buf entries; /* of struct open_exchange */
    uint32_t *buckets;  /* an index + 1; 0: empty */
    uint32_t free;      /* likewise */
};

MUST_CHECK bool open_exchanges_init(struct open_exchanges *t, struct error *err);
void open_exchanges_deinit(struct open_exchanges *t);

/* `id` has EXCHANGE_ID bytes. False when there is no room; one that is open already stays. */
MUST_CHECK bool open_exchanges_add(struct open_exchanges *t, struct span id, off_t at, size_t len);
/* Nothing when it is not open. */
void open_exchanges_remove(struct open_exchanges *t, struct span id);

/* Those that are open, in the order of the file; sets their number. Nothing may be added or removed
 * any more. */
const struct open_exchange *open_exchanges_list(struct open_exchanges *t, size_t *n);

#endif
