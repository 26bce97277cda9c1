/* command_rules_lint.c - filterctl rules lint: the rules that cost most, and why. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "ctl/command.h"
#include "ctl/lines.h"
#include "ctl/lint.h"
#include "text/utf8.h"

enum {
    CORPUS_MAX = 4 * 1024 * 1024,
    ARENA_MAX = 2 * CORPUS_MAX,
    CORPUS_MIN = 256 * 1024,
    OUTPUT_MAX = 16 * 1024 * 1024,
    SHOWN = 30
};

static int run(const struct arguments *args);

const struct command command_rules_lint = {
    .name = "rules lint",
    .operands = "[RULE]…",
    .summary = "Rank the rules by what they cost, with the reason",
    .details = "Each rule is compiled by itself and run over the corpus: the lines of --on FILE "
               "(the first 4 MiB),\n"
               "or the examples of all rules. \"ns/KiB\" is its own time, \"pcre2\" the share of "
               "it that is not\n"
               "Hyperscan's. Prints the thirty dearest and all that are flagged; --all prints "
               "every rule.\n"
               "Exit code 1 when a rule is flagged.",
    .options = OPTIONS_RULES | OPTION_BIT(OPTION_ON) | OPTION_BIT(OPTION_ALL),
    .texts = {{OPTION_ALL, "print every rule, not only the dearest and the flagged"},
              {OPTION_ON, "lines to run on, may be gzipped"}},
    .formats = "text|ndjson",
    .max_operands = -1,
    .run = run,
};

static bool append_lines(struct buf *corpus, struct span text, struct error *err)
{
    if (text.len > corpus->max - corpus->len - 1) {
        return true; /* full: what stands there is enough */
    }
    return buf_append(corpus, text, err) && buf_append_char(corpus, '\n', err);
}

static bool append_examples(struct buf *corpus, const struct span_list *list, struct error *err)
{
    for (size_t i = 0; i < list->n; i++) {
        if (!append_lines(corpus, list->items[i], err)) {
            return false;
        }
    }
    return true;
}

/* Examples of all rules, again and again until there is enough to measure. */
static bool corpus_of_examples(const struct rule_set *set, struct buf *corpus, struct error *err)
{
    do {
        for (uint32_t i = 0; i < set->n_rules; i++) {
            if (!append_examples(corpus, &set->rules[i].match, err) ||
                !append_examples(corpus, &set->rules[i].no_match, err)) {
                return false;
            }
        }
    } while (corpus->len > 0 && corpus->len < CORPUS_MIN);
    return corpus->len > 0 || error_set(err, ERROR_INVALID, "rules with examples expected");
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

static int dearest_first(const void *a, const void *b)
{
    const struct lint_result *x = a, *y = b;

    return (x->total_ns < y->total_ns) - (x->total_ns > y->total_ns);
}

static bool append_text(struct buf *out, const struct lint_result *r, struct error *err)
{
    double pcre2 = r->total_ns > r->trigger_ns ? r->total_ns - r->trigger_ns : 0;

    return buf_appendf(out, err, "%9.0f  %4.0f %%  %9llu  %9llu  " SPAN_FMT "%s%s\n", r->total_ns,
                       r->total_ns > 0 ? 100 * pcre2 / r->total_ns : 0, (unsigned long long)r->hits,
                       (unsigned long long)r->matches, SPAN_ARG(r->rule->id),
                       r->is_flagged ? ": " : "", r->reasons);
}

static bool append_json(struct buf *out, const struct lint_result *r, struct error *err)
{
    return buf_append_str(out, "{\"rule\":", err) && json_append_string(out, r->rule->id, err) &&
           buf_appendf(out, err,
                       ",\"ns_per_kib\":%.0f,\"hyperscan_ns_per_kib\":%.0f,\"hits\":%llu,"
                       "\"matches\":%llu,\"why\":",
                       r->total_ns, r->trigger_ns, (unsigned long long)r->hits,
                       (unsigned long long)r->matches) &&
           json_append_string(out, span_str(r->reasons), err) && buf_append_str(out, "}\n", err);
}

static bool append_results(struct buf *out, const struct arguments *args,
                           const struct lint_result *results, size_t n, struct error *err)
{
    bool is_text = args->format == NULL || strcmp(args->format, "text") == 0;

    if (is_text &&
        !buf_append_str(out, "   ns/KiB   pcre2       hits    matches  rule: why\n", err)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        bool is_shown = args->is_all || i < SHOWN || results[i].is_flagged;
        if (is_shown &&
            !(is_text ? append_text(out, &results[i], err) : append_json(out, &results[i], err))) {
            return false;
        }
    }
    return true;
}

static bool lint_all(const struct session *s, const struct arguments *args, struct span corpus,
                     struct lint_result *results, size_t *n, struct error *err)
{
    const struct rule_set *set = s->snapshot->rules;

    for (uint32_t i = 0; i < set->n_rules; i++) {
        if (is_wanted(args, &set->rules[i]) &&
            !lint_rule(&set->rules[i], corpus, &results[(*n)++], err)) {
            return false;
        }
    }
    if (*n == 0) {
        return error_set(err, ERROR_NOT_FOUND,
                         "the ids of rules expected, there are none of these");
    }
    qsort(results, *n, sizeof(*results), dearest_first);
    return true;
}

/* The corpus as the scanner needs it; borrowed from `corpus` or in the arena. */
static bool read_corpus(const struct session *s, const struct arguments *args, struct buf *corpus,
                        struct arena *arena, struct span *text, struct error *err)
{
    bool is_read = args->on != NULL ? corpus_of_file(args->on, corpus, err)
                                    : corpus_of_examples(s->snapshot->rules, corpus, err);

    return is_read && utf8_repair(arena, buf_span(corpus), text, err);
}

static int run(const struct arguments *args)
{
    struct session session CLEANUP(session_close) = {0};
    struct buf corpus CLEANUP(buf_deinit), out CLEANUP(buf_deinit);
    struct arena arena CLEANUP(arena_deinit);
    struct lint_result *results CLEANUP(cleanup_free) = NULL;
    struct span text;
    struct error err;
    size_t n = 0, n_flagged = 0;

    buf_init(&corpus, CORPUS_MAX);
    buf_init(&out, OUTPUT_MAX);
    arena_init(&arena, 0, ARENA_MAX);
    if (!session_open(&session, args, &err) ||
        !read_corpus(&session, args, &corpus, &arena, &text, &err)) {
        return command_failed(&err);
    }
    results = calloc((size_t)session.snapshot->rules->n_rules + 1, sizeof(*results));
    if (results == NULL) {
        error_set(&err, ERROR_NO_MEMORY, "results: no memory");
        return command_failed(&err);
    }
    if (!lint_all(&session, args, text, results, &n, &err) ||
        !append_results(&out, args, results, n, &err)) {
        return command_failed(&err);
    }
    for (size_t i = 0; i < n; i++) {
        n_flagged += results[i].is_flagged ? 1 : 0;
    }
    return command_finish(&out, n_flagged > 0 ? EXIT_FOUND : EXIT_CLEAN);
}
