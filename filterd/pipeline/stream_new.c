/* stream_new.c - the life of a stream: what it needs to know of policy and rules, made once. */
#include <stdlib.h>

#include "budget/budgets.h"
#include "disclosure/system_prompt.h"
#include "judge/decide.h"
#include "pipeline/held_rules.h"
#include "pipeline/stream_gate.h"
#include "pipeline/stream_state.h"
#include "pipeline/supervise.h"
#include "policy/budget_policy.h"
#include "policy/rule_data.h"
#include "policy/system_prompt_policy.h"
#include "scan/liveness.h"
#include "text/utf8.h"

enum {
    MEMORY_MAX = 16 * 1024 * 1024,
    BOUNDARY_REACH = 64, /* what look-behind and whole words need beyond the words nearby */
    REPLACEMENT_LEN = 8, /* bytes of one that are looked at */
    PREPARED_MAX = 4,    /* half of the tables that a scanner keeps */
};

bool stream_keep(struct stream *s, struct span *text, struct error *err)
{
    struct span copy;

    if (!arena_copy(&s->memory, *text, &copy, err)) {
        return false;
    }
    *text = copy;
    return true;
}

static bool keep_identity(struct stream *s, struct error *err)
{
    struct identity *who = &s->options.who;

    return stream_keep(s, &who->tenant, err) && stream_keep(s, &who->app, err) &&
           stream_keep(s, &who->route, err) && stream_keep(s, &who->agent, err) &&
           stream_keep(s, &who->session, err) && stream_keep(s, &who->user, err) && stream_keep(s, &who->given.tenant, err) &&
           stream_keep(s, &who->given.app, err) && stream_keep(s, &who->given.agent, err);
}

/* What the policy acts on, or asks about. */
static bool is_held(const struct stream *s, const struct rule *rule)
{
    const struct stream_options *o = &s->options;

    return decision_may_act(o->policy, &o->who, rule) ||
           (s->inquiry != NULL && supervise_may_trigger(o->policy, &o->who, rule));
}

/* Only such rules hold text back. */
static bool choose_patterns(struct stream *s, struct error *err)
{
    const struct stream_options *o = &s->options;
    const struct rule_set *rules = o->snapshot->rules;

    s->patterns = calloc(held_rules_words(rules), sizeof(*s->patterns));
    if (s->patterns == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "stream: no memory");
    }
    held_rules_set(rules, o->policy, &o->who, s->inquiry != NULL ? supervise_may_trigger : NULL, s->patterns);
    return true;
}

static const struct system_prompt *held_prompt(const struct stream *s)
{
    bool is_known = s->options.policy->system_prompt != NULL && s->options.system_prompt != NULL;

    return is_known && is_held(s, &system_prompt_rule) ? s->options.system_prompt : NULL;
}

static size_t reach_of(const struct rule_set *rules)
{
    const size_t own = rules->context_reach > CHECK_BEFORE ? rules->context_reach : CHECK_BEFORE, data = rule_data_reach(rules);

    return (data > own ? data : own) + BOUNDARY_REACH;
}

/* The identity is kept. */
static bool open_spending(struct stream *s, struct error *err)
{
    const struct stream_options *o = &s->options;

    if (o->budgets == NULL || o->policy->n_budgets == 0) {
        return true;
    }
    s->window.spending = spending_new(&s->memory, o->budgets, o->policy, &o->who, budgets_now_ns(), err);
    return s->window.spending != NULL;
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
    size_t n = 0, all = policy->n_actions + policy->n_budgets;

    for (size_t i = 0; i < all && n < STREAM_REPLACEMENTS_MAX; i++) {
        const struct policy_action *a =
            i < policy->n_actions ? &policy->actions[i] : &policy->budgets[i - policy->n_actions].act;
        struct span r = replacement_of(&a->with, s->mask[n]);
        bool is_known = a->action != ACTION_REDACT;
        for (size_t k = 0; k < n; k++) {
            is_known = is_known || span_equal(s->replacements[k], r);
        }
        s->replacements[n] = r;
        n += !is_known;
    }
    if (n == STREAM_REPLACEMENTS_MAX) {
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
    s->options.system_prompt = options->system_prompt == NULL ? NULL : system_prompt_ref(options->system_prompt);
    s->options.masking = options->masking != NULL ? masking_ref(options->masking) : NULL;
    s->action = ACTION_ALLOW;
    s->window = (struct stream_window){.options = &s->options, .reach = reach_of(options->snapshot->rules)};
    if (!keep_identity(s, err) || !open_spending(s, err) || !stream_inquiry_new(&s->options, &s->inquiry, err) || !choose_patterns(s, err) ||
        !make_tables(s, options->snapshot->rules, err)) {
        stream_free(s);
        return NULL;
    }
    s->window.patterns = s->patterns;
    s->window.prompt = held_prompt(s);
    s->window.has_units = stream_inquiry_has_units(s->inquiry);
    choose_replacements(s);
    if (s->inquiry != NULL && !options->can_wait) {
        static const struct supervision not_asked;
        stream_wait_whole(s);
        stream_take_answer(s, NULL, &not_asked);
    }
    return s;
}

struct stream *stream_new_beside(const struct stream *s, struct error *err)
{
    struct stream_options options = s->options;

    options.budgets = NULL;
    options.token_keys = NULL;
    options.can_wait = false;
    options.is_asked_elsewhere = true;
    options.is_uncounted = true;
    options.is_taken_whole = false;
    return stream_new(&options, err);
}

void stream_prepare(struct snapshot *snapshot)
{
    struct error err; /* without memory the streams make it, or are blocked */

    for (size_t i = 0; i < snapshot->n_policies && i < PREPARED_MAX; i++) {
        const struct stream_options options = {.snapshot = snapshot, .policy = &snapshot->policies[i]};
        stream_free(stream_new(&options, &err));
    }
    (void)!scanner_live_prepare(snapshot->rules->scanner, &err);
}

void stream_free(struct stream *s)
{
    if (s == NULL) {
        return;
    }
    for (size_t i = 0; i < s->n_channels; i++) {
        buf_deinit(&s->channels[i]->window);
        stream_gate_free(s->channels[i]->gate);
        free(s->channels[i]);
    }
    free(s->channels);
    free(s->shown);
    free(s->findings);
    free(s->patterns);
    if (s->window.spending != NULL) {
        spending_rewind(s->window.spending);
    }
    originals_deinit(&s->originals);
    stream_inquiry_free(s->inquiry);
    system_prompt_unref(s->options.system_prompt);
    snapshot_unref(s->options.snapshot);
    masking_unref(s->options.masking);
    arena_deinit(&s->memory);
    free(s);
}
