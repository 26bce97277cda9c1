#include "pipeline/stream.h"

#include <stdlib.h>

#include "judge/decide.h"
#include "judge/hold.h"
#include "pipeline/pipeline.h"
#include "pipeline/stream_channel.h"
#include "pipeline/stream_inquiry.h"
#include "text/utf8.h"

enum {
    FINDINGS_MAX = 1024, /* kept for the record; more are counted only */
    PATH_MAX_BYTES = 1024,
    MEMORY_MAX = 16 * 1024 * 1024,
    PART_MAX = 16 * 1024,         /* of a chunk that is looked at at once */
    WINDOW_SPARE = 4 * PART_MAX,
    BOUNDARY_REACH = 64, /* what look-behind and whole words need beyond the words nearby */
    WORD_BITS = 64,
    REPLACEMENTS_MAX = 8,
    REPLACEMENT_LEN = 8, /* bytes of one that are looked at */
};

static const char unjudged[] = "filterd.unjudged";

struct stream {
    struct arena memory; /* paths, identity: to the end */
    struct stream_options options;
    struct stream_window window;
    uint64_t *patterns;
    struct span replacements[REPLACEMENTS_MAX];
    char mask[REPLACEMENTS_MAX][4];
    struct stream_channel **channels;
    struct channel *shown; /* as stream_exchange shows them */
    size_t n_channels, channels_cap;
    struct finding *findings;
    size_t n_findings, findings_cap;
    struct finding leader; /* the finding that decided so far */
    bool has_leader;
    enum action action;
    struct span rule, notice;
    const char *reason;
    struct stream_inquiry *inquiry; /* NULL: nothing waits for a supervisor */
    size_t held_max;
};

/* --- making ------------------------------------------------------------------- */

static bool keep(struct arena *a, struct span *text, struct error *err)
{
    struct span copy;

    if (!arena_copy(a, *text, &copy, err)) {
        return false;
    }
    *text = copy;
    return true;
}

static bool keep_identity(struct stream *s, struct error *err)
{
    struct identity *who = &s->options.who;

    return keep(&s->memory, &who->tenant, err) && keep(&s->memory, &who->app, err) &&
           keep(&s->memory, &who->route, err) && keep(&s->memory, &who->agent, err) &&
           keep(&s->memory, &who->session, err);
}

/* Only rules that the policy acts on hold text back. */
static bool choose_patterns(struct stream *s, struct error *err)
{
    const struct rule_set *rules = s->options.snapshot->rules;
    const bool *has_rule = s->options.policy->has_rule;

    s->patterns = calloc(rules->n_patterns / WORD_BITS + 1, sizeof(*s->patterns));
    if (s->patterns == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "stream: no memory");
    }
    for (uint32_t i = 0; i < rules->n_patterns; i++) {
        uint32_t rule = rules->rule_of_pattern[i];
        bool holds = (has_rule == NULL || has_rule[rule]) &&
                     decision_may_act(s->options.policy, &s->options.who, &rules->rules[rule]);
        s->patterns[i / WORD_BITS] |= (uint64_t)holds << i % WORD_BITS;
    }
    return true;
}

static size_t reach_of(const struct rule_set *rules)
{
    size_t reach = 0;

    for (uint32_t i = 0; i < rules->n_rules; i++) {
        for (size_t k = 0; k < rules->rules[i].n_contexts; k++) {
            size_t within = rules->rules[i].contexts[k].within;
            reach = within > reach ? within : reach;
        }
    }
    return reach + BOUNDARY_REACH;
}

/* How the operator's output begins; empty when that depends on the text, or is nothing. */
static struct span replacement_of(const struct redaction_operator *op, char mask[4])
{
    if (op->kind == OPERATOR_REPLACE) {
        return span_slice(op->text, 0, op->text.len < REPLACEMENT_LEN ? op->text.len : REPLACEMENT_LEN);
    }
    if (op->kind == OPERATOR_MASK && op->keep_last == 0) {
        return span_of(mask, utf8_encode(op->mask_char, mask));
    }
    bool is_bracketed = op->kind == OPERATOR_LABEL || op->kind == OPERATOR_HASH || op->kind == OPERATOR_ENCRYPT;
    return is_bracketed ? span_str("[") : (struct span){.ptr = ""};
}

