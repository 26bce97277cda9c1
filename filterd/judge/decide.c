#include "judge/decide.h"

#include "policy/budget_policy.h"
#include "policy/supervisor.h"

static bool list_has(const struct span_list *list, struct span item)
{
    for (size_t i = 0; i < list->n; i++) {
        if (span_equal(list->items[i], item)) {
            return true;
        }
    }
    return list->n == 0;
}

static bool tags_match(const struct span_list *wanted, const struct span_list *tags)
{
    for (size_t i = 0; i < tags->n; i++) {
        if (list_has(wanted, tags->items[i])) {
            return true;
        }
    }
    return wanted->n == 0;
}

static bool who_matches(const struct policy_condition *when, const struct identity *who)
{
    return list_has(&when->tenants, identity_tenant(who)) && list_has(&when->apps, identity_app(who)) &&
           list_has(&when->routes, who->route) && list_has(&when->agents, identity_agent(who));
}

/* Sums of tenths are not exact; a millionth decides nothing. */
static const double slack = 1e-6;

/* All but the confidence. */
static bool applies_to(const struct policy_condition *when, const struct identity *who, const struct rule *rule)
{
    return (when->categories == 0 || (when->categories & 1U << rule->category) != 0) &&
           (when->severities == 0 || (when->severities & 1U << rule->severity) != 0) &&
           list_has(&when->rules, rule->id) && tags_match(&when->tags, &rule->tags) && who_matches(when, who);
}

bool finding_meets(const struct policy_condition *when, const struct identity *who, const struct finding *finding)
{
    bool is_confident = finding->confidence >= when->min_confidence - slack &&
                        (when->max_confidence >= 1 || finding->confidence < when->max_confidence - slack);

    bool is_said = when->roles == 0 || finding->role == TEXT_ROLE_OTHER || (when->roles & 1U << finding->role) != 0;

    return is_confident && is_said && applies_to(when, who, finding->rule);
}

static bool asks_for_findings(const struct policy_condition *when)
{
    return when->categories != 0 || when->severities != 0 || when->rules.n > 0 || when->tags.n > 0 ||
           when->min_confidence > 0 || when->max_confidence < 1;
}

bool exchange_meets(const struct policy_condition *when, const struct exchange *x)
{
    if (!asks_for_findings(when)) {
        return who_matches(when, &x->who);
    }
    for (size_t i = 0; i < x->n_findings; i++) {
        const struct finding *f = &x->findings[i];
        if (f->rule != NULL && !f->is_excepted && finding_meets(when, &x->who, f)) {
            return true;
        }
    }
    return false;
}

/* Whether a bound of the condition lies in (low, high]. */
static bool has_bound(const struct policy_condition *when, double low, double high)
{
    bool has_min = when->min_confidence > low - slack && when->min_confidence <= high + slack;
    bool has_max = when->max_confidence < 1 && when->max_confidence > low - slack && when->max_confidence <= high + slack;

    return has_min || has_max;
}

bool decision_may_differ(const struct exchange *x, const struct rule *rule, double low, double high)
{
    const struct policy *p = x->policy;

    for (size_t i = 0; i < p->n_actions; i++) {
        if (policy_action_is_for(p, &p->actions[i], rule) && applies_to(&p->actions[i].when, &x->who, rule) &&
            has_bound(&p->actions[i].when, low, high)) {
            return true;
        }
    }
    for (size_t i = 0; i < p->n_exceptions; i++) {
        if (applies_to(&p->exceptions[i].when, &x->who, rule) && has_bound(&p->exceptions[i].when, low, high)) {
            return true;
        }
    }
    for (size_t i = 0; i < p->n_budgets; i++) {
        if (applies_to(&p->budgets[i].when, &x->who, rule) && has_bound(&p->budgets[i].when, low, high)) {
            return true;
        }
    }
    return false;
}

/* Whether a finding of the rule may have the least confidence. Checks and contexts only raise the most that it can be. */
static bool may_reach(const struct policy_condition *when, const struct rule *rule)
{
    return when->min_confidence <= rule->confidence + slack || when->min_confidence <= rule_confidence_max(rule) + slack;
}

/* A value must be whole when it is counted, whatever becomes of it. */
static bool budgets_may_count(const struct policy *policy, const struct identity *who, const struct rule *rule)
{
    for (size_t i = 0; i < policy->n_budgets; i++) {
        const struct policy_condition *when = &policy->budgets[i].when;
        if (!rule->is_shadow && applies_to(when, who, rule) && may_reach(when, rule)) {
            return true;
        }
    }
    return false;
}

bool decision_may_act(const struct policy *policy, const struct identity *who, const struct rule *rule)
{
    for (size_t i = 0; i < policy->n_actions; i++) {
        const struct policy_action *a = &policy->actions[i];
        if (a->action != ACTION_ALLOW && !a->is_shadow && policy_action_is_for(policy, a, rule) &&
            applies_to(&a->when, who, rule) && may_reach(&a->when, rule)) {
            return !policy->is_shadow && !rule->is_shadow;
        }
    }
    return budgets_may_count(policy, who, rule);
}

