#include "page/line_parts.h"

#include "base/clock.h"
#include "page/chart.h"
#include "query/timestamp.h"

enum { RAW_MAX = 4000 /* bytes of a line that are shown as written */, SHAPES_MAX = 4, FINDINGS_SHOWN = 24 };

/* --- reading -------------------------------------------------------------------- */

static bool check_tenant(struct page *p, struct span line, struct error *err)
{
    struct query *q = access_query(&p->caller, span_of("", 0), clock_utc_ns(), err);

    if (q == NULL) {
        return false;
    }
    bool is_seen = query_matches(q, line);
    query_free(q);
    return is_seen || error_set(err, ERROR_NOT_FOUND, "line: one of the caller's tenant expected");
}

bool line_parts_text(struct page *p, struct index_reader *r, uint64_t seq, struct span *text, struct error *err)
{
    struct buf line;

    buf_init(&line, INDEX_FETCH_BYTES);
    bool is_read = index_line_at(r, seq, &line, err) && arena_copy(&p->memory, buf_span(&line), text, err);
    buf_deinit(&line);
    return is_read;
}

const struct line_view *line_parts_read(struct page *p, struct index_reader *r, uint64_t seq, struct error *err)
{
    struct span text;

    if (!line_parts_text(p, r, seq, &text, err)) {
        return NULL;
    }
    const struct line_view *view = line_view_read(text, &p->memory, err);
    return view != NULL && check_tenant(p, view->text, err) ? view : NULL;
}

/* --- what was found --------------------------------------------------------------- */

static void put_shape(struct html *h, const struct line_view *l, const struct line_channel *c)
{
    struct chart_part parts[CHART_PARTS_MAX];
    size_t n = 0;

    for (size_t i = 0; i < l->n_findings && n < CHART_PARTS_MAX; i++) {
        const struct line_finding *f = &l->findings[i];
        if (f->channel == c->number) {
            parts[n++] = (struct chart_part){f->start, f->end, index_action_number(f->action)};
        }
    }
    HTML(h, "<p><code>");
    html_name(h, c->path.len == 0 ? word_of(h->language, TEXT_PLAIN_TEXT) : c->path);
    HTML(h, "</code> <small>");
    html_count(h, c->judged == c->bytes ? TEXT_BYTES_JUDGED : TEXT_BYTES, c->bytes);
    HTML(h, "</small></p>");
    chart_shape(h, c->bytes, parts, n, TEXT_SHAPE);
}

static bool has_findings(const struct line_view *l, uint64_t channel)
{
    for (size_t i = 0; i < l->n_findings; i++) {
        if (l->findings[i].channel == channel) {
            return true;
        }
    }
    return false;
}

static void put_shapes(struct html *h, const struct line_view *l)
{
    size_t n = 0;

    for (size_t i = 0; i < l->n_channels && n < SHAPES_MAX; i++) {
        if (has_findings(l, l->channels[i].number)) {
            put_shape(h, l, &l->channels[i]);
            n++;
        }
    }
    HTML(h, "<p class=\"muted\">");
    html_word(h, n == 0 ? TEXT_NOTHING_FOUND : TEXT_SHAPE_ONLY);
    HTML(h, "</p>");
}

static void put_finding(struct html *h, const struct line_finding *f)
{
    part_row_begin(h);
    part_lead_begin(h);
    HTML(h, "<a class=\"rule\" href=\"/review/rules/");
    html_url(h, f->rule);
    HTML(h, "\">");
    part_name(h, f->rule.len == 0 ? f->source : f->rule);
    HTML(h, "</a><small>");
    part_name(h, f->severity);
    HTML(h, " ");
    part_name(h, f->checks);
    HTML(h, "</small>");
    part_lead_end(h);
    part_cell_begin(h, TEXT_VERDICT);
    part_verdict(h, index_action_number(f->action));
    if (f->is_shadow || f->is_excepted) {
        HTML(h, "<small>");
        html_word(h, f->is_shadow ? TEXT_SHADOW : TEXT_EXCEPTED);
        HTML(h, "</small>");
    }
    part_cell_end(h);
    part_number_begin(h, TEXT_BYTES_AT);
    html_number(h, f->start);
    HTML(h, "–");
    html_number(h, f->end);
    part_cell_end(h);
    part_number_begin(h, TEXT_CONFIDENCE);
    html_number(h, f->score / 100);
    HTML(h, " %");
    part_cell_end(h);
    part_row_end(h);
}

void line_parts_put_found(struct page *p, const struct line_view *l)
{
    static const enum text columns[] = {TEXT_FINDING, TEXT_VERDICT, TEXT_BYTES_AT, TEXT_CONFIDENCE, TEXT_NONE};
    uint64_t more = l->findings_more + (l->n_findings > FINDINGS_SHOWN ? l->n_findings - FINDINGS_SHOWN : 0);
    struct html *h = &p->html;

    HTML(h, "<section class=\"panel\"><h2>");
    html_word(h, TEXT_FOUND);
    HTML(h, "</h2>");
    put_shapes(h, l);
    if (l->n_findings > 0) {
        part_table_begin(h, TEXT_FOUND, columns, false);
        for (size_t i = 0; i < l->n_findings && i < FINDINGS_SHOWN; i++) {
            put_finding(h, &l->findings[i]);
        }
        part_table_end(h);
    }
    if (more > 0) {
        HTML(h, "<p>");
        html_count(h, TEXT_MORE_FINDINGS, more);
        HTML(h, "</p>");
    }
    HTML(h, "</section>\n");
}

