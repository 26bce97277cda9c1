/* command_check.c - filterctl check: scan files, folders, standard input. */
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "ctl/check/check.h"
#include "ctl/command.h"
#include "ctl/complain.h"

enum { HEAD_MAX = 64 * 1024 * 1024, KEPT_PROBLEMS_MAX = 64 * 1024 * 1024 };

static int run(const struct arguments *args);

const struct command command_check = {
    .name = "check",
    .operands = "[FILE|FOLDER|-|RANGE]…",
    .summary = "Scan files, folders or standard input and list the findings, masked",
    .details = "check judges a .json file as a document, .ndjson and .jsonl line by line, and all other files as\n"
               "text; any of them may be gzipped, or in UTF-16 with a byte order mark. Exit code 1 when the policy\n"
               "redacts or blocks a finding (--fail-on), 2 when something could not be judged. With --pipe, check\n"
               "answers each line of standard input with one line of JSON: action, rule, the text or document to\n"
               "deliver, findings; findings then do not change the exit code. With --git, check scans what the commits of\n"
               "the repository changed, each finding in the commit that brought it; with --staged, what the next would.",
    .options = OPTIONS_RULES | OPTIONS_JUDGING | OPTION_BIT(OPTION_COLOR) |
               OPTION_BIT(OPTION_JOBS) | OPTION_BIT(OPTION_MIN_CONFIDENCE) |
               OPTION_BIT(OPTION_ALL) | OPTION_BIT(OPTION_QUIET) | OPTION_BIT(OPTION_INPUT) |
               OPTION_BIT(OPTION_FIELD) | OPTION_BIT(OPTION_PIPE) | OPTION_BIT(OPTION_ANSWER) |
               OPTION_BIT(OPTION_FAIL_ON) | OPTION_BIT(OPTION_FAIL_ON_SKIPPED) | OPTION_BIT(OPTION_VERBOSE) |
               OPTION_BIT(OPTION_GIT) | OPTION_BIT(OPTION_STAGED) | OPTION_BIT(OPTION_IGNORES) |
               OPTION_BIT(OPTION_IGNORE_FILE) | OPTION_BIT(OPTION_BASELINE) | OPTION_BIT(OPTION_WRITE_BASELINE),
    .formats = "text|json|ndjson|sarif",
    .max_operands = -1,
    .run = run,
};

static bool is_coloured(const struct arguments *args)
{
    if (args->color != NULL && strcmp(args->color, "auto") != 0) {
        return strcmp(args->color, "always") == 0;
    }
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): no thread has started */
    return isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == NULL;
}

static bool judge_paths(struct check *c, const struct paths *paths, struct batches *batches,
                        struct error *err)
{
    for (size_t i = 0; i < paths->n; i++) {
        const struct path *path = &paths->items[i];
        bool is_stdin = strcmp(path->name, "-") == 0;
        bool is_lines = check_input_kind(c->args, path->name) == INPUT_NDJSON;
        bool is_added = is_lines
                            ? batches_add_lines(batches, path->name, err)
                            : batches_add_file(batches, is_stdin ? "<stdin>" : path->name, err);
        if (!is_added) {
            return false;
        }
        c->totals.files++;
    }
    return batches_drain(batches, err);
}

static bool print_head(struct check *c, struct error *err)
{
    struct buf head CLEANUP(buf_deinit);

    buf_init(&head, HEAD_MAX);
    return c->args->is_quiet || (c->format->head(&head, c->session, err) && check_print(c, &head, err));
}

static bool print_tail(struct check *c, struct error *err)
{
    struct buf tail CLEANUP(buf_deinit);

    buf_init(&tail, HEAD_MAX);
    c->totals.problems = (const struct report_problem *)(const void *)c->problems.data;
    c->totals.n_problems = c->problems.len / sizeof(struct report_problem);
    c->totals.rules_found = c->rules_found;
    return c->args->is_quiet || (c->format->tail(&tail, c->session, &c->totals, err) && check_print(c, &tail, err));
}

