/* hold.h - how much of a text that may go on must be kept back.
 *
 * A place is a clean cut of a text when no pattern could match across it and no reading could span
 * it, whatever follows. That depends on the text before the place alone. So the clean cuts of a text are the
 * same however it came in pieces, and what was found before one is final, but for words nearby
 * that count (find.h, struct find_open). */
#ifndef FILTERD_JUDGE_HOLD_H
#define FILTERD_JUDGE_HOLD_H

#include "judge/find.h"
#include "scan/liveness.h"

struct hold_request {
    const struct rule_set *rules;
    const uint64_t *patterns; /* those that may hold: bit per pattern of the scanner; NULL: all */
    struct span text;         /* valid UTF-8 */
    size_t from;              /* a clean cut itself */
};

/* What kept the last byte: a pattern that could still match, or a reading (pattern is HOLD_READING). */
enum { HOLD_READING = UINT32_MAX };
struct hold {
    size_t to;        /* the last clean cut; at least `from` */
    uint32_t pattern; /* of what holds the byte behind it; meaningless when to is the text's end */
};

MUST_CHECK bool hold_find(struct finder *f, const struct hold_request *request, struct hold *out, struct error *err);

/* True when nothing in [from, to) can be a finding or read as one: no look at it is needed. */
MUST_CHECK bool hold_is_plain(struct finder *f, const struct rule_set *rules, struct span text, bool *is_plain,
                              struct error *err);

#endif
