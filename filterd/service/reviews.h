/* reviews.h - steps of people on items of the queue.
 *
 * A change holds one lock: it reads the state from review.db, tries the step (review/item.h), judges the entered text, writes the
 * line to disk, and waits until review.db has it. So the answer shows what the record says. Exceptions and reveals use the same
 * lock and the same functions to write lines.
 *
 * Blocks: only for threads of the pool. */
#ifndef FILTERD_SERVICE_REVIEWS_H
#define FILTERD_SERVICE_REVIEWS_H

#include "http/fault.h"
#include "review/review_find.h"
#include "service/service.h"

struct caller;

enum { REVIEWS_DETAIL = 256, REVIEWS_KEY_MAX = 128 };

/* --- shared by items, exceptions and reveals --------------------------------------- */

/* Takes the lock and waits until review.db has all lines on disk. Lines of changes are written only under the lock, so review.db
 * then has the current state. */
void reviews_lock(struct service *s);
void reviews_unlock(struct service *s);
/* NULL on failure; NOT_FOUND: there is no review.db, or it is being built. */
struct review_reader *reviews_open(struct service *s, struct error *err);
/* Judges text that a person entered under the default policy and replaces *text by the redacted text, in the arena. False: it
 * must not be recorded; *fault has a message. */
MUST_CHECK bool reviews_show_text(struct service *s, struct arena *memory, struct span *text, struct filter_fault *fault);
/* Writes a line; the lock must be held. True: the line is on disk; *is_behind: review.db does not have it yet. LIMIT: review.db
 * was behind the record, so its state may be old; nothing was written. */
MUST_CHECK bool reviews_record(struct service *s, struct span line, bool *is_behind, struct error *err);

/* Of a decision that came as an order of a review console: members of its line, and whether, with the lock held, it is on record as line *line. */
struct decision_line;
void reviews_put_order(struct decision_line *l, const struct caller *c);
bool reviews_is_done(struct service *s, const struct caller *c, uint64_t *line);

/* --- items ------------------------------------------------------------------------ */

struct review_request {
    enum item_verb verb;
    /* Either at most REVIEW_ITEMS_MAX items, ascending and distinct, or a whole group. */
    const uint64_t *items;
    size_t n_items;
    bool has_group;
    uint8_t group[REVIEW_GROUP];
    uint64_t version; /* of a single item, as the caller saw it; 0: any */
    enum item_disposition disposition;
    struct span assignee, note; /* empty: none */
    struct review_snooze snooze;
    uint64_t undo_of;
    /* Of a step on a single item that came as an order of a console (review/review_order.h): its name, the order's id, and the hash that
     * the item's line must have. An order that is on record gets the number of its line as answer. */
    struct span console, order;
    const struct tree_hash *leaf;
    struct span key; /* Idempotency-Key: a repeated request of the same caller gets the first answer; empty: none */
};

struct review_answer {
    unsigned status; /* 200; 403, 404, 409, 412, 422; 503: the detail says whether the step is recorded */
    char detail[REVIEWS_DETAIL];
    uint64_t line;      /* of 200: the number of the step's line, for undo */
    uint64_t n_changed; /* of 200: number of changed items */
    bool has_item;
    struct review_item item; /* current state of a single item; also of 412 */
};

void reviews_change(struct service *s, const struct caller *c, const struct review_request *q, struct review_answer *out);

#endif
