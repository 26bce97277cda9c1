/* screen_fleet_groups.c - groups of hits over all nodes, from the proven lines of their copies; one group, which can be closed or snoozed on all of
 * its nodes: a signed order for each. A value is one group on several nodes where they have the same keys of tokens. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "console/console.h"
#include "page/fleet_view.h"
#include "page/item_parts.h"
#include "page/items.h"
#include "page/rows.h"
#include "page/screens.h"
#include "record/note_text.h"

enum { GROUPS_PAGE = 25, ORDERS_MAX = 512 };

static const char path[] = "/fleet/groups", one[] = "/fleet/groups/{id}";
static const enum text columns[] = {TEXT_GROUP, TEXT_NODES, TEXT_HITS, TEXT_OPEN, TEXT_FIRST, TEXT_LAST, TEXT_NONE},
                       columns_of_nodes[] = {TEXT_NODE, TEXT_STATE, TEXT_HITS, TEXT_OPEN, TEXT_AGENTS, TEXT_FIRST, TEXT_LAST, TEXT_NONE};

/* The groups of a node from `before` on; `next`: there are others behind. */
struct source {
    struct review_reader *reader; /* NULL: its queue cannot be read, or nothing is proven yet */
    uint64_t before, next;        /* 0: from the newest on; none */
    size_t n, at;
    struct review_group groups[GROUPS_PAGE];
};

struct sources {
    struct page *page;
    struct fleet_nodes nodes;
    struct source *list; /* of nodes */
    bool is_open;        /* groups with open items only */
};

/* --- reading ------------------------------------------------------------------------- */

static void close_all(struct sources *s)
{
    for (size_t i = 0; s->list != NULL && i < s->nodes.n; i++) {
        review_reader_close(s->list[i].reader);
    }
    free(s->list);
}

static bool open_all(struct page *p, struct sources *s, struct error *err)
{
    struct replica_place place;
    struct error why;

    *s = (struct sources){.page = p};
    if (!fleet_nodes(p, &s->nodes, err)) {
        return false;
    }
    s->list = calloc(s->nodes.n + 1, sizeof(*s->list));
    if (s->list == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "fleet: no memory");
    }
    for (size_t i = 0; i < s->nodes.n; i++) {
        if (!replica_place(&place, replicas_folder(p->request->service->replicas), s->nodes.list[i].node, err)) {
            return false;
        }
        s->list[i].reader = review_reader_open(place.review, &why);
        if (s->list[i].reader == NULL && why.kind != ERROR_NOT_FOUND) {
            fleet_nodes_set_unread(&s->nodes.list[i], &why);
        }
    }
    return true;
}

/* The group as node `i` has it; false: it has none. */
static bool group_on(const struct sources *s, size_t i, const uint8_t id[REVIEW_GROUP], struct review_group *out)
{
    struct error ignored;

    return s->list[i].reader != NULL && review_group_at(s->list[i].reader, id, items_tenant(s->page), out, &ignored);
}

/* --- the list ------------------------------------------------------------------------ */

static bool take_group(void *context, const struct review_group *g, struct error *err)
{
    struct source *s = context;

    (void)err;
    s->groups[s->n++] = *g;
    return true;
}

static void read_source(struct sources *s, size_t i)
{
    struct source *source = &s->list[i];
    const struct review_groups_query q = {.tenant = items_tenant(s->page), .is_open = s->is_open, .before = source->before, .limit = GROUPS_PAGE};
    struct error why;

    if (source->reader != NULL && !review_groups(source->reader, &q, take_group, source, &source->next, &why)) {
        source->n = 0;
        fleet_nodes_set_unread(&s->nodes.list[i], &why);
    }
}

