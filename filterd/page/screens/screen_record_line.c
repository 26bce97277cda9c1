/* screen_record_line.c - one line of the record, whatever its type: what it says, where more like it is, the line as written. */
#include "page/items.h"
#include "page/line_parts.h"
#include "page/screens.h"
#include "record/note_text.h"
#include "service/reviews.h"

static void put_item_link(struct page *p, uint64_t seq)
{
    struct html *h = &p->html;

    HTML(h, "<a class=\"button\" href=\"/review/items/");
    html_id(h, seq);
    HTML(h, "\">");
    html_word(h, TEXT_TO_ITEM);
    HTML(h, "</a>");
}

/* It may be shown: a sample that is to be judged blind is not, until it was. */
static bool is_blind(struct page *p, uint64_t seq, bool *is_item)
{
    struct review_item item;
    struct error ignored;
    struct review_reader *r = reviews_open(p->request->service, &ignored);

    *is_item = r != NULL && review_item_at(r, seq, items_tenant(p), &item, &ignored);
    review_reader_close(r);
    return *is_item && items_is_blind(&item) && caller_has(&p->caller, ROLE_REVIEWER);
}

static void put_head(struct page *p, const struct line_view *l, bool is_item)
{
    struct html *h = &p->html;

    HTML(h, "<div class=\"head\"><p><a rel=\"up\" href=\"/review/records\">");
    html_word(h, TEXT_RECORDS);
    HTML(h, "</a> / ");
    html_id(h, l->seq);
    HTML(h, " · ");
    html_text(h, l->type);
    HTML(h, "</p><p class=\"row\">");
    if (l->action.len > 0) {
        part_verdict(h, index_action_number(l->action));
    }
    if (is_item || l->item > 0) {
        put_item_link(p, is_item ? l->seq : l->item);
    }
    HTML(h, "</p></div>\n");
}

static void put_line(struct page *p, const struct line_view *l, bool is_item)
{
    struct html *h = &p->html;

    put_head(p, l, is_item);
    HTML(h, "<div class=\"columns\">");
    if (span_is(l->type, "decision") && l->n_channels > 0) {
        line_parts_put_found(p, l);
    }
    line_parts_put_facts(p, l, false);
    HTML(h, "<section class=\"panel\"><h2>");
    html_word(h, TEXT_ALSO);
    HTML(h, "</h2>");
    line_parts_put_links(p, l);
    HTML(h, "<h3>");
    html_word(h, TEXT_PROVE);
    HTML(h, "</h3><code class=\"code\">filterctl record prove ");
    html_id(h, l->seq);
    HTML(h, "</code></section></div>\n");
    line_parts_put_raw(p, l);
    part_keys(h);
}

bool record_line_show(struct page *p, struct error *err)
{
    bool is_item;
    uint64_t seq;

    if (!note_read_number(p->part, &seq) || seq == 0) {
        return page_fault(p, 404, TEXT_FAULT_404);
    }
    if (is_blind(p, seq, &is_item)) {
        return page_redirect(p, "/items/{seq}", p->part, TEXT_NONE);
    }
    struct index_reader *r = lines_reader(p, err);
    const struct line_view *l = r == NULL ? NULL : line_parts_read(p, r, seq, err);
    index_reader_close(r);
    if (l == NULL) {
        return false;
    }
    put_line(p, l, is_item);
    return page_record_access(p, "record", seq, span_of(NULL, 0), err);
}
