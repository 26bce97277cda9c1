/* screen_fleet_line.c - one line of a node: its proof, its item, and decisions, which go to the node as signed orders. */
#include "base/clock.h"
#include "console/console.h"
#include "index/index_find.h"
#include "page/fleet_view.h"
#include "page/item_parts.h"
#include "page/items.h"
#include "page/line_parts.h"
#include "page/screens.h"
#include "signin/head_lines.h"

enum { HISTORY_MAX = 16, ORDERS_MAX = 64, STEP_MEMORY = 256 * 1024 };

static const char path[] = "/fleet/lines/{ref}";

/* --- what is shown ---------------------------------------------------------------- */

static void put_head(struct page *p, const struct fleet_line *l, const struct review_item *item, bool is_blind)
{
    struct html *h = &p->html;

    HTML(h, "<div class=\"head\"><p><a rel=\"up\" href=\"/review/fleet\">");
    html_word(h, TEXT_FLEET);
    HTML(h, "</a> / ");
    html_name(h, l->node);
    HTML(h, " / ");
    html_id(h, l->seq);
    HTML(h, " · ");
    html_text(h, l->view->type);
    HTML(h, "</p><p class=\"row\"><b>");
    if (is_blind) {
        html_word(h, TEXT_BLIND_SAMPLE);
        HTML(h, "</b> ");
    } else {
        html_name(h, l->view->rule.len > 0 ? l->view->rule : l->view->event);
        HTML(h, "</b> ");
        part_verdict(h, index_action_number(l->view->action));
    }
    if (item != NULL && item_is_held(&item->item, clock_utc_ns() / 1000000)) {
        HTML(h, " <span class=\"muted\">");
        html_phrase(h, TEXT_HELD_BY, span_str(item->item.assignee));
        HTML(h, "</span>");
    }
    HTML(h, "</p></div>\n");
}

static void put_proof(struct page *p, const struct fleet_line *l)
{
    static const enum text helps[] = {[REPLICA_BROKEN] = TEXT_BROKEN_HELP, [REPLICA_UNSIGNED] = TEXT_UNSIGNED_HELP, [REPLICA_PROVEN] = TEXT_PROVEN_HELP};
    struct html *h = &p->html;

    if (l->how == REPLICA_BROKEN) {
        HTML(h, "<section class=\"notice fault\" role=\"alert\"><h2>");
    } else {
        HTML(h, "<section class=\"panel\"><h2>");
    }
    html_word(h, TEXT_PROOF);
    HTML(h, "</h2><p>");
    fleet_put_proof(p, l->how);
    HTML(h, " ");
    html_word(h, helps[l->how]);
    HTML(h, "</p>");
    if (l->how == REPLICA_PROVEN) {
        HTML(h, "<p><a href=\"/review/fleet/lines/");
        html_url(h, l->node);
        HTML(h, ".");
        html_id(h, l->seq);
        HTML(h, "/proof\">");
        html_word(h, TEXT_DOWNLOAD_PROOF);
        HTML(h, "</a></p>");
    }
    HTML(h, "</section>\n");
}

/* What the fleet says of orders for this item; that one is recorded, the node's own lines prove. */
static bool put_orders(struct page *p, const struct fleet_line *l, struct error *err)
{
    struct fleet_review *all = arena_array(&p->memory, ORDERS_MAX, sizeof(*all), err);
    bool has_some = false;

    size_t n = all == NULL ? 0 : fleet_reviews(p->request->service->fleet, l->node, all, ORDERS_MAX);
    for (size_t i = 0; i < n; i++) {
        if (all[i].item != l->seq) {
            continue;
        }
        if (!has_some) {
            fleet_orders_begin(p);
        }
        has_some = true;
        fleet_put_order(p, &all[i], false);
    }
    if (has_some) {
        fleet_orders_end(p);
    }
    return all != NULL;
}

static void put_step(struct page *p, struct index_reader *lines, const struct fleet_line *l, uint64_t seq)
{
    const struct line_view *view;
    struct error ignored; /* the line is not indexed yet */
    struct arena memory;
    struct buf line;

    arena_init(&memory, 0, STEP_MEMORY);
    buf_init(&line, INDEX_FETCH_BYTES);
    view = index_line_at(lines, seq, &line, &ignored) ? line_view_read(buf_span(&line), &memory, &ignored) : NULL;
    if (view != NULL) {
        item_parts_step(p, view, l->node);
    }
    buf_deinit(&line);
    arena_deinit(&memory);
}

static bool put_history(struct page *p, struct review_reader *r, const struct fleet_line *l, const struct review_item *item, struct error *err)
{
    uint64_t seqs[HISTORY_MAX];
    struct html *h = &p->html;
    size_t n;

    if (!review_item_history(r, item, seqs, COUNT(seqs), &n, err)) {
        return false;
    }
    struct index_reader *lines = n == 0 ? NULL : index_reader_open(l->place.index, l->place.folder, err);
    if (n > 0 && lines == NULL) {
        return false;
    }
    HTML(h, "<section class=\"panel\"><h2>");
    html_word(h, TEXT_STEPS);
    HTML(h, "</h2><ol class=\"steps\"><li>");
    html_time(h, l->view->ts_ns);
    HTML(h, " ");
    html_word(h, TEXT_DECIDED);
    HTML(h, "</li>");
    for (size_t k = 0; k < n; k++) {
        put_step(p, lines, l, seqs[k]);
    }
    HTML(h, "</ol></section>\n");
    index_reader_close(lines);
    return true;
}

