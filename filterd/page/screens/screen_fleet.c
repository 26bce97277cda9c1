/* screen_fleet.c - the queues of all nodes as one, most urgent first, from the proven lines of their copies; and the lines behind. */
#include "base/clock.h"
#include "page/fleet_view.h"
#include "page/items.h"
#include "page/screens.h"
#include "record/note_text.h"

enum { FLEET_PAGE = 25, REST_LINES = 500, REST_SHOWN = 50, ROUNDS_MAX = 20, CANDIDATE_MEMORY = 256 * 1024 };

static const char path[] = "/fleet";

/* --- which items ------------------------------------------------------------------- */

static const struct tab {
    const char *name, *query;
    enum text text;
    enum review_states states;
    bool is_mine, is_overdue;
} tabs[] = {
    {"open", "?show=open", TEXT_OPEN, REVIEW_ITEMS_OPEN, false, false},
    {"mine", "?show=mine", TEXT_MINE, REVIEW_ITEMS_CLAIMED, true, false},
    {"overdue", "?show=overdue", TEXT_OVERDUE_ITEMS, REVIEW_ITEMS_OPEN, false, true},
    {"closed", "?show=closed", TEXT_CLOSED, REVIEW_ITEMS_CLOSED, false, false},
};

/* An item, with its place in the order of all: most urgent first, then by node and number. */
struct place {
    int64_t rank; /* the negated priority */
    struct span node;
    uint64_t seq;
};

struct row {
    struct place place;
    enum node_copy_proof how;
    struct review_item item;
};

struct fleet_queue {
    struct page *page;
    const struct tab *tab;
    struct fleet_nodes nodes;
    struct review_items_query query;
    bool has_after;
    struct place after;
    struct row *rows; /* FLEET_PAGE + 1: whether there are more, too */
    size_t n;
    struct span node; /* that is read */
};

static int compare(const struct place *a, const struct place *b)
{
    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    size_t len = a->node.len < b->node.len ? a->node.len : b->node.len;
    int by_node = len == 0 ? 0 : memcmp(a->node.ptr, b->node.ptr, len);
    by_node = by_node != 0 ? by_node : (a->node.len > b->node.len) - (a->node.len < b->node.len);
    return by_node != 0 ? by_node : (a->seq > b->seq) - (a->seq < b->seq);
}

/* "341.web-2.17" */
static bool read_after(struct span text, struct place *out)
{
    const char *first = text.len == 0 ? NULL : memchr(text.ptr, '.', text.len), *last = text.len == 0 ? NULL : memrchr(text.ptr, '.', text.len);
    uint64_t priority;

    if (first == NULL || last == first || !note_read_number(span_of(text.ptr, (size_t)(first - text.ptr)), &priority) || priority > INT32_MAX ||
        !note_read_number(span_of(last + 1, (size_t)(text.ptr + text.len - last) - 1), &out->seq)) {
        return false;
    }
    out->rank = -(int64_t)priority;
    out->node = span_of(first + 1, (size_t)(last - first) - 1);
    return true;
}

static bool read_queue(struct page *p, struct fleet_queue *q, struct error *err)
{
    struct span show = page_parameter(p, "show"), after = page_parameter(p, "after"), rule = page_parameter(p, "rule");

    *q = (struct fleet_queue){.page = p, .tab = &tabs[0]};
    for (size_t i = 0; i < COUNT(tabs); i++) {
        q->tab = span_is(show, tabs[i].name) ? &tabs[i] : q->tab;
    }
    q->query = (struct review_items_query){.states = q->tab->states, .tenant = items_tenant(p), .is_overdue = q->tab->is_overdue,
                                           .now_ms = clock_utc_ns() / 1000000, .limit = FLEET_PAGE + 1};
    if (q->tab->is_mine) {
        q->query.assignee = span_str(p->caller.name);
    }
    if (rule.len > 0) {
        q->query.rule = rule;
    }
    q->has_after = after.len > 0;
    if (q->has_after && !read_after(after, &q->after)) {
        return page_fault(p, 422, TEXT_FAULT_422);
    }
    q->rows = arena_array(&p->memory, FLEET_PAGE + 1, sizeof(*q->rows), err);
    return q->rows != NULL && fleet_nodes(p, &q->nodes, err);
}

/* --- reading ------------------------------------------------------------------------ */

