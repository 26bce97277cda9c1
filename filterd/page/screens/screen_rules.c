/* screen_rules.c - decisions of each rule in 30 days; precision and estimated misses of one rule. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "page/items.h"
#include "page/line_parts.h"
#include "page/rows.h"
#include "page/screens.h"

enum { RULES_MAX = 100, DAYS = 30, HOUR_MS = 3600 * 1000, RULE_NAME = INDEX_NAME_MAX };

static const enum text columns[] = {TEXT_RULE, TEXT_HITS, TEXT_BLOCK, TEXT_REDACT, TEXT_ALLOW, TEXT_PRECISION_OF_RULE, TEXT_NONE};

/* --- precision ----------------------------------------------------------------------- */

/* Thousandths, rounded to the nearest. */
static unsigned thousandths(double part)
{
    return part <= 0 ? 0 : part >= 1 ? CHART_THOUSAND : (unsigned)(part * CHART_THOUSAND + 0.5);
}

static void put_percent(struct html *h, unsigned thousandth)
{
    html_id(h, thousandth / 10);
    html_word(h, TEXT_POINT);
    html_id(h, thousandth % 10);
    HTML(h, " %");
}

static void put_interval(struct html *h, const struct estimate *e)
{
    const struct chart_interval i = {thousandths(e->low), thousandths(e->value), thousandths(e->high)};

    put_percent(h, i.value);
    chart_interval(h, &i);
    HTML(h, "<small>");
    put_percent(h, i.low);
    HTML(h, " – ");
    put_percent(h, i.high);
    HTML(h, "</small>");
}

void rules_put_precision(struct html *h, const uint64_t n[ITEM_DISPOSITIONS])
{
    uint64_t right = n[ITEM_TRUE_POSITIVE], wrong = n[ITEM_FALSE_POSITIVE];

    if (right + wrong == 0) {
        html_word(h, TEXT_NOT_KNOWN);
        return;
    }
    const struct estimate e = quality_proportion(right, right + wrong);
    put_interval(h, &e);
}

/* Of whole days: the list and the screen of a rule show the same. */
static int64_t since_ms(void)
{
    return (review_day(clock_utc_ns() / 1000000) - DAYS) * REVIEW_DAY_MS;
}

/* --- the list ----------------------------------------------------------------------- */

struct rule_hits {
    char name[RULE_NAME + 1];
    uint64_t n[INDEX_BLOCK + 1], sum, reviewed[ITEM_DISPOSITIONS];
};
struct rules {
    struct rule_hits *rows;
    size_t n;
    bool is_cut;
};

static bool take_count(void *context, const struct index_tally_row *row, struct error *err)
{
    struct rules *rules = context;

    (void)err;
    if (row->rule.len == 0 || row->rule.len > RULE_NAME || row->action < INDEX_ALLOW || row->action > INDEX_BLOCK) {
        return true;
    }
    bool is_new = rules->n == 0 || !span_is(row->rule, rules->rows[rules->n - 1].name);
    if (is_new && rules->n == RULES_MAX) {
        rules->is_cut = true;
        return true;
    }
    if (is_new) {
        struct rule_hits *added = &rules->rows[rules->n++];
        *added = (struct rule_hits){0};
        (void)snprintf(added->name, sizeof(added->name), SPAN_FMT, SPAN_ARG(row->rule));
    }
    struct rule_hits *hits = &rules->rows[rules->n - 1];
    hits->n[row->action] += row->n;
    hits->sum += row->n;
    return true;
}

static int compare_hits(const void *a, const void *b)
{
    const struct rule_hits *x = a, *y = b;

    return x->sum != y->sum ? (x->sum < y->sum ? 1 : -1) : strcmp(x->name, y->name);
}

static void put_count(struct html *h, enum text column, uint64_t n)
{
    part_number_begin(h, column);
    html_number(h, n);
    part_cell_end(h);
}

