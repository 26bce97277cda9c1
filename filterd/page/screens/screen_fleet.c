/* screen_fleet.c - the queues of all nodes as one, most urgent first, from the proven lines of their copies; and the lines behind. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "console/console.h"
#include "page/fleet_view.h"
#include "page/items.h"
#include "page/screens.h"
#include "record/note_text.h"
#include "service/reviews.h"

enum { FLEET_PAGE = 25, ORDERS_MAX = 512, REST_LINES = 500, REST_SHOWN = 50, ROUNDS_MAX = 20, CANDIDATE_MEMORY = 256 * 1024 };

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

/* The order of items: most urgent first, then by node and number. */
struct sort_key {
    int64_t rank; /* the negated priority */
    struct span node;
    uint64_t seq;
};

struct row {
    struct sort_key key;
    enum replica_proof how;
    struct review_item item;
};

struct fleet_queue {
    struct page *page;
    const struct tab *tab;
    struct fleet_nodes nodes;
    struct review_items_query query;
    uint8_t group[REVIEW_GROUP]; /* of query, where it has one */
    bool has_after;
    struct sort_key after;
    struct row *rows; /* FLEET_PAGE + 1: whether there are more, too */
    size_t n;
    struct span node; /* that is read */
    uint64_t removed; /* its lines up to this one are gone */
    bool has_choice;  /* a reviewer may decide several at once */
    const struct fleet_review *orders;
    size_t n_orders;
};

static int compare(const struct sort_key *a, const struct sort_key *b)
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
static bool read_after(struct span text, struct sort_key *out)
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
    struct span show = page_parameter(p, "show"), after = page_parameter(p, "after"), rule = page_parameter(p, "rule"), group = page_parameter(p, "group");

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
    if (group.len > 0) {
        if (!review_group_parse(group, q->group)) {
            return page_fault(p, 422, TEXT_FAULT_422);
        }
        q->query.group = q->group;
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
    const struct sort_key key = {.rank = -(int64_t)item->priority.total, .node = q->node, .seq = item->item.seq};
    size_t at = q->n < FLEET_PAGE + 1 ? q->n : FLEET_PAGE;

    (void)err;
    if (item->item.seq <= q->removed) {
        return true;
    }
    if ((q->has_after && compare(&key, &q->after) <= 0) || (q->n == FLEET_PAGE + 1 && compare(&key, &q->rows[at].key) >= 0)) {
        return true;
    }
    q->n += q->n < FLEET_PAGE + 1;
    for (; at > 0 && compare(&key, &q->rows[at - 1].key) < 0; at--) {
        q->rows[at] = q->rows[at - 1];
    }
    q->rows[at] = (struct row){.key = key, .item = *item};
    return true;
}

/* From the first of the same rank on: what comes before the key is left out above. */
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
        has_next = has_next && (q->n < FLEET_PAGE + 1 || query.after.rank <= q->rows[FLEET_PAGE].key.rank);
    }
    review_reader_close(r);
    return is_read || (r == NULL && err->kind == ERROR_NOT_FOUND); /* nothing is proven yet */
}

static bool place_of(struct page *p, const struct replica_state *s, struct replica_place *out, struct error *err)
{
    return replica_place(out, replicas_folder(p->request->service->replicas), s->node, err);
}

static bool read_all(struct fleet_queue *q, struct error *err)
{
    struct replica_place place;
    struct error why;

    for (size_t i = 0; i < q->nodes.n; i++) {
        struct replica_state *s = &q->nodes.list[i];
        q->node = span_str(s->node);
        q->removed = s->removed;
        if (!place_of(q->page, s, &place, err)) {
            return false;
        }
        if (!read_items(q, place.review, &why)) {
            fleet_nodes_set_unread(s, &why);
        }
    }
    return true;
}

static const struct replica_state *state_of(const struct fleet_queue *q, struct span node)
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
    const struct replica_state *state = state_of(q, row->key.node);
    struct replica_place place;
    struct error ignored;

    row->how = place_of(q->page, state, &place, &ignored) ? fleet_prove(&place, state, row->item.item.seq) : REPLICA_BROKEN;
}

/* --- what is shown -------------------------------------------------------------------- */

