/* screen_exports.c - evidence bundles: a form that starts an export, its progress, the file; the command that makes the same
 * bundle, and recorded exports. */
#include "base/clock.h"
#include "page/frame.h"
#include "page/lines.h"
#include "page/screens.h"
#include "page/table.h"
#include "service/exports.h"

enum { EXPORTS_SEEN = 500 };

static const char path[] = "/exports", one[] = "/exports/{id}", file[] = "/exports/{id}/file";

/* A shell word in single quotes. */
static void put_word(struct html *h, struct span text)
{
    HTML(h, "&#39;");
    for (; text.len > 0; text = span_slice(text, 1, text.len)) {
        const char *quote = memchr(text.ptr, '\'', text.len);
        size_t len = quote == NULL ? text.len : (size_t)(quote - text.ptr);
        html_text(h, span_slice(text, 0, len));
        text = span_slice(text, len, text.len);
        if (text.len == 0) {
            break;
        }
        HTML(h, "&#39;\\&#39;&#39;");
    }
    HTML(h, "&#39;");
}

static bool put_command(struct page *p, struct error *err)
{
    struct span text = page_parameter(p, "query"), purpose = page_parameter(p, "purpose");
    struct html *h = &p->html;

    if (text.len == 0 && purpose.len == 0) {
        return true;
    }
    struct query *query = access_query(&p->caller, text, clock_utc_ns(), err);
    if (query == NULL) {
        return page_fault(p, 422, TEXT_FAULT_QUERY);
    }
    HTML(h, "<h2>");
    html_word(h, TEXT_COMMAND);
    HTML(h, "</h2><pre>filterctl record export --query ");
    put_word(h, query_canonical(query));
    HTML(h, " --why ");
    put_word(h, purpose);
    HTML(h, " --out evidence.tar</pre>");
    query_free(query);
    return true;
}

static void put_field(struct page *p, const char *name, enum text label)
{
    struct html *h = &p->html;

    HTML(h, "<label>");
    html_word(h, label);
    HTML(h, "<input type=\"text\" autocomplete=\"off\" name=\"");
    html_attribute(h, span_str(name));
    HTML(h, "\" value=\"");
    html_attribute(h, page_parameter(p, name));
    HTML(h, "\"></label>");
}

static void put_fields(struct page *p, enum text button)
{
    HTML(&p->html, "<div class=\"fields\">");
    put_field(p, "query", TEXT_QUERY);
    put_field(p, "purpose", TEXT_PURPOSE);
    form_button(p, button);
    HTML(&p->html, "</div>");
}

/* --- a bundle that the service makes ---------------------------------------------------- */

static void put_link(struct page *p, const char *to, const char *id, enum text text)
{
    struct html *h = &p->html;

    HTML(h, " <a href=\"");
    page_address(p, to, span_str(id));
    HTML(h, "\">");
    html_word(h, text);
    HTML(h, "</a>");
}

/* review.js looks again while it has data-refresh; without script the link does. */
static void put_state(struct page *p, const struct export_view *v)
{
    struct html *h = &p->html;

    if (v->state == EXPORT_RUNNING) {
        HTML(h, "<div id=\"export\" data-refresh=\"\"><p class=\"notice\">");
        html_count(h, TEXT_EXPORT_RUNNING, v->lines);
        put_link(p, one, v->id, TEXT_EXPORT_LOOK);
    } else if (v->state == EXPORT_DONE) {
        HTML(h, "<div id=\"export\"><p class=\"notice good\">");
        html_count(h, TEXT_EXPORT_DONE, v->lines);
        HTML(h, " ");
        html_time(h, v->until_ms * 1000000);
        put_link(p, file, v->id, TEXT_DOWNLOAD);
    } else {
        HTML(h, "<div id=\"export\"><p class=\"notice fault\">");
        html_word(h, TEXT_EXPORT_FAILED);
        HTML(h, " ");
        html_text(h, span_str(v->detail));
    }
    HTML(h, "</p></div>");
}

