#include "page/parts.h"

#include "index/index_line.h"

enum { NAME_SHOWN = 64 };

/* --- words ----------------------------------------------------------------------- */

void part_verdict(struct html *h, int action)
{
    static const enum text words[] = {[INDEX_ALLOW] = TEXT_ALLOW, [INDEX_REDACT] = TEXT_REDACT, [INDEX_BLOCK] = TEXT_BLOCK};
    const char *name = index_action_name(action);

    HTML(h, "<span class=\"action ");
    html_attribute(h, span_str(name[0] == '\0' ? "none" : name));
    HTML(h, "\">");
    html_word(h, name[0] == '\0' ? TEXT_NO_VERDICT : words[action]);
    HTML(h, "</span>");
}

void part_severity(struct html *h, unsigned severity)
{
    static const enum text words[] = {TEXT_NONE, TEXT_LOW, TEXT_MEDIUM, TEXT_HIGH, TEXT_CRITICAL};

    html_word(h, severity < COUNT(words) ? words[severity] : TEXT_NONE);
}

void part_name(struct html *h, struct span name)
{
    size_t len = name.len > NAME_SHOWN ? NAME_SHOWN : name.len;

    while (len < name.len && len > 0 && ((unsigned char)name.ptr[len] & 0xc0) == 0x80) {
        len--; /* not within a character */
    }
    html_name(h, span_of(name.ptr, len));
    if (len < name.len) {
        HTML(h, "…");
    }
}

void part_disposition(struct html *h, enum item_disposition disposition)
{
    static const enum text words[ITEM_DISPOSITIONS] = {TEXT_UNDISPOSED, TEXT_TRUE_POSITIVE, TEXT_FALSE_POSITIVE,
                                                       TEXT_BENIGN,     TEXT_POLICY_GAP,    TEXT_UNSURE};

    html_word(h, disposition < ITEM_DISPOSITIONS ? words[disposition] : TEXT_NONE);
}

/* --- tables ------------------------------------------------------------------------ */

static bool is_of_numbers(enum text column)
{
    static const enum text numbers[] = {TEXT_PRIORITY, TEXT_CONFIDENCE, TEXT_BYTES_AT, TEXT_HITS,      TEXT_OPEN,
                                        TEXT_AGENTS,   TEXT_BLOCK,      TEXT_REDACT,   TEXT_ALLOW,     TEXT_TRUE_POSITIVE,
                                        TEXT_BENIGN,   TEXT_POLICY_GAP, TEXT_UNSURE,   TEXT_FALSE_POSITIVE, TEXT_BOTH_REVIEWED,
                                        TEXT_AGREED,   TEXT_KAPPA};

    for (size_t i = 0; i < COUNT(numbers); i++) {
        if (column == numbers[i]) {
            return true;
        }
    }
    return false;
}

static void put_column(struct html *h, enum text column)
{
    if (is_of_numbers(column)) {
        HTML(h, "<th role=\"columnheader\" scope=\"col\" class=\"number\">");
    } else {
        HTML(h, "<th role=\"columnheader\" scope=\"col\">");
    }
    html_word(h, column);
    HTML(h, "</th>");
}

void part_table_begin(struct html *h, enum text caption, const enum text *columns, bool has_choice)
{
    HTML(h, "<div class=\"scroll\"><table class=\"cards\" role=\"table\"><caption class=\"unseen\">");
    html_word(h, caption);
    HTML(h, "</caption><thead role=\"rowgroup\"><tr role=\"row\">");
    if (has_choice) {
        HTML(h, "<th role=\"columnheader\" scope=\"col\" class=\"pick\"><span class=\"unseen\">");
        html_word(h, TEXT_CHOSEN);
        HTML(h, "</span><label hidden><input type=\"checkbox\" data-all=\"\"><span class=\"unseen\">");
        html_word(h, TEXT_CHOOSE_ALL);
        HTML(h, "</span></label></th>");
    }
    for (; *columns != TEXT_NONE; columns++) {
        put_column(h, *columns);
    }
    HTML(h, "</tr></thead><tbody role=\"rowgroup\">\n");
}

void part_table_end(struct html *h)
{
    HTML(h, "</tbody></table></div>");
}

void part_row_begin(struct html *h)
{
    HTML(h, "<tr role=\"row\">");
}

void part_row_end(struct html *h)
{
    HTML(h, "</tr>\n");
}

static void put_label(struct html *h, enum text column)
{
    HTML(h, " data-label=\"");
    html_word(h, column);
    HTML(h, "\">");
}

void part_cell_begin(struct html *h, enum text column)
{
    HTML(h, "<td role=\"cell\"");
    put_label(h, column);
}

