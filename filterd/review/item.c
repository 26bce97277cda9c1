#include "review/item.h"

#include <stdio.h>

#include "review/words.h"

static const char *const states[ITEM_STATES] = {"new", "claimed", "closed"};
static const char *const dispositions[ITEM_DISPOSITIONS] = {"", "true_positive", "false_positive", "benign", "policy_gap", "unsure"};
static const char *const verbs[ITEM_VERBS] = {"", "claim", "release", "dispose", "reopen", "undo", "assign", "escalate", "snooze", "note"};

const char *item_state_name(unsigned state)
{
    return words_name(states, ITEM_STATES, state);
}

const char *item_disposition_name(unsigned disposition)
{
    return words_name(dispositions, ITEM_DISPOSITIONS, disposition);
}

const char *item_verb_name(unsigned verb)
{
    return words_name(verbs, ITEM_VERBS, verb);
}

unsigned item_state_of(struct span name)
{
    return words_number(states, ITEM_STATES, name, ITEM_STATES);
}

unsigned item_disposition_of(struct span name)
{
    return words_number(dispositions, ITEM_DISPOSITIONS, name, ITEM_UNDISPOSED);
}

unsigned item_verb_of(struct span name)
{
    return words_number(verbs, ITEM_VERBS, name, ITEM_NO_VERB);
}

/* --- conditions --------------------------------------------------------------- */

bool item_is_held(const struct item *item, int64_t now_ms)
{
    return item->state == ITEM_CLAIMED && (item->lease_until_ms == 0 || item->lease_until_ms > now_ms);
}

static bool is_by(const char *name, struct span by)
{
    return span_is(by, name);
}

static bool is_free_for(const struct item *item, const struct item_event *e)
{
    return item_is_open(item) && (!item_is_held(item, e->ts_ms) || is_by(item->assignee, e->by));
}

static bool has_opinion_of(const struct item *item, struct span by)
{
    for (unsigned i = 0; i < item->n_opinions; i++) {
        if (is_by(item->opinions[i].by, by)) {
            return true;
        }
    }
    return false;
}

static bool refuse(struct error *err, const char *expected)
{
    return error_set(err, ERROR_INVALID, "item: %s expected", expected);
}

static bool check_free(const struct item *item, const struct item_event *e, struct error *err)
{
    if (!item_is_open(item)) {
        return refuse(err, "an open item");
    }
    if (!is_free_for(item, e)) {
        return refuse(err, "an item that no one else has claimed");
    }
    return !has_opinion_of(item, e->by) || refuse(err, "a person who has not disposed of the item");
}

/* --- steps -------------------------------------------------------------------- */

static void set_holder(struct item *item, struct span name, int64_t until_ms)
{
    item->state = name.len == 0 ? ITEM_NEW : ITEM_CLAIMED;
    (void)snprintf(item->assignee, sizeof(item->assignee), SPAN_FMT, SPAN_ARG(name));
    item->lease_until_ms = until_ms;
}

static bool claim(struct item *item, const struct item_event *e, struct error *err)
{
    if (!check_free(item, e, err)) {
        return false;
    }
    if (e->until_ms <= e->ts_ms) {
        return error_set(err, ERROR_MALFORMED, "item: a lease that ends after it begins expected");
    }
    set_holder(item, e->by, e->until_ms);
    return true;
}

static bool release(struct item *item, const struct item_event *e, struct error *err)
{
    if (item->state != ITEM_CLAIMED || !is_by(item->assignee, e->by)) {
        return refuse(err, "an item that the same person has claimed");
    }
    set_holder(item, span_of("", 0), 0);
    return true;
}

static unsigned count_opinions(const struct item *item, enum item_disposition disposition)
{
    unsigned n = 0;

    for (unsigned i = 0; i < item->n_opinions; i++) {
        n += item->opinions[i].disposition == disposition;
    }
    return n;
}