static void put_make(struct page *p)
{
    struct export_view newest;

    if (exports_newest(p->request->service, &p->caller, &newest)) {
        put_state(p, &newest);
    }
    form_begin(p, path, span_of("", 0));
    put_fields(p, TEXT_EXPORT_MAKE);
    form_end(p);
}

bool exports_post(struct page *p, struct error *err)
{
    static const struct page_status faults[] = {
        {404, TEXT_FAULT_404}, {409, TEXT_FAULT_EXPORT_RUNS}, {422, TEXT_FAULT_EXPORT}, {0, TEXT_FAULT_EXPORT_FULL}};
    struct export_answer answer;

    (void)err;
    exports_begin(p->request->service, &p->caller, page_field(p, "query"), page_field(p, "purpose"), &answer);
    return answer.status == 202 ? page_redirect(p, one, span_str(answer.view.id), TEXT_NOTICE_EXPORT)
                                : page_fault_of(p, answer.status, faults);
}

bool export_show(struct page *p, struct error *err)
{
    struct html *h = &p->html;
    struct export_view v;

    (void)err;
    if (!exports_look(p->request->service, &p->caller, p->part, &v)) {
        return page_fault(p, 404, TEXT_FAULT_404);
    }
    put_state(p, &v);
    HTML(h, "<p><a rel=\"up\" href=\"/review/exports\">");
    html_word(h, TEXT_EXPORTS);
    HTML(h, "</a></p>");
    return true;
}

bool export_file_show(struct page *p, struct error *err)
{
    uint64_t size = 0;
    int fd = exports_file(p->request->service, &p->caller, p->part, &size);

    (void)err;
    if (fd < 0) {
        return page_fault(p, 404, TEXT_FAULT_404);
    }
    p->request->reply = (struct reply){.status = 200, .type = "application/x-tar", .cache = "no-store", .attachment = "evidence.tar",
                                       .has_file = true, .file = fd, .file_size = size};
    return true;
}

/* --- those on record -------------------------------------------------------------------- */

static bool put_export(struct page *p, const struct record_line *line, void *context, struct error *err)
{
    uint64_t *n = context;

    (void)err;
    if (!span_is(record_text(line, "what"), "export")) {
        return true;
    }
    (*n)++;
    HTML(&p->html, "<tr>");
    table_time(p, record_time(line, "ts"));
    table_name(p, record_text(line, "by"));
    table_name(p, record_text(line, "query"));
    table_name(p, record_text(line, "purpose"));
    HTML(&p->html, "</tr>\n");
    return true;
}

static bool put_exports(struct page *p, struct error *err)
{
    static const enum text columns[] = {TEXT_WHEN, TEXT_WHO, TEXT_QUERY, TEXT_PURPOSE};
    uint64_t n = 0, next = 0, seen = 0;
    const struct lines_page page = {.query = span_str("type:access"), .limit = EXPORTS_SEEN, .show = put_export, .context = &n};

    table_begin(p, TEXT_EXPORTS_DONE, columns, COUNT(columns));
    if (!lines_show(p, &page, &next, &seen, err)) {
        return false;
    }
    table_end(p);
    if (n == 0) {
        HTML(&p->html, "<p>");
        html_word(&p->html, TEXT_EXPORTS_NONE);
        HTML(&p->html, "</p>");
    }
    return true;
}

bool exports_show(struct page *p, struct error *err)
{
    struct html *h = &p->html;

    HTML(h, "<p>");
    html_word(h, TEXT_EXPORT_HOW);
    HTML(h, "</p>");
    put_make(p);
    HTML(h, "<h2>");
    html_word(h, TEXT_EXPORT_BY_COMMAND);
    HTML(h, "</h2><p>");
    html_word(h, TEXT_EXPORT_COMMAND_HOW);
    HTML(h, "</p><form method=\"get\" action=\"/review/exports\">");
    put_fields(p, TEXT_SHOW_COMMAND);
    HTML(h, "</form>");
    if (!put_command(p, err)) {
        return false;
    }
    HTML(h, "<h2>");
    html_word(h, TEXT_EXPORTS_DONE);
    HTML(h, "</h2>");
    return put_exports(p, err);
}
