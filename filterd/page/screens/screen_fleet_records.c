/* screen_fleet_records.c - proven lines of all nodes that match a query, newest first. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "page/fleet_view.h"
#include "page/line_parts.h"
#include "page/screens.h"

enum { RECORDS_PAGE = 25, WORD_MAX = 128 };

static const char path[] = "/fleet/records";
static const enum text columns[] = {TEXT_LINE, TEXT_PROOF, TEXT_VERDICT, TEXT_RULE, TEXT_FROM, TEXT_WHEN, TEXT_NONE};

enum word { WORD_TYPE, WORD_ACTION, WORD_RULE, WORD_FROM, WORDS };

/* A line that was found. */
struct found {
    int64_t ts_ns;
    uint64_t seq;
    char words[WORDS][WORD_MAX];
};

/* The lines of a node from `before` on; `has_more`: there are others behind. */
struct source {
    const struct replica_state *state;
    struct replica_place place;
    uint64_t before; /* 0: from the newest on */
    size_t n, at;
    bool has_more;
    struct found lines[RECORDS_PAGE];
};

struct records {
    struct page *page;
    const struct query *query;
    struct fleet_nodes nodes;
    struct source *sources;
    bool has_older;
};

/* --- where it goes on ------------------------------------------------------------------ */

static void put_older(struct records *r)
{
    if (!r->has_older) {
        return;
    }
    fleet_older_begin(r->page, path, "query", query_canonical(r->query));
    for (size_t i = 0; i < r->nodes.n; i++) {
        fleet_older_node(r->page, span_str(r->nodes.list[i].node), r->sources[i].before);
    }
    fleet_older_end(r->page);
}

/* --- reading ----------------------------------------------------------------------------- */

static void keep(char to[WORD_MAX], struct span text)
{
    (void)snprintf(to, WORD_MAX, SPAN_FMT, SPAN_ARG(text));
}

static bool take_line(void *context, uint64_t seq, struct span line, struct error *err)
{
    struct source *s = context;
    struct found *f = &s->lines[s->n];
    struct arena memory;

    arena_init(&memory, 0, INDEX_LINE_MEMORY);
    const struct line_view *l = line_view_read(line, &memory, err);
    if (l != NULL) {
        *f = (struct found){.ts_ns = l->ts_ns, .seq = seq};
        keep(f->words[WORD_TYPE], l->type);
        keep(f->words[WORD_ACTION], l->action);
        keep(f->words[WORD_RULE], l->rule.len > 0 ? l->rule : l->event.len > 0 ? l->event : l->what);
        keep(f->words[WORD_FROM], l->agent.len > 0 ? l->agent : l->by);
        s->n++;
    }
    arena_deinit(&memory);
    return l != NULL;
}

static bool read_source(struct records *r, struct source *s, struct error *err)
{
    struct index_page page = {.query = r->query, .before = s->before, .limit = RECORDS_PAGE, .take = take_line, .context = s};
    struct index_reader *reader = NULL;
    uint64_t next = 0;

    if (!replica_place(&s->place, replicas_folder(r->page->request->service->replicas), s->state->node, err)) {
        return false;
    }
    reader = index_reader_open(s->place.index, s->place.folder, err);
    bool is_read = reader != NULL && index_find(reader, &page, &next, err);
    index_reader_close(reader);
    s->has_more = is_read && next != 0;
    if (s->has_more && s->n == 0) { /* it searched as far as a page may */
        s->before = next;
    }
    return is_read || (reader == NULL && err->kind == ERROR_NOT_FOUND);
}

/* The source of the newest line; NULL: one that goes on has to be read again first, or there is none. */
static struct source *newest(struct records *r)
{
    struct source *found = NULL;

    for (size_t i = 0; i < r->nodes.n; i++) {
        struct source *s = &r->sources[i];
        if (s->at == s->n && s->has_more) {
            r->has_older = true;
            return NULL;
        }
        if (s->at < s->n && (found == NULL || s->lines[s->at].ts_ns > found->lines[found->at].ts_ns)) {
            found = s;
        }
    }
    return found;
}

/* --- what is shown -------------------------------------------------------------------------- */

