#include "ctl/lint_cost.h"

#include <stdlib.h>
#include <time.h>

#include "base/cleanup.h"
#include "policy/rule_set.h"
#include "scan/prefilter.h"

/* JOINT_BYTES of the corpus are enough for databases of all triggers; ROUNDS of each are
 * interleaved. */
enum { RUNS = 3, ROUNDS = 24, JOINT_BYTES = 1024 * 1024 };
static const double run_ns_min = 1e6;

/* All triggers of all rules, each once. */
struct trigger_table {
    char **texts; /* sorted */
    uint32_t *users;
    uint32_t n, cap;
};

struct lint {
    struct lint_options options;
    struct trigger_table table;
    struct prefilter *all; /* made when first needed */
    struct prefilter_scratch *scratch;
    struct scanner_scratch *yard_scratch;
    double yard_ns; /* of a scan of JOINT_BYTES by the built-in rules; 0: not known yet */
};

/* --- time ------------------------------------------------------------------- */

/* Of this thread, so that what else the machine does counts little. */
static double now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
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
    const struct prefilter *prefilter;
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

static bool measure_triggers(struct lint *l, const struct triggers *t, struct lint_result *out,
                             struct error *err)
{
    struct trigger_run r = {.corpus = l->options.corpus, .scratch = l->scratch};
    const char *expressions[RULE_PATTERNS_MAX];
    uint32_t bad;

    for (uint32_t i = 0; i < t->n; i++) {
        expressions[i] = t->texts[i];
    }
    struct prefilter *prefilter = prefilter_new(expressions, t->n, NULL, &bad, err);
    r.prefilter = prefilter;
    bool is_ok = prefilter != NULL &&
                 (l->options.is_counted ? run_triggers(&r, err)
                                        : measure(run_triggers, &r, &out->trigger_ns, err));
    out->hits = r.hits;
    prefilter_free(prefilter);
    return is_ok;
}

/* --- a rule by itself -------------------------------------------------------- */

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

static bool scanner_run_init(struct scanner_run *r, const struct rule *rule, bool is_counting,
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
    r->scanner = scanner_new(patterns, (uint32_t)rule->patterns.n, NULL, false, &bad, err);
    r->scratch = r->scanner != NULL ? scanner_scratch_new(err) : NULL;
    return r->scratch != NULL;
}

static void scanner_run_deinit(struct scanner_run *r)
{
    scanner_scratch_free(r->scratch);
    scanner_free(r->scanner);
}

static bool measure_scanner(const struct lint *l, struct lint_result *out, struct error *err)
{
    struct scanner_run r CLEANUP(scanner_run_deinit) = {0};
    struct view_piece whole;

    view_raw(l->options.corpus, &whole, &r.view);
    return scanner_run_init(&r, out->rule, false, err) &&
           measure(run_scanner, &r, &out->total_ns, err);
}

static bool count_work(const struct lint *l, struct lint_result *out, struct error *err)
{
    struct scanner_run r CLEANUP(scanner_run_deinit) = {0};
    struct view_piece whole;

    view_raw(l->options.corpus, &whole, &r.view);
    if (!scanner_run_init(&r, out->rule, true, err) || !run_scanner(&r, err)) {
        return false;
    }
    out->work = scanner_work(r.scratch);
    out->matches = r.matches;
    return true;
}

/* --- all triggers together ----------------------------------------------------- */

static bool is_own(const struct trigger_table *table, uint32_t i, const struct triggers *t)
{
    for (uint32_t k = 0; k < t->n && table->users[i] == 1; k++) {
        if (strcmp(table->texts[i], t->texts[k]) == 0) {
            return true;
        }
    }
    return false;
}

/* The database of all triggers but those that only this rule has; *n_own says how many these are.
 */