static void put_rule(struct html *h, const struct rule_hits *rule)
{
    part_row_begin(h);
    part_lead_begin(h);
    HTML(h, "<a class=\"rule\" href=\"/review/rules/");
    html_url(h, span_str(rule->name));
    HTML(h, "\">");
    part_name(h, span_str(rule->name));
    HTML(h, "</a>");
    part_lead_end(h);
    put_count(h, TEXT_HITS, rule->sum);
    put_count(h, TEXT_BLOCK, rule->n[INDEX_BLOCK]);
    put_count(h, TEXT_REDACT, rule->n[INDEX_REDACT]);
    put_count(h, TEXT_ALLOW, rule->n[INDEX_ALLOW]);
    part_cell_begin(h, TEXT_PRECISION_OF_RULE);
    rules_put_precision(h, rule->reviewed);
    part_cell_end(h);
    part_row_end(h);
}

static void put_rules(struct page *p, const struct rules *rules)
{
    struct html *h = &p->html;

    HTML(h, "<p class=\"muted\">");
    html_word(h, TEXT_RULES_HELP);
    HTML(h, "</p><div class=\"panel flush\">");
    if (rules->n == 0) {
        part_empty(h, TEXT_EMPTY_RULES, TEXT_EMPTY_RULES_HELP);
    } else {
        part_table_begin(h, TEXT_RULES, columns, false);
        for (size_t i = 0; i < rules->n; i++) {
            put_rule(h, &rules->rows[i]);
        }
        part_table_end(h);
    }
    HTML(h, "</div>\n");
    if (rules->is_cut) {
        HTML(h, "<p class=\"notice\">");
        html_count(h, TEXT_RULES_CUT, RULES_MAX);
        HTML(h, "</p>");
    }
    part_keys(h);
}

static struct index_tally_query last_days(const struct page *p, unsigned by)
{
    int64_t hour = clock_utc_ns() / 1000000 / HOUR_MS;

    return (struct index_tally_query){.by = by, .from_hour = hour - DAYS * 24, .end_hour = hour + 1, .tenant = items_tenant(p),
                                      .action = INDEX_NO_ACTION};
}

static bool read_rules(struct page *p, struct index_reader *r, struct rules *rules, struct error *err)
{
    const struct index_tally_query q = last_days(p, INDEX_BY_RULE | INDEX_BY_ACTION);

    rules->rows = arena_array(&p->memory, RULES_MAX, sizeof(rules->rows[0]), err);
    if (rules->rows == NULL || !index_tally_read(r, &q, take_count, rules, err)) {
        return false;
    }
    qsort(rules->rows, rules->n, sizeof(rules->rows[0]), compare_hits);
    return true;
}

static bool read_reviewed(struct page *p, struct review_reader *r, struct rules *rules, struct error *err)
{
    uint64_t(*reviewed)[ITEM_DISPOSITIONS] = arena_array(&p->memory, RULES_MAX, sizeof(reviewed[0]), err);
    struct span *names = arena_array(&p->memory, RULES_MAX, sizeof(names[0]), err);

    if (reviewed == NULL || names == NULL) {
        return false;
    }
    for (size_t i = 0; i < rules->n; i++) {
        names[i] = span_str(rules->rows[i].name);
    }
    if (!quality_of_rules(r, names, rules->n, items_tenant(p), since_ms(), reviewed, err)) {
        return false;
    }
    for (size_t i = 0; i < rules->n; i++) {
        memcpy(rules->rows[i].reviewed, reviewed[i], sizeof(reviewed[i]));
    }
    return true;
}

bool rules_show(struct page *p, struct error *err)
{
    struct index_reader *r = lines_reader(p, err);
    struct review_reader *review = r == NULL ? NULL : items_open(p, err);
    struct rules rules = {0};
    bool is_read = review != NULL && read_rules(p, r, &rules, err) && read_reviewed(p, review, &rules, err);

    review_reader_close(review);
    index_reader_close(r);
    if (!is_read) {
        return false;
    }
    put_rules(p, &rules);
    return true;
}

