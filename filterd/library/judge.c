#include "library/judge.h"

#include "base/clock.h"
#include "pipeline/pipeline.h"

void engine_judge(struct filterd_worker *w, struct span text, struct exchange *x)
{
    const struct filterd_engine *e = w->engine;
    struct error err;
    struct channel *channel = arena_array(worker_begin(w->worker), 1, sizeof(*channel), &err);

    *x = (struct exchange){.snapshot = e->snapshot, .policy = e->policy, .who = e->who, .now_ns = clock_utc_ns()};
    if (channel == NULL) {
        exchange_fail(x, "memory limit");
        return;
    }
    *channel = (struct channel){.path = span_of("", 0), .key = span_of("", 0), .text = text};
    x->channels = channel;
    x->n_channels = 1;
    pipeline_judge(w->worker, x);
}

uint32_t engine_rule_number(const struct filterd_engine *engine, struct span id)
{
    const struct rule_set *set = engine->snapshot->rules;
    const struct rule *rule = id.len > 0 ? rule_set_find(set, id) : NULL;

    if (id.len == 0) {
        return FILTERD_NO_RULE;
    }
    return rule != NULL ? rule_set_index(set, rule) : set->n_rules;
}

const char *exchange_error(const struct exchange *x)
{
    if (x->unjudged_reason != NULL) {
        return x->unjudged_reason;
    }
    return span_is(x->rule, "filterd.unjudged") ? "could not be judged" : NULL;
}

static const struct filterd_finding *copy_findings(struct filterd_worker *w, const struct exchange *x, struct error *err)
{
    const struct rule_set *set = w->engine->snapshot->rules;
    struct filterd_finding *out = arena_array(worker_arena(w->worker), x->n_findings, sizeof(*out), err);

    for (size_t i = 0; out != NULL && i < x->n_findings; i++) {
        const struct finding *f = &x->findings[i];
        out[i] = (struct filterd_finding){.rule = rule_set_index(set, f->rule),
                                          .start = (uint32_t)f->from,
                                          .end = (uint32_t)f->to,
                                          .confidence = (float)f->confidence,
                                          .action = (uint8_t)f->action,
                                          .category = (uint8_t)f->rule->category,
                                          .severity = (uint8_t)f->rule->severity,
                                          .is_shadow = f->is_shadow,
                                          .view = finding_view(f)};
    }
    return out;
}

/* The caller's struct may be shorter than this library's. */
static int answer(struct filterd_verdict *to, struct filterd_verdict v)
{
    size_t size = to->size < sizeof(v) ? to->size : sizeof(v);

    v.size = to->size;
    memcpy(to, &v, size);
    return v.action;
}

int filterd_judge(filterd_worker *worker, const char *text, size_t length, uint32_t flags, struct filterd_verdict *verdict)
{
    struct filterd_verdict v = {.is_unjudged = 1, .finding_size = sizeof(struct filterd_finding)};
    struct exchange x;
    struct error err;

    (void)flags; /* the text is borrowed: leaving it out saves nothing */
    v.rule = filterd_rule_count(worker->engine);
    if (!engine_is_here(worker->engine, &err)) {
        v.error = "the engine was opened before fork: open one in each process";
        return answer(verdict, v);
    }
    engine_judge(worker, span_of(text, length), &x);
    const struct filterd_finding *findings = x.n_findings > 0 ? copy_findings(worker, &x, &err) : NULL;
    if (findings == NULL && x.n_findings > 0) {
        exchange_fail(&x, "memory limit");
        x.n_findings = 0;
    }
    v.action = (uint8_t)x.action;
    v.rule = engine_rule_number(worker->engine, x.rule);
    v.error = exchange_error(&x);
    v.is_unjudged = v.error != NULL;
    v.findings = findings;
    v.n_findings = x.n_findings;
    if (x.action == ACTION_BLOCK) {
        v.notice = x.notice.ptr;
        v.notice_length = x.notice.len;
    } else {
        v.text = x.channels[0].output.ptr;
        v.text_length = x.channels[0].output.len;
    }
    return answer(verdict, v);
}