static bool check_paths(struct check *c, const struct paths *paths, struct error *err)
{
    bool is_git = c->args->is_git || c->args->is_staged;
    struct batch_task task = {
        .run = check_run, .sink = is_git ? check_sink_version : check_sink, .context = c, .keys = &c->session->keys};
    struct batches *batches = batches_new(c->args->jobs, &task, err);

    if (batches == NULL) {
        return false;
    }
    bool is_ok = print_head(c, err) &&
                 (is_git ? check_history(c, batches, err) : judge_paths(c, paths, batches, err)) && print_tail(c, err);
    batches_free(batches);
    return is_ok;
}

static bool check_pipe(struct check *c, struct error *err)
{
    struct batch_task task = {
        .run = check_pipe_run, .sink = check_sink, .context = c, .keys = &c->session->keys};
    struct batches *batches = batches_new(c->args->jobs, &task, err);

    if (batches == NULL) {
        return false;
    }
    bool is_ok = batches_add_lines(batches, "-", err) && batches_drain(batches, err);
    batches_free(batches);
    return is_ok;
}

static void check_deinit(struct check *c)
{
    struct report_problem p;

    for (size_t at = 0; at < c->problems.len; at += sizeof(p)) {
        memcpy(&p, c->problems.data + at, sizeof(p));
        free(p.file);
    }
    free(c->rules_found);
    check_kept_deinit(&c->kept);
    buf_deinit(&c->problems);
    buf_deinit(&c->new_baseline);
    history_deinit(&c->history);
    ignores_deinit(&c->ignores);
    ignores_deinit(&c->baseline);
    seen_deinit(&c->seen);
}

static int exit_code(const struct check *c)
{
    size_t n = 0;

    for (enum action action = ACTION_BLOCK; action <= check_fail_on(c->args); action++) {
        n += c->totals.actions[action];
    }
    if (c->totals.unjudged > 0 || (c->args->fails_on_skipped && c->totals.skipped > 0)) {
        return EXIT_FAILED;
    }
    return n > 0 && !c->args->is_pipe && c->args->write_baseline == NULL ? EXIT_FOUND : EXIT_CLEAN;
}

static int run(const struct arguments *args)
{
    struct session session CLEANUP(session_close) = {0};
    struct paths paths CLEANUP(paths_deinit) = {0};
    struct check c CLEANUP(check_deinit) = {.session = &session, .args = args};
    struct error err;
    bool is_git = args->is_git || args->is_staged;

    history_init(&c.history);
    if (args->is_pipe && (args->n_operands > 0 || args->format != NULL || args->input != NULL)) {
        complain_of("filterctl check: --pipe: no operand, --format or --input expected");
        return EXIT_FAILED;
    }
    if (args->answer != NULL && strcmp(args->answer, "json") != 0 && (!args->is_pipe || args->field == NULL)) {
        complain_of("filterctl check: --answer %s: --pipe and --field expected", args->answer);
        return EXIT_FAILED;
    }
    if (args->is_git + args->is_staged + args->is_pipe > 1 || (args->is_staged && args->n_operands > 0)) {
        complain_of("filterctl check: one of --git, --staged and --pipe expected, --staged without an operand");
        return EXIT_FAILED;
    }
    ignores_init(&c.ignores);
    ignores_init(&c.baseline);
    seen_init(&c.seen);
    buf_init(&c.new_baseline, KEPT_PROBLEMS_MAX);
    c.format = args->is_pipe ? &report_ndjson : report_format_find(args->format);
    c.is_coloured = is_coloured(args);
    c.answer = check_answer_find(args->answer);
    c.field = args->field != NULL ? span_str(args->field) : span_of("", 0);
    buf_init(&c.problems, KEPT_PROBLEMS_MAX);
    if ((is_git && !check_history_start(&c, &err)) || !session_open_judge(&session, args, &err) || !check_known_read(&c, &err) ||
        (!is_git && !check_collect(&c, &paths, &err))) {
        return command_failed(&err);
    }
    c.rules_found = calloc((size_t)session.snapshot->rules->n_rules + 1, sizeof(*c.rules_found));
    if (c.rules_found == NULL) {
        error_set(&err, ERROR_NO_MEMORY, "rules: no memory");
        return command_failed(&err);
    }
    progress_init(&c.progress, paths.size, !args->is_quiet);
    bool is_done = args->is_pipe ? check_pipe(&c, &err) : check_paths(&c, &paths, &err);
    progress_clear(&c.progress);
    if (!is_done || !check_known_write(&c, &err)) {
        return command_failed(&err);
    }
    return exit_code(&c);
}