/* Keeps the first of all nodes, in order. */
static bool take_item(void *context, const struct review_item *item, struct error *err)
{
    struct fleet_queue *q = context;
    const struct place place = {.rank = -(int64_t)item->priority.total, .node = q->node, .seq = item->item.seq};
    size_t at = q->n < FLEET_PAGE + 1 ? q->n : FLEET_PAGE;

    (void)err;
    if ((q->has_after && compare(&place, &q->after) <= 0) || (q->n == FLEET_PAGE + 1 && compare(&place, &q->rows[at].place) >= 0)) {
        return true;
    }
    q->n += q->n < FLEET_PAGE + 1;
    for (; at > 0 && compare(&place, &q->rows[at - 1].place) < 0; at--) {
        q->rows[at] = q->rows[at - 1];
    }
    q->rows[at] = (struct row){.place = place, .item = *item};
    return true;
}

/* From the first of the same rank on: what comes before the place is left out above. */
static bool read_items(struct fleet_queue *q, const char *review, struct error *err)
{
    struct review_items_query query = q->query;
    struct review_reader *r = review_reader_open(review, err);
    bool has_next = true, is_read = r != NULL;

    query.has_after = q->has_after;
    query.after = (struct review_items_key){.rank = q->after.rank, .seq = 0};
    for (unsigned i = 0; is_read && has_next && i < ROUNDS_MAX; i++) {
        is_read = review_items(r, &query, take_item, q, &has_next, &query.after, err);
        query.has_after = true;
        /* What follows is behind all that is kept. */
        has_next = has_next && (q->n < FLEET_PAGE + 1 || query.after.rank <= q->rows[FLEET_PAGE].place.rank);
    }
    review_reader_close(r);
    return is_read || err->kind == ERROR_NOT_FOUND; /* nothing is proven yet */
}

static bool place_of(struct page *p, const struct node_copy_state *s, struct node_copy_place *out, struct error *err)
{
    return node_copy_place(out, node_copies_folder(p->request->service->copies), s->node, err);
}

static bool read_all(struct fleet_queue *q, struct error *err)
{
    struct node_copy_place place;

    for (size_t i = 0; i < q->nodes.n; i++) {
        q->node = span_str(q->nodes.list[i].node);
        if (!place_of(q->page, &q->nodes.list[i], &place, err) || !read_items(q, place.review, err)) {
            return false;
        }
    }
    return true;
}

static const struct node_copy_state *state_of(const struct fleet_queue *q, struct span node)
{
    for (size_t i = 0; i < q->nodes.n; i++) {
        if (span_is(node, q->nodes.list[i].node)) {
            return &q->nodes.list[i];
        }
    }
    return NULL;
}

/* Each line that is shown is compared with what its node has signed, now. */
static void prove(const struct fleet_queue *q, struct row *row)
{
    const struct node_copy_state *state = state_of(q, row->place.node);
    struct node_copy_place place;
    struct error ignored;
    struct buf line;

    buf_init(&line, TREE_LEAF_MAX + 1);
    row->how = NODE_COPY_BROKEN;
    (void)!(place_of(q->page, state, &place, &ignored) && node_copy_line(&place, state, row->item.item.seq, &line, &row->how, NULL, &ignored));
    buf_deinit(&line);
}

/* --- what is shown -------------------------------------------------------------------- */

static void put_row(struct fleet_queue *q, const struct row *row)
{
    struct page *p = q->page;
    struct html *h = &p->html;

    part_row_begin(h);
    part_lead_begin(h);
    items_put_name(p, &row->item);
    HTML(h, "<small>");
    fleet_put_link(p, row->place.node, row->item.item.seq);
    HTML(h, "</small>");
    part_lead_end(h);
    part_cell_begin(h, TEXT_PROOF);
    fleet_put_proof(p, row->how);
    part_cell_end(h);
    part_number_begin(h, TEXT_PRIORITY);
    html_number(h, row->item.priority.total);
    part_cell_end(h);
    items_put_verdict(p, &row->item);
    items_put_from(p, &row->item);
    items_put_state(p, &row->item, q->query.now_ms);
    part_row_end(h);
}

static void put_next(struct fleet_queue *q)
{
    const struct place *last = &q->rows[FLEET_PAGE - 1].place;
    struct html *h = &q->page->html;

    HTML(h, "<p class=\"pages\"><a class=\"button\" rel=\"next\" href=\"/review/fleet?show=");
    html_url(h, span_str(q->tab->name));
    if (q->query.rule.len > 0) {
        HTML(h, "&amp;rule=");
        html_url(h, q->query.rule);
    }
    HTML(h, "&amp;after=");
    html_id(h, (uint64_t)-last->rank);
    HTML(h, ".");
    html_url(h, last->node);
    HTML(h, ".");
    html_id(h, last->seq);
    HTML(h, "\">");
    html_word(h, TEXT_LESS_URGENT);
    HTML(h, "</a></p>");
}

