#include "pipeline/stream_inquiry.h"

#include <stdlib.h>

#include "pipeline/worker_parts.h"
#include "policy/supervisor.h"

enum { TEXT_MAX = 1024 * 1024 }; /* no supervisor takes more */

struct stream_inquiry {
    struct buf text;
    bool is_too_long, is_over, has_result;
    struct supervision result;
};

bool stream_inquiry_new(const struct stream_options *o, struct stream_inquiry **out, struct error *err)
{
    bool waits = supervise_may_ask(o->snapshot, o->policy, &o->who) &&
                 o->policy->supervisor->hold == SUPERVISOR_HOLD_ALL;

    *out = NULL;
    if (!waits) {
        return true;
    }
    struct stream_inquiry *q = calloc(1, sizeof(*q));
    if (q == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "stream: no memory");
    }
    buf_init(&q->text, TEXT_MAX);
    *out = q;
    return true;
}

void stream_inquiry_free(struct stream_inquiry *q)
{
    if (q != NULL) {
        buf_deinit(&q->text);
        free(q);
    }
}

void stream_inquiry_add(struct stream_inquiry *q, struct span released)
{
    struct error err;

    if (q != NULL && !q->is_over && !q->is_too_long && released.len > 0) {
        q->is_too_long = !buf_append(&q->text, released, &err);
    }
}

const struct supervision *stream_inquiry_result(const struct stream_inquiry *q)
{
    return q != NULL && q->has_result ? &q->result : NULL;
}

bool stream_waits(const struct stream *s)
{
    return stream_inquiry(s) != NULL && !stream_inquiry(s)->is_over;
}

void stream_add_part(struct stream *s, struct span text)
{
    stream_inquiry_add(stream_inquiry(s), text);
    stream_inquiry_add(stream_inquiry(s), span_str("\n"));
}

bool stream_ask(struct stream *s, struct exchange *x)
{
    static const struct supervision too_long = {.outcome = SUPERVISION_TOO_LONG};
    struct stream_inquiry *q = stream_inquiry(s);

    if (q == NULL || q->is_over) {
        return false;
    }
    stream_exchange(s, x);
    x->question = buf_span(&q->text);
    bool is_due = x->question.len > 0 && supervise_is_due(x);
    if (is_due && q->is_too_long) {
        stream_take_answer(s, NULL, &too_long);
        return false;
    }
    q->is_over = !is_due;
    return is_due;
}

void stream_take_answer(struct stream *s, struct worker *w, const struct supervision *answer)
{
    struct stream_inquiry *q = stream_inquiry(s);
    struct finding finding;
    struct exchange x;

    stream_exchange(s, &x);
    q->is_over = q->has_result = true;
    q->result = *answer;
    if (answer->outcome != SUPERVISION_ANSWERED) {
        if (x.policy->supervisor->on_failure == ACTION_BLOCK && !x.policy->is_shadow) {
            stream_block(s, span_str("filterd.unjudged"), supervision_outcome_reason(answer->outcome));
        }
    } else if (supervise_action(&x, w, answer, &finding) != ACTION_ALLOW) {
        /* A passage that has been put together cannot be taken out: redact is block. */
        stream_block(s, supervisor_rule((enum supervisor_category)answer->category)->id, NULL);
    }
    buf_deinit(&q->text);
}
