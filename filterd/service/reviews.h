/* reviews.h - what people do with items of the queue: checked, put on record, shown.
 *
 * A change is made under one lock: the state is read from review.db, the step is tried on it (review/item.h), what was typed
 * is judged like any text, the line is written and on disk, and review.db has it when this returns. So what the answer shows
 * is what the record says. Changes of exceptions and reveals use the same lock and the same way into the record.
 *
 * Blocks: for threads of the pool alone. */
#ifndef FILTERD_SERVICE_REVIEWS_H
#define FILTERD_SERVICE_REVIEWS_H

#include "http/fault.h"
#include "review/review_find.h"
#include "service/service.h"

struct caller;

enum { REVIEWS_DETAIL = 256, REVIEWS_KEY_MAX = 128 };

/* --- for all kinds of changes ----------------------------------------------------- */

/* Waits until review.db has what is on disk: lines of changes are written under the lock alone, so what is read from it then is
 * the state that a change finds. */
void reviews_lock(struct service *s);
void reviews_unlock(struct service *s);
/* NOT_FOUND: the service has no review.db, or it is being made. NULL on failure. */
struct review_reader *reviews_open(struct service *s, struct error *err);
/* Replaces what a person typed by what the rules of the default policy leave of it, in the arena. False: it may not be on
 * record at all; *fault has a sentence to show. */
MUST_CHECK bool reviews_show_text(struct service *s, struct arena *memory, struct span *text, struct filter_fault *fault);
/* With the lock held. LIMIT: review.db was behind, and what was read from it may be old. The line is on disk when this returns true, and *is_behind says that review.db does not have it yet. */
MUST_CHECK bool reviews_record(struct service *s, struct span line, bool *is_behind, struct error *err);

/* --- items ------------------------------------------------------------------------ */

struct review_request {
    enum item_verb verb;
    /* Either items, ascending, each once, at most REVIEW_ITEMS_MAX; or a whole group. */
    const uint64_t *items;
    size_t n_items;
    bool has_group;
    uint8_t group[REVIEW_GROUP];
    uint64_t version; /* of a single item, as its reader saw it; 0: any */
    enum item_disposition disposition;
    struct span assignee, note; /* empty: none */
    struct review_snooze snooze;
    uint64_t undo_of;
    struct span key; /* a request with the key of an earlier one by the same caller gets its answer; empty: none */
};

struct review_answer {
    unsigned status; /* 200; 403, 404, 409, 412, 422, or 503: on record or not, as the detail says */
    char detail[REVIEWS_DETAIL];
    uint64_t line;      /* of 200: the number of its line, for undo */
    uint64_t n_changed; /* of 200: how many items */
    bool has_item;
    struct review_item item; /* of a single item, as it is now; of 412, too: who was faster */
};

void reviews_change(struct service *s, const struct caller *c, const struct review_request *q, struct review_answer *out);

#endif
