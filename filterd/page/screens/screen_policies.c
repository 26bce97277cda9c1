/* screen_policies.c - policies in force, recorded changes, and the difference between two texts. */
#include "page/diff.h"
#include "page/frame.h"
#include "page/lines.h"
#include "page/replay.h"
#include "page/screens.h"
#include "page/table.h"
#include "state/policy_texts.h"

enum { HISTORY_ROWS = 100, DIGEST_SHOWN = sizeof("sha256:") - 1 + 12, DIFF_MEMORY = 8 * 1024 * 1024 };

/* "sha256:21cf…", as a link to its text. */
static void put_digest(struct page *p, struct span digest, struct span before)
{
    static const char prefix[] = "sha256:";
    struct html *h = &p->html;

    HTML(h, "<td>");
    if (span_starts_with(digest, span_str(prefix)) && digest.len > DIGEST_SHOWN) {
        HTML(h, "<a href=\"");
        page_address(p, "/policies/{digest}", span_slice(digest, sizeof(prefix) - 1, digest.len));
        if (before.len > 0) {
            HTML(h, "?before=");
            html_url(h, before);
        }
        HTML(h, "\"><code>");
        html_text(h, span_slice(digest, 0, DIGEST_SHOWN));
        HTML(h, "…</code></a>");
    } else {
        HTML(h, "–");
    }
    HTML(h, "</td>");
}

static uint64_t count_rules(const struct snapshot *s, const struct policy *policy)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < s->rules->n_rules; i++) {
        n += policy->has_rule[i];
    }
    return n;
}

static void put_policies(struct page *p)
{
    static const enum text columns[] = {TEXT_NAME, TEXT_DIGEST, TEXT_RULES_N, TEXT_SHADOW};
    struct snapshot *s = service_snapshot(p->request->service);
    struct html *h = &p->html;

    HTML(h, "<section><h2>");
    html_word(h, TEXT_IN_FORCE);
    HTML(h, "</h2>");
    table_begin(p, TEXT_IN_FORCE, columns, COUNT(columns));
    for (size_t i = 0; i < s->n_policies; i++) {
        HTML(h, "<tr>");
        table_name(p, s->policies[i].name);
        table_name(p, s->policies[i].digest);
        table_number(p, count_rules(s, &s->policies[i]));
        table_name(p, word_of(h->language, s->policies[i].is_shadow ? TEXT_YES : TEXT_NO));
        HTML(h, "</tr>\n");
    }
    table_end(p);
    HTML(h, "</section>");
    snapshot_unref(s);
}

static bool put_change(struct page *p, const struct record_line *line, void *context, struct error *err)
{
    struct html *h = &p->html;
    bool is_policy = span_is(record_text(line, "what"), "policy");
    struct span before = record_text(line, "before"), after = record_text(line, "after");

    (void)context;
    (void)err;
    HTML(h, "<tr>");
    table_time(p, record_time(line, "ts"));
    table_name(p, record_text(line, "what"));
    table_name(p, record_text(line, "by"));
    put_digest(p, is_policy ? before : span_of("", 0), span_of("", 0));
    put_digest(p, is_policy ? after : span_of("", 0), before);
    HTML(h, "</tr>\n");
    return true;
}

bool policies_show(struct page *p, struct error *err)
{
    static const enum text columns[] = {TEXT_WHEN, TEXT_WHAT, TEXT_BY, TEXT_BEFORE, TEXT_AFTER};
    struct lines_page page = {.query = span_str("type:admin"), .limit = HISTORY_ROWS, .show = put_change};
    struct html *h = &p->html;
    uint64_t next = 0, n = 0;

    put_policies(p);
    replay_put(p, p->request->service->options->state_directory);
    if (!p->has_index) {
        return true; /* the policies in force are shown without it */
    }
    (void)page_parameter_number(p, "before", &page.before);
    HTML(h, "<section><h2>");
    html_word(h, TEXT_HISTORY);
    HTML(h, "</h2>");
    table_begin(p, TEXT_HISTORY, columns, COUNT(columns));
    if (!lines_show(p, &page, &next, &n, err)) {
        return false;
    }
    table_end(p);
    if (n == 0) {
        HTML(h, "<p>");
        html_word(h, TEXT_HISTORY_NONE);
        HTML(h, "</p>");
    }
    lines_put_pages(p, "/policies", page.before, next);
    HTML(h, "</section>");
    return true;
}

/* --- one policy ------------------------------------------------------------------------------ */

static void put_line(void *context, enum diff_kind kind, struct span line)
{
    struct html *h = context;

    switch (kind) {
    case DIFF_REMOVED:
        HTML(h, "<del>- ");
        html_text(h, line);
        HTML(h, "</del>\n");
        break;
    case DIFF_ADDED:
        HTML(h, "<ins>+ ");
        html_text(h, line);
        HTML(h, "</ins>\n");
        break;
    case DIFF_GAP:
        HTML(h, "  …\n");
        break;
    case DIFF_SAME:
    default:
        HTML(h, "  ");
        html_text(h, line);
        HTML(h, "\n");
    }
}

static bool put_difference(struct page *p, struct span before, struct span after, struct error *err)
{
    struct html *h = &p->html;
    struct arena memory;
    size_t n = 0;

    arena_init(&memory, 0, DIFF_MEMORY);
    HTML(h, "<section><h2>");
    html_word(h, TEXT_DIFFERENCE);
    HTML(h, "</h2><pre class=\"diff\">");
    bool is_made = diff_texts(&memory, before, after, put_line, h, &n, err);
    HTML(h, "</pre>");
    if (n == 0) {
        HTML(h, "<p>");
        html_word(h, TEXT_POLICY_SAME);
        HTML(h, "</p>");
    }
    HTML(h, "</section>");
    arena_deinit(&memory);
    return is_made;
}

static void put_sentence(struct page *p, enum text text)
{
    HTML(&p->html, "<p>");
    html_word(&p->html, text);
    HTML(&p->html, "</p>");
}

static bool put_text(struct page *p, struct span text)
{
    struct html *h = &p->html;

    HTML(h, "<section><h2>");
    html_word(h, TEXT_POLICY_WHOLE);
    HTML(h, "</h2>");
    if (text.len < HTML_PAGE_MAX / 3) {
        html_lines(h, text);
    } else {
        put_sentence(p, TEXT_POLICY_LONG);
    }
    HTML(h, "</section>");
    return true;
}

bool policy_show(struct page *p, struct error *err)
{
    const char *folder = p->request->service->options->state_directory;
    struct buf after, before;
    bool is_shown = true;

    buf_init(&after, POLICY_TEXT_MAX);
    buf_init(&before, POLICY_TEXT_MAX);
    HTML(&p->html, "<p><code>");
    html_text(&p->html, p->part);
    HTML(&p->html, "</code></p>");
    if (!policy_text_read(folder, p->part, &after, err)) {
        put_sentence(p, TEXT_POLICY_LOST);
    } else {
        if (policy_text_read(folder, page_parameter(p, "before"), &before, err)) {
            is_shown = put_difference(p, buf_span(&before), buf_span(&after), err);
        }
        is_shown = is_shown && put_text(p, buf_span(&after));
    }
    buf_deinit(&after);
    buf_deinit(&before);
    return is_shown;
}
