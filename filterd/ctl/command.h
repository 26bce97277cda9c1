/* command.h - what a command of filterctl is.
 *
 * Each command lives in a file of its own with a const struct command on top; commands/commands.c lists them, and
 * record/record_commands.c those of `filterctl record`.
 * run() returns the exit code of the program. */
#ifndef FILTERD_CTL_COMMAND_H
#define FILTERD_CTL_COMMAND_H

#include "ctl/options.h"

enum { EXIT_CLEAN = 0, EXIT_FOUND = 1, EXIT_FAILED = 2 };

/* What an option does in a command, where it is not what it does in the others. */
struct option_text {
    enum option_id option;
    const char *text;
};

struct command {
    const char *name;            /* one or two words: "check", "rules test" */
    const char *operands;        /* for the usage line */
    const char *summary;         /* one line */
    const char *details;         /* more lines for --help; may be NULL */
    option_set options;          /* bit per enum option_id */
    struct option_text texts[3]; /* in place of the table's; entries without a text are last */
    const char *formats;         /* accepted by --format, separated by '|'; NULL: no such option */
    int min_operands, max_operands; /* max -1: any number */
    int (*run)(const struct arguments *args);
};

extern const struct command command_check, command_redact, command_reveal;
extern const struct command command_rules_list, command_rules_show, command_rules_test,
    command_rules_lint, command_rules_explain, command_rules_score;
extern const struct command command_policy_check, command_policy_explain, command_policy_diff, command_policy_replay;
extern const struct command command_log, command_ready, command_hook;
extern const struct command command_agents_list, command_agents_show, command_agents_kill,
    command_agents_revive, command_agents_attach;
extern const struct command command_fleet;
extern const struct command command_outputs_list, command_outputs_show, command_outputs_diff,
    command_outputs_promote, command_outputs_reject;
extern const struct command command_record_verify, command_record_prove, command_record_consistency;
extern const struct command command_record_receipt;
extern const struct command command_record_export, command_record_verify_bundle, command_record_reindex;
extern const struct command command_review_list, command_review_show, command_review_dispose, command_review_stats,
    command_review_fleet;
extern const struct command command_seal_open, command_seal_rewrap, command_seal_recipients;
extern const struct command command_edm_build, command_idm_build;
extern const struct command command_bundle_key, command_bundle_make, command_bundle_sign, command_bundle_verify;
extern const struct command command_completions;
/* All of them, those of `record` last; NULL behind the last. */
const struct command *command_at(size_t i);
/* Those of `filterctl record`; NULL behind the last. */
extern const struct command *const record_commands[];
extern const struct command command_record_hash, command_record_hold, command_record_keys, command_record_erase,
    command_record_prune, command_record_close;

/* Prints "filterctl: text" to stderr; returns EXIT_FAILED. */
int command_failed(const struct error *err);
/* Writes to standard output; false with err when that fails. */
MUST_CHECK bool command_print(struct span text, struct error *err);
/* Prints what was gathered, then returns `code`, or EXIT_FAILED when printing failed. */
int command_finish(const struct buf *out, int code);

#endif
