/* screen_item.c - one item: findings, policy, reason for review, history; buttons for the disposition and other steps. */
#include "base/clock.h"
#include "page/item_parts.h"
#include "page/items.h"
#include "page/line_parts.h"
#include "page/screens.h"
#include "record/note_text.h"

enum { HISTORY_MAX = 16 };

static const char path[] = "/items/{seq}";

/* --- what is shown ---------------------------------------------------------------- */

static void put_head(struct page *p, const struct review_item *i, int64_t now_ms)
{
    struct html *h = &p->html;

    HTML(h, "<div class=\"head\"><p><a rel=\"up\" href=\"/review/queue\">");
    html_word(h, TEXT_QUEUE);
    HTML(h, "</a> / ");
    html_id(h, i->item.seq);
    HTML(h, "</p><p class=\"row\"><b>");
    if (items_is_blind(i)) {
        html_word(h, TEXT_BLIND_SAMPLE);
        HTML(h, "</b>");
    } else {
        html_name(h, span_str(i->words[REVIEW_RULE]));
        HTML(h, "</b> ");
        part_verdict(h, i->action);
    }
    if (item_is_held(&i->item, now_ms)) {
        HTML(h, " <span class=\"muted\">");
        html_phrase(h, TEXT_HELD_BY, span_str(i->item.assignee));
        HTML(h, "</span>");
    }
    HTML(h, "</p></div>\n");
}

/* --- history ----------------------------------------------------------------------- */

static bool put_history(struct page *p, struct review_reader *r, struct index_reader *lines, const struct review_item *i,
                        const struct line_view *l, struct error *err)
{
    uint64_t seqs[HISTORY_MAX];
    struct html *h = &p->html;
    size_t n;

    if (!review_item_history(r, i, seqs, COUNT(seqs), &n, err)) {
        return false;
    }
    HTML(h, "<section class=\"panel\"><h2>");
    html_word(h, TEXT_STEPS);
    HTML(h, "</h2><ol class=\"steps\"><li>");
    html_time(h, l->ts_ns);
    HTML(h, " ");
    html_word(h, TEXT_DECIDED);
    HTML(h, " <small><a href=\"/review/records/");
    html_id(h, l->seq);
    HTML(h, "\">");
    html_count(h, TEXT_LINE_N, l->seq);
    HTML(h, "</a></small></li>");
    for (size_t k = 0; k < n; k++) {
        struct error ignored; /* the line is not indexed yet, or was removed */
        const struct line_view *step = line_parts_read(p, lines, seqs[k], &ignored);
        if (step != NULL) {
            item_parts_step(p, step, span_of("", 0));
        }
    }
    HTML(h, "</ol><h3>");
    html_word(h, TEXT_ALSO);
    HTML(h, "</h3>");
    line_parts_put_links(p, l);
    HTML(h, "</section>\n");
    return true;
}

/* --- the screen ---------------------------------------------------------------------- */

static bool put_item(struct page *p, struct review_reader *r, struct index_reader *lines, uint64_t seq, struct error *err)
{
    int64_t now_ms = clock_utc_ns() / 1000000;
    struct review_item item;

    if (!review_item_at(r, seq, items_tenant(p), &item, err)) {
        return false;
    }
    const struct line_view *l = line_parts_read(p, lines, seq, err);
    if (l == NULL) {
        return false;
    }
    put_head(p, &item, now_ms);
    part_recorded(p);
    item_parts_answers(p, &item, path, true);
    HTML(&p->html, "<div class=\"columns\">");
    if (!items_is_blind(&item)) {
        line_parts_put_found(p, l);
    }
    line_parts_put_facts(p, l, items_is_blind(&item));
    item_parts_priority(p, &item, now_ms);
    if (!put_history(p, r, lines, &item, l, err)) {
        return false;
    }
    HTML(&p->html, "</div>");
    if (!items_is_blind(&item)) {
        line_parts_put_raw(p, l);
    }
    part_keys(&p->html);
    return page_record_access(p, "record", seq, span_of(NULL, 0), err);
}

bool item_show(struct page *p, struct error *err)
{
    uint64_t seq;

    if (!note_read_number(p->part, &seq) || seq == 0) {
        return page_fault(p, 404, TEXT_FAULT_404);
    }
    struct review_reader *r = items_open(p, err);
    struct index_reader *lines = r == NULL ? NULL : lines_reader(p, err);
    bool is_shown = lines != NULL && put_item(p, r, lines, seq, err);
    index_reader_close(lines);
    review_reader_close(r);
    return is_shown;
}

/* --- changes -------------------------------------------------------------------------- */

struct next {
    uint64_t but, found;
};

static bool take_next(void *context, const struct review_item *item, struct error *err)
{
    struct next *n = context;

    (void)err;
    if (n->found == 0 && item->item.seq != n->but) {
        n->found = item->item.seq;
    }
    return true;
}

/* The most urgent other item that is not assigned; empty: none. */
static bool find_next(struct page *p, uint64_t seq, struct span *part, struct error *err)
{
    const struct review_items_query q = {.states = REVIEW_ITEMS_NEW, .tenant = items_tenant(p),
                                         .now_ms = clock_utc_ns() / 1000000, .limit = 2};
    struct next next = {.but = seq};
    struct review_items_key ignored;
    bool has_next;
    char text[24];

    struct review_reader *r = items_open(p, err);
    bool is_read = r != NULL && review_items(r, &q, take_next, &next, &has_next, &ignored, err);
    review_reader_close(r);
    (void)snprintf(text, sizeof(text), "%llu", (unsigned long long)next.found);
    *part = span_of("", 0);
    return is_read && (next.found == 0 || arena_copy(&p->memory, span_str(text), part, err));
}

bool item_post(struct page *p, struct error *err)
{
    bool is_answer = item_disposition_of(page_field(p, "do")) != ITEM_UNDISPOSED;
    struct items_change c = {.n_items = 1, .back = path, .part = p->part, .here = path, .here_part = p->part};
    uint64_t seq;

    if (!note_read_number(p->part, &seq) || seq == 0) {
        return page_fault(p, 404, TEXT_FAULT_404);
    }
    c.items = &seq;
    if (is_answer && !find_next(p, seq, &c.part, err)) {
        return false;
    }
    if (c.part.len == 0) {
        c.back = "/queue";
    }
    return items_change(p, &c);
}
