/* review_body.h - parses the body of a review step, strictly and in place.
 *
 * All members are optional here; the service checks which ones a step needs. Spans are borrowed from the body or the arena. */
#ifndef FILTERD_HTTP_REVIEW_BODY_H
#define FILTERD_HTTP_REVIEW_BODY_H

#include "http/fault.h"
#include "review/review_line.h"

enum { REVIEW_BODY_MAX = 64 * 1024 };

struct review_body {
    enum item_verb verb; /* `step`; only in bulk requests */
    bool has_group;
    uint8_t group[REVIEW_GROUP];
    const uint64_t *items; /* ascending and distinct */
    size_t n_items;
    enum item_disposition disposition;
    struct span assignee, note;
    struct review_snooze snooze;
    uint64_t undo_of;
};

/* An empty body is an empty object. */
MUST_CHECK bool review_body_read(struct arena *a, struct span body, bool is_bulk, struct review_body *out,
                                 struct filter_fault *fault);

#endif