static bool has_names(const struct policy_condition *when)
{
    return when->tenants.n > 0 || when->apps.n > 0 || when->routes.n > 0 || when->agents.n > 0;
}

bool decision_depends_on_names(const struct policy *policy)
{
    for (size_t i = 0; i < policy->n_actions; i++) {
        if (has_names(&policy->actions[i].when)) {
            return true;
        }
    }
    for (size_t i = 0; i < policy->n_budgets; i++) {
        if (has_names(&policy->budgets[i].when)) {
            return true;
        }
    }
    return false;
}

/* The strictest entry that is not shadowed, for a finding of that confidence. */
static const struct policy_action *entry_for(const struct policy *p, const struct identity *who,
                                             const struct rule *rule, double confidence)
{
    const struct finding finding = {.rule = rule, .confidence = confidence};
    const struct policy_action *best = NULL;

    for (size_t i = 0; i < p->n_actions; i++) {
        const struct policy_action *entry = &p->actions[i];
        if (!entry->is_shadow && policy_action_is_for(p, entry, rule) && finding_meets(&entry->when, who, &finding) &&
            (best == NULL || entry->action < best->action)) {
            best = entry;
        }
    }
    return best;
}

static bool is_label_at(const struct policy *p, const struct identity *who, const struct rule *rule, double confidence)
{
    const struct policy_action *entry = entry_for(p, who, rule, confidence);

    return entry != NULL && (entry->action == ACTION_BLOCK ||
                             (entry->action == ACTION_REDACT && entry->with.kind == OPERATOR_LABEL));
}

/* What a finding of the rule is worth when everything speaks against it, or when it is too long for checks. */
static double least_confidence(const struct rule *rule)
{
    double least = rule->confidence;

    for (size_t i = 0; i < rule->n_checks; i++) {
        least -= rule->checks[i].lower;
    }
    for (size_t i = 0; i < rule->n_contexts; i++) {
        least -= rule->contexts[i].lower;
    }
    return least < OVER_LIMIT_CONFIDENCE ? least : OVER_LIMIT_CONFIDENCE;
}

bool decision_is_label(const struct policy *policy, const struct identity *who, const struct rule *rule)
{
    double least = least_confidence(rule);
    bool is_sure = !policy->is_shadow && !rule->is_shadow && is_label_at(policy, who, rule, least);

    for (size_t i = 0; i < policy->n_exceptions; i++) {
        is_sure = is_sure && !applies_to(&policy->exceptions[i].when, who, rule);
    }
    /* What the policy says changes at the bounds of its entries alone. */
    for (size_t i = 0; i < policy->n_actions && is_sure; i++) {
        const double bounds[] = {policy->actions[i].when.min_confidence, policy->actions[i].when.max_confidence};
        for (size_t k = 0; k < COUNT(bounds); k++) {
            is_sure = is_sure && (bounds[k] <= least || is_label_at(policy, who, rule, bounds[k]));
        }
    }
    return is_sure;
}

/* The token of a finding's value under the key that was asked for last. */
struct made_token {
    struct span key_id; /* empty: none */
    char hex[DIGEST_TOKEN_HEX + 1];
};

/* Without the value's own text or the key nothing is equal. */
static bool has_value(const struct policy_token *wanted, const struct finding *finding, struct made_token *made)
{
    struct error ignored;

    if (!wanted->has_key || finding->value.len == 0) {
        return false;
    }
    if (!span_equal(made->key_id, wanted->key_id)) {
        made->key_id = digest_token(wanted->key, finding->value, made->hex, &ignored) ? wanted->key_id : span_of(NULL, 0);
    }
    struct span hex = span_slice(wanted->text, wanted->key_id.len + 1, wanted->text.len);
    return made->key_id.len > 0 && span_is(hex, made->hex);
}

/* NULL: none covers it. */
static const struct policy_exception *exception_of(const struct exchange *x, const struct finding *finding, struct regex_scratch *regex)
{
    struct made_token made = {.key_id = {NULL, 0}};

    for (size_t i = 0; i < x->policy->n_exceptions; i++) {
        const struct policy_exception *e = &x->policy->exceptions[i];
        if (x->now_ns / 1000000000 < e->until_s && finding_meets(&e->when, &x->who, finding) &&
            (e->matches == NULL || regex_matches(e->matches, regex, finding->value)) &&
            (e->value == NULL || has_value(e->value, finding, &made))) {
            return e;
        }
    }
    return NULL;
}

/* A finding without an entry is allowed, except one of a supervisor that the policy asks. */
static enum action unlisted(const struct policy *policy, const struct finding *finding)
{
    bool is_asked = finding->source == FINDING_SUPERVISOR && policy->supervisor != NULL;