static struct prefilter *prefilter_without(const struct lint *l, const struct triggers *t,
                                           uint32_t *n_own, struct error *err)
{
    const struct trigger_table *table = &l->table;
    const char **expressions CLEANUP(cleanup_free) =
        calloc((size_t)table->n + 1, sizeof(*expressions));
    uint32_t n = 0, bad;

    if (expressions == NULL) {
        error_set(err, ERROR_NO_MEMORY, "triggers: no memory");
        return NULL;
    }
    for (uint32_t i = 0; i < table->n; i++) {
        if (!is_own(table, i, t)) {
            expressions[n++] = table->texts[i];
        }
    }
    *n_own = table->n - n;
    return prefilter_new(expressions, n, NULL, &bad, err);
}

static bool time_once(struct trigger_run *r, double *least, struct error *err)
{
    double start = now_ns();

    if (!run_triggers(r, err)) {
        return false;
    }
    double spent = now_ns() - start;
    *least = *least == 0 || spent < *least ? spent : *least;
    return true;
}

static bool time_yardstick(struct lint *l, struct span text, struct error *err)
{
    uint64_t hits = 0;
    double start = now_ns();

    if (!scanner_scan_bare(l->options.yardstick->scanner, l->yard_scratch, text, &hits, err)) {
        return false;
    }
    double spent = now_ns() - start;
    l->yard_ns = l->yard_ns == 0 || spent < l->yard_ns ? spent : l->yard_ns;
    return true;
}

/* Whole characters of it, as Hyperscan wants. */
static struct span joint_text(const struct lint *l)
{
    struct span corpus = l->options.corpus;
    size_t end = corpus.len < JOINT_BYTES ? corpus.len : JOINT_BYTES;

    while (end < corpus.len && ((unsigned char)corpus.ptr[end] & 0xC0) == 0x80) {
        end--;
    }
    return span_slice(corpus, 0, end);
}

/* How much less time all triggers take without this rule's own, as a part of the yardstick. */
static bool measure_own(struct lint *l, const struct triggers *t, double *part, struct error *err)
{
    const struct triggers none = {0};
    uint32_t n_own = 0, ignored;
    double with_ns = 0, without_ns = 0;
    struct prefilter *without = prefilter_without(l, t, &n_own, err);

    if (without != NULL && n_own > 0 && l->all == NULL) {
        l->all = prefilter_without(l, &none, &ignored, err);
    }
    bool is_ok = without != NULL && (n_own == 0 || l->all != NULL);
    struct trigger_run all = {.prefilter = l->all, .scratch = l->scratch, .corpus = joint_text(l)};
    struct trigger_run rest = {
        .prefilter = without, .scratch = l->scratch, .corpus = joint_text(l)};
    for (int i = 0; is_ok && n_own > 0 && i < ROUNDS; i++) {
        is_ok = time_once(&all, &with_ns, err) && time_once(&rest, &without_ns, err) &&
                time_yardstick(l, joint_text(l), err);
    }
    prefilter_free(without);
    *part = is_ok && with_ns > without_ns ? (with_ns - without_ns) / l->yard_ns : 0;
    return is_ok;
}

static bool has_own(const struct lint *l, const struct triggers *t)
{
    for (uint32_t i = 0; i < l->table.n; i++) {
        if (is_own(&l->table, i, t)) {
            return true;
        }
    }
    return false;
}

/* Triggers by themselves take more time than among all the others, so that is the most they can
 * cost; only where it would be too much is the difference measured, as that takes seconds. */
static bool measure_hyperscan(struct lint *l, const struct triggers *t, struct lint_result *out,
                              struct error *err)
{
    double yard = l->yard_ns * (double)l->options.corpus.len / (double)joint_text(l).len;
    double most = has_own(l, t) ? out->trigger_ns / yard : 0, part;
    double scale = (1 - out->pcre2_share) * LINT_SCAN_UNITS_PER_KIB / LINT_UNITS_PER_KIB;

    if ((most * scale + out->pcre2_share) * 100 > LINT_SHARE_MAX_PERCENT) {
        if (!measure_own(l, t, &part, err)) {
            return false;
        }
        most = part < most ? part : most;
    }
    out->hyperscan_share = most * scale;
    return true;
}

