#include "pipeline/held_rules.h"

#include "judge/decide.h"

enum { WORD_BITS = 64 };

size_t held_rules_words(const struct rule_set *rules)
{
    return rules->n_patterns / WORD_BITS + 1;
}

void held_rules_set(const struct rule_set *rules, const struct policy *policy, const struct identity *who,
                 bool (*also)(const struct policy *policy, const struct identity *who, const struct rule *rule), uint64_t *bits)
{
    if (policy->held_rules != NULL && also == NULL) {
        memcpy(bits, policy->held_rules, held_rules_words(rules) * sizeof(*bits));
        return;
    }
    for (uint32_t i = 0; i < rules->n_rules; i++) {
        const struct rule *rule = &rules->rules[i];
        uint32_t from = rules->first_pattern[i], to = rules->first_pattern[i + 1];
        bool is_held = from < to && (policy->has_rule == NULL || policy->has_rule[i]) &&
                          (decision_may_act(policy, who, rule) || (also != NULL && also(policy, who, rule)));
        for (uint32_t k = from; k < to && is_held; k++) {
            bits[k / WORD_BITS] |= (uint64_t)1 << k % WORD_BITS;
        }
    }
}

bool held_rules_prepare(struct snapshot *s, struct error *err)
{
    static const struct identity anyone;
    size_t n = held_rules_words(s->rules);

    for (size_t i = 0; i < s->n_policies; i++) {
        struct policy *policy = &s->policies[i];
        if (decision_depends_on_names(policy)) {
            continue;
        }
        uint64_t *bits = arena_array(&s->memory, n, sizeof(*bits), err);
        if (bits == NULL) {
            return false;
        }
        memset(bits, 0, n * sizeof(*bits));
        held_rules_set(s->rules, policy, &anyone, NULL, bits);
        policy->held_rules = bits;
    }
    return true;
}
