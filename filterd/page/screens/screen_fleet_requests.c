/* screen_fleet_requests.c - exceptions and reveals of all nodes, newest first, from the proven lines of their copies; a second person's decision goes to
 * the node as a signed order. An original is opened on its node, which has it. */
#include <stdlib.h>

#include "base/clock.h"
#include "console/console.h"
#include "page/fleet_view.h"
#include "page/items.h"
#include "page/rows.h"
#include "page/screens.h"

enum { REQUESTS_PAGE = 25, ORDERS_MAX = 512, PART_MAX = REPLICA_NAME + REVIEW_ORDER_REQUEST + 2 };

static const enum text columns_of_exceptions[] = {TEXT_EXCEPTION, TEXT_PROOF, TEXT_STATE, TEXT_SCOPE, TEXT_PREVIEW, TEXT_UNTIL_DATE, TEXT_WHO, TEXT_CHANGE, TEXT_NONE},
                       columns_of_reveals[] = {TEXT_REVEAL, TEXT_PROOF, TEXT_STATE, TEXT_PURPOSE, TEXT_WHO, TEXT_UNTIL_TIME, TEXT_CHANGE, TEXT_NONE};

struct found {
    uint64_t seq; /* of the line of the request */
    int64_t at_ms;
    union {
        struct exception_row exception;
        struct reveal_row reveal;
    } row;
};

/* The requests of a node from `before` on; `next`: there are others behind. */
struct source {
    struct replica_place place;
    uint64_t before, next; /* 0: from the newest on; none */
    size_t n, at;
    struct found found[REQUESTS_PAGE];
};

struct requests;
struct kind {
    const char *path, *one;
    enum review_order_kind kind;
    enum text title, empty, help;
    const enum text *columns;
    bool (*read)(struct review_reader *r, const struct requests *all, struct source *s, struct error *err);
    const char *(*id)(const struct found *f);
    void (*put)(const struct requests *all, const struct found *f, const struct form_place *form);
};

struct requests {
    struct page *page;
    const struct kind *kind;
    int64_t now_ms;
    struct fleet_nodes nodes;
    struct source *sources; /* of nodes */
    bool can_decide;
};

/* --- kinds --------------------------------------------------------------------------------- */

static bool take_exception(void *context, const struct exception_row *row, struct error *err)
{
    struct source *s = context;

    (void)err;
    s->found[s->n++] = (struct found){.seq = row->seq, .at_ms = row->proposed_ms, .row.exception = *row};
    return true;
}

static bool read_exceptions(struct review_reader *r, const struct requests *all, struct source *s, struct error *err)
{
    const struct exceptions_query q = {.tenant = items_tenant(all->page), .now_ms = all->now_ms, .before = s->before, .limit = REQUESTS_PAGE};

    return exceptions_find(r, &q, take_exception, s, &s->next, err);
}

static const char *id_of_exception(const struct found *f)
{
    return f->row.exception.id;
}

static void put_no_step(struct page *p)
{
    part_cell_begin(&p->html, TEXT_CHANGE);
    part_cell_end(&p->html);
}

static void put_exception(const struct requests *all, const struct found *f, const struct form_place *form)
{
    exceptions_put_cells(&all->page->html, &f->row.exception, all->now_ms);
    if (all->can_decide) {
        exceptions_put_steps(all->page, &f->row.exception, all->now_ms, form);
    } else {
        put_no_step(all->page);
    }
}

static bool take_reveal(void *context, const struct reveal_row *row, struct error *err)
{
    struct source *s = context;

    (void)err;
    s->found[s->n++] = (struct found){.seq = row->seq, .at_ms = row->asked_ms, .row.reveal = *row};
    return true;
}

static bool read_reveals(struct review_reader *r, const struct requests *all, struct source *s, struct error *err)
{
    const struct reveals_query q = {.tenant = items_tenant(all->page), .before = s->before, .limit = REQUESTS_PAGE};

    return reveals_find(r, &q, take_reveal, s, &s->next, err);
}

static const char *id_of_reveal(const struct found *f)
{
    return f->row.reveal.id;
}

static void put_reveal(const struct requests *all, const struct found *f, const struct form_place *form)
{
    reveals_put_cells(&all->page->html, &f->row.reveal, all->now_ms);
    part_cell_begin(&all->page->html, TEXT_CHANGE);
    if (all->can_decide) {
        (void)reveals_put_decision(all->page, &f->row.reveal, form);
    }
    part_cell_end(&all->page->html);
}

