#include "service/standing.h"

#include "base/clock.h"
#include "pipeline/pipeline.h"

const char standing_stopped[] = "the agent is stopped";
const char standing_throttled[] = "the agent is throttled";

static void set_standing(struct exchange *x, const struct agent_account *account)
{
    x->agent_state = agent_state_name(account->state);
    x->violations = account->score;
}

static void block(struct exchange *x, const char *rule, const char *reason)
{
    x->bytes = 0;
    for (size_t i = 0; i < x->n_channels; i++) {
        x->bytes += x->channels[i].text.len;
    }
    exchange_refuse(x, rule, reason);
}

enum standing standing_admit(struct service *s, struct exchange *x, unsigned *wait_s)
{
    const struct agent_key key = {x->who.tenant, x->who.agent};
    struct agent_account account;
    int64_t wait_ns = 0;

    if (key.agent.len == 0) {
        return STANDING_MAY;
    }
    if (!ledger_store_is_healthy(s->agents.store)) {
        block(x, "filterd.unjudged", "the ledger could not be written");
        return STANDING_BLOCKED;
    }
    enum agents_answer answer =
        agents_admit(&s->agents, &x->snapshot->violations, &key, x->now_ns, &account, &wait_ns);
    set_standing(x, &account);
    if (answer == AGENTS_STOPPED) {
        block(x, agents_rule(account.state), standing_stopped);
        return STANDING_BLOCKED;
    }
    *wait_s = (unsigned)((wait_ns + 999999999) / 1000000000);
    return answer == AGENTS_WAIT ? STANDING_WAIT : STANDING_MAY;
}

void standing_count(struct service *s, struct exchange *x)
{
    struct agent_account account = {.state = AGENT_REVOKED};
    struct error err;

    if (x->who.agent.len == 0) {
        return;
    }
    if (!agents_count(&s->agents, &x->snapshot->violations, x, &account, &err)) {
        block(x, "filterd.ledger-full", "the ledger had no room for the agent");
        x->agent_state = agent_state_name(AGENT_ACTIVE);
    } else if (account.is_used) {
        set_standing(x, &account);
    }
}

enum standing standing_open(struct service *s, const struct snapshot *snapshot, const struct identity *who,
                            unsigned *wait_s)
{
    struct exchange x = {.snapshot = snapshot, .who = *who, .now_ns = clock_utc_ns()};
    const struct agent_key key = {who->tenant, who->agent};
    enum standing standing = standing_admit(s, &x, wait_s);

    /* What will have been released by the time it is counted must not find the ledger full then. */
    if (standing == STANDING_MAY && key.agent.len > 0 && snapshot->violations.is_on &&
        !ledger_has_room(s->agents.ledger, &snapshot->violations,
                         &(struct ledger_event){.key = &key, .now_ns = x.now_ns, .caller = who->caller})) {
        x.rule = span_str("filterd.ledger-full");
        standing = STANDING_BLOCKED;
    }
    if (standing == STANDING_BLOCKED) {
        const struct agent_event e = {.event = "refuse",
                                      .by = "filterd",
                                      .key = key,
                                      .why = x.rule,
                                      .now_ns = x.now_ns};
        agents_record(&s->agents, &e);
    }
    return standing;
}

void standing_watch(struct service *s, struct stream *stream)
{
    struct agent_account account;
    struct exchange x;

    stream_exchange(stream, &x);
    const struct agent_key key = {x.who.tenant, x.who.agent};
    if (key.agent.len > 0 &&
        ledger_look(s->agents.ledger, &x.snapshot->violations, &key, clock_utc_ns(), &account) &&
        agent_state_is_stopped(account.state)) {
        stream_block(stream, span_str(agents_rule(account.state)), standing_stopped);
    }
}

void standing_count_stream(struct service *s, struct stream *stream, struct exchange *x)
{
    struct agent_account account;

    stream_exchange(stream, x);
    const struct agent_key key = {x->who.tenant, x->who.agent};
    if (ledger_look(s->agents.ledger, &x->snapshot->violations, &key, clock_utc_ns(), &account)) {
        set_standing(x, &account);
    }
    enum action before = x->action;
    standing_count(s, x);
    if (x->action != before) {
        stream_block(stream, x->rule, x->unjudged_reason);
    }
}

struct review_mark standing_mark_event(void *context, const struct agent_event *e)
{
    struct snapshot *snapshot = service_snapshot(context);
    struct review_mark mark = review_mark_of_event(snapshot_policy(snapshot, span_of(NULL, 0), e->key.tenant), e->event);

    snapshot_unref(snapshot);
    return mark;
}