static void choose_replacements(struct stream *s)
{
    const struct policy *policy = s->options.policy;
    size_t n = 0;

    for (size_t i = 0; i < policy->n_actions && n < REPLACEMENTS_MAX; i++) {
        const struct policy_action *a = &policy->actions[i];
        struct span r = replacement_of(&a->with, s->mask[n]);
        bool is_known = a->action != ACTION_REDACT;
        for (size_t k = 0; k < n; k++) {
            is_known = is_known || span_equal(s->replacements[k], r);
        }
        s->replacements[n] = r;
        n += !is_known;
    }
    if (n == REPLACEMENTS_MAX) {
        s->replacements[0] = (struct span){.ptr = ""}; /* anything */
    }
    s->window.n_replacements = n;
    s->window.replacements = s->replacements;
}

/* Regions first: the scanner keeps but so many tables. */
static bool make_tables(struct stream *s, const struct rule_set *rules, struct error *err)
{
    return scanner_live_table(rules->scanner, rules->regions, &s->window.regions, err) &&
           scanner_live_table(rules->scanner, s->patterns, &s->window.table, err);
}

struct stream *stream_new(const struct stream_options *options, struct error *err)
{
    struct stream *s = calloc(1, sizeof(*s));

    if (s == NULL) {
        error_set(err, ERROR_NO_MEMORY, "stream: no memory");
        return NULL;
    }
    arena_init(&s->memory, 0, MEMORY_MAX);
    s->options = *options;
    s->options.snapshot = snapshot_ref(options->snapshot);
    s->action = ACTION_ALLOW;
    s->window = (struct stream_window){.options = &s->options, .reach = reach_of(options->snapshot->rules)};
    if (!keep_identity(s, err) || !choose_patterns(s, err) || !stream_inquiry_new(options, &s->inquiry, err) ||
        !make_tables(s, options->snapshot->rules, err)) {
        stream_free(s);
        return NULL;
    }
    s->window.patterns = s->patterns;
    choose_replacements(s);
    if (s->inquiry != NULL && !options->can_wait) {
        static const struct supervision not_asked;
        stream_take_answer(s, NULL, &not_asked);
    }
    return s;
}

void stream_free(struct stream *s)
{
    if (s == NULL) {
        return;
    }
    for (size_t i = 0; i < s->n_channels; i++) {
        buf_deinit(&s->channels[i]->window);
        free(s->channels[i]);
    }
    free(s->channels);
    free(s->shown);
    free(s->findings);
    free(s->patterns);
    stream_inquiry_free(s->inquiry);
    snapshot_unref(s->options.snapshot);
    arena_deinit(&s->memory);
    free(s);
}

void stream_block(struct stream *s, struct span rule, const char *reason)
{
    struct error err;

    if (s->action == ACTION_BLOCK) {
        return;
    }
    s->action = ACTION_BLOCK;
    s->rule = keep(&s->memory, &rule, &err) ? rule : span_str(unjudged);
    s->reason = reason;
    s->notice = s->options.policy->notice;
    for (size_t i = 0; i < s->n_channels; i++) {
        struct stream_channel *c = s->channels[i];
        c->frontier = c->base + c->window.len;
        buf_deinit(&c->window);
    }
}

/* --- channels ----------------------------------------------------------------- */

static bool make_room(struct stream *s)
{
    if (s->n_channels < s->channels_cap) {
        return true;
    }
    size_t cap = s->channels_cap == 0 ? 1 : s->channels_cap * 2; /* most streams have one */
    struct stream_channel **channels = realloc(s->channels, cap * sizeof(struct stream_channel *));
    s->channels = channels != NULL ? channels : s->channels;
    struct channel *shown = realloc(s->shown, cap * sizeof(*shown));
    s->shown = shown != NULL ? shown : s->shown;
    s->channels_cap = channels != NULL && shown != NULL ? cap : s->channels_cap;
    return s->n_channels < s->channels_cap;
}

static struct stream_channel *open_channel(struct stream *s, struct span path, struct error *err)
{
    bool has_room = s->n_channels < STREAM_CHANNELS_MAX && path.len <= PATH_MAX_BYTES;