    return is_asked ? policy->supervisor->action : ACTION_ALLOW;
}

/* The strictest entry that holds; a shadowed one only when no other does. */
static void apply_policy(const struct exchange *x, struct finding *finding)
{
    const struct policy_action *real = NULL, *shadow = NULL;

    for (size_t i = 0; i < x->policy->n_actions; i++) {
        const struct policy_action *entry = &x->policy->actions[i];
        if (policy_action_is_for(x->policy, entry, finding->rule) && finding_meets(&entry->when, &x->who, finding)) {
            const struct policy_action **best = entry->is_shadow ? &shadow : &real;
            if (*best == NULL || entry->action < (*best)->action) {
                *best = entry;
            }
        }
    }
    finding->because = real != NULL ? real : shadow;
    finding->action = finding->because != NULL ? finding->because->action : unlisted(x->policy, finding);
    finding->is_shadow |= x->policy->is_shadow || (real == NULL && shadow != NULL);
}

/* --- budgets ---------------------------------------------------------------- */

/* A bit for each budget that counts the finding's value. What the policy does not deliver is not disclosed. */
static unsigned budgets_of(const struct exchange *x, const struct finding *f)
{
    bool is_delivered = f->action == ACTION_ALLOW || f->is_shadow;
    bool is_of_text = f->source == FINDING_RULE || f->source == FINDING_CLASSIFIER;
    unsigned covering = 0;

    if (!is_delivered || !is_of_text || f->is_excepted || f->rule->is_shadow) {
        return 0;
    }
    for (size_t i = 0; i < x->policy->n_budgets; i++) {
        covering |= (unsigned)finding_meets(&x->policy->budgets[i].when, &x->who, f) << i;
    }
    return covering;
}

/* The strictest of those that its value exceeds decides. */
static void exceed(const struct exchange *x, struct finding *f, unsigned over)
{
    for (size_t i = 0; i < x->policy->n_budgets; i++) {
        const struct policy_budget *b = &x->policy->budgets[i];
        if ((over & 1U << i) != 0 && (f->budget == NULL || b->then < f->budget->then)) {
            f->budget = b;
        }
    }
    if (f->budget != NULL && !budget_is_observed(f->budget)) {
        f->action = f->budget->act.action;
        f->because = &f->budget->act;
        f->is_shadow = x->policy->is_shadow;
    }
}

/* As the record's tokens do, by its view; a finding about the text as a whole has no value of its own. */
static struct span charged_value(const struct exchange *x, const struct finding *f)
{
    bool is_of_text = f->value.len == 0 && !x->is_redacted;

    return is_of_text ? span_slice(x->channels[f->channel].text, f->from, f->to) : f->value;
}

static void charge(const struct exchange *x, struct finding *f)
{
    unsigned covering = x->spending == NULL ? 0 : budgets_of(x, f);
    struct span value = covering == 0 ? span_of(NULL, 0) : charged_value(x, f);

    f->budget = NULL;
    if (value.len > 0) {
        exceed(x, f, x->is_redacted ? spending_charge_redacted(x->spending, covering, value)
                                    : spending_charge(x->spending, covering, value));
    }
}

bool finding_leads(const struct finding *a, const struct finding *b)
{
    if (a->rule->severity != b->rule->severity) {
        return a->rule->severity > b->rule->severity;
    }
    if (a->channel != b->channel) {
        return a->channel < b->channel;
    }
    if (a->from != b->from) {
        return a->from < b->from;
    }
    if (a->to != b->to) {
        return a->to > b->to;
    }
    return rule_compare(a->rule, b->rule) < 0;
}

void decide(struct exchange *x, struct finding *findings, size_t n, struct regex_scratch *regex)
{
    const struct finding *leader = NULL;

    x->action = ACTION_ALLOW;
    for (size_t i = 0; i < n; i++) {
        struct finding *f = &findings[i];
        f->role = x->channels[f->channel].role;
        const struct policy_exception *exception = exception_of(x, f, regex);
        f->is_excepted = exception != NULL;
        f->exception = exception != NULL ? exception->id : span_of(NULL, 0);
        f->action = ACTION_ALLOW;
        if (!f->is_excepted) {
            apply_policy(x, f);
        }
        charge(x, f);
        if (f->action == ACTION_REDACT && x->channels[f->channel].is_member_name) {
            f->action = ACTION_BLOCK;
        }
        if (f->is_shadow || f->action == ACTION_ALLOW) {
            continue;
        }
        if (leader == NULL || f->action < leader->action || (f->action == leader->action && finding_leads(f, leader))) {
            leader = f;
        }
    }
    if (leader != NULL) {
        x->action = leader->action;
        x->rule = leader->rule->id;
    }
    x->findings = findings;
    x->n_findings = n;
}