static void put_items(struct fleet_queue *q)
{
    static const enum text columns[] = {TEXT_ITEM, TEXT_PROOF, TEXT_PRIORITY, TEXT_VERDICT, TEXT_CONFIDENCE, TEXT_FROM, TEXT_WHEN, TEXT_DUE, TEXT_HOLDER, TEXT_NONE};
    struct page *p = q->page;
    struct html *h = &p->html;
    struct part_tab shown[COUNT(tabs)];

    for (size_t i = 0; i < COUNT(tabs); i++) {
        shown[i] = (struct part_tab){.path = path, .query = tabs[i].query, .text = tabs[i].text, .is_current = q->tab == &tabs[i]};
    }
    part_tabs(h, TEXT_WHICH_ITEMS, shown, COUNT(shown));
    HTML(h, "<div class=\"panel flush\">");
    if (q->n == 0) {
        part_empty(h, TEXT_EMPTY_FLEET, TEXT_EMPTY_FLEET_HELP);
    } else {
        part_table_begin(h, TEXT_QUEUE, columns, false);
        for (size_t i = 0; i < q->n && i < FLEET_PAGE; i++) {
            prove(q, &q->rows[i]);
            put_row(q, &q->rows[i]);
        }
        part_table_end(h);
    }
    if (q->n > FLEET_PAGE) {
        put_next(q);
    }
    HTML(h, "</div>\n");
}

/* --- lines that are not proven ---------------------------------------------------------- */

struct rest {
    struct page *page;
    struct span node;
    struct arena memory;
    unsigned n;
};

/* Those that would be items; of a node that is broken, all. */
static bool take_rest(void *context, uint64_t seq, struct span line, enum node_copy_proof how, struct error *err)
{
    static const enum text columns[] = {TEXT_LINE, TEXT_PROOF, TEXT_RULE, TEXT_AGENT, TEXT_NONE};
    struct rest *rest = context;
    struct html *h = &rest->page->html;
    struct review_candidate c = {.seq = 0};

    (void)err;
    arena_reset(&rest->memory);
    bool is_item = review_candidate_read(line, &rest->memory, &c);
    if (rest->n == REST_SHOWN || (!is_item && how != NODE_COPY_BROKEN) || !fleet_may_see(rest->page, line)) {
        return true;
    }
    if (rest->n++ == 0) {
        HTML(h, "<section class=\"panel flush\"><h2>");
        html_word(h, TEXT_NOT_PROVEN);
        HTML(h, "</h2>");
        part_table_begin(h, TEXT_NOT_PROVEN, columns, false);
    }
    part_row_begin(h);
    part_lead_begin(h);
    fleet_put_link(rest->page, rest->node, seq);
    part_lead_end(h);
    part_cell_begin(h, TEXT_PROOF);
    fleet_put_proof(rest->page, how);
    part_cell_end(h);
    part_cell_begin(h, TEXT_RULE);
    if (!review_why_is_blind(c.why)) {
        part_name(h, c.rule);
    }
    part_cell_end(h);
    part_cell_begin(h, TEXT_AGENT);
    part_name(h, c.agent);
    part_cell_end(h);
    part_row_end(h);
    return true;
}

static bool put_rest(struct fleet_queue *q, struct error *err)
{
    struct rest rest = {.page = q->page};
    struct node_copy_place place;
    bool is_put = true;

    arena_init(&rest.memory, 0, CANDIDATE_MEMORY);
    for (size_t i = 0; is_put && i < q->nodes.n; i++) {
        rest.node = span_str(q->nodes.list[i].node);
        is_put = place_of(q->page, &q->nodes.list[i], &place, err) && node_copy_rest(&place, &q->nodes.list[i], REST_LINES, take_rest, &rest, err);
    }
    arena_deinit(&rest.memory);
    if (rest.n > 0) {
        part_table_end(&q->page->html);
        HTML(&q->page->html, "</section>\n");
    }
    return is_put;
}

bool fleet_show(struct page *p, struct error *err)
{
    struct fleet_queue q;

    if (!read_queue(p, &q, err) || !read_all(&q, err)) {
        return false;
    }
    put_items(&q);
    if (!q.has_after && !put_rest(&q, err)) {
        return false;
    }
    fleet_put_nodes(p, &q.nodes);
    return fleet_record_access(p, "list", 0, span_of(NULL, 0), span_str("*"), err);
}
