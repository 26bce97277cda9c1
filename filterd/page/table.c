#include "page/table.h"

/* The box can be scrolled with the keyboard, so it is focusable and labelled. */
void table_begin(struct page *p, enum text caption, const enum text *columns, size_t n)
{
    struct html *h = &p->html;

    HTML(h, "<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"");
    html_word(h, caption);
    HTML(h, "\"><table><thead><tr>");
    for (size_t i = 0; i < n; i++) {
        HTML(h, "<th scope=\"col\">");
        html_word(h, columns[i]);
        HTML(h, "</th>");
    }
    HTML(h, "</tr></thead><tbody>\n");
}

void table_end(struct page *p)
{
    HTML(&p->html, "</tbody></table></div>");
}

void table_name(struct page *p, struct span text)
{
    HTML(&p->html, "<td>");
    html_name(&p->html, text);
    HTML(&p->html, "</td>");
}

void table_number(struct page *p, uint64_t n)
{
    HTML(&p->html, "<td class=\"number\">");
    html_number(&p->html, n);
    HTML(&p->html, "</td>");
}

void table_time(struct page *p, int64_t utc_ns)
{
    HTML(&p->html, "<td>");
    html_time(&p->html, utc_ns);
    HTML(&p->html, "</td>");
}
