/* screen_records.c - lines that match a query, newest first, with a chart; one line of any type. */
#include "base/clock.h"
#include "page/items.h"
#include "page/line_parts.h"
#include "page/rows.h"
#include "page/screens.h"
#include "record/note_text.h"
#include "service/reviews.h"

enum { RECORDS_PAGE = 25 };

static const char path[] = "/records";
static const enum text columns[] = {TEXT_LINE, TEXT_VERDICT, TEXT_RULE, TEXT_FROM, TEXT_WHEN, TEXT_NONE};

/* --- the lines ---------------------------------------------------------------------- */

struct list {
    struct page *page;
    bool has_some;
};

void records_row(struct html *h, const struct line_view *l)
{
    part_row_begin(h);
    part_lead_begin(h);
    HTML(h, "<a class=\"rule\" href=\"/review/records/");
    html_id(h, l->seq);
    HTML(h, "\">");
    html_number(h, l->seq);
    HTML(h, "</a><small>");
    html_text(h, l->type);
    HTML(h, "</small>");
    part_lead_end(h);
    part_cell_begin(h, TEXT_VERDICT);
    if (l->action.len > 0) {
        part_verdict(h, index_action_number(l->action));
    }
    part_cell_end(h);
    part_cell_begin(h, TEXT_RULE);
    part_name(h, l->rule.len > 0 ? l->rule : l->event.len > 0 ? l->event : l->what);
    part_cell_end(h);
    part_cell_begin(h, TEXT_FROM);
    HTML(h, "<span>");
    part_name(h, l->agent.len > 0 ? l->agent : l->by);
    HTML(h, "</span>");
    if (l->tenant.len + l->app.len > 0) {
        HTML(h, "<small>");
        part_name(h, l->tenant);
        HTML(h, " / ");
        part_name(h, l->app);
        HTML(h, "</small>");
    }
    part_cell_end(h);
    part_cell_begin(h, TEXT_WHEN);
    html_time(h, l->ts_ns);
    part_cell_end(h);
    part_row_end(h);
}

static bool take_line(void *context, uint64_t seq, struct span line, struct error *err)
{
    struct list *list = context;
    struct page *p = list->page;
    struct arena memory;

    (void)seq;
    arena_init(&memory, 0, INDEX_LINE_MEMORY);
    const struct line_view *view = line_view_read(line, &memory, err);
    if (view != NULL && !list->has_some) {
        part_table_begin(&p->html, TEXT_RECORDS, columns, false);
        list->has_some = true;
    }
    if (view != NULL) {
        records_row(&p->html, view);
    }
    arena_deinit(&memory);
    return view != NULL;
}

static void put_end(struct list *list, struct span query, uint64_t next)
{
    struct html *h = &list->page->html;

    if (list->has_some) {
        part_table_end(h);
    } else if (next == 0) {
        part_empty(h, TEXT_EMPTY_RECORDS, TEXT_EMPTY_RECORDS_HELP);
    } else {
        part_empty(h, TEXT_SEARCH_GOES_ON, TEXT_SEARCH_GOES_ON_HELP);
    }
    if (next > 0) {
        HTML(h, "<p class=\"pages\"><a class=\"button\" rel=\"next\" href=\"/review/records?query=");
        html_url(h, query);
        HTML(h, "&amp;before=");
        html_id(h, next);
        HTML(h, "\">");
        html_word(h, TEXT_OLDER);
        HTML(h, "</a></p>");
    }
}

static const struct {
    const char *query, *address;
    enum text text;
} kinds[] = {
    {"type:decision", "?query=type%3Adecision", TEXT_DECISIONS},
    {"action:block,redact", "?query=action%3Ablock%2Credact", TEXT_HELD},
    {"type:agent", "?query=type%3Aagent", TEXT_EVENTS},
    {"seq:1..", "?query=seq%3A1..", TEXT_ALL},
};

static void put_kinds(struct page *p, struct span query)
{
    struct part_tab tabs[COUNT(kinds)];

    for (size_t i = 0; i < COUNT(kinds); i++) {
        tabs[i] = (struct part_tab){.path = path, .query = kinds[i].address, .text = kinds[i].text,
                                    .is_current = span_is(query, kinds[i].query)};
    }
    part_tabs(&p->html, TEXT_WHICH_LINES, tabs, COUNT(tabs));
}

static bool put_lines(struct page *p, struct index_reader *r, const struct query *query, struct error *err)
{
    struct list list = {.page = p};
    struct index_page page = {.query = query, .limit = RECORDS_PAGE, .take = take_line, .context = &list};
    uint64_t next;

    (void)page_parameter_number(p, "before", &page.before);
    if (page.before == 0 && page_parameter(p, "query").len == 0 && !hours_show(p, r, span_of(NULL, 0), err)) {
        return false;
    }
    HTML(&p->html, "<div class=\"panel flush\">");
    if (!index_find(r, &page, &next, err)) {
        return false;
    }
    put_end(&list, query_canonical(query), next);
    HTML(&p->html, "</div>\n");
    part_keys(&p->html);
    return page_record_access(p, "list", 0, query_canonical(query), err);
}

/* Shows an invalid query again, with the position of the error. */
static bool put_mistake(struct page *p, const struct error *why)
{
    HTML(&p->html, "<p class=\"notice fault\" role=\"alert\">");
    html_text(&p->html, span_str(why->text));
    HTML(&p->html, "</p>\n");
    part_empty(&p->html, TEXT_QUERY_HELP_TITLE, TEXT_QUERY_HELP);
    return true;
}

static bool show_lines(struct page *p, const struct query *query, struct error *err)
{
    struct index_reader *r = lines_reader(p, err);
    bool is_shown = r != NULL && put_lines(p, r, query, err);
    index_reader_close(r);
    return is_shown;
}

bool records_show(struct page *p, struct error *err)
{
    struct span text = page_parameter(p, "query");
    struct error why;

    /* The query is recorded, so it must not contain a secret. */
    if (!page_judge(p, &text)) {
        return false;
    }
    text = text.len == 0 ? span_str(kinds[0].query) : text;
    part_search(p, path, text);
    put_kinds(p, text);
    struct query *query = access_query(&p->caller, text, clock_utc_ns(), &why);
    if (query == NULL) {
        return put_mistake(p, &why);
    }
    bool is_shown = show_lines(p, query, err);
    query_free(query);
    return is_shown;
}

/* --- one line ------------------------------------------------------------------- */

static void put_item_link(struct page *p, uint64_t seq)
{
    struct html *h = &p->html;

    HTML(h, "<a class=\"button\" href=\"/review/items/");
    html_id(h, seq);
    HTML(h, "\">");
    html_word(h, TEXT_TO_ITEM);
    HTML(h, "</a>");
}

/* The verdict may be shown: not for an open sample. */
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

static void put_record(struct page *p, const struct line_view *l, bool is_item)
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
    put_record(p, l, is_item);
    return page_record_access(p, "record", seq, span_of(NULL, 0), err);
}