static const struct kind exceptions = {.path = "/fleet/exceptions", .one = "/fleet/exceptions/{ref}", .kind = REVIEW_ORDER_EXCEPTION, .title = TEXT_FLEET_EXCEPTIONS,
                                       .empty = TEXT_EMPTY_EXCEPTIONS, .help = TEXT_EMPTY_FLEET_HELP, .columns = columns_of_exceptions,
                                       .read = read_exceptions, .id = id_of_exception, .put = put_exception},
                         reveals = {.path = "/fleet/reveals", .one = "/fleet/reveals/{ref}", .kind = REVIEW_ORDER_REVEAL, .title = TEXT_FLEET_REVEALS,
                                    .empty = TEXT_EMPTY_REVEALS, .help = TEXT_EMPTY_FLEET_HELP, .columns = columns_of_reveals, .read = read_reveals,
                                    .id = id_of_reveal, .put = put_reveal};

/* --- reading ------------------------------------------------------------------------------ */

/* NOT_FOUND: nothing is proven yet. */
static void read_source(struct requests *all, size_t i)
{
    struct source *s = &all->sources[i];
    struct error why;
    struct review_reader *r = review_reader_open(s->place.review, &why);

    if (r != NULL ? !all->kind->read(r, all, s, &why) : why.kind != ERROR_NOT_FOUND) {
        s->n = 0;
        fleet_nodes_set_unread(&all->nodes.list[i], &why);
    }
    review_reader_close(r);
}

static bool read_all(struct requests *all, struct error *err)
{
    if (!fleet_nodes(all->page, &all->nodes, err)) {
        return false;
    }
    all->sources = calloc(all->nodes.n + 1, sizeof(*all->sources));
    if (all->sources == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "fleet: no memory");
    }
    for (size_t i = 0; i < all->nodes.n; i++) {
        const char *node = all->nodes.list[i].node;
        if (!replica_place(&all->sources[i].place, replicas_folder(all->page->request->service->replicas), node, err) ||
            !fleet_read_before(all->page, span_str(node), &all->sources[i].before)) {
            return false;
        }
        read_source(all, i);
    }
    return true;
}

/* The node of the newest request; nodes.n: one that goes on has to be read again first, or there is none. */
static size_t newest(const struct requests *all, bool *has_more)
{
    size_t found = all->nodes.n;

    for (size_t i = 0; i < all->nodes.n; i++) {
        const struct source *s = &all->sources[i];
        if (s->at == s->n && s->next != 0) {
            *has_more = true;
            return all->nodes.n;
        }
        const struct source *best = found < all->nodes.n ? &all->sources[found] : NULL;
        found = s->at < s->n && (best == NULL || s->found[s->at].at_ms > best->found[best->at].at_ms) ? i : found;
    }
    return found;
}

/* --- what is shown --------------------------------------------------------------------------- */

/* The part "web-1.<id>". */
static void put_row(struct requests *all, size_t i, const struct found *f)
{
    struct html *h = &all->page->html;
    char part[PART_MAX];

    (void)snprintf(part, sizeof(part), "%s.%s", all->nodes.list[i].node, all->kind->id(f));
    part_row_begin(h);
    part_lead_begin(h);
    fleet_put_link(all->page, span_str(all->nodes.list[i].node), f->seq);
    part_lead_end(h);
    part_cell_begin(h, TEXT_PROOF);
    fleet_put_proof(all->page, fleet_prove(&all->sources[i].place, &all->nodes.list[i], f->seq));
    part_cell_end(h);
    all->kind->put(all, f, &(struct form_place){all->kind->one, span_str(part)});
    part_row_end(h);
}

static void put_rows(struct requests *all)
{
    struct html *h = &all->page->html;
    bool has_more = false;
    unsigned n = 0;
    size_t i;

    HTML(h, "<div class=\"panel flush\">");
    while (n < REQUESTS_PAGE && (i = newest(all, &has_more)) < all->nodes.n) {
        struct source *s = &all->sources[i];
        const struct found *f = &s->found[s->at++];
        if (n++ == 0) {
            part_table_begin(h, all->kind->title, all->kind->columns, false);
        }
        s->before = f->seq;
        put_row(all, i, f);
    }
    if (n > 0) {
        part_table_end(h);
    } else {
        part_empty(h, all->kind->empty, all->kind->help);
    }
    bool has_rest = newest(all, &has_more) < all->nodes.n;
    if (has_rest || has_more) {
        fleet_older_begin(all->page, all->kind->path, "show", span_str("all"));
        for (i = 0; i < all->nodes.n; i++) {
            fleet_older_node(all->page, span_str(all->nodes.list[i].node), all->sources[i].before);
        }
        fleet_older_end(all->page);
    }
    if (!all->can_decide) {
        HTML(h, "<p class=\"muted inner\">");
        html_word(h, TEXT_NO_CONSOLE);
        HTML(h, "</p>");
    }
    HTML(h, "</div>\n");
}

