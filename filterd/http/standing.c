#include "http/standing.h"

#include "pipeline/pipeline.h"

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
        block(x, agents_rule(account.state), "the agent is stopped");
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
