/* command_policy_diff.c - filterctl policy diff: which verdicts another policy would change. */
#include "base/cleanup.h"
#include "base/plural.h"
#include "ctl/batch.h"
#include "ctl/command.h"
#include "ctl/complain.h"
#include "ctl/lines.h"

enum { RULE_NAME_MAX = 96 };

static int run(const struct arguments *args);

const struct command command_policy_diff = {
    .name = "policy diff",
    .operands = "OLD NEW",
    .summary = "List the texts whose verdict another policy file would change",
    .details = "--on FILE names the texts: NDJSON, each line a document or, with --field, the string at that member.\n"
               "Exit code 1 when a verdict changes.",
    .options = OPTION_BIT(OPTION_RULES) | OPTION_BIT(OPTION_CACHE) | OPTIONS_JUDGING |
               OPTION_BIT(OPTION_ON) | OPTION_BIT(OPTION_FIELD) | OPTION_BIT(OPTION_JOBS) |
               OPTION_BIT(OPTION_QUIET),
    .min_operands = 2,
    .max_operands = 2,
    .run = run,
};

struct verdict {
    enum action action;
    char rule[RULE_NAME_MAX];
};

/* What a thread says about a line. */
struct change {
    size_t line;
    struct verdict before, after;
};

struct diff {
    const struct arguments *args;
    struct session before, after;
    size_t n, n_changed, n_bad;
    size_t moves[ACTION_ALLOW + 1][ACTION_ALLOW + 1]; /* from, to */
};

static bool judge(const struct session *s, struct worker *w, const struct arguments *args,
                  struct span line, struct verdict *out, struct error *err)
{
    struct judging j;
    struct span field = args->field != NULL ? span_str(args->field) : span_of("", 0);

    if (!judging_document(s, w, line, field, &j, err)) {
        return false;
    }
    out->action = j.exchange.action;
    (void)snprintf(out->rule, sizeof(out->rule), SPAN_FMT, SPAN_ARG(j.exchange.rule));
    return judging_is_complete(&j) ||
           error_set(err, ERROR_LIMIT, "could not be judged: %s", j.exchange.unjudged_reason);
}

static void run_batch(void *context, struct worker *w, struct batch *b)
{
    const struct diff *d = context;
    struct span rest = buf_span(&b->input), line;
    struct error err;

    for (size_t number = b->first_line; lines_split(&rest, &line); number++) {
        struct change change = {.line = number};
        if (line.len == 0) {
            continue;
        }
        if (!judge(&d->before, w, d->args, line, &change.before, &err) ||
            !judge(&d->after, w, d->args, line, &change.after, &err) ||
            !buf_append(&b->output, span_of((const char *)&change, sizeof(change)), &err)) {
            batch_problem(b, PROBLEM_UNJUDGED, number, err.text);
        }
    }
}

static void print_change(const struct batch *b, const struct change *c)
{
    print_line("%s:%zu: %s%s%s%s -> %s%s%s%s", b->file, c->line, action_name(c->before.action),
                 c->before.rule[0] != '\0' ? " (" : "", c->before.rule,
                 c->before.rule[0] != '\0' ? ")" : "", action_name(c->after.action),
                 c->after.rule[0] != '\0' ? " (" : "", c->after.rule,
                 c->after.rule[0] != '\0' ? ")" : "");
}

static bool sink(void *context, struct batch *b, struct error *err)
{
    struct diff *d = context;
    struct change c;

    (void)err;
    for (size_t at = 0; at < b->output.len; at += sizeof(c)) {
        memcpy(&c, b->output.data + at, sizeof(c));
        bool is_changed =
            c.before.action != c.after.action || strcmp(c.before.rule, c.after.rule) != 0;
        d->n++;
        d->n_changed += is_changed ? 1 : 0;
        d->moves[c.before.action][c.after.action]++;
        if (is_changed && !d->args->is_quiet) {
            print_change(b, &c);
        }
    }
    for (size_t at = 0; at < b->problems.len; at += sizeof(struct report_problem)) {
        struct report_problem p;
        memcpy(&p, b->problems.data + at, sizeof(p));
        complain("%s:%zu: %s", b->file, p.line, p.reason);
        d->n_bad++;
    }
    return true;
}

static void print_moves(const struct diff *d)
{
    (void)printf("%zu %s, %zu %s", d->n, plural(d->n, "text", "texts"), d->n_changed,
                 plural(d->n_changed, "verdict changes", "verdicts change"));
    for (int from = ACTION_ALLOW; from >= 0; from--) {
        for (int to = ACTION_ALLOW; to >= 0; to--) {
            if (from != to && d->moves[from][to] > 0) {
                (void)printf("; %s -> %s: %zu", action_name((enum action)from),
                             action_name((enum action)to), d->moves[from][to]);
            }
        }
    }
    (void)putchar('\n');
}

static bool compare(struct diff *d, struct error *err)
{
    const struct batch_task task = {
        .run = run_batch, .sink = sink, .context = d, .keys = &d->before.keys};
    struct batches *batches = batches_new(d->args->jobs, &task, err);

    if (batches == NULL) {
        return false;
    }
    bool is_ok = batches_add_lines(batches, d->args->on, err) && batches_drain(batches, err);
    batches_free(batches);
    return is_ok;
}

static void diff_deinit(struct diff *d)
{
    session_close(&d->before);
    session_close(&d->after);
}

static int run(const struct arguments *args)
{
    struct diff d CLEANUP(diff_deinit) = {.args = args};
    struct error err;

    if (args->on == NULL) {
        (void)fprintf(stderr, "filterctl policy diff: --on FILE expected\n");
        return EXIT_FAILED;
    }
    if (!session_open_policy(&d.before, args, args->operands[0], &err) ||
        !session_open_beside(&d.after, &d.before, args, args->operands[1], &err) ||
        !compare(&d, &err)) {
        return command_failed(&err);
    }
    if (!args->is_quiet) {
        print_moves(&d);
    }
    if (fflush(stdout) != 0) {
        error_errno(&err, "standard output");
        return command_failed(&err);
    }
    return d.n_bad > 0 ? EXIT_FAILED : d.n_changed > 0 ? EXIT_FOUND : EXIT_CLEAN;
}
