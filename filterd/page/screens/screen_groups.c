/* screen_groups.c - groups of hits; one group with its items, which can be closed or snoozed as a whole. */
#include "base/clock.h"
#include "page/chart.h"
#include "page/item_parts.h"
#include "page/items.h"
#include "page/rows.h"
#include "page/screens.h"
#include "service/reviews.h"

enum { GROUPS_PAGE = 25, GROUP_ITEMS = 25 };

static const char path[] = "/groups", one[] = "/groups/{id}";
static const enum text columns[] = {TEXT_GROUP, TEXT_STATE, TEXT_HITS, TEXT_OPEN, TEXT_AGENTS, TEXT_FIRST,
                                    TEXT_LAST,  TEXT_TREND, TEXT_NONE};

/* --- the list ------------------------------------------------------------------------ */

struct groups {
    struct page *page;
    struct review_reader *reader;
    int64_t now_ms;
    bool has_some;
};

static void put_state(struct html *h, const struct review_group *g)
{
    static const enum text states[REVIEW_GROUP_STATES] = {TEXT_OPEN, TEXT_CLOSED, TEXT_SNOOZED};

    html_word(h, g->state < REVIEW_GROUP_STATES ? states[g->state] : TEXT_NONE);
    if (g->state == REVIEW_GROUP_CLOSED) {
        HTML(h, "<small>");
        part_disposition(h, g->disposition);
        HTML(h, "</small>");
    }
}

static void put_numbers(struct html *h, const struct review_group *g)
{
    part_number_begin(h, TEXT_HITS);
    html_number(h, g->n);
    part_cell_end(h);
    part_number_begin(h, TEXT_OPEN);
    html_number(h, g->n_open);
    part_cell_end(h);
    part_number_begin(h, TEXT_AGENTS);
    html_number(h, g->n_agents);
    part_cell_end(h);
    part_cell_begin(h, TEXT_FIRST);
    html_time(h, g->first_ms * 1000000);
    part_cell_end(h);
    part_cell_begin(h, TEXT_LAST);
    html_time(h, g->last_ms * 1000000);
    part_cell_end(h);
}

void groups_put_lead(struct html *h, const struct review_group *g, struct span address)
{
    char id[REVIEW_GROUP_TEXT + 1];

    review_group_text(g->id, id);
    part_lead_begin(h);
    HTML(h, "<a class=\"rule\" href=\"");
    html_text(h, address);
    html_url(h, span_str(id));
    HTML(h, "\">");
    part_name(h, span_str(g->rule));
    HTML(h, "</a><small><span class=\"id\">");
    html_text(h, span_of(id, 8));
    HTML(h, "</span> ");
    part_name(h, span_str(g->tenant));
    HTML(h, "</small>");
    part_lead_end(h);
}

void groups_row(struct html *h, const struct review_group *g, const uint64_t trend[REVIEW_DAYS])
{
    part_row_begin(h);
    groups_put_lead(h, g, span_str("/review/groups/"));
    part_cell_begin(h, TEXT_STATE);
    put_state(h, g);
    part_cell_end(h);
    put_numbers(h, g);
    part_cell_begin(h, TEXT_TREND);
    chart_spark(h, trend, REVIEW_DAYS, TEXT_CHART_TREND);
    part_cell_end(h);
    part_row_end(h);
}

static bool take_group(void *context, const struct review_group *g, struct error *err)
{
    struct groups *list = context;
    uint64_t trend[REVIEW_DAYS];

    if (!list->has_some) {
        part_table_begin(&list->page->html, TEXT_GROUPS, columns, false);
        list->has_some = true;
    }
    if (!review_group_trend(list->reader, g->row, list->now_ms, trend, err)) {
        return false;
    }
    groups_row(&list->page->html, g, trend);
    return true;
}

static void put_next(struct html *h, uint64_t next, bool is_open)
{
    HTML(h, "<p class=\"pages\"><a class=\"button\" rel=\"next\" href=\"/review/groups?before=");
    html_id(h, next);
    if (is_open) {
        HTML(h, "&amp;show=open");
    }
    HTML(h, "\">");
    html_word(h, TEXT_OLDER);
    HTML(h, "</a></p>");
}

