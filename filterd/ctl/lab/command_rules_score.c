/* command_rules_score.c - filterctl rules score: how the rules do on labelled data. */
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "classifiers/shipped.h"
#include "ctl/command.h"
#include "ctl/complain.h"
#include "ctl/lab/score.h"

static int run(const struct arguments *args);

const struct command command_rules_score = {
    .name = "rules score",
    .operands = "FILE.ndjson…",
    .summary = "Count found, missed and false on labelled texts",
    .details = "Rows: {\"text\": …} and one of \"spans\": [[start, end, kind], …] in characters, \"label\", or \"kind\":\n"
               "\"positive\"|\"negative\" with \"secret\"; \"rule\", \"provider\", \"origin\", \"source\" name groups. The files\n"
               "may be gzipped. A place is found when a finding overlaps it; a finding in a quiet row (negative,\n"
               "another label, or none) is false. A row's score is its highest confidence; scores give the areas under\n"
               "ROC curves and the share of ordinary rows (those without label and kind) that is flagged. No text is\n"
               "ever printed. Exit code 0 whatever the score.",
    .options = OPTIONS_RULES | OPTIONS_JUDGING | OPTION_BIT(OPTION_JOBS) |
               OPTION_BIT(OPTION_MIN_CONFIDENCE) | OPTION_BIT(OPTION_VIEW) |
               OPTION_BIT(OPTION_CATEGORY) | OPTION_BIT(OPTION_BY) | OPTION_BIT(OPTION_LEVEL) |
               OPTION_BIT(OPTION_POSITIVE) | OPTION_BIT(OPTION_MISSES) | OPTION_BIT(OPTION_FALSE) |
               OPTION_BIT(OPTION_CLASSIFIER) | OPTION_BIT(OPTION_SVG) | OPTION_BIT(OPTION_JSON) | OPTION_BIT(OPTION_QUIET),
    .texts = {{OPTION_QUIET, "show no progress bar"}},
    .formats = "text|json|ndjson",
    .min_operands = 1,
    .max_operands = -1,
    .run = run,
};

struct score {
    struct score_row_options rows;
    struct score_sum sum;
    struct score_printer printer;
    struct progress progress;
};

static void run_batch(void *context, struct worker *w, struct batch *b)
{
    const struct score *s = context;

    score_rows(&s->rows, w, b);
}

static bool take_event(struct score *s, const char *file, const struct score_event *e,
                       struct error *err)
{
    const struct arguments *args = s->rows.args;
    bool is_listed = (args->misses && e->outcome == SCORE_MISSED) ||
                     (args->falses && e->outcome == SCORE_FALSE && e->is_counted);

    return score_add(&s->sum, e, err) &&
           (!is_listed || score_print_event(&s->printer, file, e, err));
}

static bool sink(void *context, struct batch *b, struct error *err)
{
    struct score *s = context;
    struct score_event event;
    struct report_problem problem;

    if (b->problems.len > 0 || s->rows.args->misses || s->rows.args->falses) {
        progress_clear(&s->progress);
    }
    for (size_t at = 0; at < b->output.len; at += sizeof(event)) {
        memcpy(&event, b->output.data + at, sizeof(event));
        if (!take_event(s, b->file, &event, err)) {
            return false;
        }
    }
    for (size_t at = 0; at < b->problems.len; at += sizeof(problem)) {
        memcpy(&problem, b->problems.data + at, sizeof(problem));
        if (problem.line == 0) { /* of the whole file */
            complain("%s: %s", b->file, problem.reason);
        } else {
            complain("%s:%zu: %s", b->file, problem.line, problem.reason);
        }
    }
    s->sum.n_bad += b->totals.unjudged;
    progress_add(&s->progress, b->totals.bytes);
    return true;
}

static bool score_files(struct score *s, struct error *err)
{
    const struct arguments *args = s->rows.args;
    const struct batch_task task = {
        .run = run_batch, .sink = sink, .context = s, .keys = &s->rows.session->keys};
    struct batches *batches = batches_new(args->jobs, &task, err);
    bool is_ok = batches != NULL;

    for (int i = 0; is_ok && i < args->n_operands; i++) {
        is_ok = batches_add_lines(batches, args->operands[i], err);
    }
    is_ok = is_ok && batches_drain(batches, err);
    batches_free(batches);
    progress_clear(&s->progress);
    return is_ok;
}

/* What the files hold once unpacked: gzip ends with that, modulo 4 GiB. An estimate, for the bar
 * alone. */
static uint64_t unpacked_size(const char *path)
{
    FILE *file = fopen(path, "rbe");
    unsigned char head[2] = {0}, tail[4] = {0};
    uint64_t size = 0;
    struct stat st;

    if (file == NULL) {
        return 0; /* reading it will say so */
    }
    if (fstat(fileno(file), &st) == 0 && S_ISREG(st.st_mode) && fread(head, 1, 2, file) == 2) {
        size = (uint64_t)st.st_size;
        if (head[0] == 0x1f && head[1] == 0x8b && fseek(file, -4, SEEK_END) == 0 &&
            fread(tail, 1, 4, file) == 4) {
            size = (uint64_t)tail[0] | (uint64_t)tail[1] << 8 | (uint64_t)tail[2] << 16 |
                   (uint64_t)tail[3] << 24;
        }
    }
    (void)fclose(file);
    return size;
}

