/* judging.h - one input judged: a text, or a JSON document channel by channel.
 *
 * Everything in a judging lives in the worker's arena and is valid until the worker's next one. */
#ifndef FILTERD_CTL_JUDGING_H
#define FILTERD_CTL_JUDGING_H

#include "ctl/session.h"
#include "pipeline/document.h"

struct judging {
    struct exchange exchange;
    struct span source; /* the text, or the JSON */
    size_t offset;      /* of a text in its file, where it is a part of it */
    bool is_document;
    struct document document;
    size_t field; /* index of the only judged channel of the document; document.n: all were */
};

void judging_text(const struct session *s, struct worker *w, struct span text, struct judging *out);
/* The same; of what redaction makes of it only what is near is searched again, where that has nothing. */
void judging_text_near(const struct session *s, struct worker *w, struct span text, const struct redacted_near *near,
                       struct judging *out);

/* What might be found in it, whatever is around it: pipeline_find. */
MUST_CHECK bool judging_find(const struct session *s, struct worker *w, struct span text, struct judging *out,
                             struct error *err);

/* `field` empty: every string, with its member's name as context; else the one at that member name or JSON pointer, as a text
 * without a name. Fails when the text is not one JSON value, or has no string there. */
MUST_CHECK bool judging_document(const struct session *s, struct worker *w, struct span json,
                                 struct span field, struct judging *out, struct error *err);

/* Appends what may be delivered, in the shape of the source; the notice when the action is block.
 */
MUST_CHECK bool judging_deliver(const struct judging *j, struct buf *out, struct error *err);

/* The bytes a finding stands for. */
struct span judging_match(const struct judging *j, const struct finding *f);
/* Where a finding is in the source. Exact, but for strings with escapes: there the whole
 * string. */
void judging_range(const struct judging *j, const struct finding *f, size_t *from, size_t *to);
/* True when no part of the input could go unjudged. */
bool judging_is_complete(const struct judging *j);

#endif
