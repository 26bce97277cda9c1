/* options.h - the options of all commands: one table that parses them and prints the help.
 *
 * A command names those it takes as bits of enum option_id. All values are checked here, so a
 * command reads only what is well-formed. Texts are borrowed from argv. */
#ifndef FILTERD_CTL_OPTIONS_H
#define FILTERD_CTL_OPTIONS_H

#include <stdint.h>

#include "base/buf.h"

enum option_id {
    OPTION_RULES,
    OPTION_POLICY,
    OPTION_POLICY_NAME,
    OPTION_TENANT,
    OPTION_APP,
    OPTION_ROUTE,
    OPTION_AGENT,
    OPTION_KEYS,
    OPTION_CACHE,
    OPTION_FORMAT,
    OPTION_JSON,
    OPTION_COLOR,
    OPTION_JOBS,
    OPTION_MIN_CONFIDENCE,
    OPTION_ALL,
    OPTION_QUIET,
    OPTION_INPUT,
    OPTION_FIELD,
    OPTION_PIPE,
    OPTION_ANSWER,
    OPTION_TO_JSON,
    OPTION_REQUEST,
    OPTION_ON,
    OPTION_VIEW,
    OPTION_CATEGORY,
    OPTION_BY,
    OPTION_LEVEL,
    OPTION_POSITIVE,
    OPTION_MISSES,
    OPTION_FALSE,
    OPTION_CHECKS,
    OPTION_AS,
    OPTION_COUNTED,
    OPTION_EXPANDED,
    OPTION_QUERY,
    OPTION_FOLLOW,
    OPTION_CONFIG,
    OPTION_RANGE,
    OPTION_OUT,
    OPTION_RULE,
    OPTION_ACTION,
    OPTION_SINCE,
    OPTION_UNTIL,
    OPTION_OPERATORS,
    OPTION_TOKEN,
    OPTION_WHY,
    OPTION_AGENTS,
    OPTION_REPLACE,
    OPTION_OBEYED,
    OPTION_NO_CACHE,
    OPTION_FAIL_ON,
    OPTION_FAIL_ON_SKIPPED,
    OPTION_GIT,
    OPTION_STAGED,
    OPTION_IGNORES,
    OPTION_IGNORE_FILE,
    OPTION_BASELINE,
    OPTION_WRITE_BASELINE,
    OPTION_VERBOSE,
    OPTION_FROM,
    OPTION_RECORD,
    OPTION_IDENTITY,
    OPTION_SHRED,
    OPTION_KEKS,
    OPTION_RECIPIENTS,
    OPTION_LOG,
    OPTION_SUBJECT,
    OPTION_APPROVER,
    OPTION_FILTER,
    OPTION_LIFT,
    OPTION_COLUMNS,
    OPTION_KEY,
    OPTION_CLASSIFIER,
    OPTION_SVG,
    OPTION_HELP,
    OPTION_COUNT
};
/* A bit per enum option_id; two words, as there are more than 64. */
__extension__ typedef unsigned __int128 option_set;
#define OPTION_BIT(id) ((option_set)1 << (id))
_Static_assert(OPTION_COUNT <= 128, "a bit for each option");

/* What every command takes that loads rules. */
#define OPTIONS_RULES                                                                              \
    (OPTION_BIT(OPTION_RULES) | OPTION_BIT(OPTION_POLICY) | OPTION_BIT(OPTION_CACHE) |             \
     OPTION_BIT(OPTION_NO_CACHE))
/* What every command takes that judges under a policy: who speaks, and the keys of redaction. */
#define OPTIONS_JUDGING                                                                            \
    (OPTION_BIT(OPTION_POLICY_NAME) | OPTION_BIT(OPTION_TENANT) | OPTION_BIT(OPTION_APP) |         \
     OPTION_BIT(OPTION_ROUTE) | OPTION_BIT(OPTION_AGENT) | OPTION_BIT(OPTION_KEYS))

struct arguments {
    const struct command *command;
    char **operands;
    int n_operands;
    const char *rules, *policy, *policy_name, *tenant, *app, *route, *agent, *keys, *cache;
    const char *format, *color, *input, *field, *answer, *on, *view, *category, *by, *level, *positive, *as;
    const char *rule, *action, *since, *until, *operators, *token, *why, *agents, *fail_on, *query, *config, *range, *out;
    const char *from, *record, *request;
    const char *ignores, *ignore_file, *baseline, *write_baseline;
    const char *identity, *shred, *keks, *recipients, *log, *subject, *approver, *filter, *columns, *key, *classifier, *svg;
    double min_confidence; /* negative: not given */
    unsigned jobs;         /* 0: not given */
    bool is_all, is_quiet, is_pipe, to_json, is_json, is_counted, is_expanded, misses, falses, checks, help;
    bool is_lifting, is_replacing, is_obeyed, is_uncached, is_verbose, fails_on_skipped, is_following, is_git, is_staged;
};

/* argv[0] is the command's name. A mistake is said on stderr. */
MUST_CHECK bool options_parse(const struct command *command, int argc, char **argv,
                              struct arguments *out);
/* The text of --help. */
MUST_CHECK bool options_help(const struct command *command, struct buf *out, struct error *err);
/* An option as a command takes it. */
struct option_description {
    const char *name;
    const char *argument; /* NULL: a flag; what it is (FILE), or the words that it may be, separated by '|' */
    bool is_choice;
    const char *help;
};
/* False when the command does not take the option. */
bool options_describe(const struct command *command, enum option_id id, struct option_description *out);
/* True when `word` is one of those in `list`, which are separated by '|'. */
bool options_is_one_of(const char *list, const char *word);

#endif