/* The source of the latest group; nodes.n: one that goes on has to be read again first, or there is none. */
static size_t latest(const struct sources *s, bool *has_more)
{
    size_t found = s->nodes.n;

    for (size_t i = 0; i < s->nodes.n; i++) {
        const struct source *a = &s->list[i];
        if (a->at == a->n && a->next != 0) {
            *has_more = true;
            return s->nodes.n;
        }
        if (a->at < a->n && (found == s->nodes.n || a->groups[a->at].last_ms > s->list[found].groups[s->list[found].at].last_ms)) {
            found = i;
        }
    }
    return found;
}

/* Of all nodes together. A group is listed where its last hit was. */
struct sum {
    size_t n_nodes;
    bool is_here;
    struct review_group all;
};

static void add_up(const struct sources *s, size_t here, const struct review_group *g, struct sum *out)
{
    struct review_group other;

    *out = (struct sum){.n_nodes = 1, .is_here = true, .all = *g};
    for (size_t i = 0; i < s->nodes.n; i++) {
        if (i == here || !group_on(s, i, g->id, &other)) {
            continue;
        }
        bool is_listed = !s->is_open || other.n_open > 0;
        bool is_later = other.last_ms > g->last_ms || (other.last_ms == g->last_ms && i < here);
        out->is_here = out->is_here && !(is_listed && is_later);
        out->n_nodes++;
        out->all.n += other.n;
        out->all.n_open += other.n_open;
        out->all.first_ms = other.first_ms < out->all.first_ms ? other.first_ms : out->all.first_ms;
        out->all.last_ms = other.last_ms > out->all.last_ms ? other.last_ms : out->all.last_ms;
    }
}

static void put_number(struct html *h, enum text column, uint64_t n)
{
    part_number_begin(h, column);
    html_number(h, n);
    part_cell_end(h);
}

static void put_time(struct html *h, enum text column, int64_t ms)
{
    part_cell_begin(h, column);
    html_time(h, ms * 1000000);
    part_cell_end(h);
}

static void put_row(struct page *p, const struct sum *sum)
{
    const struct review_group *g = &sum->all;
    struct html *h = &p->html;

    part_row_begin(h);
    groups_put_lead(h, g, span_str("/review/fleet/groups/"));
    put_number(h, TEXT_NODES, sum->n_nodes);
    put_number(h, TEXT_HITS, g->n);
    put_number(h, TEXT_OPEN, g->n_open);
    put_time(h, TEXT_FIRST, g->first_ms);
    put_time(h, TEXT_LAST, g->last_ms);
    part_row_end(h);
}

static void put_older(const struct sources *s)
{
    fleet_older_begin(s->page, path, "show", span_str(s->is_open ? "open" : "all"));
    for (size_t i = 0; i < s->nodes.n; i++) {
        fleet_older_node(s->page, span_str(s->nodes.list[i].node), s->list[i].before);
    }
    fleet_older_end(s->page);
}

static void put_groups(struct sources *s)
{
    struct html *h = &s->page->html;
    bool has_more = false;
    struct sum sum;
    unsigned n = 0;
    size_t i;

    HTML(h, "<div class=\"panel flush\">");
    while (n < GROUPS_PAGE && (i = latest(s, &has_more)) < s->nodes.n) {
        const struct review_group *g = &s->list[i].groups[s->list[i].at++];
        s->list[i].before = g->last_seq;
        add_up(s, i, g, &sum);
        if (sum.is_here && n++ == 0) {
            part_table_begin(h, TEXT_FLEET_GROUPS, columns, false);
        }
        if (sum.is_here) {
            put_row(s->page, &sum);
        }
    }
    if (n > 0) {
        part_table_end(h);
    }
    bool has_rest = latest(s, &has_more) < s->nodes.n;
    if (has_rest || has_more) {
        put_older(s);
    } else if (n == 0) {
        part_empty(h, TEXT_EMPTY_GROUPS, TEXT_EMPTY_FLEET_HELP);
    }
    HTML(h, "</div>\n");
}

