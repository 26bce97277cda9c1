#include "ctl/lab/lint_cost.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "policy/rule_read.h"
#include "policy/rule_set.h"

enum { RUNS = 3 };
static const double run_ns_min = 1e6;

/* --- time ------------------------------------------------------------------- */

/* Of this thread, so that what else the machine does counts little. */
double lint_now_ns(void)
{
    return (double)clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

typedef bool timed_fn(void *context, struct error *err);

/* The shortest of a few runs; each repeats the work until it can be measured. */
static bool measure(timed_fn *work, void *context, double *ns, struct error *err)
{
    *ns = 0;
    for (int run = 0; run < RUNS; run++) {
        double start = lint_now_ns(), spent = 0;
        unsigned n = 0;
        do {
            if (!work(context, err)) {
                return false;
            }
            n++;
            spent = lint_now_ns() - start;
        } while (spent < run_ns_min);
        if (run == 0 || spent / n < *ns) {
            *ns = spent / n;
        }
    }
    return true;
}

/* --- a rule by itself -------------------------------------------------------- */

struct scanner_run {
    struct scanner *scanner;
    struct scanner_scratch *scratch;
    struct span corpus;
    struct view_piece whole;
    struct view view;
    uint64_t hits, matches;
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

static bool run_search(void *context, struct error *err)
{
    struct scanner_run *r = context;

    r->hits = 0;
    return scanner_scan_bare(r->scanner, r->scratch, r->corpus, &r->hits, err);
}

static bool scanner_run_init(struct scanner_run *r, const struct rule *rule, struct span corpus, bool is_counting,
                             struct error *err)
{
    struct scanner_pattern patterns[RULE_PATTERNS_MAX];
    uint32_t bad;

    for (size_t i = 0; i < rule->patterns.n; i++) {
        patterns[i] = rule_scanner_pattern(rule, i);
        patterns[i].is_counting = is_counting;
        patterns[i].is_disguisable = false;
        patterns[i].views = 1U << VIEW_RAW;
    }
    r->corpus = corpus;
    view_raw(corpus, &r->whole, &r->view);
    r->scanner = scanner_new(patterns, (uint32_t)rule->patterns.n, NULL, false, &bad, err);
    r->scratch = r->scanner != NULL ? scanner_scratch_new(err) : NULL;
    return r->scratch != NULL;
}

static void scanner_run_deinit(struct scanner_run *r)
{
    scanner_scratch_free(r->scratch);
    scanner_free(r->scanner);
}

/* Counting is many times slower, so the time is another scanner's; where nothing is hit PCRE2 has nothing to do. */
static bool measure_total(const struct scanner_run *search, struct lint_result *out, struct error *err)
{
    struct scanner_run r CLEANUP(scanner_run_deinit) = {0};

    out->total_ns = out->trigger_ns;
    return search->hits == 0 || (scanner_run_init(&r, out->rule, search->corpus, false, err) &&
                                 measure(run_scanner, &r, &out->total_ns, err));
}

static double units_of(const struct lint_result *r)
{
    return (double)r->work.steps + (double)r->work.bytes +
           (double)r->work.searches * LINT_SEARCH_UNITS + (double)r->hits * LINT_HIT_UNITS;
}

bool lint_measure(struct span corpus, bool is_counted, struct lint_result *out, struct error *err)
{
    struct scanner_run r CLEANUP(scanner_run_deinit) = {0};
    double kib = (double)corpus.len / 1024;

    if (!scanner_run_init(&r, out->rule, corpus, true, err) || !run_scanner(&r, err) ||
        !(is_counted ? run_search(&r, err) : measure(run_search, &r, &out->trigger_ns, err))) {
        return false;
    }
    out->work = scanner_work(r.scratch);
    out->matches = r.matches;
    out->hits = r.hits;
    double units = units_of(out);
    out->pcre2_share = units / (kib * LINT_UNITS_PER_KIB + units);
    if (!is_counted && !measure_total(&r, out, err)) {
        return false;
    }
    out->trigger_ns /= kib;
    out->total_ns /= kib;
    return true;
}