static bool put_line(struct page *p, const struct fleet_line *l, struct review_reader *r, const struct review_item *item, struct error *err)
{
    struct arena memory;
    struct review_candidate c = {.why = REVIEW_NOT};

    arena_init(&memory, 0, STEP_MEMORY);
    bool is_sample = review_candidate_read(l->text, &memory, &c) && review_why_is_blind(c.why);
    arena_deinit(&memory);
    bool is_blind = item != NULL ? items_is_blind(item) : is_sample;
    put_head(p, l, item, is_blind);
    put_proof(p, l);
    if (!put_orders(p, l, err)) {
        return false;
    }
    if (item != NULL && l->how == REPLICA_PROVEN && console_can_decide(p->request->service)) {
        item_parts_answers(p, item, path, false);
    } else if (item != NULL && l->how == REPLICA_PROVEN) {
        HTML(&p->html, "<p class=\"muted\">");
        html_word(&p->html, TEXT_NO_CONSOLE);
        HTML(&p->html, "</p>\n");
    }
    HTML(&p->html, "<div class=\"columns\">");
    if (!is_blind && l->view->n_channels > 0) {
        line_parts_put_found(p, l->view);
    }
    line_parts_put_facts(p, l->view, is_blind);
    if (item != NULL) {
        item_parts_priority(p, item, clock_utc_ns() / 1000000);
    }
    if (item != NULL && !put_history(p, r, l, item, err)) {
        return false;
    }
    HTML(&p->html, "</div>");
    if (!is_blind) {
        line_parts_put_raw(p, l->view);
    }
    return fleet_record_access(p, "record", l->seq, span_of(NULL, 0), l->node, err);
}

/* The item of a proven line; *item NULL: it is none, or nothing is proven yet. */
static struct review_reader *open_item(struct page *p, const struct fleet_line *l, struct review_item *room, const struct review_item **item)
{
    struct error ignored;
    struct review_reader *r = review_reader_open(l->place.review, &ignored);

    *item = r != NULL && review_item_at(r, l->seq, items_tenant(p), room, &ignored) ? room : NULL;
    return r;
}

bool fleet_line_show(struct page *p, struct error *err)
{
    const struct review_item *item;
    struct review_item room;
    struct fleet_line l;

    if (!fleet_line_read(p, p->part, &l, NULL, err)) {
        return false;
    }
    struct review_reader *r = open_item(p, &l, &room, &item);
    bool is_shown = put_line(p, &l, r, item, err);
    review_reader_close(r);
    return is_shown;
}

bool fleet_proof_show(struct page *p, struct error *err)
{
    struct request *r = p->request;
    char disposition[128];
    struct fleet_line l;

    buf_clear(&r->answer); /* a file instead of a page */
    if (!fleet_line_read(p, p->part, &l, &r->answer, err)) {
        return false;
    }
    if (l.how != REPLICA_PROVEN) {
        return page_fault(p, 409, TEXT_FAULT_NOT_PROVEN);
    }
    (void)snprintf(disposition, sizeof(disposition), "attachment; filename=\"%s-%llu.tlog-proof\"", l.state.node, (unsigned long long)l.seq);
    if (!fleet_record_access(p, "record", l.seq, span_of(NULL, 0), l.node, err)) {
        return false;
    }
    if (!head_lines_add(r->head, "Content-Disposition", span_str(disposition))) {
        return page_fault(p, 500, TEXT_FAULT_500);
    }
    r->reply = (struct reply){.status = 200, .type = "text/plain; charset=utf-8", .cache = "no-store"};
    return true;
}

/* --- decisions ---------------------------------------------------------------------- */

bool fleet_line_post(struct page *p, struct error *err)
{
    static const struct {
        unsigned status;
        enum text notice, fault;
    } results[] = {
        {200, TEXT_NOTICE_NODE_RECORDED, TEXT_NONE}, {202, TEXT_NOTICE_ORDERED, TEXT_NONE}, {409, TEXT_NOTICE_NODE_REFUSED, TEXT_NONE},
        {403, TEXT_NONE, TEXT_FAULT_403},            {422, TEXT_NONE, TEXT_FAULT_422},
    };
    struct console_answer answer;
    struct review_request q = {.verb = ITEM_NO_VERB};
    struct console_item item;
    struct fleet_line l;

    if (!fleet_line_read(p, p->part, &l, NULL, err)) {
        return false;
    }
    if (l.how != REPLICA_PROVEN) {
        return page_fault(p, 409, TEXT_FAULT_NOT_PROVEN);
    }
    if (!items_read_step(p, &q) || q.version == 0) {
        return page_fault(p, 422, TEXT_FAULT_422);
    }
    item = (struct console_item){.node = l.node, .seq = l.seq, .version = q.version};
    tree_hash_leaf(l.text, &item.leaf);
    console_decide(p->request->service, &p->caller, &item, &q, true, &answer);
    for (size_t i = 0; i < COUNT(results); i++) {
        if (answer.status == results[i].status) {
            return results[i].fault != TEXT_NONE ? page_fault(p, answer.status, results[i].fault) : page_redirect(p, path, p->part, results[i].notice);
        }
    }
    return page_fault(p, 503, TEXT_FAULT_NOT_PLACED);
}
