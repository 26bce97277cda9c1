#include "server/review_json.h"

#include <stdio.h>

#include "index/index_line.h"

static const char *const severities[] = {"", "low", "medium", "high", "critical"};

static void put_member(struct writer *w, const char *name, const char *text)
{
    if (text[0] != '\0') {
        put(w, ",\"");
        put(w, name);
        put(w, "\":");
        put_string(w, span_str(text));
    }
}

static void put_count(struct writer *w, const char *name, uint64_t n)
{
    put(w, ",\"");
    put(w, name);
    put(w, "\":");
    put_number(w, n);
}

static void put_time(struct writer *w, const char *name, int64_t ms)
{
    put(w, ",\"");
    put(w, name);
    put(w, "\":");
    w->is_ok = w->is_ok && review_append_time(w->out, ms * 1000000, w->err);
}

static void put_group_id(struct writer *w, const uint8_t id[REVIEW_GROUP])
{
    char text[REVIEW_GROUP_TEXT + 1];

    review_group_text(id, text);
    put_member(w, "group", text);
}

static void put_priority(struct writer *w, const struct item_priority *p)
{
    put(w, ",\"priority\":{\"total\":");
    put_number(w, p->total);
    put_count(w, "severity", p->severity);
    put_count(w, "agent", p->agent);
    put_count(w, "novelty", p->novelty);
    put_count(w, "uncertainty", p->uncertainty);
    put_count(w, "precision", p->precision);
    put(w, "}");
}

static void put_opinions(struct writer *w, const struct item *item)
{
    put(w, ",\"opinions\":[");
    for (unsigned i = 0; i < item->n_opinions; i++) {
        put(w, i == 0 ? "{\"by\":" : ",{\"by\":");
        put_string(w, span_str(item->opinions[i].by));
        put_member(w, "disposition", item_disposition_name(item->opinions[i].disposition));
        put(w, "}");
    }
    put(w, "]");
}

static void put_state(struct writer *w, const struct item *item, int64_t now_ms)
{
    bool is_held = item_is_held(item, now_ms);

    put_member(w, "state", item_state_name(item->state == ITEM_CLAIMED && !is_held ? ITEM_NEW : item->state));
    put_member(w, "disposition", item_disposition_name(item->disposition));
    put_member(w, "assignee", is_held ? item->assignee : "");
    if (is_held && item->lease_until_ms != 0) {
        put_time(w, "lease", item->lease_until_ms);
    }
    put(w, item->is_escalated ? ",\"escalated\":true" : "");
    put_count(w, "reviewers", item->reviewers);
    put_count(w, "version", item->version);
    if (item->last != 0) {
        put_count(w, "last", item->last);
        put_member(w, "last_step", item_verb_name(item->last_verb));
        put_member(w, "last_by", item->last_by);
    }
    put_opinions(w, item);
}

/* A sample is judged blind: what the gate made of it is shown with the item's disposition. */
void review_json_item(struct writer *w, const struct review_item *i, int64_t now_ms)
{
    static const char *const words[REVIEW_WORDS] = {"tenant", "app", "agent", "rule", "policy", "digest"};
    bool is_blind = review_why_is_blind(i->why) && item_is_open(&i->item);

    put(w, "{\"seq\":");
    put_number(w, i->item.seq);
    put_time(w, "ts", i->ts_ms);
    put_time(w, "due", i->due_ms);
    put(w, item_is_open(&i->item) && i->due_ms < now_ms ? ",\"overdue\":true" : "");
    put_member(w, "why", review_why_name(i->why));
    for (unsigned k = 0; k < REVIEW_WORDS; k++) {
        put_member(w, words[k], is_blind && k == REVIEW_RULE ? "" : i->words[k]);
    }
    if (!is_blind) {
        put_member(w, "action", index_action_name(i->action));
        put_member(w, "severity", i->severity < COUNT(severities) ? severities[i->severity] : "");
        put(w, ",\"confidence\":");
        put_fraction(w, i->confidence / 10000.0);
        put_priority(w, &i->priority);
    }
    if (i->group_row != 0) {
        put_group_id(w, i->group);
    }
    put_state(w, &i->item, now_ms);
    put(w, "}");
}

void review_json_group(struct writer *w, const struct review_group *g)
{
    put(w, "{\"hits\":");
    put_number(w, g->n);
    put_group_id(w, g->id);
    put_member(w, "tenant", g->tenant);
    put_member(w, "rule", g->rule);
    put_count(w, "open", g->n_open);
    put_count(w, "agents", g->n_agents);
    put_count(w, "first", g->first_seq);
    put_count(w, "last", g->last_seq);
    put_time(w, "first_ts", g->first_ms);
    put_time(w, "last_ts", g->last_ms);
    put_member(w, "state", review_group_state_name(g->state));
    put_member(w, "disposition", item_disposition_name(g->disposition));
    if (g->last != 0) {
        put_count(w, "line", g->last);
    }
    if (g->snooze.until_ms != 0) {
        put_time(w, "until", g->snooze.until_ms);
    }
    if (g->snooze.more != 0) {
        put_count(w, "until_hits", g->snooze.more);
    }
    put(w, g->snooze.until_policy ? ",\"until_policy\":true}" : "}");
}
