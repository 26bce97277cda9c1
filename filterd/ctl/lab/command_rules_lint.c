/* command_rules_lint.c - filterctl rules lint: the rules that cost most, and why. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "ctl/cache.h"
#include "ctl/command.h"
#include "ctl/lines.h"
#include "ctl/lab/lint.h"
#include "ctl/lab/lint_corpus.h"
#include "ctl/progress.h"
#include "text/utf8.h"

enum {
    CORPUS_MAX = 4 * 1024 * 1024,
    ARENA_MAX = 2 * CORPUS_MAX,
    OUTPUT_MAX = 16 * 1024 * 1024,
    SHOWN = 30
};

static int run(const struct arguments *args);

const struct command command_rules_lint = {
    .name = "rules lint",
    .operands = "[RULE]…",
    .summary = "Rank the rules by cost, with the reasons",
    .details = "rules lint runs each rule over a corpus: the lines of --on FILE (the first 4 MiB), or the built-in\n"
               "samples mixed with an example of each rule. \"share\" is the cost that the rule adds to a scan by the\n"
               "built-in rules: PCRE2's part is counted, the search before it is timed (not with --counted).\n"
               "\"ns/KiB\" is the time of the rule by itself, \"pcre2\" the part of it outside the search. The report\n"
               "has the thirty most expensive rules and all that are too expensive; --all prints every rule. Exit\n"
               "code 1 when a share is over 5 %.",
    .options = OPTIONS_RULES | OPTION_BIT(OPTION_ON) | OPTION_BIT(OPTION_ALL) |
               OPTION_BIT(OPTION_COUNTED) | OPTION_BIT(OPTION_JSON) | OPTION_BIT(OPTION_QUIET),
    .texts = {{OPTION_ALL, "print every rule, not only the most expensive"},
              {OPTION_ON, "lines of the corpus, may be gzipped"},
              {OPTION_QUIET, "show no progress bar"}},
    .formats = "text|json|ndjson",
    .max_operands = -1,
    .run = run,
};

static bool append_lines(struct buf *corpus, struct span text, struct error *err)
{
    if (text.len > corpus->max - corpus->len - 1) {
        return true; /* full: what is there is enough */
    }
    return buf_append(corpus, text, err) && buf_append_char(corpus, '\n', err);
}

static bool corpus_of_file(const char *path, struct buf *corpus, struct error *err)
{
    struct lines lines CLEANUP(lines_close);
    struct buf batch CLEANUP(buf_deinit);
    size_t first;

    buf_init(&batch, LINE_MAX_BYTES + 2 * LINES_BATCH);
    if (!lines_open(&lines, path, err)) {
        return false;
    }
    do {
        buf_clear(&batch);
        if (!lines_next(&lines, &batch, &first, err) ||
            !append_lines(corpus, buf_span(&batch), err)) {
            return false;
        }
    } while (batch.len > 0 && corpus->len < CORPUS_MAX - LINES_BATCH);
    return corpus->len > 1 || error_set(err, ERROR_INVALID, "%s: text expected", path);
}

static bool is_wanted(const struct arguments *args, const struct rule *rule)
{
    for (int i = 0; i < args->n_operands; i++) {
        if (span_is(rule->id, args->operands[i])) {
            return true;
        }
    }
    return args->n_operands == 0;
}

enum lint_form { LINT_TEXT, LINT_ARRAY, LINT_LINES };

static enum lint_form form_of(const struct arguments *args)
{
    const char *format = args->is_json ? "json" : args->format;

    if (format == NULL || strcmp(format, "text") == 0) {
        return LINT_TEXT;
    }
    return strcmp(format, "json") == 0 ? LINT_ARRAY : LINT_LINES;
}

static double share_of(const struct lint_result *r)
{
    return r->pcre2_share + r->hyperscan_share;
}

static int dearest_first(const void *a, const void *b)
{
    const struct lint_result *x = a, *y = b;
    double left = share_of(x), right = share_of(y);

    if (left != right) {
        return left < right ? 1 : -1;
    }
    return (x->total_ns < y->total_ns) - (x->total_ns > y->total_ns);
}

static bool append_text(struct buf *out, const struct lint_result *r, struct error *err)
{
    double pcre2 = r->total_ns > r->trigger_ns ? r->total_ns - r->trigger_ns : 0;

    return buf_appendf(
        out, err, "%6.2f %%  %9.0f  %4.0f %%  %9llu  %9llu  " SPAN_FMT "%s%s%s\n",
        100 * share_of(r), r->total_ns, r->total_ns > 0 ? 100 * pcre2 / r->total_ns : 0,
        (unsigned long long)r->hits, (unsigned long long)r->matches, SPAN_ARG(r->rule->id),
        r->is_over ? " is too dear" : "", r->reasons[0] != '\0' ? ": " : "", r->reasons);
}

static bool append_json(struct buf *out, const struct lint_result *r, struct error *err)
{
    return buf_append_str(out, "{\"rule\":", err) && json_append_string(out, r->rule->id, err) &&
           buf_appendf(out, err,
                       ",\"share\":%.6f,\"pcre2_share\":%.6f,\"hyperscan_share\":%.6f,\"over\":%s,"
                       "\"ns_per_kib\":%.0f,\"hyperscan_ns_per_kib\":%.0f,\"hits\":%llu,"
                       "\"matches\":%llu,\"searches\":%llu,\"steps\":%llu,\"bytes\":%llu,"
                       "\"why\":",
                       share_of(r), r->pcre2_share, r->hyperscan_share,
                       r->is_over ? "true" : "false", r->total_ns, r->trigger_ns,
                       (unsigned long long)r->hits, (unsigned long long)r->matches,
                       (unsigned long long)r->work.searches, (unsigned long long)r->work.steps,
                       (unsigned long long)r->work.bytes) &&
           json_append_string(out, span_str(r->reasons), err) && buf_append_char(out, '}', err);
}