/* --- one rule ------------------------------------------------------------------------ */

static bool take_sum(void *context, const struct index_tally_row *row, struct error *err)
{
    uint64_t *sums = context;

    (void)err;
    if (row->action >= INDEX_ALLOW && row->action <= INDEX_BLOCK) {
        sums[row->action] += row->n;
    }
    return true;
}

static void put_tile(struct html *h, enum text name)
{
    HTML(h, "<div><dt>");
    html_word(h, name);
    HTML(h, "</dt><dd>");
}

static uint64_t rounded(double n)
{
    return n <= 0 ? 0 : n > 1e15 ? (uint64_t)1e15 : (uint64_t)(n + 0.5);
}

static void put_misses(struct html *h, const struct quality *q, uint64_t allowed)
{
    const struct estimate e = quality_misses_per_week(q->samples.missed, q->samples.n, allowed, DAYS);

    put_tile(h, TEXT_MISSES);
    if (q->samples.n == 0) {
        html_word(h, TEXT_NOT_KNOWN);
        HTML(h, "</dd></div>");
        return;
    }
    html_number(h, rounded(e.value));
    HTML(h, "<small> ");
    html_number(h, rounded(e.low));
    HTML(h, " – ");
    html_number(h, rounded(e.high));
    HTML(h, "</small></dd></div>");
}

/* Without an interval: they are drawn from what the rule finds, whose number is not known. */
static void put_rule_samples(struct html *h, const struct quality_samples *samples)
{
    char n[24];

    if (samples->n == 0) {
        return;
    }
    HTML(h, "<div><dt>");
    (void)snprintf(n, sizeof(n), "%" PRIu64, samples->n);
    html_phrase(h, TEXT_RULE_SAMPLES_MISSED, span_str(n));
    HTML(h, "</dt><dd>");
    html_number(h, samples->missed);
    HTML(h, "</dd></div>");
}

static uint64_t count_reviewed(const struct quality_row *row)
{
    uint64_t n = 0;

    for (unsigned i = ITEM_TRUE_POSITIVE; i < ITEM_DISPOSITIONS; i++) {
        n += row->n[i];
    }
    return n;
}

static void put_tiles(struct html *h, const struct quality *q, const uint64_t hits[INDEX_BLOCK + 1], uint64_t allowed)
{
    HTML(h, "<dl class=\"tiles\">");
    put_tile(h, TEXT_HITS_30);
    html_number(h, hits[INDEX_ALLOW] + hits[INDEX_REDACT] + hits[INDEX_BLOCK]);
    HTML(h, "</dd></div>");
    put_tile(h, TEXT_REVIEWED);
    html_number(h, count_reviewed(&q->all));
    HTML(h, "</dd></div>");
    put_tile(h, TEXT_PRECISION);
    rules_put_precision(h, q->all.n);
    HTML(h, "</dd></div>");
    put_misses(h, q, allowed);
    put_rule_samples(h, &q->rule_samples);
    HTML(h, "</dl>\n");
}

static void put_shadow(struct html *h, struct span rule)
{
    HTML(h, "<section class=\"notice warn\"><div><h2>");
    html_word(h, TEXT_SHADOW_TITLE);
    HTML(h, "</h2><p>");
    html_word(h, TEXT_SHADOW_HELP);
    HTML(h, "</p><code class=\"code\">- {rule: ");
    html_text(h, rule);
    HTML(h, ", why: more often wrong than right}</code></div></section>\n");
}

