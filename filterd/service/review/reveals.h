/* reveals.h - requests for sealed originals: requested, approved by another person, opened within the hour.
 *
 * Changes hold the lock of reviews.h, like those of exceptions. Opening returns the age file as it is on disk: only a recipient's
 * key decrypts it, and the key of its inner layer goes to the requester only (filterd-seal(7)). A line of type access and one of
 * type reveal are on disk before the first byte is sent; another line of type access before the key is sent.
 *
 * Blocks: only for threads of the pool. */
#ifndef FILTERD_SERVICE_REVIEW_REVEALS_H
#define FILTERD_SERVICE_REVIEW_REVEALS_H

#include "review/reveals.h"
#include "service/reviews.h"

enum { REVEAL_FILE_MAX = 64 * 1024 * 1024 };

/* A request for the original of the decision in line `item`. Texts are borrowed. */
struct reveal_question {
    uint64_t item;
    enum reveal_purpose purpose;
    struct span matter, why; /* matter: the case; why may be empty */
};

struct reveal_answer {
    unsigned status; /* 200; 403, 404, 409, 410, 422, or 503: on record or not, as the detail says */
    char detail[REVIEWS_DETAIL];
    uint64_t line; /* of the record; of a decision that came as an order alone */
    bool has_row;
    struct reveal_row row; /* as it is now */
};

void reveals_ask(struct service *s, const struct caller *c, const struct reveal_question *q, struct reveal_answer *out);
/* Approves, refuses or closes. */
void reveals_change(struct service *s, const struct caller *c, enum reveal_verb verb, struct span id, struct reveal_answer *out);
/* Appends the file, only for the requester and while granted; `why` is required from the second time on. */
void reveals_open(struct service *s, const struct caller *c, struct span id, struct span why, struct buf *file,
                  struct reveal_answer *out);
/* Appends the key of the inner layer of that file, for the asker alone, while it is granted: {"kek": its id, "key": 64 hexadecimal
 * digits, "left_ms": until the grant ends}. 410: the key was erased. It leaves by TLS or within this host only (access_is_private),
 * which the caller has checked. */
void reveals_key(struct service *s, const struct caller *c, struct span id, struct buf *json, struct reveal_answer *out);

#endif