bool fleet_groups_show(struct page *p, struct error *err)
{
    struct sources s;

    bool is_shown = open_all(p, &s, err);
    s.is_open = !span_is(page_parameter(p, "show"), "all");
    const struct part_tab tabs[] = {
        {.path = path, .query = "?show=open", .text = TEXT_OPEN, .is_current = s.is_open},
        {.path = path, .query = "?show=all", .text = TEXT_ALL, .is_current = !s.is_open},
    };
    for (size_t i = 0; is_shown && i < s.nodes.n; i++) {
        is_shown = fleet_read_before(p, span_str(s.nodes.list[i].node), &s.list[i].before);
        read_source(&s, i);
    }
    if (is_shown) {
        part_tabs(&p->html, TEXT_WHICH_GROUPS, tabs, COUNT(tabs));
        put_groups(&s);
        fleet_put_nodes(p, &s.nodes);
        is_shown = fleet_record_access(p, "list", 0, span_of(NULL, 0), span_str("*"), err);
    }
    close_all(&s);
    return is_shown;
}

/* --- one group ------------------------------------------------------------------------ */

static void put_node(struct page *p, const char *node, const struct review_group *g)
{
    static const enum text states[REVIEW_GROUP_STATES] = {TEXT_OPEN, TEXT_CLOSED, TEXT_SNOOZED};
    struct html *h = &p->html;

    part_row_begin(h);
    part_lead_begin(h);
    html_name(h, span_str(node));
    part_lead_end(h);
    part_cell_begin(h, TEXT_STATE);
    html_word(h, g->state < REVIEW_GROUP_STATES ? states[g->state] : TEXT_NONE);
    if (g->state == REVIEW_GROUP_CLOSED) {
        HTML(h, "<small>");
        part_disposition(h, g->disposition);
        HTML(h, "</small>");
    }
    part_cell_end(h);
    put_number(h, TEXT_HITS, g->n);
    put_number(h, TEXT_OPEN, g->n_open);
    put_number(h, TEXT_AGENTS, g->n_agents);
    put_time(h, TEXT_FIRST, g->first_ms);
    put_time(h, TEXT_LAST, g->last_ms);
    part_row_end(h);
}

static bool put_orders(struct page *p, const uint8_t id[REVIEW_GROUP], struct error *err)
{
    struct fleet_review *all = arena_array(&p->memory, ORDERS_MAX, sizeof(*all), err);
    bool has_some = false;

    size_t n = all == NULL ? 0 : fleet_reviews(p->request->service->fleet, span_of("", 0), all, ORDERS_MAX);
    for (size_t i = 0; i < n; i++) {
        if (all[i].item == 0 && all[i].request[0] == '\0' && memcmp(all[i].group, id, REVIEW_GROUP) == 0) {
            if (!has_some) {
                fleet_orders_begin(p);
            }
            has_some = true;
            fleet_put_order(p, &all[i], true);
        }
    }
    if (has_some) {
        fleet_orders_end(p);
    }
    return all != NULL;
}

static void put_head(struct page *p, const struct review_group *g)
{
    struct html *h = &p->html;
    char id[REVIEW_GROUP_TEXT + 1];

    review_group_text(g->id, id);
    HTML(h, "<p><a rel=\"up\" href=\"/review/fleet/groups\">");
    html_word(h, TEXT_FLEET_GROUPS);
    HTML(h, "</a> / <b>");
    part_name(h, span_str(g->rule));
    HTML(h, "</b> · <a href=\"/review/fleet?group=");
    html_url(h, span_str(id));
    HTML(h, "\">");
    html_word(h, TEXT_OPEN_ITEMS);
    HTML(h, "</a></p>\n");
}