static void put_digest(struct html *h, const struct quality_row *row)
{
    static const enum text names[] = {TEXT_TRUE_POSITIVE, TEXT_FALSE_POSITIVE, TEXT_BENIGN, TEXT_POLICY_GAP, TEXT_UNSURE};

    part_row_begin(h);
    part_lead_begin(h);
    HTML(h, "<span class=\"token\">");
    html_text(h, span_of(row->digest, strlen(row->digest) > 24 ? 24 : strlen(row->digest)));
    HTML(h, "</span><small>");
    html_time(h, row->last_ms * 1000000);
    HTML(h, "</small>");
    part_lead_end(h);
    for (size_t i = 0; i < COUNT(names); i++) {
        put_count(h, names[i], row->n[ITEM_TRUE_POSITIVE + i]);
    }
    part_row_end(h);
}

static void put_digests(struct html *h, const struct quality *q)
{
    static const enum text of_digests[] = {TEXT_DIGEST, TEXT_TRUE_POSITIVE, TEXT_FALSE_POSITIVE, TEXT_BENIGN,
                                           TEXT_POLICY_GAP, TEXT_UNSURE, TEXT_NONE};

    HTML(h, "<section class=\"panel flush\"><h2>");
    html_word(h, TEXT_BY_DIGEST);
    HTML(h, "</h2>");
    if (q->n_rows == 0) {
        part_empty(h, TEXT_NOT_REVIEWED, TEXT_NOT_REVIEWED_HELP);
    } else {
        part_table_begin(h, TEXT_BY_DIGEST, of_digests, false);
        for (size_t i = 0; i < q->n_rows; i++) {
            put_digest(h, &q->rows[i]);
        }
        part_table_end(h);
    }
    HTML(h, "</section>\n");
}

void rules_put_quality(struct html *h, struct span rule, const struct quality *q, const uint64_t hits[INDEX_BLOCK + 1], uint64_t allowed)
{
    put_tiles(h, q, hits, allowed);
    if (quality_row_suggests_shadow(q)) {
        put_shadow(h, rule);
    }
    put_digests(h, q);
}

static bool put_rule_page(struct page *p, struct index_reader *index, struct review_reader *review, struct error *err)
{
    struct index_tally_query of_rule = last_days(p, INDEX_BY_ACTION), of_allowed = of_rule;
    uint64_t hits[INDEX_BLOCK + 1] = {0}, all[INDEX_BLOCK + 1] = {0};
    struct quality *q = arena_alloc(&p->memory, sizeof(*q), err);
    struct html *h = &p->html;

    of_rule.rule = p->part;
    of_allowed.action = INDEX_ALLOW;
    if (q == NULL || !index_tally_read(index, &of_rule, take_sum, hits, err) || !index_tally_read(index, &of_allowed, take_sum, all, err) ||
        !quality_find(review, p->part, items_tenant(p), since_ms(), q, err)) {
        return false;
    }
    HTML(h, "<div class=\"head\"><p><a rel=\"up\" href=\"/review/rules\">");
    html_word(h, TEXT_RULES);
    HTML(h, "</a> / <b>");
    part_name(h, p->part);
    HTML(h, "</b></p><p class=\"row\"><a class=\"button\" href=\"/review/queue?rule=");
    html_url(h, p->part);
    HTML(h, "\">");
    html_word(h, TEXT_OPEN_ITEMS);
    HTML(h, "</a></p></div>\n");
    rules_put_quality(h, p->part, q, hits, all[INDEX_ALLOW]);
    if (!hours_show(p, index, p->part, err)) {
        return false;
    }
    HTML(h, "<ul>");
    line_parts_link(h, "rule", p->part, TEXT_LINES_OF_RULE, "n");
    HTML(h, "</ul>");
    part_keys(h);
    return true;
}

bool rule_show(struct page *p, struct error *err)
{
    struct index_reader *index = lines_reader(p, err);
    struct review_reader *review = index == NULL ? NULL : items_open(p, err);
    bool is_shown = review != NULL && put_rule_page(p, index, review, err);

    review_reader_close(review);
    index_reader_close(index);
    return is_shown;
}