/* --- facts ------------------------------------------------------------------------ */

static void put_sealed(struct html *h, const struct line_view *l)
{
    int64_t expires_ns = 0;

    (void)timestamp_parse(l->sealed.expires, 0, &expires_ns);
    if (l->sealed.has_failed || l->sealed.blob.len == 0) {
        part_fact(h, TEXT_ORIGINAL, word_of(h->language, l->sealed.has_failed ? TEXT_NOT_SEALED : TEXT_NO_ORIGINAL));
        return;
    }
    HTML(h, "<dt>");
    html_word(h, TEXT_ORIGINAL);
    HTML(h, "</dt><dd>");
    html_count(h, TEXT_SEALED, l->sealed.bytes);
    HTML(h, "<br><small>");
    html_word(h, TEXT_UNTIL);
    HTML(h, " ");
    html_time(h, expires_ns);
    HTML(h, "</small><a class=\"button\" data-key=\"r\" href=\"/review/reveals?item=");
    html_id(h, l->seq);
    HTML(h, "\">");
    html_word(h, TEXT_ASK_REVEAL);
    HTML(h, " <kbd aria-hidden=\"true\">r</kbd></a></dd>");
}

static void put_verdict(struct html *h, const struct line_view *l)
{
    HTML(h, "<dt>");
    html_word(h, TEXT_VERDICT);
    HTML(h, "</dt><dd>");
    part_verdict(h, index_action_number(l->action));
    HTML(h, "</dd>");
    part_fact(h, TEXT_RULE, l->rule);
    part_fact(h, TEXT_REASON, l->reason);
}

void line_parts_put_facts(struct page *p, const struct line_view *l, bool is_blind)
{
    struct html *h = &p->html;

    HTML(h, "<section class=\"panel\"><h2>");
    html_word(h, TEXT_FACTS);
    HTML(h, "</h2><dl class=\"facts\"><dt>");
    html_word(h, TEXT_WHEN);
    HTML(h, "</dt><dd>");
    html_time(h, l->ts_ns);
    HTML(h, "</dd>");
    if (!is_blind && l->action.len > 0) {
        put_verdict(h, l);
    }
    part_fact(h, TEXT_EVENT, l->event);
    part_fact(h, TEXT_WHO, l->by);
    part_fact(h, TEXT_WHY, l->why);
    part_fact(h, TEXT_TENANT, l->tenant);
    part_fact(h, TEXT_APP, l->app);
    part_fact(h, TEXT_AGENT, l->agent);
    part_fact(h, TEXT_SESSION, l->session);
    part_fact(h, TEXT_REQUEST, l->req_id);
    part_fact(h, TEXT_UPSTREAM, l->upstream);
    part_fact(h, TEXT_PHASE, l->phase);
    part_fact(h, TEXT_END, l->end);
    part_fact(h, TEXT_POLICY, l->policy.name);
    part_fact(h, TEXT_DIGEST, l->policy.digest);
    part_fact_number(h, TEXT_IN_BYTES, l->in_bytes);
    if (!is_blind) {
        part_fact_number(h, TEXT_JUDGED_BYTES, l->judged_bytes);
        part_fact_number(h, TEXT_OUT_BYTES, l->out_bytes);
        part_fact_number(h, TEXT_MICROSECONDS, l->elapsed_us);
    }
    if (span_is(l->type, "decision")) {
        put_sealed(h, l);
    }
    HTML(h, "</dl></section>\n");
}

void line_parts_link(struct html *h, const char *field, struct span value, enum text text, const char *key)
{
    if (value.len == 0) {
        return;
    }
    HTML(h, "<li><a href=\"/review/records?query=");
    html_url(h, span_str(field));
    HTML(h, "%3A%22");
    for (size_t i = 0; i < value.len; i++) { /* as the language quotes a value */
        if (value.ptr[i] == '"' || value.ptr[i] == '\\') {
            HTML(h, "%5C");
        }
        html_url(h, span_slice(value, i, i + 1));
    }
    HTML(h, "%22\"");
    if (key != NULL) {
        HTML(h, " data-key=\"");
        html_attribute(h, span_str(key));
        HTML(h, "\"");
    }
    HTML(h, ">");
    html_word(h, text);
    HTML(h, "</a></li>");
}

void line_parts_put_links(struct page *p, const struct line_view *l)
{
    struct html *h = &p->html;

    HTML(h, "<ul>");
    line_parts_link(h, "token", l->n_findings > 0 ? l->findings[0].value_tok : span_of("", 0), TEXT_SAME_VALUE, "n");
    line_parts_link(h, "req", l->req_id, TEXT_SAME_REQUEST, NULL);
    line_parts_link(h, "session", l->session, TEXT_SAME_SESSION, NULL);
    line_parts_link(h, "agent", l->agent, TEXT_SAME_AGENT, NULL);
    HTML(h, "</ul>");
}

void line_parts_put_raw(struct page *p, const struct line_view *l)
{
    struct html *h = &p->html;
    bool is_cut = l->text.len > RAW_MAX;

    HTML(h, "<details class=\"panel\"><summary>");
    html_word(h, TEXT_AS_WRITTEN);
    HTML(h, "</summary><code class=\"code\">");
    html_text(h, is_cut ? span_of(l->text.ptr, RAW_MAX) : l->text);
    HTML(h, "</code>");
    if (is_cut) {
        HTML(h, "<p>");
        html_count(h, TEXT_CUT, l->text.len);
        HTML(h, "</p>");
    }
    HTML(h, "</details>\n");
}
