/* rule_set.h - all loaded rules, compiled: one Hyperscan database, one PCRE2 pattern each.
 *
 * Immutable once made, except the counters; any number of threads may scan with it, each
 * with its own scratch. Reference-counted, because exchanges outlive a reload. */
#ifndef FILTERD_POLICY_RULE_SET_H
#define FILTERD_POLICY_RULE_SET_H

#include <stdatomic.h>

#include "base/arena.h"
#include "policy/rule.h"
#include "scan/classifier.h"
#include "scan/scanner.h"

/* A rule that a classifier judges. */
struct rule_use {
    const struct classifier *classifier;
    unsigned head;
    uint32_t rule;
};

struct rule_table; /* rule_data.h */

struct rule_set {
    atomic_uint references;
    struct arena memory; /* the rules' texts and lists */
    struct arena nodes;  /* say where an error is; empty once compiled */
    struct rule *rules; /* read-only once the set is loaded */
    uint32_t n_rules;
    struct scanner *scanner; /* pattern i of the scanner belongs to rule_of_pattern[i] */
    const uint32_t *rule_of_pattern;
    const uint32_t *first_pattern; /* of rule i: first_pattern[i] .. first_pattern[i + 1] */
    uint32_t n_patterns; /* compiled ones: of the rules that are used */
    uint64_t *regions; /* bit per pattern: its rule is a region */
    size_t context_reach; /* the most bytes within which a rule looks for a context */
    struct regex **allow; /* of rule i: allow[allow_first[i] .. allow_first[i + 1]) */
    uint32_t *allow_first;
    size_t n_allow;
    const struct rule_use *uses; /* grouped by classifier */
    size_t n_uses;
    struct rule_table *tables; /* of rules that are data */
    size_t n_tables;
    struct span digest; /* "sha256:…" of everything that decides a finding */
    _Atomic uint64_t *findings; /* per rule, since start; metrics read it */
};

/* A rule file by name and content; its folder is the pack ("secrets"). "shared.yaml" has no rules, but the parts shared by
 * its folder (rule_read.h). */
struct rule_file {
    const char *path;
    struct span content;
    bool is_beside; /* a shared.yaml whose users are not all loaded: unused fragments are not errors */
};

struct rule_set_options {
    const char *cache_directory; /* compiled databases; NULL: no cache */
    bool test_examples;          /* pipeline/load.h: run every rule's examples, fail at the first failure */
    /* The classifiers for rules, NULL-terminated; called when the files have been read. NULL: none. */
    const struct classifier *const *(*classifiers)(struct error *err);
    bool without_prefilter;      /* only PCRE2, for the property test and benchmarks */
    bool only_used; /* pipeline/load.h: compile the patterns of the rules that the policies use, not those of all rules */
};

/* NULL with err as "file:line:column: what was expected" for the first error. */
struct rule_set *rule_set_load(const struct rule_file *files, size_t n,
                               const struct rule_set_options *options, struct error *err);
/* The same in two steps, for a caller that knows only when the rules have been read which of them are used. No text may be
 * searched before rule_set_compile, which is called once, before other threads have the set. */
struct rule_set *rule_set_read(const struct rule_file *files, size_t n,
                               const struct rule_set_options *options, struct error *err);
/* Compiles the patterns of the rules of is_used (per rule; NULL: all) and of those that they require; the others find
 * nothing. */
MUST_CHECK bool rule_set_compile(struct rule_set *set, const bool *is_used, const struct rule_set_options *options,
                                 struct error *err);
struct rule_set *rule_set_ref(struct rule_set *set);
void rule_set_unref(struct rule_set *set);

/* NULL when there is none of that id. */
const struct rule *rule_set_find(const struct rule_set *set, struct span id);
/* The number of rules without enough examples (rule_has_examples). */
size_t rule_set_without_examples(const struct rule_set *set);
/* Whether any of these rules uses a classifier (per rule; NULL: all). */
bool rule_set_has_use(const struct rule_set *set, const bool *has_rule);
/* Whether the rule can find something: its patterns are compiled, or are yet to be; or it has none. */
bool rule_set_can_find(const struct rule_set *set, uint32_t rule);
/* One of the rule's patterns for the scanner; borrows from the rule. */
struct scanner_pattern rule_scanner_pattern(const struct rule *rule, size_t i);
uint32_t rule_set_index(const struct rule_set *set, const struct rule *rule);

#endif
