/* aside.c - judges content outside the stream's texts: tool calls, unknown values, ids, error bodies.
 *
 * A stream judges growing channels of text. Everything else in an answer is complete when it is judged, and is judged
 * here as a separate exchange, with the answer's id, policy and identity (`frame`).
 *
 * Invariants:
 *   - A block stops the whole answer, except a block of a tool call: that call is withheld, other calls may pass, and the
 *     answer is blocked when it ends (beside.withheld, translation.c).
 *   - Findings outlive the worker's memory: aside_keep copies them, without values, at most ASIDE_MAX. Others are still
 *     redacted or blocked, but missing in the record.
 *   - translation_exchange merges both kinds for the record; it does not change the delivered answer. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "enforce/redact.h"
#include "judge/decide.h"
#include "judge/originals.h"
#include "pipeline/document.h"
#include "pipeline/pipeline.h"
#include "pipeline/stream_inquiry.h"
#include "protocol/dialect.h"
#include "protocol/wire/mend.h"

static void keep_rule(char to[128], struct span rule)
{
    size_t n = rule.len < 127 ? rule.len : 127;

    if (n > 0) {
        memcpy(to, rule.ptr, n);
    }
    to[n] = '\0';
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
    if (x->action == ACTION_REDACT && !t->beside.redacted.is_set) {
        t->beside.redacted.is_set = true;
        keep_rule(t->beside.redacted.rule, x->rule);
    }
}

static void judge(struct translation *t, struct channel *channels, size_t n, struct exchange *x)
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
    judge(t, channels, n, &x);
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
    judge(t, &channel, 1, &x);
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

/* --- tool calls ----------------------------------------------------------------- */

/* The answer goes on without the call, and is blocked when it ends: other calls may be clean. */
static void withhold(struct translation *t, struct span rule, const char *reason)
{
    if (!t->beside.withheld.is_set) {
        t->beside.withheld.is_set = true;
        keep_rule(t->beside.withheld.rule, rule);
        t->beside.withheld.reason = reason;
    }
}

struct span call_notice(const struct translation *t)
{
    return t->frame.policy->notice;
}

/* Channels of the arguments, with room for the name behind them. */
static bool read_arguments(struct translation *t, struct span json, bool is_text, struct span name,
                           struct document *d, struct error *err)
{
    struct arena *a = worker_begin(t->worker);
    struct document read = {.json = json};

    if (!is_text && !document_read(a, json, span_str("/arguments"), &read, err)) {
        return false;
    }
    struct channel *channels = arena_array(a, read.n + 2, sizeof(*channels), err);
    if (channels == NULL) {
        return false;
    }
    if (read.n > 0) {
        memcpy(channels, read.channels, read.n * sizeof(*channels));
    }
    if (is_text) {
        channels[read.n] = (struct channel){.path = span_str("/input"), .text = json};
    }
    channels[read.n + is_text] = (struct channel){
        .path = span_str("/name"), .key = span_str("name"), .text = name, .is_member_name = true};
    read.channels = channels;
    *d = read;
    return true;
}

static bool judge_arguments(struct translation *t, struct span name, struct span json, bool is_text,
                            struct call_verdict *out, struct error *err)
{
    struct document document;
    struct error why;
    struct exchange x;

    *out = (struct call_verdict){.is_withheld = true};
    if (!read_arguments(t, json, is_text, name, &document, &why)) {
        withhold(t, span_str("filterd.unjudged"), "limit reached");
        return true;
    }
    judge(t, document.channels, document.n + is_text + 1, &x);
    aside_keep(t, &x);
    if (x.action == ACTION_BLOCK) {
        withhold(t, x.rule, x.unjudged_reason);
        return true;
    }
    stream_add_part(t->stream, &x);
    struct span written = is_text ? document.channels[document.n].output : json;
    struct buf buf CLEANUP(buf_deinit);
    buf_init(&buf, 8 * t->event_max);
    if (!is_text) {
        if (!document_write(&document, &buf, &why)) {
            withhold(t, span_str("filterd.unjudged"), "limit reached");
            return true;
        }
        written = buf_span(&buf);
    }
    out->is_withheld = false;
    return arena_copy(&t->memory, written, &out->arguments, err) && call_restore(t, is_text, &out->arguments, err);
}

/* An unpaired surrogate would make the whole call unreadable. */
static bool mend_arguments(struct translation *t, struct span *json, bool *is_json,
                           struct error *err)
{
    struct error why;
    bool is_mended;

    *is_json = json_validate(*json, &why);
    if (*is_json) {
        return true;
    }
    struct span mended;
    if (!mend_json(&t->memory, *json, &mended, &is_mended, err)) {
        return false;
    }
    if (!is_mended || !json_validate(mended, &why)) {
        return true;
    }
    struct node *tree = tree_read(&t->memory, *json, err);
    struct buf buf CLEANUP(buf_deinit);
    buf_init(&buf, 8 * t->event_max);
    if (tree == NULL || !tree_write(tree, &buf, err)) {
        return false;
    }
    *is_json = true;
    return arena_copy(&t->memory, buf_span(&buf), json, err);
}

bool call_judge(struct translation *t, const struct call *c, bool is_cut, struct call_verdict *out,
                struct error *err)
{
    struct span arguments = buf_span(&c->arguments), name = buf_span(&c->name);
    bool is_json = false;

