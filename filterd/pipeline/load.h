/* load.h - a snapshot from files, or from what the program was built with. */
#ifndef FILTERD_PIPELINE_LOAD_H
#define FILTERD_PIPELINE_LOAD_H

#include "policy/policy.h"

/* Rules from a directory (DIR/<pack>/<name>.yaml, policy from DIR/policy.yaml) or, with NULL, those
 * built in. `policy_path` names another policy file; may be NULL. With options->test_examples every rule's
 * examples are run, once for each new state of rules and program: a marker beside the compiled database
 * remembers that they passed. With options->only_used the rules that no policy of the file uses are read and not compiled:
 * they find nothing, their examples are not run, and no other policy may be loaded over them. NULL with err as "file:line:column: what was expected". */
struct snapshot *snapshot_open(const char *rules_directory, const char *policy_path,
                               const struct rule_set_options *options, struct error *err);

/* The violations of that policy file alone, for what must be known before rules are loaded; texts live in the arena.
 * Those built in have none. */
MUST_CHECK bool violations_open(const char *rules_directory, const char *policy_path, struct arena *a,
                                struct violations *out, struct error *err);

/* Runs the examples of all rules, as texts of a member `key` of a JSON document, or alone where it is empty; calls broken() for
 * each that is wrong, until it returns false. *n_run counts them. is_match tells which list `index` belongs to. */
typedef bool example_broken_fn(void *context, const struct rule *rule, bool is_match, size_t index);
MUST_CHECK bool snapshot_test_examples(const struct snapshot *s, struct span key, example_broken_fn *broken, void *context,
                                       size_t *n_run, struct error *err);

#endif