    if (!has_room || !make_room(s) || !keep(&s->memory, &path, err)) {
        error_set(err, has_room ? ERROR_NO_MEMORY : ERROR_LIMIT, "stream: no room for a channel");
        return NULL;
    }
    struct stream_channel *c = calloc(1, sizeof(*c));
    if (c == NULL) {
        error_set(err, ERROR_NO_MEMORY, "stream: no memory");
        return NULL;
    }
    c->path = path;
    c->index = (uint32_t)s->n_channels;
    c->holder = HOLD_READING;
    buf_init(&c->window, s->options.hold_max + 4 * s->window.reach + WINDOW_SPARE);
    s->channels[s->n_channels++] = c;
    return c;
}

struct stream_channel *stream_channel(struct stream *s, struct span path, struct error *err)
{
    for (size_t i = 0; i < s->n_channels; i++) {
        if (span_equal(s->channels[i]->path, path)) {
            return s->channels[i];
        }
    }
    struct stream_channel *c = open_channel(s, path, err);
    if (c == NULL) {
        stream_block(s, span_str(unjudged), err->kind == ERROR_LIMIT ? "limit reached" : "out of memory");
    }
    return c;
}

/* --- findings ----------------------------------------------------------------- */

static bool keep_finding(struct stream *s, const struct finding *f)
{
    if (s->n_findings == FINDINGS_MAX) {
        return true;
    }
    if (s->n_findings == s->findings_cap) {
        size_t cap = s->findings_cap == 0 ? 8 : s->findings_cap * 2;
        struct finding *findings = realloc(s->findings, cap * sizeof(*findings));
        if (findings == NULL) {
            return false;
        }
        s->findings = findings;
        s->findings_cap = cap;
    }
    s->findings[s->n_findings++] = *f;
    return true;
}

static void follow(struct stream *s, const struct finding *f)
{
    bool acts = !f->is_shadow && f->action != ACTION_ALLOW;
    bool leads = !s->has_leader || f->action < s->leader.action ||
                 (f->action == s->leader.action && finding_leads(f, &s->leader));

    if (acts && leads) {
        s->leader = *f;
        s->has_leader = true;
    }
}

static bool take_finding(struct stream *s, const struct stream_channel *c, size_t base, struct finding f)
{
    f.channel = c->index;
    f.from += base;
    f.to += base;
    f.value = (struct span){0};
    finding_count(s->options.snapshot, &f);
    follow(s, &f);
    return keep_finding(s, &f);
}

/* False when one of them could not be kept. */
static bool take_findings(struct stream *s, const struct stream_channel *c, size_t base, const struct stream_step *step)
{
    bool are_kept = true;

    for (size_t i = 0; i < step->judged.n_findings; i++) {
        const struct finding *f = &step->judged.findings[i];
        if (f->from >= step->from && f->from < step->to) {
            are_kept = take_finding(s, c, base, *f) && are_kept;
        }
    }
    return (step->cut_off.rule == NULL || take_finding(s, c, base, step->cut_off)) && are_kept;
}

static void decide_anew(struct stream *s)
{
    if (!s->has_leader) {
        return;
    }
    if (s->leader.action == ACTION_BLOCK) {
        stream_block(s, s->leader.rule->id, NULL);
    } else {
        s->action = ACTION_REDACT;
        s->rule = s->leader.rule->id;
    }
}

/* What could not be recorded is not released. */
static void step_channel(struct stream *s, struct stream_channel *c, struct worker *w, enum stream_event event,
                         struct buf *out)
{
    struct stream_step step;
    size_t base = c->base, before = out->len, released = c->released;

    stream_channel_step(c, &s->window, w, event, &step, out);
    if (step.is_judged && step.failure == NULL && !take_findings(s, c, base, &step)) {
        step.failure = "out of memory";
    }
    if (step.failure != NULL) {
        out->len = before;
        c->released = released;
        stream_block(s, span_str(unjudged), step.failure);
    } else if (step.is_judged) {
        decide_anew(s);
    }
    if (s->inquiry != NULL) {
        stream_inquiry_add(s->inquiry, span_slice(buf_span(out), before, out->len));
    }
}

/* --- feeding ------------------------------------------------------------------ */

static void feed_part(struct stream *s, struct stream_channel *c, struct worker *w, struct span part, struct buf *out)
{
    struct error err;

    if (!buf_reserve_tight(&c->window, part.len, &err) || !buf_append(&c->window, part, &err)) {
        stream_block(s, span_str(unjudged), "limit reached");
        return;
    }
    step_channel(s, c, w, STREAM_EVENT_CHUNK, out);
    size_t held = stream_channel_held(c);
    s->held_max = held > s->held_max ? held : s->held_max;
    if (held > s->options.hold_max && s->action != ACTION_BLOCK) {
        stream_block(s, span_str(unjudged), "limit reached");
    }
}