/* NOT_FOUND: no node has it. */
static bool put_group(struct sources *s, const uint8_t id[REVIEW_GROUP], struct error *err)
{
    struct page *p = s->page;
    struct html *h = &p->html;
    struct review_group g;
    bool has_some = false, has_open = false, is_settled = false;

    for (size_t i = 0; i < s->nodes.n; i++) {
        if (!group_on(s, i, id, &g)) {
            continue;
        }
        if (!has_some) {
            put_head(p, &g);
            HTML(h, "<div class=\"panel flush\">");
            part_table_begin(h, TEXT_GROUP, columns_of_nodes, false);
        }
        has_some = true;
        has_open = has_open || g.n_open > 0;
        is_settled = is_settled || g.state != REVIEW_GROUP_OPEN;
        put_node(p, s->nodes.list[i].node, &g);
    }
    if (!has_some) {
        return page_fault(p, 404, TEXT_FAULT_404);
    }
    part_table_end(h);
    HTML(h, "</div>\n");
    if (!put_orders(p, id, err)) {
        return false;
    }
    if (console_can_decide(p->request->service)) {
        item_parts_group_answers(p, one, has_open, is_settled);
    } else {
        HTML(h, "<p class=\"muted\">");
        html_word(h, TEXT_NO_CONSOLE);
        HTML(h, "</p>\n");
    }
    fleet_put_nodes(p, &s->nodes);
    return fleet_record_access(p, "list", 0, span_of(NULL, 0), span_str("*"), err);
}

bool fleet_group_show(struct page *p, struct error *err)
{
    uint8_t id[REVIEW_GROUP];
    struct sources s;

    if (!review_group_parse(p->part, id)) {
        return page_fault(p, 404, TEXT_FAULT_404);
    }
    bool is_shown = open_all(p, &s, err) && put_group(&s, id, err);
    close_all(&s);
    return is_shown;
}

/* --- decisions --------------------------------------------------------------------------- */

/* Whether the step is one for the group in this state; what came meanwhile the node sees. */
static bool is_for(const struct review_request *q, const struct review_group *g)
{
    return q->verb == ITEM_REOPEN ? g->state != REVIEW_GROUP_OPEN : q->verb == ITEM_SNOOZE || g->n_open > 0;
}

struct placing {
    unsigned n, n_placed, status;
};

static void decide(const struct sources *s, const uint8_t id[REVIEW_GROUP], const struct review_request *q, struct placing *out)
{
    struct console_answer answer;
    struct review_group g;

    for (size_t i = 0; i < s->nodes.n && out->status != 503; i++) {
        if (group_on(s, i, id, &g) && is_for(q, &g)) {
            const struct console_item item = {.node = span_str(s->nodes.list[i].node), .group = id};
            console_decide(s->page->request->service, &s->page->caller, &item, q, false, &answer);
            out->n++;
            out->n_placed += answer.status == 200 || answer.status == 202 || answer.status == 409;
            out->status = answer.status;
        }
    }
}

bool fleet_group_post(struct page *p, struct error *err)
{
    static const struct page_status faults[] = {{403, TEXT_FAULT_403}, {422, TEXT_FAULT_422}, {0, TEXT_FAULT_NOT_PLACED}};
    struct review_request q = {.verb = ITEM_NO_VERB};
    struct placing placing = {.status = 200};
    uint8_t id[REVIEW_GROUP];
    struct sources s;

    if (!review_group_parse(p->part, id)) {
        return page_fault(p, 404, TEXT_FAULT_404);
    }
    if (!items_read_step(p, &q) || (q.verb != ITEM_DISPOSE && q.verb != ITEM_SNOOZE && q.verb != ITEM_REOPEN)) {
        return page_fault(p, 422, TEXT_FAULT_422);
    }
    bool is_open = open_all(p, &s, err);
    if (is_open) {
        decide(&s, id, &q, &placing);
    }
    close_all(&s);
    if (!is_open) {
        return false;
    }
    if (placing.n_placed > 0) {
        return page_redirect(p, one, p->part, placing.n_placed == placing.n ? TEXT_NOTICE_ORDERED_ALL : TEXT_NOTICE_ORDERED_SOME);
    }
    return placing.n == 0 ? page_fault(p, 404, TEXT_FAULT_404) : page_fault_of(p, placing.status, faults);
}
