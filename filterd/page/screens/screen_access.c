/* screen_access.c - accesses to records, with purpose. */
#include "page/frame.h"
#include "page/lines.h"
#include "page/passkeys.h"
#include "page/screens.h"
#include "page/table.h"

enum { ACCESS_ROWS = 100 };

/* What was accessed: a line or a query; or what was done with a passkey, and whose it is. */
static void put_object(struct page *p, const struct record_line *line)
{
    struct html *h = &p->html;
    struct span person = record_text(line, "person");
    uint64_t item = 0;

    HTML(h, "<td>");
    if (person.len > 0) {
        html_text(h, record_text(line, "step"));
        HTML(h, " ");
        html_name(h, person);
        HTML(h, "</td>");
        return;
    }
    if (record_number(line, "item", &item)) {
        html_word(h, TEXT_LINE);
        HTML(h, " ");
        html_id(h, item);
    } else {
        HTML(h, "<code>");
        html_name(h, record_text(line, "query"));
        HTML(h, "</code>");
    }
    HTML(h, "</td>");
}

static bool put_row(struct page *p, const struct record_line *line, void *context, struct error *err)
{
    struct html *h = &p->html;

    (void)context;
    (void)err;
    HTML(h, "<tr>");
    table_time(p, record_time(line, "ts"));
    table_name(p, record_text(line, "by"));
    table_name(p, record_text(line, "role"));
    table_name(p, record_text(line, "what"));
    put_object(p, line);
    table_name(p, record_text(line, "purpose"));
    HTML(h, "</tr>\n");
    return true;
}

bool access_show(struct page *p, struct error *err)
{
    static const enum text columns[] = {TEXT_WHEN, TEXT_WHO, TEXT_ROLE, TEXT_WHAT, TEXT_QUERY, TEXT_PURPOSE};
    struct lines_page page = {.query = span_str("type:access"), .limit = ACCESS_ROWS, .show = put_row};
    struct html *h = &p->html;
    uint64_t next = 0, n = 0;

    (void)page_parameter_number(p, "before", &page.before);
    HTML(h, "<p>");
    html_word(h, TEXT_ACCESS_HOW);
    HTML(h, "</p>");
    table_begin(p, TEXT_ACCESS, columns, COUNT(columns));
    if (!lines_show(p, &page, &next, &n, err)) {
        return false;
    }
    table_end(p);
    if (n == 0) {
        HTML(h, "<p>");
        html_word(h, TEXT_ACCESS_NONE);
        HTML(h, "</p>");
    }
    lines_put_pages(p, "/access", page.before, next);
    return passkeys_put_all(p, err);
}