/* Decisions on requests that wait for their node, or that it has refused. */
static bool put_orders(struct page *p, struct error *err)
{
    struct fleet_review *all = arena_array(&p->memory, ORDERS_MAX, sizeof(*all), err);
    bool has_some = false;

    size_t n = all == NULL ? 0 : fleet_reviews(p->request->service->fleet, span_of("", 0), all, ORDERS_MAX);
    for (size_t i = 0; i < n; i++) {
        if (all[i].request[0] != '\0' && (!all[i].is_settled || all[i].line == 0)) {
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

static bool show(struct page *p, const struct kind *kind, struct error *err)
{
    struct requests all = {.page = p, .kind = kind, .now_ms = clock_utc_ns() / 1000000, .can_decide = console_can_decide(p->request->service)};

    bool is_shown = read_all(&all, err) && put_orders(p, err);
    if (is_shown) {
        put_rows(&all);
        fleet_put_nodes(p, &all.nodes);
        is_shown = fleet_record_access(p, "list", 0, span_of(NULL, 0), span_str("*"), err);
    }
    free(all.sources);
    return is_shown;
}

bool fleet_exceptions_show(struct page *p, struct error *err)
{
    return show(p, &exceptions, err);
}

bool fleet_reveals_show(struct page *p, struct error *err)
{
    return show(p, &reveals, err);
}

/* --- decisions --------------------------------------------------------------------------- */

/* The request "web-1.<id>" as the copy has it. */
static bool find_request(struct page *p, const struct kind *kind, struct replica_state *state, struct console_request *out)
{
    const char *dot = p->part.len == 0 ? NULL : memrchr(p->part.ptr, '.', p->part.len);
    size_t len = dot == NULL ? 0 : (size_t)(dot - p->part.ptr);
    struct replicas *replicas = p->request->service->replicas;
    struct replica_place place;
    struct exception_row exception;
    struct reveal_row reveal;
    struct error ignored;

    if (replicas == NULL || dot == NULL || !replicas_find(replicas, span_of(p->part.ptr, len), state) ||
        !replica_place(&place, replicas_folder(replicas), state->node, &ignored)) {
        return false;
    }
    *out = (struct console_request){.node = span_str(state->node), .id = span_slice(p->part, len + 1, p->part.len), .step = page_field(p, "do"), .kind = kind->kind};
    struct review_reader *r = review_reader_open(place.review, &ignored);
    bool is_found = r != NULL && (kind->kind == REVIEW_ORDER_EXCEPTION ? exceptions_at(r, out->id, items_tenant(p), &exception, &ignored)
                                                                       : reveals_at(r, out->id, items_tenant(p), &reveal, &ignored));
    review_reader_close(r);
    return is_found;
}

static bool decide(struct page *p, const struct kind *kind)
{
    static const struct {
        unsigned status;
        enum text notice, fault;
    } results[] = {
        {200, TEXT_NOTICE_NODE_RECORDED, TEXT_NONE}, {202, TEXT_NOTICE_ORDERED, TEXT_NONE}, {409, TEXT_NOTICE_NODE_REFUSED, TEXT_NONE}, {403, TEXT_NONE, TEXT_FAULT_403},
    };
    struct console_request request;
    struct replica_state state;
    struct console_answer answer;

    if (!find_request(p, kind, &state, &request)) {
        return page_fault(p, 404, TEXT_FAULT_404);
    }
    bool is_step = span_is(request.step, "approved") || span_is(request.step, "refused") ||
                   (kind->kind == REVIEW_ORDER_EXCEPTION && span_is(request.step, "withdrawn"));
    if (!is_step) {
        return page_fault(p, 422, TEXT_FAULT_422);
    }
    console_decide_request(p->request->service, &p->caller, &request, &answer);
    for (size_t i = 0; i < COUNT(results); i++) {
        if (answer.status == results[i].status) {
            return results[i].fault != TEXT_NONE ? page_fault(p, answer.status, results[i].fault) : page_redirect(p, kind->path, span_of("", 0), results[i].notice);
        }
    }
    return page_fault(p, 503, TEXT_FAULT_NOT_PLACED);
}

bool fleet_exception_post(struct page *p, struct error *err)
{
    (void)err;
    return decide(p, &exceptions);
}

bool fleet_reveal_post(struct page *p, struct error *err)
{
    (void)err;
    return decide(p, &reveals);
}
