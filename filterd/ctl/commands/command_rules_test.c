/* command_rules_test.c - filterctl rules test: every rule against its own examples. */
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/plural.h"
#include "classifiers/shipped.h"
#include "ctl/cache.h"
#include "ctl/command.h"
#include "ctl/complain.h"
#include "ctl/paths.h"
#include "ctl/session.h"

enum { RULE_FILE_MAX = 16 * 1024 * 1024 };

static int run(const struct arguments *args);

const struct command command_rules_test = {
    .name = "rules test",
    .operands = "[FILE|FOLDER]…",
    .summary = "Run the examples of the rules and list those that fail",
    .details = "Without operands, test all rules; with operands, only those in the files.",
    .options = OPTIONS_RULES | OPTION_BIT(OPTION_QUIET),
    .max_operands = -1,
    .run = run,
};

struct outcome {
    size_t n_broken;
    const struct rule *last;
    size_t n_rules; /* with a broken example; rules come one after another */
};

static bool print_broken(void *context, const struct rule *rule, bool is_match, size_t index)
{
    struct outcome *o = context;
    const struct span_list *list = is_match ? &rule->match : &rule->no_match;

    o->n_broken++;
    o->n_rules += o->last != rule ? 1 : 0;
    o->last = rule;
    print_line(SPAN_FMT ":%u:1: rule '" SPAN_FMT "': %s example %zu is %s: " SPAN_FMT,
                 SPAN_ARG(rule->source.file), rule->source.line, SPAN_ARG(rule->id),
                 is_match ? "match" : "no_match", index + 1, is_match ? "not found" : "found",
                 SPAN_ARG(list->items[index]));
    return true;
}

/* A warning: the rule does what its examples say, but few say it. */
static void warn_of_examples(const struct rule_set *set)
{
    for (uint32_t i = 0; i < set->n_rules; i++) {
        const struct rule *rule = &set->rules[i];
        if (!rule_has_examples(rule)) {
            complain_of(SPAN_FMT ":%u:1: warning: rule '" SPAN_FMT "': %d examples each in match and no_match expected, "
                        "there are %zu and %zu",
                        SPAN_ARG(rule->source.file), rule->source.line, SPAN_ARG(rule->id), RULE_EXAMPLES_MIN, rule->match.n,
                        rule->no_match.n);
        }
    }
}

static int test(const struct snapshot *snapshot, const struct arguments *args)
{
    struct outcome outcome = {0};
    struct error err;
    size_t n = 0;

    if (!args->is_quiet) {
        warn_of_examples(snapshot->rules);
    }
    if (!snapshot_test_examples(snapshot, span_of(NULL, 0), print_broken, &outcome, &n, &err)) {
        return command_failed(&err);
    }
    if (!args->is_quiet) {
        (void)printf("%u rule%s, %zu example%s: %zu wrong in %zu rule%s\n", snapshot->rules->n_rules,
                     plural_s(snapshot->rules->n_rules), n, plural_s(n), outcome.n_broken, outcome.n_rules,
                     plural_s(outcome.n_rules));
    }
    if (fflush(stdout) != 0) {
        error_errno(&err, "standard output");
        return command_failed(&err);
    }
    return outcome.n_broken > 0 ? EXIT_FOUND : EXIT_CLEAN;
}

/* --- rules of given files -------------------------------------------------- */

struct files {
    struct paths paths;
    struct rule_file *rules;
    struct buf *contents;
    size_t n;
    char **beside; /* paths of files that were not named; owned */
    size_t n_beside;
};

static void files_deinit(struct files *f)
{
    for (size_t i = 0; i < f->n; i++) {
        buf_deinit(&f->contents[i]);
    }
    for (size_t i = 0; i < f->n_beside; i++) {
        free(f->beside[i]);
    }
    free(f->beside);
    free(f->contents);
    free(f->rules);
    paths_deinit(&f->paths);
}

static bool is_rule_file(const char *name)
{
    const char *slash = strrchr(name, '/');
    size_t len = strlen(name);

    return len > 5 && strcmp(name + len - 5, ".yaml") == 0 &&
           strcmp(slash != NULL ? slash + 1 : name, "policy.yaml") != 0;
}

static bool has_file(const struct files *f, const char *name)
{
    for (size_t i = 0; i < f->n; i++) {
        if (strcmp(f->rules[i].path, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool add_file(struct files *f, const char *name, bool is_beside, struct error *err)
{
    struct buf *content = &f->contents[f->n];

    buf_init(content, RULE_FILE_MAX);
    f->n++;
    if (!file_read(name, content, err)) {
        return false;
    }
    f->rules[f->n - 1] = (struct rule_file){.path = name, .content = buf_span(content), .is_beside = is_beside};
    return true;
}

/* What the file's rules share with others of its folder, if that was not named itself. */
static bool add_beside(struct files *f, const char *name, struct error *err)
{
    const char *slash = strrchr(name, '/');
    char path[PATH_MAX];
    int len = snprintf(path, sizeof(path), "%.*sshared.yaml", (int)(slash != NULL ? slash + 1 - name : 0), name);

    if (len < 0 || (size_t)len >= sizeof(path) || access(path, F_OK) != 0 || has_file(f, path)) {
        return true;
    }
    char *kept = strdup(path);
    if (kept == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "rules: no memory");
    }
    f->beside[f->n_beside++] = kept;
    return add_file(f, kept, true, err);
}

static bool operands_exist(const struct arguments *args, struct error *err)
{
    for (int i = 0; i < args->n_operands; i++) {
        if (access(args->operands[i], F_OK) != 0) {
            return error_errno(err, "%s", args->operands[i]);
        }
    }
    return true;
}

static bool files_read(struct files *f, const struct arguments *args, struct error *err)
{
    if (!operands_exist(args, err) || !paths_collect(&f->paths, args->operands, args->n_operands, err)) {
        return false;
    }
    f->rules = calloc(2 * f->paths.n + 1, sizeof(*f->rules));
    f->contents = calloc(2 * f->paths.n + 1, sizeof(*f->contents));
    f->beside = calloc(f->paths.n + 1, sizeof(*f->beside));
    if (f->rules == NULL || f->contents == NULL || f->beside == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "rules: no memory");
    }
    for (size_t i = 0; i < f->paths.n; i++) {
        if (is_rule_file(f->paths.items[i].name) && !add_file(f, f->paths.items[i].name, false, err)) {
            return false;
        }
    }
    for (size_t i = 0, n = f->n; i < n; i++) {
        if (!add_beside(f, f->rules[i].path, err)) {
            return false;
        }
    }
    return f->n > 0 || error_set(err, ERROR_NOT_FOUND, "rules: files that end in .yaml, or folders with such, expected");
}

static int test_files(const struct arguments *args)
{
    struct files files CLEANUP(files_deinit) = {0};
    char cache[PATH_MAX];
    const struct rule_set_options options = {.cache_directory = cache_directory(args, cache), .classifiers = classifiers_shipped};
    struct snapshot snapshot = {0}; /* examples need rules, no policy */
    struct error err;

    if (!files_read(&files, args, &err)) {
        return command_failed(&err);
    }
    snapshot.rules = rule_set_load(files.rules, files.n, &options, &err);
    if (snapshot.rules == NULL) {
        return command_failed(&err);
    }
    int code = test(&snapshot, args);
    rule_set_unref(snapshot.rules);
    return code;
}

static int run(const struct arguments *args)
{
    struct session session CLEANUP(session_close) = {0};
    struct error err;

    if (args->n_operands > 0) {
        return test_files(args);
    }
    return session_open(&session, args, &err) ? test(session.snapshot, args) : command_failed(&err);
}
