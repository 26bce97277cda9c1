#include "service/inquiry.h"

#include <stdlib.h>

#include "service/service.h"
#include "pipeline/pipeline.h"
#include "policy/supervisor.h"

struct inquiry *inquiry_new(const struct exchange *x, uint64_t since_ns)
{
    struct inquiry *i = calloc(1, sizeof(*i));
    struct error err;

    if (i == NULL) {
        return NULL;
    }
    buf_init(&i->text, x->question.len + 1);
    if (!buf_append(&i->text, x->question, &err)) {
        inquiry_free(i);
        return NULL;
    }
    i->id = x->id;
    i->now_ns = x->now_ns;
    i->question.text = buf_span(&i->text);
    i->question.policy = x->policy->digest;
    i->question.trace = x->who.trace;
    i->question.categories = x->policy->supervisor->categories;
    i->question.deadline_ns = since_ns + x->policy->supervisor->deadline_ns;
    return i;
}

void inquiry_free(struct inquiry *i)
{
    if (i != NULL) {
        buf_deinit(&i->text);
        free(i);
    }
}

bool inquiry_is_due(const struct inquiry *i)
{
    return i != NULL && !i->is_answered;
}

static void done(struct supervisor_question *q)
{
    struct inquiry *i = (struct inquiry *)(void *)q;

    i->is_answered = true;
    i->answered(i->context);
}

void inquiry_ask(struct inquiry *i, struct supervisor *s, void (*answered)(void *context), void *context)
{
    i->answered = answered;
    i->context = context;
    i->question.done = done;
    supervisor_ask(s, &i->question);
}

void inquiry_apply(const struct inquiry *i, const struct service *s, struct exchange *x)
{
    x->can_ask = s->supervisor != NULL;
    if (i != NULL) {
        x->id = i->id;
        x->now_ns = i->now_ns;
        x->supervision = &i->question.result;
        x->asked = buf_span(&i->text);
    }
}

bool inquiry_judge(struct inquiry **at, struct worker *w, struct exchange *x, uint64_t since_ns)
{
    static const struct supervision no_room = {.outcome = SUPERVISION_OVERLOADED};

    pipeline_judge(w, x);
    if (!x->is_asking) {
        return false;
    }
    *at = inquiry_new(x, since_ns);
    if (*at == NULL) {
        x->supervision = &no_room;
        pipeline_judge(w, x);
    }
    return *at != NULL;
}
