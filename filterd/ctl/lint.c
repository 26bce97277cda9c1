#include "ctl/lint.h"

#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include "base/cleanup.h"
#include "policy/rule_read.h"
#include "scan/prefilter.h"
#include "scan/trigger.h"

enum { EXPRESSION_MAX = 64 * 1024, RUNS = 3, HITS_PER_KIB_MAX = 4 };
static const double run_ns_min = 1e6;

/* The triggers of a rule: its own, or one for each pattern. */
struct triggers {
    char *texts[RULE_PATTERNS_MAX];
    uint32_t n;
    bool is_derived;
};

static void triggers_deinit(struct triggers *t)
{
    for (uint32_t i = 0; i < t->n; i++) {
        free(t->texts[i]);
    }
}

static bool triggers_add(struct triggers *t, struct span text, struct error *err)
{
    char *copy = t->n < RULE_PATTERNS_MAX ? strndup(text.ptr, text.len) : NULL;

    if (copy == NULL) {
        return error_set(err, ERROR_LIMIT, "no room for a trigger");
    }
    t->texts[t->n++] = copy;
    return true;
}

/* The expression that Hyperscan would be given for a pattern, or its beginning. */
static bool make_expression(struct span pattern, bool is_prefix, struct buf *out, struct error *err)
{
    struct buf core CLEANUP(buf_deinit);

    buf_init(&core, EXPRESSION_MAX);
    return trigger_core(pattern, &core, err) &&
           (is_prefix ? trigger_prefix(buf_span(&core), out, err)
                      : buf_append(out, buf_span(&core), err)) &&
           buf_append_char(out, '\0', err);
}

static bool triggers_make(struct triggers *t, const struct rule *rule, struct error *err)
{
    t->is_derived = rule->triggers.n == 0;
    for (size_t i = 0; i < rule->triggers.n; i++) {
        if (!triggers_add(t, rule->triggers.items[i], err)) {
            return false;
        }
    }
    for (size_t i = 0; t->is_derived && i < rule->patterns.n; i++) {
        struct buf expression CLEANUP(buf_deinit);
        buf_init(&expression, EXPRESSION_MAX);
        if (!make_expression(rule->patterns.items[i], true, &expression, err) ||
            !triggers_add(t, span_str(expression.data), err)) {
            return false;
        }
    }
    return true;
}

/* --- time ------------------------------------------------------------------- */

static double now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

typedef bool timed_fn(void *context, struct error *err);

/* The shortest of a few runs; each repeats the work until it can be measured. */
static bool measure(timed_fn *work, void *context, double *ns, struct error *err)
{
    *ns = 0;
    for (int run = 0; run < RUNS; run++) {
        double start = now_ns(), spent = 0;
        unsigned n = 0;
        do {
            if (!work(context, err)) {
                return false;
            }
            n++;
            spent = now_ns() - start;
        } while (spent < run_ns_min);
        if (run == 0 || spent / n < *ns) {
            *ns = spent / n;
        }
    }
    return true;
}

struct trigger_run {
    struct prefilter *prefilter;
    struct prefilter_scratch *scratch;
    struct span corpus;
    uint64_t hits;
};

static bool count_hit(void *context, uint32_t expression, uint32_t end)
{
    (void)expression;
    (void)end;
    ++*(uint64_t *)context;
    return true;
}

static bool run_triggers(void *context, struct error *err)
{
    struct trigger_run *r = context;

    r->hits = 0;
    return prefilter_scan(r->prefilter, r->scratch, r->corpus, count_hit, &r->hits, err);
}

static bool measure_triggers(const struct triggers *t, struct span corpus, struct lint_result *out,
                             struct error *err)
{
    struct trigger_run r = {.corpus = corpus};
    const char *expressions[RULE_PATTERNS_MAX];
    uint32_t bad;

    for (uint32_t i = 0; i < t->n; i++) {
        expressions[i] = t->texts[i];
    }
    r.prefilter = prefilter_new(expressions, t->n, NULL, &bad, err);
    r.scratch = r.prefilter != NULL ? prefilter_scratch_new(err) : NULL;
    bool is_ok = r.scratch != NULL && measure(run_triggers, &r, &out->trigger_ns, err);
    out->hits = r.hits;
    prefilter_scratch_free(r.scratch);
    prefilter_free(r.prefilter);
    return is_ok;
}

struct scanner_run {
    struct scanner *scanner;
    struct scanner_scratch *scratch;
    struct view view;
    uint64_t matches;
};

static bool count_match(void *context, const struct scanner_match *match, struct error *err)
{
    (void)match;
    (void)err;
    ++*(uint64_t *)context;
    return true;
}

static bool run_scanner(void *context, struct error *err)
{
    struct scanner_run *r = context;

    r->matches = 0;
    return scanner_mark(r->scanner, r->scratch, &r->view, NULL, err) &&
           scanner_confirm(r->scanner, r->scratch, &r->view, count_match, &r->matches, err);
}