static uint64_t total_size(const struct arguments *args)
{
    uint64_t size = 0;

    for (int i = 0; i < args->n_operands; i++) {
        size += unpacked_size(args->operands[i]);
    }
    return size;
}

static enum score_level level_option(const struct arguments *args)
{
    for (int level = SCORE_REPORT; args->level != NULL && level < SCORE_LEVEL_COUNT; level++) {
        if (strcmp(args->level, score_level_name((enum score_level)level)) == 0) {
            return (enum score_level)level;
        }
    }
    return SCORE_REDACT;
}

static enum score_format format_option(const struct arguments *args)
{
    const char *format = args->is_json ? "json" : args->format;

    if (format == NULL || strcmp(format, "text") == 0) {
        return SCORE_TEXT;
    }
    return strcmp(format, "json") == 0 ? SCORE_JSON : SCORE_NDJSON;
}

static void score_deinit(struct score *s)
{
    score_sum_deinit(&s->sum);
    score_printer_deinit(&s->printer);
}

/* --- --classifier and --svg ---------------------------------------------------- */

/* The shipped rule of the head says from which score on a row counts, unless --min-confidence does. */
static double threshold_of(const struct session *session, const struct arguments *args)
{
    const struct rule_set *rules = session->snapshot->rules;
    double found = -1;

    for (uint32_t i = 0; i < rules->n_rules; i++) {
        if (span_is(rules->rules[i].classifier, args->classifier) && found < 0) {
            found = rules->rules[i].threshold;
        }
    }
    return args->min_confidence >= 0 ? args->min_confidence : found;
}

static bool find_head(struct score_row_options *rows, struct error *err)
{
    const char *wanted = rows->args->classifier;
    const struct classifier *const *all = wanted != NULL ? classifiers_shipped(err) : NULL;

    if (wanted == NULL) {
        return true;
    }
    for (; all != NULL && *all != NULL; all++) {
        unsigned found = (*all)->head((*all)->self, span_str(wanted));
        if (found < CLASSIFIER_HEADS_MAX) {
            rows->by_head = (struct score_head){.classifier = *all, .head = found, .threshold = threshold_of(rows->session, rows->args)};
        }
    }
    if (rows->by_head.classifier == NULL) {
        return all != NULL && error_set(err, ERROR_NOT_FOUND, "--classifier: there is no head '%s'", wanted);
    }
    return rows->by_head.threshold >= 0 ||
           error_set(err, ERROR_INVALID, "--min-confidence expected: no rule says from which score on '%s' counts", wanted);
}

static bool draw(const struct score *s, struct error *err)
{
    enum { SVG_MAX = 4 * 1024 * 1024 };
    const struct arguments *args = s->rows.args;
    struct buf svg CLEANUP(buf_deinit);
    const struct span title = args->classifier != NULL ? span_str(args->classifier) : s->rows.session->policy->name;

    buf_init(&svg, SVG_MAX);
    return args->svg == NULL || (score_svg(&s->sum.curves, title, s->printer.threshold, &svg, err) &&
                                 file_write_atomic(args->svg, buf_span(&svg), 0644, err));
}

/* Without a row that is to be found there is neither recall nor an area under a curve. */
static void complain_of_labels(const struct score *s)
{
    const struct arguments *args = s->rows.args;
    bool is_asked = args->positive != NULL || args->classifier != NULL || args->svg != NULL;

    if (is_asked && s->sum.total.found + s->sum.total.missed == 0) {
        complain("no row is to be found: --positive names the labels of those that are, here %s",
                 args->positive != NULL ? args->positive : "secret,pii,injection");
    }
}

static int run(const struct arguments *args)
{
    struct session session CLEANUP(session_close) = {0};
    struct score s CLEANUP(score_deinit) = {
        .rows = {.session = &session, .args = args, .level = level_option(args)}};
    struct error err;

    s.printer = (struct score_printer){.format = format_option(args),
                                       .by = args->by != NULL ? args->by : "rule",
                                       .level = s.rows.level};
    progress_init(&s.progress, total_size(args), !args->is_quiet);
    if (!session_open(&session, args, &err) || !find_head(&s.rows, &err) || !score_files(&s, &err)) {
        return command_failed(&err);
    }
    s.printer.threshold = args->classifier != NULL ? s.rows.by_head.threshold : args->min_confidence;
    score_curves_sort(&s.sum.curves);
    if (!score_print(&s.printer, &s.sum, &err) || !draw(&s, &err)) {
        return command_failed(&err);
    }
    if (fflush(stdout) != 0) {
        error_errno(&err, "standard output");
        return command_failed(&err);
    }
    complain_of_labels(&s);
    return s.sum.n_bad > 0 ? EXIT_FAILED : EXIT_CLEAN;
}