static void put_line(struct records *r, const struct source *s, const struct found *f)
{
    struct html *h = &r->page->html;

    part_row_begin(h);
    part_lead_begin(h);
    fleet_put_link(r->page, span_str(s->state->node), f->seq);
    HTML(h, "<small>");
    html_text(h, span_str(f->words[WORD_TYPE]));
    HTML(h, "</small>");
    part_lead_end(h);
    part_cell_begin(h, TEXT_PROOF);
    fleet_put_proof(r->page, fleet_prove(&s->place, s->state, f->seq));
    part_cell_end(h);
    part_cell_begin(h, TEXT_VERDICT);
    if (f->words[WORD_ACTION][0] != '\0') {
        part_verdict(h, index_action_number(span_str(f->words[WORD_ACTION])));
    }
    part_cell_end(h);
    part_cell_begin(h, TEXT_RULE);
    part_name(h, span_str(f->words[WORD_RULE]));
    part_cell_end(h);
    part_cell_begin(h, TEXT_FROM);
    part_name(h, span_str(f->words[WORD_FROM]));
    part_cell_end(h);
    part_cell_begin(h, TEXT_WHEN);
    html_time(h, f->ts_ns);
    part_cell_end(h);
    part_row_end(h);
}

static void put_lines(struct records *r)
{
    struct html *h = &r->page->html;
    struct source *s = NULL;
    unsigned n = 0;

    HTML(h, "<div class=\"panel flush\">");
    while (n < RECORDS_PAGE && (s = newest(r)) != NULL) {
        if (n++ == 0) {
            part_table_begin(h, TEXT_RECORDS, columns, false);
        }
        const struct found *f = &s->lines[s->at++];
        s->before = f->seq;
        put_line(r, s, f);
    }
    bool has_rest = newest(r) != NULL;
    r->has_older = r->has_older || has_rest;
    if (n > 0) {
        part_table_end(h);
    } else if (r->has_older) {
        part_empty(h, TEXT_SEARCH_GOES_ON, TEXT_SEARCH_GOES_ON_HELP);
    } else {
        part_empty(h, TEXT_EMPTY_RECORDS, TEXT_EMPTY_RECORDS_HELP);
    }
    put_older(r);
    HTML(h, "</div>\n");
}

static bool show_lines(struct page *p, const struct query *query, struct error *err)
{
    struct records r = {.page = p, .query = query};
    struct error why;

    if (!fleet_nodes(p, &r.nodes, err)) {
        return false;
    }
    struct source *sources CLEANUP(cleanup_free) = calloc(r.nodes.n + 1, sizeof(*sources));
    r.sources = sources;
    if (sources == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "fleet: no memory");
    }
    for (size_t i = 0; i < r.nodes.n; i++) {
        sources[i].state = &r.nodes.list[i];
    }
    for (size_t i = 0; i < r.nodes.n; i++) {
        if (!fleet_read_before(p, span_str(r.nodes.list[i].node), &sources[i].before)) {
            return false;
        }
        if (!read_source(&r, &sources[i], &why)) {
            sources[i].n = 0;
            fleet_nodes_set_unread(&r.nodes.list[i], &why);
        }
    }
    put_lines(&r);
    fleet_put_nodes(p, &r.nodes);
    return fleet_record_access(p, "list", 0, query_canonical(query), span_str("*"), err);
}

bool fleet_records_show(struct page *p, struct error *err)
{
    struct span text = page_parameter(p, "query");
    struct error why;

    /* The query is recorded, so it must not contain a secret. */
    if (!page_judge(p, &text)) {
        return false;
    }
    text = text.len == 0 ? span_str("type:decision") : text;
    part_search(p, path, text);
    struct query *query = access_query(&p->caller, text, clock_utc_ns(), &why);
    if (query == NULL) {
        HTML(&p->html, "<p class=\"notice fault\" role=\"alert\">");
        html_text(&p->html, span_str(why.text));
        HTML(&p->html, "</p>\n");
        return true;
    }
    bool is_shown = show_lines(p, query, err);
    query_free(query);
    return is_shown;
}