    if (is_cut && (c->is_text || arguments.len == 0)) {
        *out = (struct call_verdict){.is_withheld = true};
        return true;
    }
    if (c->is_text || arguments.len == 0) {
        return judge_arguments(t, name, arguments, true, out, err);
    }
    if (!mend_arguments(t, &arguments, &is_json, err)) {
        return false;
    }
    if (!is_json) {
        *out = (struct call_verdict){.is_withheld = true};
        if (!is_cut) {
            withhold(t, span_str("filterd.unjudged"), "tool arguments are no JSON");
        }
        return true;
    }
    return judge_arguments(t, name, arguments, false, out, err);
}

bool call_is_whole(const struct node *arguments)
{
    struct error why;

    return node_is_string(arguments) && json_validate(arguments->text, &why);
}

static bool is_string(const struct node *n)
{
    return n != NULL && n->kind == JSON_KIND_STRING;
}

bool call_judge_value(struct translation *t, struct node *name, struct node *arguments,
                      bool *is_withheld, struct error *err)
{
    struct call_verdict verdict;
    struct buf buf CLEANUP(buf_deinit);
    struct call call = {0};

    buf_init(&buf, 8 * t->event_max);
    buf_init(&call.arguments, t->event_max);
    if (is_string(name)) {
        call.name = (struct buf){.data = (char *)(uintptr_t)name->text.ptr, .len = name->text.len};
    }
    if (arguments != NULL && !is_string(arguments) && !tree_write(arguments, &buf, err)) {
        return false;
    }
    struct span json = is_string(arguments) ? arguments->text : buf_span(&buf);
    call.arguments = (struct buf){.data = (char *)(uintptr_t)json.ptr, .len = json.len};
    if (!call_judge(t, &call, false, &verdict, err)) {
        return false;
    }
    *is_withheld = verdict.is_withheld;
    if (verdict.is_withheld) {
        return true;
    }
    if (is_string(name)) {
        name->is_judged = true;
    }
    if (arguments == NULL) {
        return true;
    }
    arguments->is_judged = true;
    arguments->is_said = false;
    arguments->text = verdict.arguments;
    arguments->is_verbatim = !is_string(arguments);
    arguments->first = arguments->last = NULL;
    return true;
}

void translation_exchange(struct translation *t, struct exchange *out)
{
    stream_exchange(t->stream, out);
    out->restored = t->down.shown.restored;
    if (out->action == ACTION_ALLOW && t->beside.redacted.is_set) {
        out->action = ACTION_REDACT;
        out->rule = span_str(t->beside.redacted.rule);
    }
    if (t->beside.withheld.is_set && out->action != ACTION_BLOCK) {
        out->action = ACTION_BLOCK;
        out->rule = span_str(t->beside.withheld.rule);
        out->notice = call_notice(t);
        out->unjudged_reason = t->beside.withheld.reason;
    }
    out->left_out = t->beside.left_out + t->up.framer.left_out;
    out->has_findings_in_names = t->beside.has_findings_in_names;
    size_t n_channels = out->n_channels, n_findings = out->n_findings;
    size_t n_beside = t->beside.n_aside + (t->beside.unread > 0);
    free(t->beside.shown_channels);
    free(t->beside.shown_findings);
    t->beside.shown_channels = calloc(n_channels + n_beside, sizeof(*t->beside.shown_channels));
    t->beside.shown_findings = calloc(n_findings + n_beside, sizeof(*t->beside.shown_findings));
    /* Without memory the verdict is still valid; the findings outside the stream are missing. */
    if (n_beside == 0 || t->beside.shown_channels == NULL || t->beside.shown_findings == NULL) {
        return;
    }
    if (n_channels > 0) {
        memcpy(t->beside.shown_channels, out->channels, n_channels * sizeof(*t->beside.shown_channels));
    }
    if (n_findings > 0) {
        memcpy(t->beside.shown_findings, out->findings, n_findings * sizeof(*t->beside.shown_findings));
    }
    for (size_t i = 0; i < t->beside.n_aside; i++) {
        const struct aside *a = &t->beside.aside[i];
        t->beside.shown_channels[n_channels + i] = (struct channel){.path = span_of(a->path, a->path_len),
                                                             .text = span_of(NULL, a->text_len),
                                                             .output = span_of(NULL, a->output_len),
                                                             .is_member_name = a->is_member_name,
                                                             .judged = a->judged};
        t->beside.shown_findings[n_findings + i] = a->finding;
        t->beside.shown_findings[n_findings + i].channel = (uint32_t)(n_channels + i);
        out->bytes += a->text_len;
        out->judged += a->judged;
    }
    if (t->beside.unread > 0) { /* all of it as one channel, of which nothing was judged */
        size_t passed = out->action == ACTION_BLOCK ? 0 : t->beside.unread;
        t->beside.shown_channels[n_channels + t->beside.n_aside] =
            (struct channel){.text = span_of(NULL, t->beside.unread), .output = span_of(NULL, passed)};
        out->bytes += t->beside.unread;
    }
    originals_place(stream_originals(t->stream), n_channels);
    out->channels = t->beside.shown_channels;
    out->n_channels = n_channels + n_beside;
    out->findings = t->beside.shown_findings;
    out->n_findings = n_findings + t->beside.n_aside;
}