/* The version is that which the person sees. */
static void put_choice(struct html *h, const struct row *row)
{
    HTML(h, "<td role=\"cell\" class=\"pick\">");
    if (row->how == REPLICA_PROVEN) {
        HTML(h, "<label><input type=\"checkbox\" name=\"ref\" value=\"");
        html_attribute(h, row->key.node);
        HTML(h, ".");
        html_id(h, row->item.item.seq);
        HTML(h, ".");
        html_id(h, row->item.item.version);
        HTML(h, "\"><span class=\"unseen\">");
        html_count(h, TEXT_CHOOSE_LINE, row->item.item.seq);
        HTML(h, "</span></label>");
    }
    HTML(h, "</td>");
}

static bool is_ordered(const struct fleet_queue *q, const struct row *row)
{
    for (size_t i = 0; i < q->n_orders; i++) {
        const struct fleet_review *o = &q->orders[i];
        if (!o->is_settled && o->item == row->item.item.seq && span_is(row->key.node, o->node)) {
            return true;
        }
    }
    return false;
}

static void put_row(struct fleet_queue *q, const struct row *row)
{
    struct page *p = q->page;
    struct html *h = &p->html;

    part_row_begin(h);
    if (q->has_choice) {
        put_choice(h, row);
    }
    part_lead_begin(h);
    items_put_name(p, &row->item);
    HTML(h, "<small>");
    fleet_put_link(p, row->key.node, row->item.item.seq);
    if (is_ordered(q, row)) {
        HTML(h, " · ");
        html_word(h, TEXT_ORDER_WAITS);
    }
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
    const struct sort_key *last = &q->rows[FLEET_PAGE - 1].key;
    struct html *h = &q->page->html;

    HTML(h, "<p class=\"pages\"><a class=\"button\" rel=\"next\" href=\"/review/fleet?show=");
    html_url(h, span_str(q->tab->name));
    if (q->query.rule.len > 0) {
        HTML(h, "&amp;rule=");
        html_url(h, q->query.rule);
    }
    if (q->query.group != NULL) {
        HTML(h, "&amp;group=");
        html_url(h, page_parameter(q->page, "group"));
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

static void put_answers(struct fleet_queue *q)
{
    struct html *h = &q->page->html;

    HTML(h, "<div class=\"decide\" role=\"group\" aria-label=\"");
    html_word(h, TEXT_ANSWER_CHOSEN);
    HTML(h, "\">");
    part_answers(h, true);
    HTML(h, "</div>");
}

static void put_table(struct fleet_queue *q)
{
    static const enum text columns[] = {TEXT_ITEM, TEXT_PROOF, TEXT_PRIORITY, TEXT_VERDICT, TEXT_CONFIDENCE, TEXT_FROM, TEXT_WHEN, TEXT_DUE, TEXT_HOLDER, TEXT_NONE};
    struct html *h = &q->page->html;

    part_table_begin(h, TEXT_QUEUE, columns, q->has_choice);
    for (size_t i = 0; i < q->n && i < FLEET_PAGE; i++) {
        prove(q, &q->rows[i]);
        put_row(q, &q->rows[i]);
    }
    part_table_end(h);
}

static void put_items(struct fleet_queue *q)
{
    struct page *p = q->page;
    struct html *h = &p->html;
    struct part_tab shown[COUNT(tabs)];

    for (size_t i = 0; i < COUNT(tabs); i++) {
        shown[i] = (struct part_tab){.path = path, .query = tabs[i].query, .text = tabs[i].text, .is_current = q->tab == &tabs[i]};
    }
    part_tabs(h, TEXT_WHICH_ITEMS, shown, COUNT(shown));
    HTML(h, "<div class=\"panel flush\">");
    if (q->has_choice) {
        form_begin(p, path, span_of("", 0));
    }
    if (q->n == 0) {
        part_empty(h, TEXT_EMPTY_FLEET, TEXT_EMPTY_FLEET_HELP);
    } else {
        put_table(q);
    }
    if (q->n > FLEET_PAGE) {
        put_next(q);
    }
    if (q->has_choice) {
        put_answers(q);
        form_end(p);
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
static bool take_rest(void *context, uint64_t seq, struct span line, enum replica_proof how, struct error *err)
{
    static const enum text columns[] = {TEXT_LINE, TEXT_PROOF, TEXT_RULE, TEXT_AGENT, TEXT_NONE};
    struct rest *rest = context;
    struct html *h = &rest->page->html;
    struct review_candidate c = {.seq = 0};

    (void)err;
    arena_reset(&rest->memory);
    bool is_item = review_candidate_read(line, &rest->memory, &c);
    if (rest->n == REST_SHOWN || (!is_item && how != REPLICA_BROKEN) || !fleet_may_see(rest->page, line)) {
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
    struct replica_place place;
    bool is_put = true;

    arena_init(&rest.memory, 0, CANDIDATE_MEMORY);
    for (size_t i = 0; is_put && i < q->nodes.n; i++) {
        rest.node = span_str(q->nodes.list[i].node);
        is_put = place_of(q->page, &q->nodes.list[i], &place, err) && replica_rest(&place, &q->nodes.list[i], REST_LINES, take_rest, &rest, err);
    }
    arena_deinit(&rest.memory);
    if (rest.n > 0) {
        part_table_end(&q->page->html);
        HTML(&q->page->html, "</section>\n");
    }
    return is_put;
}

static bool read_orders(struct fleet_queue *q, struct error *err)
{
    struct fleet_review *orders = arena_array(&q->page->memory, ORDERS_MAX, sizeof(*orders), err);

    q->orders = orders;
    q->n_orders = orders == NULL ? 0 : fleet_reviews(q->page->request->service->fleet, span_of("", 0), orders, ORDERS_MAX);
    return orders != NULL;
}

bool fleet_show(struct page *p, struct error *err)
{
    struct fleet_queue q;

    if (!read_queue(p, &q, err) || !read_all(&q, err) || !read_orders(&q, err)) {
        return false;
    }
    q.has_choice = q.n > 0 && q.tab->states != REVIEW_ITEMS_CLOSED && caller_has(&p->caller, ROLE_REVIEWER) && console_can_decide(p->request->service);
    put_items(&q);
    if (!q.has_after && !put_rest(&q, err)) {
        return false;
    }
    fleet_put_nodes(p, &q.nodes);
    return fleet_record_access(p, "list", 0, span_of(NULL, 0), span_str("*"), err);
}

/* --- decisions on several items ----------------------------------------------------------- */

/* "web-2.17.3": the item, and its version. */
static bool read_item(struct page *p, struct span ref, struct fleet_line *l, uint64_t *version, struct error *err)
{
    const char *dot = ref.len == 0 ? NULL : memrchr(ref.ptr, '.', ref.len);
    size_t len = dot == NULL ? 0 : (size_t)(dot - ref.ptr);

    return dot != NULL && note_read_number(span_slice(ref, len + 1, ref.len), version) && *version > 0 && fleet_line_find(p, span_of(ref.ptr, len), l, err);
}

/* The status of console_decide. */
static unsigned decide(struct page *p, struct span ref, struct review_request *q)
{
    struct buf line CLEANUP(buf_deinit);
    struct console_answer answer;
    enum replica_proof how = REPLICA_BROKEN;
    struct fleet_line l;
    struct error ignored;

    buf_init(&line, TREE_LEAF_MAX + 1);
    if (!read_item(p, ref, &l, &q->version, &ignored) || !replica_line(&l.place, &l.state, l.seq, &line, &how, NULL, &ignored) ||
        !fleet_may_see(p, buf_span(&line))) {
        return 422;
    }
    struct console_item item = {.node = l.node, .seq = l.seq, .version = q->version};
    if (how != REPLICA_PROVEN) {
        return 422;
    }
    tree_hash_leaf(buf_span(&line), &item.leaf);
    console_decide(p->request->service, &p->caller, &item, q, false, &answer);
    return answer.status;
}

bool fleet_post(struct page *p, struct error *err)
{
    static const struct page_status faults[] = {{403, TEXT_FAULT_403}, {422, TEXT_FAULT_422}, {0, TEXT_FAULT_NOT_PLACED}};
    struct review_request q = {.verb = ITEM_NO_VERB};
    unsigned n = 0, n_placed = 0, status = 200;

    (void)err;
    if (!items_read_step(p, &q)) {
        return page_fault(p, 422, TEXT_FAULT_422);
    }
    for (size_t i = 0; i < p->form.n && n < FLEET_PAGE && status != 503; i++) {
        if (span_is(p->form.fields[i].name, "ref")) {
            n++;
            status = decide(p, p->form.fields[i].value, &q);
            n_placed += status == 200 || status == 202 || status == 409;
        }
    }
    if (n_placed > 0) {
        return page_redirect(p, path, span_of("", 0), n_placed == n && status != 503 ? TEXT_NOTICE_ORDERED_ALL : TEXT_NOTICE_ORDERED_SOME);
    }
    return n == 0 ? page_fault(p, 422, TEXT_FAULT_NONE_CHOSEN) : page_fault_of(p, status, faults);
}
