/* screen_exports.c - evidence bundles: the command that exports one, and recorded exports.
 *
 * filterctl writes the bundle on the machine of the record and can be interrupted; a worker of the service would hold gigabytes
 * for it. */
#include "base/clock.h"
#include "page/frame.h"
#include "page/lines.h"
#include "page/screens.h"
#include "page/table.h"

enum { EXPORTS_SEEN = 500 };

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

    HTML(h, "<label for=\"");
    html_attribute(h, span_str(name));
    HTML(h, "\">");
    html_word(h, label);
    HTML(h, "</label><input name=\"");
    html_attribute(h, span_str(name));
    HTML(h, "\" id=\"");
    html_attribute(h, span_str(name));
    HTML(h, "\" value=\"");
    html_attribute(h, page_parameter(p, name));
    HTML(h, "\">");
}

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
    HTML(h, "</p><form method=\"get\" action=\"/review/exports\">");
    put_field(p, "query", TEXT_QUERY);
    put_field(p, "purpose", TEXT_PURPOSE);
    form_button(p, TEXT_SHOW_COMMAND);
    HTML(h, "</form>");
    if (!put_command(p, err)) {
        return false;
    }
    HTML(h, "<h2>");
    html_word(h, TEXT_EXPORTS_DONE);
    HTML(h, "</h2>");
    return put_exports(p, err);
}
