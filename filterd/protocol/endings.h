/* endings.h - the order of events around the end of a part: what is held until it is known how the part ended. */
#ifndef FILTERD_PROTOCOL_ENDINGS_H
#define FILTERD_PROTOCOL_ENDINGS_H

#include "protocol/translation.h"

/* The ending for the upstream's reason; TRUNCATED for any reason other than "done", and for none. */
enum stream_ending ending_of(const struct node *reason);

/* What an event implies for the parts that ended before it. */
enum event_place {
    EVENT_IN_ORDER,  /* nothing: it waits after waiting events */
    EVENT_ENDS_PART, /* it waits: the next events show whether the part was truncated */
    EVENT_GOES_ON,   /* the answer continued, so they were complete */
    EVENT_DECIDES,   /* it handles waiting events itself, see endings_settle; or needs no order */
};

typedef bool event_fn(struct translation *t, struct node *root, struct error *err);

struct event_row {
    const char *type; /* NULL: any other, the last row */
    event_fn *take;
    enum event_place place;
    event_fn *before_wait; /* handles what must not wait with it; may be NULL */
};

/* Handles the event, or stores it: the dialect's event function then gets it again. */
MUST_CHECK bool endings_take(struct translation *t, struct node *root, const struct event_row *row,
                             struct error *err);
MUST_CHECK bool endings_take_by_type(struct translation *t, struct node *root,
                                     const struct event_row *rows, struct error *err);
/* Handles waiting events, now that their ending is known; the dialect finds it in t->up.ending. */
MUST_CHECK bool endings_settle(struct translation *t, enum stream_ending how, struct error *err);

#endif
