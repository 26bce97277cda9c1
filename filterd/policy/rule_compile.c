/* rule_compile.c - the scanner of a set: the patterns of the rules that are used. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "policy/rule_read.h"
#include "policy/rule_set.h"

struct scanner_pattern rule_scanner_pattern(const struct rule *rule, size_t i)
{
    return (struct scanner_pattern){
        .pattern = rule->patterns.items[i],
        .before = boundary_before(rule->boundary),
        .after = boundary_after(rule->boundary),
        .triggers = rule->triggers.items,
        .n_triggers = rule->triggers.n,
        .lead = rule->lead,
        .max_length = rule->max_length,
        .views = rule->views,
        .starts_free = rule->boundary != BOUNDARY_NONE && rule->boundary != BOUNDARY_PART,
        .starts_part = rule->boundary == BOUNDARY_PART,
        .prefers_words = rule->words.n > 0,
        .is_disguisable = rule_is_token(rule),
    };
}

/* Partners are searched for by their patterns alone, so what a partner requires is not needed. */
static void mark_used(const struct rule_set *set, const bool *is_used, bool *is_compiled)
{
    for (uint32_t i = 0; i < set->n_rules; i++) {
        if (is_used != NULL && !is_used[i]) {
            continue;
        }
        is_compiled[i] = true;
        for (size_t k = 0; k < set->rules[i].n_contexts; k++) {
            const struct span_list *partners = &set->rules[i].contexts[k].rules;
            for (size_t p = 0; p < partners->n; p++) {
                is_compiled[rule_set_index(set, rule_set_find(set, partners->items[p]))] = true;
            }
        }
    }
}

static size_t count_patterns(const struct rule_set *set)
{
    size_t n = 0;

    for (uint32_t i = 0; i < set->n_rules; i++) {
        n += set->rules[i].patterns.n;
    }
    return n;
}

static bool compile_used(struct rule_set *set, const bool *is_used, const struct rule_set_options *options, struct error *err)
{
    size_t n = count_patterns(set);
    uint32_t bad = 0;
    bool *is_compiled CLEANUP(cleanup_free) = calloc((size_t)set->n_rules + 1, sizeof(*is_compiled));
    struct scanner_pattern *patterns CLEANUP(cleanup_free) = calloc(n + 1, sizeof(*patterns));
    uint32_t *rule_of = arena_array(&set->memory, n + 1, sizeof(*rule_of), err);
    uint32_t *first = rule_of != NULL ? arena_array(&set->memory, (size_t)set->n_rules + 1, sizeof(*first), err) : NULL;
    set->regions = calloc(n / 64 + 1, sizeof(*set->regions));
    if (is_compiled == NULL || patterns == NULL || first == NULL || set->regions == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "rules: no memory");
    }
    mark_used(set, is_used, is_compiled);
    for (uint32_t i = 0; i < set->n_rules; i++) {
        first[i] = set->n_patterns;
        for (size_t k = 0; is_compiled[i] && k < set->rules[i].patterns.n; k++) {
            rule_of[set->n_patterns] = i;
            set->regions[set->n_patterns / 64] |= (uint64_t)set->rules[i].is_region << set->n_patterns % 64;
            patterns[set->n_patterns++] = rule_scanner_pattern(&set->rules[i], k);
        }
    }
    first[set->n_rules] = set->n_patterns;
    set->rule_of_pattern = rule_of;
    set->first_pattern = first;
    set->scanner = scanner_new(patterns, set->n_patterns, options->cache_directory, options->without_prefilter, &bad, err);
    if (set->scanner == NULL && bad < set->n_patterns) {
        return rule_pattern_error(&set->rules[rule_of[bad]], bad - first[rule_of[bad]], err);
    }
    return set->scanner != NULL;
}

static size_t context_reach(const struct rule_set *set)
{
    size_t reach = 0;

    for (uint32_t i = 0; i < set->n_rules; i++) {
        for (size_t k = 0; k < set->rules[i].n_contexts; k++) {
            size_t within = set->rules[i].contexts[k].within;
            reach = within > reach ? within : reach;
        }
    }
    return reach;
}

/* The nodes, 4 MB of the shipped rules, say where an error is, and go when none can come any more. */
bool rule_set_compile(struct rule_set *set, const bool *is_used, const struct rule_set_options *options, struct error *err)
{
    bool is_compiled = compile_used(set, is_used, options, err);

    set->context_reach = context_reach(set);
    for (uint32_t i = 0; i < set->n_rules; i++) {
        set->rules[i].pattern_node = NULL;
        set->rules[i].fragments = NULL;
    }
    arena_deinit(&set->nodes);
    return is_compiled;
}

bool rule_set_can_find(const struct rule_set *set, uint32_t rule)
{
    return set->first_pattern == NULL || set->rules[rule].patterns.n == 0 ||
           set->first_pattern[rule] < set->first_pattern[rule + 1];
}