void part_number_begin(struct html *h, enum text column)
{
    HTML(h, "<td role=\"cell\" class=\"number\"");
    put_label(h, column);
}

void part_cell_end(struct html *h)
{
    HTML(h, "</td>");
}

void part_lead_begin(struct html *h)
{
    HTML(h, "<th role=\"rowheader\" scope=\"row\" class=\"lead\">");
}

void part_lead_end(struct html *h)
{
    HTML(h, "</th>");
}

void part_choice(struct html *h, uint64_t number)
{
    HTML(h, "<td role=\"cell\" class=\"pick\"><label><input type=\"checkbox\" name=\"item\" value=\"");
    html_id(h, number);
    HTML(h, "\"><span class=\"unseen\">");
    html_count(h, TEXT_CHOOSE_LINE, number);
    HTML(h, "</span></label></td>");
}

void part_list_row(struct part_list *l, enum text caption, const enum text *columns)
{
    if (!l->has_some) {
        part_table_begin(&l->page->html, caption, columns, false);
        l->has_some = true;
    }
}

void part_list_end(const struct part_list *l, enum text empty, enum text help, const char *path, uint64_t next)
{
    struct html *h = &l->page->html;

    if (l->has_some) {
        part_table_end(h);
    } else {
        part_empty(h, empty, help);
    }
    if (next > 0) {
        HTML(h, "<p class=\"pages\"><a class=\"button\" rel=\"next\" href=\"");
        html_attribute(h, span_str(path));
        HTML(h, "?before=");
        html_id(h, next);
        HTML(h, "\">");
        html_word(h, TEXT_OLDER);
        HTML(h, "</a></p>");
    }
}

/* --- time ---------------------------------------------------------------------------- */

void part_duration(struct html *h, int64_t ms)
{
    static const struct {
        int64_t ms;
        enum text text;
    } units[] = {{86400000, TEXT_DAYS}, {3600000, TEXT_HOURS}, {60000, TEXT_MINUTES}};

    for (size_t i = 0; i < COUNT(units); i++) {
        if (ms >= units[i].ms) {
            html_count(h, units[i].text, (uint64_t)(ms / units[i].ms));
            return;
        }
    }
    html_count(h, TEXT_MINUTES, 0);
}

void part_due(struct html *h, int64_t due_ms, int64_t now_ms)
{
    if (due_ms >= now_ms) {
        HTML(h, "<span class=\"state\">");
        part_duration(h, due_ms - now_ms);
        HTML(h, "</span>");
        return;
    }
    HTML(h, "<span class=\"late\">");
    html_word(h, TEXT_OVERDUE);
    HTML(h, ", ");
    part_duration(h, now_ms - due_ms);
    HTML(h, "</span>");
}

/* --- facts ----------------------------------------------------------------------------- */

static void put_name(struct html *h, enum text name)
{
    HTML(h, "<dt>");
    html_word(h, name);
    HTML(h, "</dt><dd>");
}

void part_fact(struct html *h, enum text name, struct span value)
{
    if (value.len > 0) {
        put_name(h, name);
        html_name(h, value);
        HTML(h, "</dd>");
    }
}

void part_fact_number(struct html *h, enum text name, uint64_t n)
{
    if (n > 0) {
        put_name(h, name);
        html_number(h, n);
        HTML(h, "</dd>");
    }
}

/* --- forms ------------------------------------------------------------------------------ */

void part_button(struct html *h, const struct part_button *b)
{
    HTML(h, "<button type=\"submit\" name=\"");
    html_attribute(h, span_str(b->name));
    HTML(h, "\" value=\"");
    html_attribute(h, span_str(b->value));
    HTML(h, "\" class=\"");
    html_attribute(h, span_str(b->kind == NULL ? "" : b->kind));
    if (b->key != NULL) {
        HTML(h, "\" data-key=\"");
        html_attribute(h, span_str(b->key));
    }
    HTML(h, "\">");
    html_word(h, b->text);
    if (b->key != NULL) {
        HTML(h, " <kbd aria-hidden=\"true\">");
        html_text(h, span_str(b->key));
        HTML(h, "</kbd>");
    }
    HTML(h, "</button>");
}