static bool dispose(struct item *item, const struct item_event *e, struct error *err)
{
    if (!check_free(item, e, err)) {
        return false;
    }
    if (e->disposition == ITEM_UNDISPOSED || e->disposition >= ITEM_DISPOSITIONS) {
        return error_set(err, ERROR_MALFORMED, "item: a disposition expected");
    }
    struct item_opinion *opinion = &item->opinions[item->n_opinions++];
    (void)snprintf(opinion->by, sizeof(opinion->by), SPAN_FMT, SPAN_ARG(e->by));
    opinion->disposition = e->disposition;
    if (count_opinions(item, e->disposition) >= item->reviewers || item->n_opinions == ITEM_OPINIONS_MAX) {
        item->state = ITEM_CLOSED;
        item->disposition = e->disposition;
    } else {
        set_holder(item, span_of("", 0), 0);
    }
    return true;
}

static bool reopen(struct item *item, const struct item_event *e, struct error *err)
{
    (void)e;
    if (item_is_open(item)) {
        return refuse(err, "a closed item");
    }
    set_holder(item, span_of("", 0), 0);
    item->disposition = ITEM_UNDISPOSED;
    item->n_opinions = 0;
    return true;
}

static bool undo(struct item *item, const struct item_event *e, struct error *err)
{
    bool is_last = item->last != 0 && item->last == e->undo_of && is_by(item->last_by, e->by);

    if (!is_last || (item->last_verb != ITEM_DISPOSE && item->last_verb != ITEM_SNOOZE)) {
        return refuse(err, "the last step of the item, a disposition or snooze by the same person,");
    }
    item->n_opinions -= item->last_verb == ITEM_DISPOSE && item->n_opinions > 0;
    item->disposition = ITEM_UNDISPOSED;
    item->state = item->assignee[0] == '\0' ? ITEM_NEW : ITEM_CLAIMED;
    return true;
}

static bool assign(struct item *item, const struct item_event *e, struct error *err)
{
    if (!item_is_open(item)) {
        return refuse(err, "an open item");
    }
    if (e->assignee.len == 0 || e->assignee.len > ITEM_NAME) {
        return error_set(err, ERROR_MALFORMED, "item: the name of a person expected");
    }
    if (has_opinion_of(item, e->assignee)) {
        return refuse(err, "a person who has not disposed of the item");
    }
    set_holder(item, e->assignee, 0);
    return true;
}

static bool escalate(struct item *item, const struct item_event *e, struct error *err)
{
    if (span_equal(e->assignee, e->by)) {
        return refuse(err, "another person");
    }
    item->is_escalated = true;
    return assign(item, e, err);
}

static bool snooze(struct item *item, const struct item_event *e, struct error *err)
{
    if (!is_free_for(item, e)) {
        return refuse(err, "an open item that no one else has claimed");
    }
    item->state = ITEM_CLOSED;
    item->disposition = ITEM_UNDISPOSED;
    return true;
}

static bool note(struct item *item, const struct item_event *e, struct error *err)
{
    (void)item, (void)e, (void)err;
    return true;
}

typedef bool step_fn(struct item *item, const struct item_event *e, struct error *err);

bool item_step(const struct item *before, const struct item_event *e, struct item *after, struct error *err)
{
    static step_fn *const steps[ITEM_VERBS] = {
        [ITEM_CLAIM] = claim, [ITEM_RELEASE] = release, [ITEM_DISPOSE] = dispose,   [ITEM_REOPEN] = reopen, [ITEM_UNDO] = undo,
        [ITEM_ASSIGN] = assign, [ITEM_ESCALATE] = escalate, [ITEM_SNOOZE] = snooze, [ITEM_NOTE] = note,
    };
    struct item item = *before;

    if (e->verb >= ITEM_VERBS || steps[e->verb] == NULL || e->by.len == 0 || e->by.len > ITEM_NAME) {
        return error_set(err, ERROR_MALFORMED, "item: a step and a person expected");
    }
    if (e->version != 0 && e->version != before->version) {
        return error_set(err, ERROR_DENIED, "item: version %llu expected", (unsigned long long)before->version);
    }
    if (!steps[e->verb](&item, e, err)) {
        return false;
    }
    if (e->verb != ITEM_NOTE) {
        item.version++;
        item.last = e->line;
        item.last_verb = e->verb;
        (void)snprintf(item.last_by, sizeof(item.last_by), SPAN_FMT, SPAN_ARG(e->by));
    }
    *after = item;
    return true;
}
