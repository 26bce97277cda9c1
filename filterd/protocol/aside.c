/* aside.c - judges content outside the stream's texts: tool calls (calls.c), unknown values, ids, error bodies.
 *
 * A stream judges growing channels of text. Everything else in an answer is complete when it is judged, and is judged
 * here as a separate exchange, with the answer's id, policy and identity (`frame`).
 *
 * Invariants:
 *   - A block stops the whole answer, except a block of a tool call: that call is withheld, other calls may pass, and the
 *     answer is blocked when it ends (beside.withheld, translation.c).
 *   - Findings outlive the worker's memory: aside_keep copies them, without values, at most ASIDE_MAX. Others are still
 *     redacted or blocked, but missing in the record.
 *   - translation_exchange (translation_exchange.c) merges both kinds for the record; it does not change the delivered answer. */
#include "protocol/aside.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "enforce/redact.h"
#include "judge/decide.h"
#include "judge/originals.h"
#include "pipeline/document.h"
#include "pipeline/pipeline.h"
#include "pipeline/stream_inquiry.h"
#include "protocol/translation.h"

void beside_rule_set(struct beside_rule *r, struct span rule, const char *reason)
{
    size_t n = rule.len < sizeof(r->rule) ? rule.len : sizeof(r->rule) - 1;

    if (r->is_set) {
        return;
    }
    if (n > 0) {
        memcpy(r->rule, rule.ptr, n);
    }
    r->rule[n] = '\0';
    r->reason = reason;
    r->is_set = true;
}

/* For the record, as the worker's memory does not last: each finding with the channel it is in. */
void aside_keep(struct translation *t, const struct exchange *x)
{
    for (size_t i = 0; i < x->n_findings; i++) {
        t->beside.has_findings_in_names |= x->channels[x->findings[i].channel].is_member_name;
    }
    if (x->n_findings > 0 && t->beside.aside == NULL) {
        t->beside.aside = calloc(ASIDE_MAX, sizeof(*t->beside.aside));
    }
    if (x->n_findings > 0 && t->beside.aside == NULL) {
        stream_block(t->stream, span_str("filterd.unjudged"), "out of memory");
        return;
    }
    for (size_t i = 0; i < x->n_findings && t->beside.n_aside < ASIDE_MAX; i++) {
        struct aside *a = &t->beside.aside[t->beside.n_aside++];
        const struct channel *c = &x->channels[x->findings[i].channel];
        struct error err;
        if (!originals_keep_beside(stream_originals(t->stream), t->frame.policy->seal, &x->findings[i], c, t->beside.n_aside,
                                   &err)) {
            stream_block(t->stream, span_str("filterd.unjudged"), "out of memory");
        }
        a->finding = x->findings[i];
        a->finding.value = (struct span){0};
        a->text_len = c->text.len;
        a->output_len = c->output.len;
        a->judged = c->judged;
        a->is_member_name = c->is_member_name;
        a->path_len = c->path.len < sizeof(a->path) ? c->path.len : sizeof(a->path);
        if (a->path_len > 0) {
            memcpy(a->path, c->path.ptr, a->path_len);
        }
    }
    if (x->action == ACTION_REDACT) {
        beside_rule_set(&t->beside.redacted, x->rule, NULL);
    }
}

void aside_judge_exchange(struct translation *t, struct channel *channels, size_t n, struct exchange *x)
{
    *x = t->frame;
    x->channels = channels;
    x->n_channels = n;
    t->beside.n_others++;
    pipeline_judge(t->worker, x);
    t->beside.had_findings = x->n_findings > 0;
}

bool aside_judge(struct translation *t, struct channel *channels, size_t n, struct error *err)
{
    struct exchange x;

    (void)worker_begin(t->worker);
    aside_judge_exchange(t, channels, n, &x);
    aside_keep(t, &x);
    if (x.action == ACTION_BLOCK) {
        stream_block(t->stream, x.rule, x.unjudged_reason);
        return translation_stopped(t, err);
    }
    stream_add_part(t->stream, &x);
    for (size_t i = 0; i < n; i++) {
        if (!arena_copy(&t->memory, channels[i].output, &channels[i].output, err)) {
            return false;
        }
    }
    return true;
}

