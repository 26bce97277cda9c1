/* lint_together.c - what a rule adds to a search that is made for others anyway.
 *
 * The search for all rules without one of them takes a second or two to make, and there are
 * hundreds. A search for a few rules and one more takes milliseconds, and what the one adds to that
 * is the most that it can add to all: literals are looked for together, and so are words. Only
 * where that would be too much is it measured among all. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "ctl/lab/lint_cost.h"
#include "policy/rule_read.h"
#include "policy/rule_set.h"

/* JOINT_BYTES of the corpus are enough; rounds of each are interleaved. */
enum { FEW_MAX = 16, ROUNDS_FEW = 6, ROUNDS_ALL = 24, JOINT_BYTES = 1024 * 1024 };

struct lint {
    struct lint_options options;
    struct span text;
    struct scanner *few, *all; /* the second is made when first needed */
    struct scanner_scratch *with, *without,
        *yard;      /* a scratch adapts to its scanner: one for each */
    double yard_ns; /* of the search for the built-in rules, the least so far */
};

/* Whole characters of it, as Hyperscan wants. */
static struct span joint_text(struct span corpus)
{
    size_t end = corpus.len < JOINT_BYTES ? corpus.len : JOINT_BYTES;

    while (end < corpus.len && ((unsigned char)corpus.ptr[end] & 0xC0) == 0x80) {
        end--;
    }
    return span_slice(corpus, 0, end);
}

/* --- searches ------------------------------------------------------------------ */

struct patterns {
    struct scanner_pattern *items;
    uint32_t n;
};

static void add_rule(struct patterns *p, const struct rule *rule)
{
    for (size_t i = 0; i < rule->patterns.n; i++) {
        p->items[p->n] = rule_scanner_pattern(rule, i);
        p->items[p->n].is_disguisable = false;
        p->items[p->n++].is_bare = true;
    }
}

/* What any set of rules has: literals of tokens, and words at their starts. Made up, so that a
 * figure depends on the rule alone. */
static void add_few(struct patterns *p)
{
    static const char *const few[] = {
        "qkj_[0-9a-f]{8}",     "zwx-[A-Z]{12}",
        "vqk1[0-9A-Z]{16}",    "jxt_live_[0-9a-z]{8}",
        "wqz\\.[0-9]{6}",      "pzx://[a-z]{4,20}",
        "[0-9]{3}-qz[0-9]{4}", "(?i)(?:quixotry|zymurgist)s?",
        "(?i)jackdaw[0-9]?",
    };

    for (size_t i = 0; i < COUNT(few); i++) {
        p->items[p->n++] = (struct scanner_pattern){
            .pattern = span_str(few[i]),
            .before = boundary_before(BOUNDARY_TOKEN),
            .after = boundary_after(BOUNDARY_TOKEN),
            .views = 1U << VIEW_RAW,
            .starts_free = true,
            .is_bare = true,
        };
    }
}

/* The few, and one more unless that is NULL. */
static struct scanner *search_of_few(const struct rule *more, struct error *err)
{
    struct scanner_pattern items[FEW_MAX + RULE_PATTERNS_MAX];
    struct patterns patterns = {.items = items};
    uint32_t bad;

    add_few(&patterns);
    if (more != NULL) {
        add_rule(&patterns, more);
    }
    return scanner_new(patterns.items, patterns.n, NULL, false, &bad, err);
}

/* All, but one unless that is NULL. */
static struct scanner *search_of_all(const struct rule_set *rules, const struct rule *but,
                                     struct error *err)
{
    struct scanner_pattern *items CLEANUP(cleanup_free) =
        calloc((size_t)rules->n_patterns + 1, sizeof(*items));
    struct patterns patterns = {.items = items};
    uint32_t bad;

    if (items == NULL) {
        error_set(err, ERROR_NO_MEMORY, "patterns: no memory");
        return NULL;
    }
    for (uint32_t i = 0; i < rules->n_rules; i++) {
        if (&rules->rules[i] != but) {
            add_rule(&patterns, &rules->rules[i]);
        }
    }
    return scanner_new(patterns.items, patterns.n, NULL, false, &bad, err);
}

