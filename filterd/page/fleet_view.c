#include "page/fleet_view.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "decision_log/access_record.h"
#include "page/item_parts.h"
#include "page/parts.h"
#include "page/screens.h"
#include "record/note_text.h"

bool fleet_nodes(struct page *p, struct fleet_nodes *out, struct error *err)
{
    struct replicas *replicas = p->request->service->replicas;

    if (replicas == NULL) {
        return page_fault(p, 404, TEXT_FAULT_404);
    }
    struct replica_state *list = arena_array(&p->memory, REPLICAS_MAX, sizeof(*list), err);
    if (list != NULL) {
        *out = (struct fleet_nodes){.list = list, .n = replicas_states(replicas, list)};
    }
    return list != NULL;
}

void fleet_nodes_set_unread(struct replica_state *node, const struct error *why)
{
    log_warn("copies: %s: %s", node->node, why->text);
    (void)snprintf(node->why, sizeof(node->why), "not shown: its queue or index cannot be read now");
}

bool fleet_read_before(struct page *p, struct span node, uint64_t *seq)
{
    struct span text = page_parameter(p, "before");

    while (text.len > 0) {
        const char *comma = memchr(text.ptr, ',', text.len);
        struct span one = span_of(text.ptr, comma == NULL ? text.len : (size_t)(comma - text.ptr));
        const char *dot = one.len == 0 ? NULL : memrchr(one.ptr, '.', one.len);
        size_t len = dot == NULL ? 0 : (size_t)(dot - one.ptr);
        uint64_t number;
        text = comma == NULL ? span_of("", 0) : span_slice(text, one.len + 1, text.len);
        if (dot == NULL || !note_read_number(span_slice(one, len + 1, one.len), &number) || number == 0) {
            return page_fault(p, 422, TEXT_FAULT_422);
        }
        *seq = span_equal(node, span_of(one.ptr, len)) ? number : *seq;
    }
    return true;
}

/* As fleet_read_before reads it. */
void fleet_older_begin(struct page *p, const char *path, const char *name, struct span value)
{
    struct html *h = &p->html;

    HTML(h, "<p class=\"pages\"><a class=\"button\" rel=\"next\" href=\"/review");
    html_attribute(h, span_str(path));
    HTML(h, "?");
    html_attribute(h, span_str(name));
    HTML(h, "=");
    html_url(h, value);
    HTML(h, "&amp;before=");
}

void fleet_older_node(struct page *p, struct span node, uint64_t seq)
{
    struct html *h = &p->html;

    if (seq != 0) {
        html_url(h, node);
        HTML(h, ".");
        html_id(h, seq);
        HTML(h, ",");
    }
}

void fleet_older_end(struct page *p)
{
    struct html *h = &p->html;

    HTML(h, "\">");
    html_word(h, TEXT_OLDER);
    HTML(h, "</a></p>");
}

/* --- one line ------------------------------------------------------------------------------ */

enum replica_proof fleet_prove(const struct replica_place *place, const struct replica_state *state, uint64_t seq)
{
    enum replica_proof how = REPLICA_BROKEN;
    struct error ignored;
    struct buf line;

    buf_init(&line, TREE_LEAF_MAX + 1);
    (void)!replica_line(place, state, seq, &line, &how, NULL, &ignored);
    buf_deinit(&line);
    return how;
}

bool fleet_may_see(struct page *p, struct span line)
{
    struct error ignored;
    struct query *q = access_query(&p->caller, span_of("", 0), clock_utc_ns(), &ignored);
    bool is_seen = q != NULL && json_validate(line, &ignored) && query_matches(q, line);

    query_free(q);
    return is_seen;
}

static bool read_name(struct page *p, struct span name, struct fleet_line *out)
{
    const char *dot = name.len == 0 ? NULL : memrchr(name.ptr, '.', name.len);
    struct replicas *replicas = p->request->service->replicas;
    size_t len = dot == NULL ? 0 : (size_t)(dot - name.ptr);

    return replicas != NULL && dot != NULL && note_read_number(span_slice(name, len + 1, name.len), &out->seq) && out->seq > 0 &&
           replicas_find(replicas, span_of(name.ptr, len), &out->state);
}

bool fleet_line_find(struct page *p, struct span name, struct fleet_line *out, struct error *err)
{
    if (!read_name(p, name, out)) {
        return error_set(err, ERROR_NOT_FOUND, "fleet: no such line");
    }
    out->node = span_str(out->state.node);
    return replica_place(&out->place, replicas_folder(p->request->service->replicas), out->state.node, err);
}

bool fleet_line_read(struct page *p, struct span name, struct fleet_line *out, struct buf *proof, struct error *err)
{
    struct buf line CLEANUP(buf_deinit);

    buf_init(&line, TREE_LEAF_MAX + 1);
    if (!fleet_line_find(p, name, out, err) || !replica_line(&out->place, &out->state, out->seq, &line, &out->how, proof, err)) {
        return false; /* NOT_FOUND is 404 */
    }
    if (!fleet_may_see(p, buf_span(&line))) {
        return page_fault(p, 404, TEXT_FAULT_404);
    }
    out->view = arena_copy(&p->memory, buf_span(&line), &out->text, err) ? line_view_read(out->text, &p->memory, err) : NULL;
    return out->view != NULL;
}

