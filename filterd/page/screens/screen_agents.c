/* screen_agents.c - the agents' accounts; kill and revive. */
#include "base/clock.h"
#include "http/identities.h"
#include "page/frame.h"
#include "page/screens.h"
#include "page/table.h"

enum { AGENTS_ROWS = 200, REASON_MAX = 100, CAUSE_MAX = REASON_MAX + ACCESS_NAME + 8 };

/* --- the list -------------------------------------------------------------------------------- */

/* The value is tenant and name, each percent-encoded. */
static void put_choice(struct page *p, const struct agent_account *a)
{
    struct html *h = &p->html;

    HTML(h, "<td><label><input type=\"radio\" name=\"agent\" value=\"");
    html_url(h, span_str(a->tenant));
    HTML(h, "/");
    html_url(h, span_str(a->agent));
    HTML(h, "\" required> ");
    html_name(h, span_str(a->agent));
    HTML(h, "</label></td>");
}

static void put_agent(struct page *p, const struct agent_account *a)
{
    struct killer *killer = p->request->service->agents.killer;
    const struct agent_key key = {span_str(a->tenant), span_str(a->agent)};
    struct html *h = &p->html;
    char score[32];

    (void)snprintf(score, sizeof(score), "%.1f", a->score);
    HTML(h, "<tr>");
    if (caller_has(&p->caller, ROLE_OPERATOR)) {
        put_choice(p, a);
    } else {
        table_name(p, key.agent);
    }
    table_name(p, key.tenant);
    HTML(h, "<td class=\"state ");
    html_attribute(h, span_str(agent_state_name(a->state)));
    HTML(h, "\">");
    html_text(h, span_str(agent_state_name(a->state)));
    HTML(h, "</td>");
    table_name(p, span_str(score));
    table_number(p, killer_count(killer, &key));
    table_time(p, a->is_used ? a->first_ns : 0);
    table_time(p, a->is_used ? a->last_ns : 0);
    HTML(h, "</tr>\n");
}

static void put_head(struct page *p)
{
    static const enum text columns[] = {TEXT_AGENT, TEXT_TENANT, TEXT_STATE, TEXT_SCORE, TEXT_JAILS, TEXT_FIRST, TEXT_LAST};

    table_begin(p, TEXT_AGENTS, columns, COUNT(columns));
}

/* Agents with an account, then agents in jails without one, each once. */
static unsigned put_accounts(struct page *p, const struct violations *v, int64_t now_ns)
{
    struct agents *agents = &p->request->service->agents;
    struct agent_account a;
    unsigned n = 0;

    for (uint32_t i = 0; n <= AGENTS_ROWS && ledger_at(agents->ledger, v, i, now_ns, &a); i = a.slot + 1) {
        if (caller_sees(&p->caller, span_str(a.tenant)) && n++ < AGENTS_ROWS) {
            put_agent(p, &a);
        }
    }
    return n;
}

static bool is_first_place(struct killer *killer, int place, const struct agent_key *key)
{
    char tenant[LEDGER_NAME_MAX + 1], agent[LEDGER_NAME_MAX + 1];
    int i = -1;

    while ((i = killer_at(killer, i + 1, tenant, agent)) >= 0 && i < place) {
        if (span_is(key->tenant, tenant) && span_is(key->agent, agent)) {
            return false;
        }
    }
    return true;
}

static unsigned put_blameless(struct page *p, const struct violations *v, int64_t now_ns, unsigned n)
{
    struct agents *agents = &p->request->service->agents;
    char tenant[LEDGER_NAME_MAX + 1], agent[LEDGER_NAME_MAX + 1];
    struct agent_account a;
    int i = -1;

    while (n <= AGENTS_ROWS && (i = killer_at(agents->killer, i + 1, tenant, agent)) >= 0) {
        const struct agent_key here = {span_str(tenant), span_str(agent)};
        bool is_shown = caller_sees(&p->caller, here.tenant) && !ledger_look(agents->ledger, v, &here, now_ns, &a) &&
                        is_first_place(agents->killer, i, &here);
        if (is_shown && n++ < AGENTS_ROWS) {
            put_agent(p, &a);
        }
    }
    return n;
}

/* --- the forms ---------------------------------------------------------------------------------- */

static void put_reason(struct page *p, const char *id)
{
    struct html *h = &p->html;

    HTML(h, "<label for=\"");
    html_attribute(h, span_str(id));
    HTML(h, "\">");
    html_word(h, TEXT_REASON);
    HTML(h, "</label><input name=\"why\" maxlength=\"100\" required id=\"");
    html_attribute(h, span_str(id));
    HTML(h, "\"><button type=\"submit\" name=\"do\" value=\"kill\">");
    html_word(h, TEXT_KILL);
    HTML(h, "</button><button type=\"submit\" name=\"do\" value=\"revive\">");
    html_word(h, TEXT_REVIVE);
    HTML(h, "</button>");
}

/* Agents without an account can be killed, too. */
static void put_other(struct page *p)
{
    struct html *h = &p->html;

    HTML(h, "<section><h2>");
    html_word(h, TEXT_KILL_OTHER);
    HTML(h, "</h2>");
    form_begin(p, "/agents/change", span_of("", 0));
    HTML(h, "<label for=\"name\">");
    html_word(h, TEXT_AGENT);
    HTML(h, "</label><input name=\"name\" id=\"name\" required><label for=\"tenant\">");
    html_word(h, TEXT_TENANT);
    HTML(h, "</label><input name=\"tenant\" id=\"tenant\" value=\"");
    html_attribute(h, span_str(p->caller.tenant));
    HTML(h, "\">");
    put_reason(p, "why-other");
    form_end(p);
    HTML(h, "</section>");
}

