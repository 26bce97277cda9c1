#include "page/passkeys.h"

#include "page/frame.h"
#include "page/table.h"

enum { MS_NS = 1000000 };

struct rows {
    struct page *page;
    bool is_own;
    size_t n;
};

static void put_remove(struct page *p, int64_t number)
{
    HTML(&p->html, "<td>");
    form_begin(p, "/passkeys/remove", span_of("", 0));
    HTML(&p->html, "<div data-whole=\"\"><input type=\"hidden\" name=\"number\" value=\"");
    html_id(&p->html, (uint64_t)number);
    HTML(&p->html, "\">");
    form_button(p, TEXT_PASSKEY_REMOVE);
    HTML(&p->html, "</div>");
    form_end(p);
    HTML(&p->html, "</td>");
}

/* The table begins with its first row. */
static void begin(const struct rows *rows)
{
    static const enum text own[] = {TEXT_PASSKEY, TEXT_PASSKEY_ADDED, TEXT_PASSKEY_USED, TEXT_CHANGE},
                           all[] = {TEXT_PASSKEY_PERSON, TEXT_PASSKEY, TEXT_PASSKEY_ADDED, TEXT_PASSKEY_USED};

    if (rows->is_own) {
        table_begin(rows->page, TEXT_PASSKEYS_OWN, own, COUNT(own));
    } else {
        table_begin(rows->page, TEXT_PASSKEYS_ALL, all, COUNT(all));
    }
}

static bool put_row(void *context, const struct passkey_row *row, struct error *err)
{
    struct rows *rows = context;
    struct page *p = rows->page;

    (void)err;
    if (rows->n++ == 0) {
        begin(rows);
    }
    HTML(&p->html, "<tr>");
    if (!rows->is_own) {
        table_name(p, span_str(row->person));
    }
    table_name(p, span_str(row->name));
    table_time(p, row->added_ms * MS_NS);
    table_time(p, row->used_ms * MS_NS);
    if (rows->is_own) {
        put_remove(p, row->number);
    }
    HTML(&p->html, "</tr>\n");
    return true;
}

static bool put_rows(struct page *p, const char *person, enum text none, struct error *err)
{
    struct rows rows = {.page = p, .is_own = person != NULL};

    if (!passkeys_list(p->request->service->passkeys, person, put_row, &rows, err)) {
        return false;
    }
    if (rows.n > 0) {
        table_end(p);
    } else {
        HTML(&p->html, "<p>");
        html_word(&p->html, none);
        HTML(&p->html, "</p>");
    }
    return true;
}

bool passkeys_put_own(struct page *p, struct error *err)
{
    return put_rows(p, p->caller.name, TEXT_PASSKEYS_NONE, err);
}

static void put_reset(struct page *p)
{
    struct html *h = &p->html;

    HTML(h, "<section class=\"panel\"><h2>");
    html_word(h, TEXT_PASSKEYS_RESET);
    HTML(h, "</h2><p class=\"muted\">");
    html_word(h, TEXT_PASSKEYS_RESET_HELP);
    HTML(h, "</p>");
    form_begin(p, "/passkeys/reset", span_of("", 0));
    HTML(h, "<div class=\"fields\" data-whole=\"\"><label>");
    html_word(h, TEXT_PASSKEY_PERSON);
    HTML(h, "<input type=\"text\" name=\"person\" required maxlength=\"79\" autocomplete=\"off\"></label><label>");
    html_word(h, TEXT_REASON);
    HTML(h, "<input type=\"text\" name=\"why\" required maxlength=\"128\" autocomplete=\"off\"></label>");
    HTML(h, "<div class=\"row\">");
    form_button(p, TEXT_PASSKEYS_RESET_DO);
    HTML(h, "</div></div>");
    form_end(p);
    HTML(h, "</section>\n");
}

bool passkeys_put_all(struct page *p, struct error *err)
{
    if (p->request->service->passkeys == NULL) {
        return true;
    }
    HTML(&p->html, "<h2>");
    html_word(&p->html, TEXT_PASSKEYS_ALL);
    HTML(&p->html, "</h2>\n");
    if (!put_rows(p, NULL, TEXT_PASSKEYS_ALL_NONE, err)) {
        return false;
    }
    if (caller_has(&p->caller, ROLE_ADMIN)) {
        put_reset(p);
    }
    return true;
}
