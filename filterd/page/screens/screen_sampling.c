/* screen_sampling.c - blind samples of allowed exchanges; the verdict is hidden until the disposition. */
#include "base/clock.h"
#include "page/items.h"
#include "page/screens.h"
#include "review/quality_find.h"
#include "service/reviews.h"

enum { SAMPLES_PAGE = 25 };

struct samples {
    struct page *page;
    enum review_why why;
    int64_t now_ms;
    size_t n;
};

static void put_begin(struct samples *s)
{
    struct html *h = &s->page->html;

    if (s->why == REVIEW_SAMPLE) {
        part_table_begin(h, TEXT_SAMPLING, items_columns, false);
        return;
    }
    HTML(h, "<section class=\"panel flush\"><h2>");
    html_word(h, TEXT_RULE_SAMPLES);
    HTML(h, "</h2><p class=\"muted\">");
    html_word(h, TEXT_RULE_SAMPLES_HELP);
    HTML(h, "</p>");
    part_table_begin(h, TEXT_RULE_SAMPLES, items_columns, false);
}

static bool take_item(void *context, const struct review_item *item, struct error *err)
{
    struct samples *s = context;

    (void)err;
    if (s->n == 0) {
        put_begin(s);
    }
    items_row(s->page, item, s->now_ms, false);
    s->n++;
    return true;
}

static bool put_samples(struct samples *s, struct review_reader *r, struct error *err)
{
    const struct review_items_query q = {.states = REVIEW_ITEMS_NEW, .tenant = items_tenant(s->page), .why = s->why,
                                         .now_ms = s->now_ms, .limit = SAMPLES_PAGE};
    struct review_items_key ignored;
    bool has_next;

    return review_items(r, &q, take_item, s, &has_next, &ignored, err);
}

/* Nothing of rules where the policy draws no samples of them. */
static bool put_rule_samples(struct page *p, struct review_reader *r, struct error *err)
{
    struct samples s = {.page = p, .why = REVIEW_RULE_SAMPLE, .now_ms = clock_utc_ns() / 1000000};

    if (!put_samples(&s, r, err)) {
        return false;
    }
    if (s.n > 0) {
        part_table_end(&p->html);
        HTML(&p->html, "</section>\n");
    }
    return true;
}

static void put_end(struct samples *s)
{
    if (s->n > 0) {
        part_table_end(&s->page->html);
    } else {
        part_empty(&s->page->html, TEXT_EMPTY_SAMPLES, TEXT_EMPTY_SAMPLES_HELP);
    }
}

static void put_result(struct html *h, const struct quality *q)
{
    HTML(h, "<dl class=\"tiles\"><div><dt>");
    html_word(h, TEXT_SAMPLES_REVIEWED);
    HTML(h, "</dt><dd>");
    html_number(h, q->samples.n);
    HTML(h, "</dd></div><div><dt>");
    html_word(h, TEXT_SAMPLES_MISSED);
    HTML(h, "</dt><dd>");
    html_number(h, q->samples.missed);
    HTML(h, "</dd></div></dl>\n");
}

static void put_pair(struct html *h, const struct review_agreement *a)
{
    unsigned kappa = a->kappa < 0 ? 0 : (unsigned)(a->kappa * 100 + 0.5);

    part_row_begin(h);
    part_lead_begin(h);
    html_name(h, span_str(a->first));
    HTML(h, " · ");
    html_name(h, span_str(a->second));
    part_lead_end(h);
    part_number_begin(h, TEXT_BOTH_REVIEWED);
    html_number(h, a->n);
    part_cell_end(h);
    part_number_begin(h, TEXT_AGREED);
    html_number(h, a->n_same);
    part_cell_end(h);
    part_number_begin(h, TEXT_KAPPA);
    html_id(h, kappa / 100);
    html_word(h, TEXT_POINT);
    html_id(h, kappa % 100 / 10);
    html_id(h, kappa % 10);
    part_cell_end(h);
    part_row_end(h);
}

struct pairs {
    struct html *html;
    bool has_some;
};

static bool take_pair(void *context, const struct review_agreement *pair, struct error *err)
{
    static const enum text columns[] = {TEXT_PAIR, TEXT_BOTH_REVIEWED, TEXT_AGREED, TEXT_KAPPA, TEXT_NONE};
    struct pairs *pairs = context;

    (void)err;
    if (!pairs->has_some) {
        HTML(pairs->html, "<section class=\"panel flush\"><h2>");
        html_word(pairs->html, TEXT_AGREEMENT);
        HTML(pairs->html, "</h2>");
        part_table_begin(pairs->html, TEXT_AGREEMENT, columns, false);
        pairs->has_some = true;
    }
    put_pair(pairs->html, pair);
    return true;
}

static bool put_agreement(struct page *p, struct review_reader *r, struct error *err)
{
    struct pairs pairs = {.html = &p->html};

    if (!review_agreements(r, items_tenant(p), take_pair, &pairs, err)) {
        return false;
    }
    if (pairs.has_some) {
        part_table_end(&p->html);
        HTML(&p->html, "</section>\n");
    }
    return true;
}

static bool put_screen(struct page *p, struct review_reader *r, struct error *err)
{
    struct samples s = {.page = p, .why = REVIEW_SAMPLE, .now_ms = clock_utc_ns() / 1000000};
    struct quality *q = arena_alloc(&p->memory, sizeof(*q), err);

    if (q == NULL || !quality_find(r, span_of("", 0), items_tenant(p), 0, q, err)) {
        return false;
    }
    HTML(&p->html, "<p class=\"muted\">");
    html_word(&p->html, TEXT_SAMPLING_HELP);
    HTML(&p->html, "</p>\n");
    put_result(&p->html, q);
    HTML(&p->html, "<div class=\"panel flush\">");
    if (!put_samples(&s, r, err)) {
        return false;
    }
    put_end(&s);
    HTML(&p->html, "</div>\n");
    if (!put_rule_samples(p, r, err) || !put_agreement(p, r, err)) {
        return false;
    }
    part_keys(&p->html);
    return page_record_access(p, "list", 0, span_of(NULL, 0), err);
}

bool sampling_show(struct page *p, struct error *err)
{
    struct review_reader *r = items_open(p, err);
    bool is_shown = r != NULL && put_screen(p, r, err);

    review_reader_close(r);
    return is_shown;
}