static bool measure_scanner(const struct rule *rule, struct span corpus, struct lint_result *out,
                            struct error *err)
{
    struct scanner_pattern patterns[RULE_PATTERNS_MAX];
    struct scanner_run r = {0};
    struct view_piece whole;
    uint32_t bad;

    for (size_t i = 0; i < rule->patterns.n; i++) {
        patterns[i] = (struct scanner_pattern){.pattern = rule->patterns.items[i],
                                               .before = boundary_before(rule->boundary),
                                               .after = boundary_after(rule->boundary),
                                               .triggers = rule->triggers.items,
                                               .n_triggers = rule->triggers.n,
                                               .lead = rule->lead,
                                               .max_length = rule->max_length,
                                               .views = 1U << VIEW_RAW};
    }
    view_raw(corpus, &whole, &r.view);
    r.scanner = scanner_new(patterns, (uint32_t)rule->patterns.n, NULL, false, &bad, err);
    r.scratch = r.scanner != NULL ? scanner_scratch_new(err) : NULL;
    bool is_ok = r.scratch != NULL && measure(run_scanner, &r, &out->total_ns, err);
    out->matches = r.matches;
    scanner_scratch_free(r.scratch);
    scanner_free(r.scanner);
    return is_ok;
}

/* --- reasons ----------------------------------------------------------------- */

static void add_reason(struct lint_result *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add_reason(struct lint_result *out, const char *format, ...)
{
    va_list args;
    size_t len = strlen(out->reasons);

    (void)snprintf(out->reasons + len, sizeof(out->reasons) - len, "%s", len > 0 ? "; " : "");
    len = strlen(out->reasons);
    va_start(args, format);
    (void)vsnprintf(out->reasons + len, sizeof(out->reasons) - len, format, args);
    va_end(args);
    out->is_flagged = true;
}

static void judge_triggers(const struct triggers *t, struct lint_result *out)
{
    for (uint32_t i = 0; i < t->n; i++) {
        struct trigger_literals literals;
        size_t least = LINT_LITERAL_MIN;
        trigger_literals(span_str(t->texts[i]), &literals);
        for (size_t k = 0; k < literals.n; k++) {
            least = literals.len[k] < least ? literals.len[k] : least;
        }
        const char *made = t->is_derived ? "the trigger made from the pattern" : "the trigger";
        if (literals.n == 0) {
            add_reason(out, "%s '%.40s' begins with a class, or with more than %d alternatives",
                       made, t->texts[i], TRIGGER_LITERALS_MAX);
            return;
        }
        if (least < LINT_LITERAL_MIN) {
            add_reason(out, "%s '%.40s' begins with %zu literal bytes, three are cheap", made,
                       t->texts[i], least);
            return;
        }
    }
}

static bool judge_widths(const struct rule *rule, const struct triggers *t, struct lint_result *out,
                         struct error *err)
{
    uint32_t lead = rule->lead;

    for (size_t i = 0; i < rule->patterns.n; i++) {
        struct buf core CLEANUP(buf_deinit);
        buf_init(&core, EXPRESSION_MAX);
        if (!make_expression(rule->patterns.items[i], false, &core, err)) {
            return false;
        }
        uint32_t max = trigger_max_width(span_str(core.data));
        if (max == TRIGGER_WIDTH_UNBOUNDED) {
            add_reason(out, "pattern %zu has no bound of its own", i + 1);
        }
        if (rule->lead == 0 && !t->is_derived && max != TRIGGER_WIDTH_UNBOUNDED && max > lead) {
            lead = max;
        }
    }
    for (uint32_t i = 0; rule->lead == 0 && t->is_derived && i < t->n; i++) {
        uint32_t max = trigger_max_width(span_str(t->texts[i]));
        lead = max != TRIGGER_WIDTH_UNBOUNDED && max > lead ? max : lead;
    }
    if (lead > LINT_LEAD_MAX) {
        add_reason(out, "PCRE2 looks %u bytes back from each hit", lead);
    }
    return true;
}

static void judge_hits(struct span corpus, struct lint_result *out)
{
    double kib = (double)corpus.len / 1024;

    if ((double)out->hits > kib * HITS_PER_KIB_MAX && out->hits > out->matches * 10) {
        add_reason(out, "%.1f hits per KiB, of which %.1f %% are matches", (double)out->hits / kib,
                   out->hits == 0 ? 0 : 100.0 * (double)out->matches / (double)out->hits);
    }
}

bool lint_rule(const struct rule *rule, struct span corpus, struct lint_result *out,
               struct error *err)
{
    struct triggers triggers CLEANUP(triggers_deinit) = {0};
    double kib = (double)corpus.len / 1024;

    *out = (struct lint_result){.rule = rule};
    if (!triggers_make(&triggers, rule, err) || !measure_triggers(&triggers, corpus, out, err) ||
        !measure_scanner(rule, corpus, out, err) || !judge_widths(rule, &triggers, out, err)) {
        return error_wrap(err, "rule '" SPAN_FMT "'", SPAN_ARG(rule->id));
    }
    judge_triggers(&triggers, out);
    judge_hits(corpus, out);
    out->trigger_ns /= kib;
    out->total_ns /= kib;
    return true;
}