/* --- the parts together ----------------------------------------------------------- */

static double units_of(const struct lint_result *r)
{
    return (double)r->work.steps + (double)r->work.bytes +
           (double)r->work.searches * LINT_SEARCH_UNITS + (double)r->hits * LINT_HIT_UNITS;
}

bool lint_measure(struct lint *l, const struct triggers *t, struct lint_result *out,
                  struct error *err)
{
    double kib = (double)l->options.corpus.len / 1024;

    if (!measure_triggers(l, t, out, err) || !count_work(l, out, err)) {
        return false;
    }
    double units = units_of(out);
    out->pcre2_share = units / (kib * LINT_UNITS_PER_KIB + units);
    if (l->options.is_counted) {
        return true;
    }
    if (!measure_scanner(l, out, err) || !measure_hyperscan(l, t, out, err)) {
        return false;
    }
    out->trigger_ns /= kib;
    out->total_ns /= kib;
    return true;
}

struct span lint_corpus(const struct lint *l)
{
    return l->options.corpus;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool table_add(struct trigger_table *table, struct triggers *t, struct error *err)
{
    if (table->n + t->n > table->cap) {
        uint32_t cap = (table->cap + t->n) * 2;
        char **texts = reallocarray(table->texts, cap, sizeof(*texts));
        if (texts == NULL) {
            return error_set(err, ERROR_NO_MEMORY, "triggers: no memory");
        }
        table->texts = texts;
        table->cap = cap;
    }
    for (uint32_t i = 0; i < t->n; i++) {
        table->texts[table->n++] = t->texts[i];
        t->texts[i] = NULL;
    }
    return true;
}

/* Sorts the texts and leaves each once, with the number of rules that have it. */
static bool table_settle(struct trigger_table *table, struct error *err)
{
    uint32_t n = 0;

    table->users = calloc((size_t)table->n + 1, sizeof(*table->users));
    if (table->users == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "triggers: no memory");
    }
    if (table->n > 0) {
        qsort(table->texts, table->n, sizeof(*table->texts), compare_texts);
    }
    for (uint32_t i = 0; i < table->n; i++) {
        char *text = table->texts[i];
        table->texts[i] = NULL;
        if (n > 0 && strcmp(table->texts[n - 1], text) == 0) {
            free(text);
        } else {
            table->texts[n++] = text;
        }
        table->users[n - 1]++;
    }
    table->n = n;
    return true;
}

static bool table_make(struct trigger_table *table, const struct rule_set *rules, struct error *err)
{
    for (uint32_t i = 0; i < rules->n_rules; i++) {
        struct triggers t CLEANUP(triggers_deinit) = {0};
        if (!triggers_make(&t, &rules->rules[i], err) || !table_add(table, &t, err)) {
            return false;
        }
    }
    return table_settle(table, err);
}

struct lint *lint_new(const struct lint_options *options, struct error *err)
{
    struct lint *l = calloc(1, sizeof(*l));

    if (l == NULL) {
        error_set(err, ERROR_NO_MEMORY, "lint: no memory");
        return NULL;
    }
    l->options = *options;
    l->scratch = prefilter_scratch_new(err);
    l->yard_scratch = l->scratch != NULL ? scanner_scratch_new(err) : NULL;
    bool is_ok = l->yard_scratch != NULL && table_make(&l->table, options->rules, err);
    for (int i = 0; is_ok && !options->is_counted && i < RUNS; i++) {
        is_ok = time_yardstick(l, joint_text(l), err);
    }
    if (!is_ok) {
        lint_free(l);
        return NULL;
    }
    return l;
}

void lint_free(struct lint *l)
{
    if (l == NULL) {
        return;
    }
    for (uint32_t i = 0; i < l->table.n; i++) {
        free(l->table.texts[i]);
    }
    free(l->table.texts);
    free(l->table.users);
    prefilter_free(l->all);
    prefilter_scratch_free(l->scratch);
    scanner_scratch_free(l->yard_scratch);
    free(l);
}
