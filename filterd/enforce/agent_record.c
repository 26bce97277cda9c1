#include "enforce/agent_record.h"

#include "base/cleanup.h"
#include "base/uuid.h"
#include "decision_log/decision_line.h"

static void put_account(struct decision_line *l, const struct agent_account *a)
{
    line_text(l, "state", span_str(agent_state_name(a->state)));
    line_tenths(l, "violations", a->score);
    line_open(l, "counts", '{');
    for (unsigned i = 0; i < VIOLATION_COUNT; i++) {
        if (a->counts[i] > 0) {
            line_number(l, violation_name((enum violation)i), a->counts[i]);
        }
    }
    line_close(l, '}');
}

static void put_steps(struct decision_line *l, unsigned steps)
{
    static const char *const names[] = {"quota", "pids_max", "freeze", "cgroup_kill", "each", "init"};

    line_open(l, "steps", '[');
    for (unsigned i = 0; i < COUNT(names); i++) {
        if ((steps >> i & 1U) != 0) {
            line_text(l, NULL, span_str(names[i]));
        }
    }
    line_close(l, ']');
}

/* Absent is "not known"; a flag is absent when it is false, so that "verified" is never there by accident. */
static void put_kill(struct decision_line *l, const struct kill_outcome *o)
{
    const struct jail_kill_report *k = &o->kill;

    line_open(l, "kill", '{');
    line_flag(l, "verified", k->is_verified);
    if (k->survivors >= 0) {
        line_number(l, "survivors", (uint64_t)k->survivors);
    }
    if (k->processes >= 0) {
        line_number(l, "processes", (uint64_t)k->processes);
    }
    put_steps(l, k->steps);
    line_number(l, "rounds", k->rounds);
    line_number(l, "tries", o->tries);
    line_number(l, "signalled_us", (uint64_t)k->signalled_us);
    line_number(l, "escalation_us", (uint64_t)k->total_us);
    line_number(l, "since_order_us", (uint64_t)o->since_order_us);
    line_close(l, '}');
}

static void put_orders(struct decision_line *l, const char *name, unsigned orders)
{
    static const char *const names[] = {"cut_network", "freeze", "thaw", "kill"};

    line_open(l, name, '[');
    for (unsigned i = 0; i < COUNT(names); i++) {
        if ((orders >> i & 1U) != 0) {
            line_text(l, NULL, span_str(names[i]));
        }
    }
    line_close(l, ']');
}

static void put_outcome(struct decision_line *l, const struct kill_outcome *o)
{
    put_orders(l, "done", o->orders & ~o->failed);
    put_orders(l, "failed", o->failed);
    if ((o->orders & ORDER_KILL) != 0) {
        put_kill(l, o);
    }
}

static void put_fleet(struct decision_line *l, const struct agent_fleet *f)
{
    line_open(l, "fleet", '{');
    line_number(l, "order", f->order);
    line_text(l, "node", f->node);
    if (f->nodes > 0) {
        line_number(l, "nodes", f->nodes);
        line_number(l, "presumed", f->presumed);
        line_text(l, "missing", f->missing);
        line_number(l, "survivors", (uint64_t)f->survivors);
        line_number(l, "since_order_us", (uint64_t)f->took_us);
    }
    line_close(l, '}');
}

bool agent_record_format(const struct agent_event *e, struct buf *line, struct error *err)
{
    struct decision_line l = {.out = line, .err = err};
    char id[UUID_TEXT + 1];

    buf_clear(line);
    line_open(&l, NULL, '{');
    line_number(&l, "v", DECISION_VERSION);
    line_text(&l, "type", span_str("agent"));
    line_time(&l, "ts", e->now_ns);
    line_text(&l, "event", span_str(e->event));
    line_text(&l, "tenant", e->key.tenant);
    line_text(&l, "agent", e->key.agent);
    line_text(&l, "jail", e->jail);
    line_text(&l, "by", span_str(e->by == NULL ? "" : e->by));
    line_text(&l, "why", e->why);
    if (e->exchange != NULL) {
        uuid_format(e->exchange->bytes, id);
        line_text(&l, "req_id", span_str(id));
    }
    if (e->account != NULL) {
        put_account(&l, e->account);
    }
    if (e->outcome != NULL) {
        put_outcome(&l, e->outcome);
    }
    if (e->fleet != NULL) {
        put_fleet(&l, e->fleet);
    }
    line_review(&l, &e->review);
    line_close(&l, '}');
    return !l.has_failed;
}

bool agent_record_write(struct decision_log *log, const struct agent_event *e, struct error *err)
{
    struct buf line CLEANUP(buf_deinit);

    buf_init(&line, AGENT_RECORD_MAX);
    return agent_record_format(e, &line, err) && decision_log_append(log, buf_span(&line), NULL, NULL, err);
}
