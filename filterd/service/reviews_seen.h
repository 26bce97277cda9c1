/* reviews_seen.h - answers to requests with an Idempotency-Key, so that a request that is sent again is not carried out again.
 *
 * The last ones are kept, in memory. Under the lock of reviews.h. */
#ifndef FILTERD_SERVICE_REVIEWS_SEEN_H
#define FILTERD_SERVICE_REVIEWS_SEEN_H

#include <stdbool.h>
#include <stdint.h>

struct review_request;
struct review_answer;

enum { REVIEWS_SEEN = 256, REVIEWS_SEEN_HASH = 16 };

struct reviews_seen {
    struct reviews_seen_entry *entries; /* REVIEWS_SEEN; NULL: none yet */
    unsigned next;
};

/* True: that person's request of that key was answered before, and *out is the answer; 422 when it was another request. */
bool reviews_seen_find(const struct reviews_seen *s, const char *by, const struct review_request *q, struct review_answer *out);
/* Keeps what was answered with 200. A request without a key is not kept. */
void reviews_seen_add(struct reviews_seen *s, const char *by, const struct review_request *q, const struct review_answer *a);
void reviews_seen_deinit(struct reviews_seen *s);

#endif