/* --- parts --------------------------------------------------------------------------------- */

void fleet_put_link(struct page *p, struct span node, uint64_t seq)
{
    struct html *h = &p->html;

    HTML(h, "<a href=\"");
    item_parts_address(h, node, seq);
    HTML(h, "\">");
    html_name(h, node);
    HTML(h, " · ");
    html_id(h, seq);
    HTML(h, "</a>");
}

void fleet_put_proof(struct page *p, enum replica_proof how)
{
    static const enum text words[] = {[REPLICA_BROKEN] = TEXT_BROKEN, [REPLICA_UNSIGNED] = TEXT_UNSIGNED, [REPLICA_PROVEN] = TEXT_PROVEN};
    struct html *h = &p->html;

    if (how == REPLICA_BROKEN) {
        HTML(h, "<span class=\"action block\">");
    } else if (how == REPLICA_UNSIGNED) {
        HTML(h, "<span class=\"action none\">");
    } else {
        HTML(h, "<span class=\"action allow\">");
    }
    html_word(h, words[how]);
    HTML(h, "</span>");
}

void fleet_orders_begin(struct page *p)
{
    struct html *h = &p->html;

    HTML(h, "<section class=\"panel\"><h2>");
    html_word(h, TEXT_ORDERS);
    HTML(h, "</h2><ol class=\"steps\">");
}

void fleet_orders_end(struct page *p)
{
    HTML(&p->html, "</ol></section>\n");
}

void fleet_put_order(struct page *p, const struct fleet_review *o, bool with_node)
{
    struct html *h = &p->html;

    HTML(h, "<li>");
    html_time(h, o->at_ns);
    HTML(h, " <b>");
    part_name(h, span_str(o->by));
    HTML(h, "</b> ");
    if (o->request[0] != '\0') {
        html_text(h, span_str(o->step));
    } else if (o->verb == ITEM_DISPOSE) {
        part_disposition(h, o->disposition);
    } else {
        html_text(h, span_str(item_verb_name(o->verb)));
    }
    HTML(h, " <small>");
    if (with_node) {
        html_name(h, span_str(o->node));
        HTML(h, ": ");
    }
    if (!o->is_settled) {
        html_word(h, TEXT_ORDER_WAITS);
    } else if (o->line != 0) {
        html_count(h, TEXT_ORDER_DONE, o->line);
    } else {
        html_phrase(h, TEXT_ORDER_REFUSED, span_str(o->why));
    }
    HTML(h, "</small></li>");
}

static void put_node(struct page *p, const struct replica_state *s)
{
    struct html *h = &p->html;

    part_row_begin(h);
    part_lead_begin(h);
    html_name(h, span_str(s->node));
    part_lead_end(h);
    part_number_begin(h, TEXT_LINES_PROVEN);
    html_number(h, s->proven);
    part_cell_end(h);
    part_cell_begin(h, TEXT_COPY_STATE);
    if (s->broken != 0) {
        fleet_put_proof(p, REPLICA_BROKEN);
        HTML(h, " ");
    }
    if (s->why[0] != '\0') {
        html_text(h, span_str(s->why));
    } else if (s->folded < s->proven) {
        html_count(h, TEXT_COPY_READING, s->folded);
    } else {
        html_word(h, s->proven > 0 ? TEXT_COPY_GOOD : TEXT_UNSIGNED);
    }
    part_cell_end(h);
    part_row_end(h);
}

void fleet_put_nodes(struct page *p, const struct fleet_nodes *nodes)
{
    static const enum text columns[] = {TEXT_NODE, TEXT_LINES_PROVEN, TEXT_COPY_STATE, TEXT_NONE};
    struct html *h = &p->html;

    HTML(h, "<section class=\"panel flush\"><h2>");
    html_word(h, TEXT_NODES);
    HTML(h, "</h2>");
    if (nodes->n == 0) {
        part_empty(h, TEXT_NO_COPIES, TEXT_NO_COPIES_HELP);
    } else {
        part_table_begin(h, TEXT_NODES, columns, false);
        for (size_t i = 0; i < nodes->n; i++) {
            put_node(p, &nodes->list[i]);
        }
        part_table_end(h);
    }
    HTML(h, "</section>\n");
}

bool fleet_record_access(struct page *p, const char *what, uint64_t item, struct span query, struct span node, struct error *err)
{
    const struct access_event e = {.by = p->caller.name, .role = caller_role(&p->caller, p->screen->roles), .what = what, .item = item,
                                   .query = query, .copy_of = node, .now_ns = clock_utc_ns()};

    return access_record_write(p->request->service->log, &e, err) || page_fault(p, 503, TEXT_FAULT_503);
}