/* A long chunk goes in by parts, so that what may be held bounds the window and not what comes at once. */
void stream_feed(struct stream *s, struct stream_channel *c, struct worker *w, struct span chunk, struct buf *out)
{
    if (s->action == ACTION_BLOCK || c->has_ended) {
        return;
    }
    c->taken += chunk.len;
    if (stream_taken(s) > s->options.text_max) {
        stream_block(s, span_str(unjudged), "limit reached");
        return;
    }
    for (size_t at = 0; at < chunk.len && s->action != ACTION_BLOCK; at += PART_MAX) {
        size_t end = chunk.len - at < PART_MAX ? chunk.len : at + PART_MAX;
        feed_part(s, c, w, span_slice(chunk, at, end), out);
    }
}

void stream_end(struct stream *s, struct stream_channel *c, struct worker *w, enum stream_ending how, struct buf *out)
{
    if (s->action == ACTION_BLOCK || c->has_ended) {
        return;
    }
    step_channel(s, c, w, how == STREAM_COMPLETE ? STREAM_EVENT_END : STREAM_EVENT_CUT_OFF, out);
    c->has_ended = true;
    if (s->action != ACTION_BLOCK) {
        c->base = c->frontier;
        buf_deinit(&c->window);
    }
}

struct stream_inquiry *stream_inquiry(const struct stream *s)
{
    return s->inquiry;
}

/* --- asking ------------------------------------------------------------------- */

enum action stream_action(const struct stream *s)
{
    return s->action;
}

struct span stream_notice(const struct stream *s)
{
    return s->notice;
}

size_t stream_channel_held(const struct stream_channel *c)
{
    return c->base + c->window.len > c->frontier ? c->base + c->window.len - c->frontier : 0;
}

const struct rule *stream_channel_holder(const struct stream *s, const struct stream_channel *c)
{
    const struct rule_set *rules = s->options.snapshot->rules;

    if (stream_channel_held(c) == 0 || c->holder == HOLD_READING) {
        return NULL;
    }
    return &rules->rules[rules->rule_of_pattern[c->holder]];
}

static size_t sum(const struct stream *s, size_t (*of)(const struct stream_channel *c))
{
    size_t n = 0;

    for (size_t i = 0; i < s->n_channels; i++) {
        n += of(s->channels[i]);
    }
    return n;
}

static size_t taken_of(const struct stream_channel *c)
{
    return c->taken;
}

static size_t released_of(const struct stream_channel *c)
{
    return c->released;
}

size_t stream_held(const struct stream *s)
{
    return sum(s, stream_channel_held);
}

size_t stream_held_max(const struct stream *s)
{
    return s->held_max;
}

size_t stream_taken(const struct stream *s)
{
    return sum(s, taken_of);
}

size_t stream_released(const struct stream *s)
{
    return sum(s, released_of);
}

void stream_exchange(const struct stream *s, struct exchange *out)
{
    *out = (struct exchange){.snapshot = s->options.snapshot,
                             .policy = s->options.policy,
                             .who = s->options.who,
                             .id = s->options.id,
                             .now_ns = s->options.now_ns,
                             .channels = s->shown,
                             .n_channels = s->n_channels,
                             .action = s->action,
                             .rule = s->rule,
                             .notice = s->notice,
                             .findings = s->findings,
                             .n_findings = s->n_findings,
                             .unjudged_reason = s->reason,
                             .is_unclassified = s->options.policy->has_classifiers && s->options.policy->hold == HOLD_NONE,
                             .supervision = stream_inquiry_result(s->inquiry),
                             .is_part = true};
    for (size_t i = 0; i < s->n_channels; i++) {
        const struct stream_channel *c = s->channels[i];
        size_t judged = c->taken - stream_channel_held(c);
        s->shown[i] = (struct channel){.path = c->path,
                                       .text = {.len = c->taken},
                                       .output = {.len = c->released},
                                       .judged = s->action == ACTION_BLOCK && s->reason != NULL ? 0 : judged};
        out->bytes += c->taken;
        out->judged += s->shown[i].judged;
    }
}
