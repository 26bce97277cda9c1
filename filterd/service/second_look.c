#include "service/second_look.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/uuid.h"
#include "service/inquiry.h"
#include "service/admission.h"
#include "http/writer.h"
#include "pipeline/later.h"

enum { MEMORY_MAX = 64 * 1024, NOTICE_MAX = 64 * 1024 };

struct second_look {
    struct service *service;
    struct arena memory; /* the identity */
    struct inquiry *inquiry;
    struct exchange x; /* policy, identity, id: all that is left of the first */
    struct job job;
};

static void look_free(struct second_look *l)
{
    if (l != NULL) {
        snapshot_unref((struct snapshot *)(intptr_t)l->x.snapshot);
        inquiry_free(l->inquiry);
        arena_deinit(&l->memory);
        free(l);
    }
}

static bool keep_identity(struct second_look *l, const struct identity *who, struct error *err)
{
    struct identity *own = &l->x.who;

    own->trace = who->trace;
    return arena_copy(&l->memory, who->tenant, &own->tenant, err) && arena_copy(&l->memory, who->app, &own->app, err) &&
           arena_copy(&l->memory, who->route, &own->route, err) &&
           arena_copy(&l->memory, who->agent, &own->agent, err) &&
           arena_copy(&l->memory, who->session, &own->session, err) &&
           arena_copy(&l->memory, who->given.tenant, &own->given.tenant, err) &&
           arena_copy(&l->memory, who->given.app, &own->given.app, err) &&
           arena_copy(&l->memory, who->given.agent, &own->given.agent, err);
}

static struct second_look *look_new(struct service *s, const struct exchange *x, struct span question)
{
    struct second_look *l = calloc(1, sizeof(*l));
    struct exchange asked = *x;
    struct error err;

    if (l == NULL) {
        return NULL;
    }
    arena_init(&l->memory, 0, MEMORY_MAX);
    asked.question = question;
    l->service = s;
    l->inquiry = inquiry_new(&asked, clock_monotonic_ns());
    l->x = (struct exchange){.snapshot = snapshot_ref((struct snapshot *)(intptr_t)x->snapshot),
                             .policy = x->policy,
                             .id = x->id};
    if (l->inquiry == NULL || !keep_identity(l, &x->who, &err)) {
        look_free(l);
        return NULL;
    }
    return l;
}

/* --- what came of it ---------------------------------------------------------- */

static void write_notice(const struct exchange *x, struct buf *out)
{
    char id[UUID_TEXT + 1];
    struct error err;
    struct writer w = {.out = out, .err = &err, .is_ok = true};
    const struct supervision *s = x->supervision;

    uuid_format(x->id.bytes, id);
    put(&w, "{\"type\":\"second-look\",\"id\":\"");
    put(&w, id);
    put(&w, "\",\"tenant\":");
    put_string(&w, x->who.tenant);
    put(&w, ",\"app\":");
    put_string(&w, x->who.app);
    put(&w, ",\"agent\":");
    put_string(&w, x->who.agent);
    put(&w, ",\"policy\":");
    put_string(&w, x->policy->name);
    put(&w, ",\"action\":\"");
    put(&w, action_name(x->action));
    put(&w, "\",\"rule\":");
    if (x->rule.len > 0) {
        put_string(&w, x->rule);
    } else {
        put(&w, "null");
    }
    put(&w, ",\"outcome\":\"");
    put(&w, supervision_outcome_name(s->outcome));
    put(&w, "\",\"confidence\":");
    put_fraction(&w, s->confidence);
    put(&w, "}");
    if (!w.is_ok) {
        buf_clear(out);
    }
}

static void record(struct second_look *l)
{
    struct buf line;
    struct error err;

    buf_init(&line, DECISION_RECORD_MAX);
    if (!decision_format_later(&l->x, token_keys_at(l->service->token_keys, l->x.now_ns), &line, &err) ||
        !decision_log_append(l->service->log, buf_span(&line), NULL, NULL, &err)) {
        (void)atomic_fetch_add(&l->service->metrics.unrecorded, 1);
    }
    buf_deinit(&line);
}

static void post(struct second_look *l)
{
    struct buf notice;

    if (!supervisor_has_webhook(l->service->supervisor)) {
        return;
    }
    buf_init(&notice, NOTICE_MAX);
    write_notice(&l->x, &notice);
    if (notice.len > 0) {
        supervisor_post(l->service->supervisor, &notice);
    }
    buf_deinit(&notice);
}

/* `w` is NULL when the pool is stopping: the record is written all the same. */
static void conclude(void *context, struct worker *w)
{
    struct second_look *l = context;
    struct channel channel = {.text = span_str("")};
    struct finding finding;

    l->x.now_ns = clock_utc_ns();
    later_judge(w, &l->x, &l->inquiry->question.result, &channel, &finding);
    record(l);
    post(l);
    if (l->x.action == ACTION_BLOCK) {
        admission_count(l->service, &l->x);
    }
    look_free(l);
}

/* The supervisor's thread. */
static void answered(void *context)
{
    struct second_look *l = context;

    l->job = (struct job){.run = conclude, .context = l};
    if (!worker_pool_submit(l->service->pool, &l->job)) {
        conclude(l, NULL);
    }
}

void second_look_begin(struct service *s, struct worker *w, const struct exchange *x)
{
    struct span question;

    if (s->supervisor == NULL || !later_is_due(w, x, &question)) {
        return;
    }
    struct second_look *l = look_new(s, x, question);
    if (l != NULL) {
        inquiry_ask(l->inquiry, s->supervisor, answered, l);
    }
}