void part_answers(struct html *h, bool has_claim)
{
    static const struct part_button answers[] = {
        {"do", "true_positive", TEXT_TRUE_POSITIVE, "t", "first"}, {"do", "false_positive", TEXT_FALSE_POSITIVE, "f", NULL},
        {"do", "benign", TEXT_BENIGN, "b", NULL},                  {"do", "policy_gap", TEXT_POLICY_GAP, "g", NULL},
        {"do", "unsure", TEXT_UNSURE, ".", NULL},
    };
    static const struct part_button others[] = {
        {"do", "claim", TEXT_CLAIM, "a", NULL},
        {"do", "release", TEXT_RELEASE, NULL, "plain"},
    };

    for (size_t i = 0; i < COUNT(answers); i++) {
        part_button(h, &answers[i]);
    }
    for (size_t i = 0; i < COUNT(others) && has_claim; i++) {
        part_button(h, &others[i]);
    }
}

void part_search(struct page *p, const char *path, struct span query)
{
    struct html *h = &p->html;

    HTML(h, "<form class=\"search\" role=\"search\" action=\"");
    page_address(p, path, span_of("", 0));
    HTML(h, "\"><label class=\"unseen\" for=\"query\">");
    html_word(h, TEXT_QUERY);
    HTML(h, "</label><input type=\"search\" id=\"query\" name=\"query\" data-key=\"/\" spellcheck=\"false\" autocomplete=\"off\" maxlength=\"4096\""
            " placeholder=\"action:block tenant:acme since:7d\" value=\"");
    html_attribute(h, query);
    HTML(h, "\"><button type=\"submit\">");
    html_word(h, TEXT_SEARCH);
    HTML(h, " <kbd aria-hidden=\"true\">/</kbd></button></form>\n");
}

void part_recorded(struct page *p)
{
    static const struct part_button undo = {"do", "undo", TEXT_UNDO, "z", NULL};
    struct html *h = &p->html;
    uint64_t line;

    if (!page_parameter_number(p, "line", &line) || line == 0) {
        return;
    }
    HTML(h, "<div class=\"notice\" role=\"status\"><span>");
    html_count(h, TEXT_RECORDED, line);
    HTML(h, "</span>");
    form_begin(p, "/undo/{line}", page_parameter(p, "line"));
    part_button(h, &undo);
    form_end(p);
    HTML(h, "</div>\n");
}

void part_empty(struct html *h, enum text title, enum text help)
{
    HTML(h, "<section class=\"panel empty\"><h2>");
    html_word(h, title);
    HTML(h, "</h2><p>");
    html_word(h, help);
    HTML(h, "</p></section>\n");
}

void part_keys(struct html *h)
{
    static const struct {
        const char *keys;
        enum text text;
    } rows[] = {
        {"j k", TEXT_KEY_MOVE},      {"Enter", TEXT_KEY_OPEN},   {"u", TEXT_KEY_BACK},      {"x", TEXT_KEY_CHOOSE},
        {"J K", TEXT_KEY_EXTEND},    {"t f b g .", TEXT_KEY_ANSWER}, {"a", TEXT_CLAIM},     {"s", TEXT_SNOOZE},
        {"e", TEXT_KEY_EXCEPTION},   {"r", TEXT_KEY_REVEAL},     {"n", TEXT_KEY_NEIGHBOURS}, {"z", TEXT_UNDO},
        {"/", TEXT_SEARCH},          {"g q, g r, g a", TEXT_KEY_GO}, {"?", TEXT_KEYS},
    };

    HTML(h, "<details class=\"keys\"><summary>");
    html_word(h, TEXT_KEYS);
    HTML(h, "</summary><button type=\"button\" hidden data-switch=\"keys\">");
    html_word(h, TEXT_KEYS_ON);
    HTML(h, "</button><dl>");
    for (size_t i = 0; i < COUNT(rows); i++) {
        HTML(h, "<div><dt><kbd>");
        html_text(h, span_str(rows[i].keys));
        HTML(h, "</kbd></dt><dd>");
        html_word(h, rows[i].text);
        HTML(h, "</dd></div>");
    }
    HTML(h, "</dl></details>\n");
}

void part_tabs(struct html *h, enum text label, const struct part_tab *tabs, size_t n)
{
    HTML(h, "<nav class=\"tabs\" aria-label=\"");
    html_word(h, label);
    HTML(h, "\">");
    for (size_t i = 0; i < n; i++) {
        HTML(h, "<a href=\"/review");
        html_attribute(h, span_str(tabs[i].path));
        html_attribute(h, span_str(tabs[i].query));
        HTML(h, "\"");
        if (tabs[i].is_current) {
            HTML(h, " aria-current=\"page\"");
        }
        HTML(h, ">");
        html_word(h, tabs[i].text);
        if (tabs[i].has_count) {
            HTML(h, " ");
            html_number(h, tabs[i].count);
        }
        HTML(h, "</a>");
    }
    HTML(h, "</nav>\n");
}