/* Some long random numbers have valid check digits of a card or an identity number. A finding with nothing but check
 * digits has a confidence below this; separators, groups or words nearby, as real numbers have, raise it above. */
static const double sure = 0.7;

static bool is_by_chance(const struct exchange *x)
{
    for (size_t i = 0; i < x->n_findings; i++) {
        const struct finding *f = &x->findings[i];
        if (f->rule->category != CATEGORY_PII || f->confidence >= sure) {
            return false;
        }
    }
    return x->unjudged_reason == NULL;
}

bool aside_judge_random(struct translation *t, struct span path, struct span text, struct span *out,
                        struct error *err)
{
    struct channel channel = {.path = path, .text = text};
    struct exchange x = t->frame;

    (void)worker_begin(t->worker);
    x.channels = &channel;
    x.n_channels = 1;
    x.spending = NULL; /* a number by chance is no value */
    t->beside.n_others++;
    pipeline_judge(t->worker, &x);
    if (is_by_chance(&x)) {
        *out = text;
        return true;
    }
    aside_keep(t, &x);
    if (x.action == ACTION_BLOCK) {
        stream_block(t->stream, x.rule, x.unjudged_reason);
        return translation_stopped(t, err);
    }
    return arena_copy(&t->memory, channel.output, out, err);
}

static bool is_acted_on(const struct finding *f)
{
    return f->action != ACTION_ALLOW && !f->is_shadow;
}

/* Adds the finding, or merges it with the last place; *leader is the finding that leads there. */
static void add_place(struct aside_place *places, size_t *n, const struct finding **leader, const struct finding *f)
{
    if (*n == 0 || f->from >= places[*n - 1].to) {
        places[(*n)++] = (struct aside_place){.from = f->from, .to = f->to};
        *leader = f;
        return;
    }
    places[*n - 1].to = f->to > places[*n - 1].to ? f->to : places[*n - 1].to;
    *leader = finding_leads(f, *leader) ? f : *leader;
}

static bool set_label(struct translation *t, struct aside_place *place, const struct finding *leader, struct error *err)
{
    struct buf label CLEANUP(buf_deinit);

    buf_init(&label, 512);
    return redact_append_label(&label, leader->rule, err) && arena_copy(&t->memory, buf_span(&label), &place->label, err);
}

/* Leaves the findings that are not known; *acts: the policy acts on one of them. */
static bool leave_new(struct translation *t, struct exchange *x, aside_known_fn *is_known, const void *context, bool *acts,
                      struct error *err)
{
    struct finding *left = arena_array(&t->memory, x->n_findings + 1, sizeof(*left), err);
    size_t n = 0;

    *acts = x->unjudged_reason != NULL;
    for (size_t i = 0; left != NULL && i < x->n_findings; i++) {
        const struct finding *f = &x->findings[i];
        if (!is_known(context, f->from, f->to)) {
            *acts = *acts || is_acted_on(f);
            left[n++] = *f;
        }
    }
    x->findings = left;
    x->n_findings = n;
    return left != NULL;
}

bool aside_judge_places(struct translation *t, struct span path, struct span text, aside_known_fn *is_known, const void *context,
                        const struct aside_place **places, size_t *n, struct error *err)
{
    struct channel channel = {.path = path, .text = text};
    const struct finding *leader = NULL;
    struct aside_place *found;
    struct exchange x;
    bool acts;

    (void)worker_begin(t->worker);
    aside_judge_exchange(t, &channel, 1, &x);
    *places = NULL;
    *n = 0;
    if (x.action == ACTION_ALLOW) {
        return true;
    }
    if (!leave_new(t, &x, is_known, context, &acts, err)) {
        return false;
    }
    if (!acts) {
        return true;
    }
    aside_keep(t, &x);
    if (x.action == ACTION_BLOCK) {
        stream_block(t->stream, x.rule, x.unjudged_reason);
        return translation_stopped(t, err);
    }
    found = arena_array(&t->memory, x.n_findings + 1, sizeof(*found), err);
    for (size_t i = 0; found != NULL && i < x.n_findings; i++) {
        if (!is_acted_on(&x.findings[i])) {
            continue;
        }
        add_place(found, n, &leader, &x.findings[i]);
        if (!set_label(t, &found[*n - 1], leader, err)) {
            return false;
        }
    }
    *places = found;
    return found != NULL;
}