static void put_end(struct page *p, unsigned n)
{
    struct html *h = &p->html;

    table_end(p);
    if (n == 0 || n > AGENTS_ROWS) {
        HTML(h, "<p>");
        html_word(h, n == 0 ? TEXT_AGENTS_NONE : TEXT_AGENTS_MORE);
        HTML(h, "</p>");
    }
}

bool agents_show(struct page *p, struct error *err)
{
    struct snapshot *snapshot = service_snapshot(p->request->service);
    bool may_change = caller_has(&p->caller, ROLE_OPERATOR);
    int64_t now_ns = clock_utc_ns();

    (void)err;
    if (may_change) {
        form_begin(p, "/agents/change", span_of("", 0));
    }
    put_head(p);
    unsigned n = put_blameless(p, &snapshot->violations, now_ns, put_accounts(p, &snapshot->violations, now_ns));
    snapshot_unref(snapshot);
    put_end(p, n);
    if (may_change) {
        put_reason(p, "why");
        form_end(p);
        put_other(p);
    }
    return true;
}

/* --- the change -------------------------------------------------------------------------------------- */

struct change {
    struct agent_key key;
    struct span why; /* with the name of the person */
    bool is_kill;
};

/* Selected in the list, or entered by name. */
static bool read_agent(struct page *p, struct change *c, struct error *err)
{
    struct span chosen = page_field(p, "agent");
    const char *slash = chosen.len == 0 ? NULL : memchr(chosen.ptr, '/', chosen.len);

    if (slash == NULL) {
        c->key = (struct agent_key){page_field(p, "tenant"), page_field(p, "name")};
        return true;
    }
    size_t at = (size_t)(slash - chosen.ptr);
    return form_decode(&p->memory, span_slice(chosen, 0, at), &c->key.tenant, err) &&
           form_decode(&p->memory, span_slice(chosen, at + 1, chosen.len), &c->key.agent, err);
}

static bool read_why(struct page *p, struct change *c, struct error *err)
{
    struct span why = page_field(p, "why");
    char text[CAUSE_MAX];

    if (why.len == 0 || why.len > REASON_MAX) {
        return page_fault(p, 422, TEXT_FAULT_REASON);
    }
    if (!page_judge(p, &why)) {
        return false;
    }
    (void)snprintf(text, sizeof(text), "%s: " SPAN_FMT, p->caller.name, SPAN_ARG(why));
    return arena_copy(&p->memory, span_str(text), &c->why, err);
}

/* Accounts use the displayed name; the entered name is converted to it. */
static bool find_shown(struct page *p, struct change *c)
{
    struct request *r = p->request;
    struct identity who = {.tenant = c->key.tenant, .agent = c->key.agent};
    struct agent_account ignored;
    struct filter_fault fault;

    r->snapshot = r->snapshot == NULL ? service_snapshot(r->service) : r->snapshot;
    if (ledger_look(r->service->agents.ledger, &r->snapshot->violations, &c->key, clock_utc_ns(), &ignored) ||
        killer_count(r->service->agents.killer, &c->key) > 0) {
        return true;
    }
    if (!identity_show(r->service->identities, r->snapshot, &p->memory, &who, &fault)) {
        return page_fault(p, 422, TEXT_FAULT_REASON);
    }
    c->key = (struct agent_key){who.tenant, who.agent};
    return true;
}

static bool read_change(struct page *p, struct change *c, struct error *err)
{
    *c = (struct change){.is_kill = span_is(page_field(p, "do"), "kill")};
    if (!c->is_kill && !span_is(page_field(p, "do"), "revive")) {
        return page_fault(p, 422, TEXT_FAULT_422);
    }
    if (!read_agent(p, c, err) || !read_why(p, c, err)) {
        return false;
    }
    bool is_name = c->key.agent.len > 0 && c->key.agent.len <= LEDGER_NAME_MAX && c->key.tenant.len <= LEDGER_NAME_MAX;
    if (!is_name) {
        return page_fault(p, 422, TEXT_FAULT_REASON);
    }
    return caller_sees(&p->caller, c->key.tenant) ? find_shown(p, c) : page_fault(p, 404, TEXT_FAULT_404);
}

bool agent_change_post(struct page *p, struct error *err)
{
    struct agents *agents = &p->request->service->agents;
    struct change c;

    if (!read_change(p, &c, err)) {
        return false;
    }
    const struct agents_cause cause = {"operator", c.why, clock_utc_ns()};
    if (!c.is_kill) {
        return agents_revive(agents, &c.key, &cause) ? page_redirect(p, "/agents", span_of("", 0), TEXT_NOTICE_REVIVED)
                                                     : page_fault(p, 404, TEXT_FAULT_404);
    }
    if (!agents_react(agents, &c.key, REACTION_KILL, &cause, err)) {
        /* Kill running processes even if the ledger is full. */
        (void)killer_order(agents->killer, &c.key, ORDER_CUT | ORDER_KILL, "operator");
        return page_fault(p, 503, TEXT_FAULT_LEDGER);
    }
    return page_redirect(p, "/agents", span_of("", 0), TEXT_NOTICE_KILLED);
}