static bool append_one(struct buf *out, enum lint_form form, const struct lint_result *r,
                       bool is_first, struct error *err)
{
    switch (form) {
    case LINT_TEXT:
        return append_text(out, r, err);
    case LINT_ARRAY:
        return buf_append_str(out, is_first ? "[\n" : ",\n", err) && append_json(out, r, err);
    case LINT_LINES:
        break;
    }
    return append_json(out, r, err) && buf_append_char(out, '\n', err);
}

static bool append_results(struct buf *out, const struct arguments *args,
                           const struct lint_result *results, size_t n, struct error *err)
{
    enum lint_form form = form_of(args);
    size_t shown = 0;

    if (form == LINT_TEXT &&
        !buf_append_str(out, "   share     ns/KiB   pcre2       hits    matches  rule: why\n",
                        err)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        bool is_shown = args->is_all || i < SHOWN || results[i].is_over;
        if (is_shown && !append_one(out, form, &results[i], shown++ == 0, err)) {
            return false;
        }
    }
    return form != LINT_ARRAY || buf_append_str(out, "\n]\n", err);
}

static bool lint_all(const struct session *s, const struct arguments *args,
                     const struct lint_options *options, struct lint_result *results, size_t *n,
                     struct error *err)
{
    const struct rule_set *set = s->snapshot->rules;
    struct lint *lint = lint_new(options, err);
    struct progress progress;
    bool is_ok = lint != NULL;

    progress_init(&progress, (uint64_t)set->n_rules * options->corpus.len, !args->is_quiet);
    for (uint32_t i = 0; is_ok && i < set->n_rules; i++) {
        if (is_wanted(args, &set->rules[i])) {
            is_ok = lint_rule(lint, &set->rules[i], &results[(*n)++], err);
        }
        progress_add(&progress, options->corpus.len);
    }
    progress_clear(&progress);
    lint_free(lint);
    if (is_ok && *n == 0) {
        return error_set(err, ERROR_NOT_FOUND,
                         "the ids of rules expected, there are none of these");
    }
    qsort(results, *n, sizeof(*results), dearest_first);
    return is_ok;
}

/* The corpus as the scanner needs it; borrowed from `corpus` or in the arena. */
static bool read_corpus(const struct session *s, const struct arguments *args, struct buf *corpus,
                        struct arena *arena, struct span *text, struct error *err)
{
    bool is_read = args->on != NULL ? corpus_of_file(args->on, corpus, err)
                                    : lint_corpus_make(s->snapshot->rules, corpus, err);

    return is_read && utf8_repair(arena, buf_span(corpus), text, err);
}

/* The built-in rules, against which all are measured; those at hand unless others were loaded. */
static struct snapshot *open_yardstick(const struct session *s, const struct arguments *args,
                                       struct error *err)
{
    char cache[PATH_MAX];
    const struct rule_set_options options = {.cache_directory = cache_directory(args, cache)};

    return args->rules == NULL ? snapshot_ref(s->snapshot)
                               : snapshot_open(NULL, NULL, &options, err);
}

struct lint_memory {
    struct buf corpus, out;
    struct arena arena;
    struct lint_result *results;
    struct snapshot *yardstick;
};

static void memory_deinit(struct lint_memory *m)
{
    buf_deinit(&m->corpus);
    buf_deinit(&m->out);
    arena_deinit(&m->arena);
    free(m->results);
    snapshot_unref(m->yardstick);
}

static bool lint_session(const struct session *s, const struct arguments *args,
                         struct lint_memory *m, size_t *n, struct error *err)
{
    struct lint_options options = {.rules = s->snapshot->rules, .is_counted = args->is_counted};

    if (!read_corpus(s, args, &m->corpus, &m->arena, &options.corpus, err)) {
        return false;
    }
    m->results = calloc((size_t)s->snapshot->rules->n_rules + 1, sizeof(*m->results));
    m->yardstick = m->results != NULL ? open_yardstick(s, args, err) : NULL;
    if (m->results == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "results: no memory");
    }
    if (m->yardstick == NULL) {
        return false;
    }
    options.yardstick = m->yardstick->rules;
    return lint_all(s, args, &options, m->results, n, err) &&
           append_results(&m->out, args, m->results, *n, err);
}

static int run(const struct arguments *args)
{
    struct session session CLEANUP(session_close) = {0};
    struct lint_memory m CLEANUP(memory_deinit) = {0};
    struct error err;
    size_t n = 0, n_over = 0;

    buf_init(&m.corpus, CORPUS_MAX);
    buf_init(&m.out, OUTPUT_MAX);
    arena_init(&m.arena, 0, ARENA_MAX);
    if (!session_open(&session, args, &err) || !lint_session(&session, args, &m, &n, &err)) {
        return command_failed(&err);
    }
    for (size_t i = 0; i < n; i++) {
        n_over += m.results[i].is_over ? 1 : 0;
    }
    return command_finish(&m.out, n_over > 0 ? EXIT_FOUND : EXIT_CLEAN);
}
