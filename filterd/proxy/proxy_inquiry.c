/* proxy_inquiry.c - questions to the supervisor about a part of an answer, or all of it. */
#include "base/clock.h"
#include "service/inquiry.h"
#include "proxy/proxy.h"
#include "pipeline/stream_inquiry.h"

/* The supervisor's thread. */
static void answered(void *context)
{
    struct proxy *p = context;

    proxy_notify(p, PROXY_EVENT_JUDGED);
    proxy_unref(p);
}

static const struct supervision stopped = {.outcome = SUPERVISION_STOPPED};

bool proxy_inquiry_begin(struct proxy *p)
{
    static const struct supervision no_room = {.outcome = SUPERVISION_OVERLOADED};
    struct exchange x;

    if (!stream_ask(p->stream, &x)) {
        return false;
    }
    if (atomic_load(&p->service->is_cutting)) { /* the last one may still be under way */
        stream_take_answer(p->stream, reactor_worker(p->reactor), &stopped);
        return false;
    }
    inquiry_free(p->inquiry);
    p->inquiry = inquiry_new(&x, clock_monotonic_ns());
    if (p->inquiry == NULL) {
        stream_take_answer(p->stream, reactor_worker(p->reactor), &no_room);
        return false;
    }
    (void)atomic_fetch_add(&p->references, 1); /* until the answer has come */
    inquiry_ask(p->inquiry, p->service->supervisor, answered, p);
    return true;
}

void proxy_inquiry_end(struct proxy *p)
{
    stream_take_answer(p->stream, reactor_worker(p->reactor), &p->inquiry->question.result);
}

/* The inquiry stays allocated: the thread that answers it still writes to it. */
void proxy_inquiry_give_up(struct proxy *p)
{
    stream_take_answer(p->stream, reactor_worker(p->reactor), &stopped);
}
