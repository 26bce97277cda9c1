#include "page/fleet_view.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "keeping/access_record.h"
#include "page/item_parts.h"
#include "page/parts.h"
#include "page/screens.h"
#include "record/note_text.h"

bool fleet_nodes(struct page *p, struct fleet_nodes *out, struct error *err)
{
    struct node_copies *copies = p->request->service->copies;

    if (copies == NULL) {
        return page_fault(p, 404, TEXT_FAULT_404);
    }
    struct node_copy_state *list = arena_array(&p->memory, NODE_COPIES_MAX, sizeof(*list), err);
    if (list != NULL) {
        *out = (struct fleet_nodes){.list = list, .n = node_copies_states(copies, list)};
    }
    return list != NULL;
}

void fleet_nodes_set_unread(struct node_copy_state *node, const struct error *why)
{
    log_warn("copies: %s: %s", node->node, why->text);
    (void)snprintf(node->why, sizeof(node->why), "not shown: its queue or index cannot be read now");
}

/* --- one line ------------------------------------------------------------------------------ */

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
    struct node_copies *copies = p->request->service->copies;
    size_t len = dot == NULL ? 0 : (size_t)(dot - name.ptr);

    return copies != NULL && dot != NULL && note_read_number(span_slice(name, len + 1, name.len), &out->seq) && out->seq > 0 &&
           node_copies_find(copies, span_of(name.ptr, len), &out->state);
}

bool fleet_line_find(struct page *p, struct span name, struct fleet_line *out, struct error *err)
{
    if (!read_name(p, name, out)) {
        return error_set(err, ERROR_NOT_FOUND, "fleet: no such line");
    }
    out->node = span_str(out->state.node);
    return node_copy_place(&out->place, node_copies_folder(p->request->service->copies), out->state.node, err);
}

bool fleet_line_read(struct page *p, struct span name, struct fleet_line *out, struct buf *proof, struct error *err)
{
    struct buf line CLEANUP(buf_deinit);

    buf_init(&line, TREE_LEAF_MAX + 1);
    if (!fleet_line_find(p, name, out, err) || !node_copy_line(&out->place, &out->state, out->seq, &line, &out->how, proof, err)) {
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

void fleet_put_proof(struct page *p, enum node_copy_proof how)
{
    static const enum text words[] = {[NODE_COPY_BROKEN] = TEXT_BROKEN, [NODE_COPY_UNSIGNED] = TEXT_UNSIGNED, [NODE_COPY_PROVEN] = TEXT_PROVEN};
    struct html *h = &p->html;

    if (how == NODE_COPY_BROKEN) {
        HTML(h, "<span class=\"action block\">");
    } else if (how == NODE_COPY_UNSIGNED) {
        HTML(h, "<span class=\"action none\">");
    } else {
        HTML(h, "<span class=\"action allow\">");
    }
    html_word(h, words[how]);
    HTML(h, "</span>");
}

static void put_node(struct page *p, const struct node_copy_state *s)
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
        fleet_put_proof(p, NODE_COPY_BROKEN);
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