/* --- time ------------------------------------------------------------------------ */

static bool time_search(const struct scanner *s, struct scanner_scratch *scratch, struct span text,
                        double *least, struct error *err)
{
    uint64_t hits = 0;
    double start = lint_now_ns();

    if (!scanner_scan_bare(s, scratch, text, &hits, err)) {
        return false;
    }
    double spent = lint_now_ns() - start;
    *least = *least == 0 || spent < *least ? spent : *least;
    return true;
}

static bool time_yardstick(struct lint *l, struct error *err)
{
    return time_search(l->options.yardstick->scanner, l->yard, l->text, &l->yard_ns, err);
}

/* How much more time one takes than the other, as a part of what the search for the built-in rules
 * takes. */
static bool measure_difference(struct lint *l, const struct scanner *with,
                               const struct scanner *without, int rounds, double *part,
                               struct error *err)
{
    double with_ns = 0, without_ns = 0;

    for (int i = 0; i < rounds; i++) {
        if (!time_search(with, l->with, l->text, &with_ns, err) ||
            !time_search(without, l->without, l->text, &without_ns, err) ||
            (rounds == ROUNDS_ALL && !time_yardstick(l, err))) {
            return false;
        }
    }
    *part = with_ns > without_ns ? (with_ns - without_ns) / l->yard_ns : 0;
    return true;
}

static bool measure_among_few(struct lint *l, const struct rule *rule, double *part,
                              struct error *err)
{
    struct scanner *with = search_of_few(rule, err);
    bool is_ok = with != NULL && measure_difference(l, with, l->few, ROUNDS_FEW, part, err);

    scanner_free(with);
    return is_ok;
}

static bool measure_among_all(struct lint *l, const struct rule *rule, double *part,
                              struct error *err)
{
    if (l->all == NULL) {
        l->all = search_of_all(l->options.rules, NULL, err);
    }
    struct scanner *without = l->all == NULL ? NULL : search_of_all(l->options.rules, rule, err);
    bool is_ok = without != NULL && measure_difference(l, l->all, without, ROUNDS_ALL, part, err);

    scanner_free(without);
    return is_ok;
}

static double share_of(const struct lint_result *r, double part)
{
    return part * (1 - r->pcre2_share) * LINT_SCAN_UNITS_PER_KIB / LINT_UNITS_PER_KIB;
}

bool lint_add(struct lint *l, struct lint_result *out, struct error *err)
{
    double part = 0, among_all = 0;

    if (!measure_among_few(l, out->rule, &part, err)) {
        return false;
    }
    if (lint_is_over(out->pcre2_share + share_of(out, part)) && !lint_is_over(out->pcre2_share)) {
        if (!measure_among_all(l, out->rule, &among_all, err)) {
            return false;
        }
        part = among_all < part ? among_all : part;
    }
    out->hyperscan_share = share_of(out, part);
    return true;
}

/* --- life --------------------------------------------------------------------------- */

static bool init(struct lint *l, struct error *err)
{
    l->with = scanner_scratch_new(err);
    l->without = l->with != NULL ? scanner_scratch_new(err) : NULL;
    l->yard = l->without != NULL ? scanner_scratch_new(err) : NULL;
    l->few = l->yard != NULL ? search_of_few(NULL, err) : NULL;
    for (int i = 0; l->few != NULL && i < ROUNDS_ALL; i++) {
        if (!time_yardstick(l, err)) {
            return false;
        }
    }
    return l->few != NULL;
}

struct lint *lint_new(const struct lint_options *options, struct error *err)
{
    struct lint *l = calloc(1, sizeof(*l));

    if (l == NULL) {
        error_set(err, ERROR_NO_MEMORY, "lint: no memory");
        return NULL;
    }
    l->options = *options;
    l->text = joint_text(options->corpus);
    if (!options->is_counted && !init(l, err)) {
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
    scanner_free(l->few);
    scanner_free(l->all);
    scanner_scratch_free(l->with);
    scanner_scratch_free(l->without);
    scanner_scratch_free(l->yard);
    free(l);
}

const struct lint_options *lint_options_of(const struct lint *l)
{
    return &l->options;
}