static bool put_groups(struct page *p, struct review_reader *r, struct error *err)
{
    struct groups list = {.page = p, .reader = r, .now_ms = clock_utc_ns() / 1000000};
    struct review_groups_query q = {.tenant = items_tenant(p), .is_open = !span_is(page_parameter(p, "show"), "all"), .limit = GROUPS_PAGE};
    const struct part_tab tabs[] = {
        {.path = path, .query = "?show=open", .text = TEXT_OPEN, .is_current = q.is_open},
        {.path = path, .query = "?show=all", .text = TEXT_ALL, .is_current = !q.is_open},
    };
    uint64_t next;

    (void)page_parameter_number(p, "before", &q.before);
    part_tabs(&p->html, TEXT_WHICH_GROUPS, tabs, COUNT(tabs));
    HTML(&p->html, "<div class=\"panel flush\">");
    if (!review_groups(r, &q, take_group, &list, &next, err)) {
        return false;
    }
    if (list.has_some) {
        part_table_end(&p->html);
    } else {
        part_empty(&p->html, TEXT_EMPTY_GROUPS, TEXT_EMPTY_GROUPS_HELP);
    }
    if (next > 0) {
        put_next(&p->html, next, q.is_open);
    }
    HTML(&p->html, "</div>\n");
    part_keys(&p->html);
    return page_record_access(p, "list", 0, span_of(NULL, 0), err);
}

bool groups_show(struct page *p, struct error *err)
{
    struct review_reader *r = items_open(p, err);
    bool is_shown = r != NULL && put_groups(p, r, err);

    review_reader_close(r);
    return is_shown;
}

/* --- one group ------------------------------------------------------------------------ */

struct group_items {
    struct page *page;
    int64_t now_ms;
    bool has_some;
};

static bool take_item(void *context, const struct review_item *item, struct error *err)
{
    struct group_items *list = context;

    (void)err;
    if (!list->has_some) {
        part_table_begin(&list->page->html, TEXT_OPEN_ITEMS, items_columns, false);
        list->has_some = true;
    }
    items_row(list->page, item, list->now_ms, false);
    return true;
}

static bool put_items(struct page *p, struct review_reader *r, const struct review_group *g, struct error *err)
{
    struct group_items list = {.page = p, .now_ms = clock_utc_ns() / 1000000};
    const struct review_items_query q = {.tenant = items_tenant(p), .group = g->id, .now_ms = list.now_ms, .limit = GROUP_ITEMS};
    struct review_items_key next;
    bool has_next;

    HTML(&p->html, "<section class=\"panel flush\"><h2>");
    html_word(&p->html, TEXT_OPEN_ITEMS);
    HTML(&p->html, "</h2>");
    if (!review_items(r, &q, take_item, &list, &has_next, &next, err)) {
        return false;
    }
    if (list.has_some) {
        part_table_end(&p->html);
    } else {
        part_empty(&p->html, TEXT_EMPTY_OPEN, TEXT_EMPTY_GROUP_HELP);
    }
    HTML(&p->html, "</section>\n");
    return true;
}

static bool put_group(struct page *p, struct review_reader *r, const struct review_group *g, struct error *err)
{
    uint64_t trend[REVIEW_DAYS];
    struct html *h = &p->html;

    if (!review_group_trend(r, g->row, clock_utc_ns() / 1000000, trend, err)) {
        return false;
    }
    HTML(h, "<p><a rel=\"up\" href=\"/review/groups\">");
    html_word(h, TEXT_GROUPS);
    HTML(h, "</a> / <b>");
    part_name(h, span_str(g->rule));
    HTML(h, "</b></p>\n");
    part_recorded(p);
    HTML(h, "<div class=\"panel flush\">");
    part_table_begin(h, TEXT_GROUP, columns, false);
    groups_row(h, g, trend);
    part_table_end(h);
    HTML(h, "</div>\n");
    item_parts_group_answers(p, one, g->n_open > 0, g->state != REVIEW_GROUP_OPEN);
    if (!put_items(p, r, g, err)) {
        return false;
    }
    part_keys(h);
    return page_record_access(p, "list", 0, span_of(NULL, 0), err);
}

bool group_show(struct page *p, struct error *err)
{
    uint8_t id[REVIEW_GROUP];
    struct review_group g;

    if (!review_group_parse(p->part, id)) {
        return page_fault(p, 404, TEXT_FAULT_404);
    }
    struct review_reader *r = items_open(p, err);
    bool is_shown = r != NULL && review_group_at(r, id, items_tenant(p), &g, err) && put_group(p, r, &g, err);
    review_reader_close(r);
    return is_shown;
}

bool group_post(struct page *p, struct error *err)
{
    struct items_change c = {.has_group = true, .back = one, .part = p->part, .here = one, .here_part = p->part};

    (void)err;
    return review_group_parse(p->part, c.group) ? items_change(p, &c) : page_fault(p, 404, TEXT_FAULT_404);
}
