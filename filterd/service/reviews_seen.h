/* reviews_seen.h - cache of answers to requests with an Idempotency-Key, so that a repeated request is not executed again.
 *
 * Keeps the last REVIEWS_SEEN in memory. Guarded by the lock of reviews.h. */
#ifndef FILTERD_SERVICE_REVIEWS_SEEN_H
#define FILTERD_SERVICE_REVIEWS_SEEN_H

#include <stdbool.h>
#include <stdint.h>

struct review_request;
struct review_answer;

enum { REVIEWS_SEEN = 256, REVIEWS_SEEN_HASH = 16 };

struct reviews_seen {
    struct reviews_seen_entry *entries; /* REVIEWS_SEEN of them; NULL: none yet */
    unsigned next;
};

/* True: the person's request with that key was answered before, and *out is that answer, or 422 if the request differs. */
bool reviews_seen_find(const struct reviews_seen *s, const char *by, const struct review_request *q, struct review_answer *out);
/* Keeps answers with status 200 to requests with a key; ignores others. */
void reviews_seen_add(struct reviews_seen *s, const char *by, const struct review_request *q, const struct review_answer *a);
void reviews_seen_deinit(struct reviews_seen *s);

#endif
