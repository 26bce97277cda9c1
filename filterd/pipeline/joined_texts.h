/* joined_texts.h - what is found in texts that were joined, as findings of each of them. */
#ifndef FILTERD_PIPELINE_JOINED_TEXTS_H
#define FILTERD_PIPELINE_JOINED_TEXTS_H

#include "judge/exchange.h"
#include "judge/find.h"

struct joined_texts {
    const struct exchange *x;
    const uint32_t *channels;
    const size_t *starts; /* of each text in the joined one, and its end; there may be marks between two texts */
    size_t n;
};

/* The first text that goes beyond a place in the joined one. */
size_t joined_texts_at(const struct joined_texts *j, size_t at);

/* Adds what was found in `text`, which is at `from` in the joined one: a finding of each text that it reaches into; none when that is one,
 * or of a pseudonym. */
MUST_CHECK bool joined_texts_add(struct finder *f, const struct joined_texts *j, struct span text, size_t from, const struct finding_list *found,
                                 struct finding_list *list, struct error *err);

#endif
