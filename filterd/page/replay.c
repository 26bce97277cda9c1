#include "page/replay.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "page/frame.h"
#include "page/table.h"

/* A member of an object; its kind is NULL if it is absent. */
static struct json_value member(struct json_value object, const char *name)
{
    struct json_iterator it = json_iterate(object);
    struct json_value item;
    struct span key;

    while (object.kind == JSON_KIND_OBJECT && json_next(&it, &key, &item)) {
        if (span_is(key, name)) {
            return item;
        }
    }
    return (struct json_value){.kind = JSON_KIND_NULL, .raw = span_str("null")};
}

static struct span text_of(struct page *p, struct json_value object, const char *name)
{
    struct json_value value = member(object, name);
    struct span text = span_of("", 0);
    struct error ignored;

    return value.kind == JSON_KIND_STRING && json_unquote(&p->memory, value, &text, &ignored) ? text : span_of("", 0);
}

static uint64_t number_of(struct json_value object, const char *name)
{
    struct json_value value = member(object, name);

    return value.kind == JSON_KIND_NUMBER ? strtoull(value.raw.ptr, NULL, 10) : 0;
}

static void put_number(struct page *p, enum text text, uint64_t n)
{
    HTML(&p->html, "<li>");
    html_count(&p->html, text, n);
    HTML(&p->html, "</li>");
}

static void put_sums(struct page *p, struct json_value root)
{
    struct json_value candidate = member(root, "candidate");
    struct html *h = &p->html;

    HTML(h, "<p>");
    html_name(h, text_of(p, candidate, "file"));
    HTML(h, " <code>");
    html_text(h, text_of(p, candidate, "digest"));
    HTML(h, "</code></p><ul>");
    put_number(p, TEXT_REPLAY_JUDGED, number_of(root, "judged"));
    put_number(p, TEXT_REPLAY_CHANGED, number_of(root, "changed"));
    put_number(p, TEXT_REPLAY_FAILED, number_of(root, "failed"));
    HTML(h, "</ul>");
}

static void put_moves(struct page *p, struct json_value moves)
{
    static const enum text columns[] = {TEXT_BEFORE, TEXT_AFTER, TEXT_REPLAY_N};
    struct json_iterator it = json_iterate(moves);
    struct json_value move;
    struct span key;

    table_begin(p, TEXT_REPLAY, columns, COUNT(columns));
    while (json_next(&it, &key, &move)) {
        HTML(&p->html, "<tr>");
        table_name(p, text_of(p, move, "from"));
        table_name(p, text_of(p, move, "to"));
        table_number(p, number_of(move, "n"));
        HTML(&p->html, "</tr>\n");
    }
    table_end(p);
}

/* "block iban" */
static void put_verdict(struct page *p, struct json_value verdict)
{
    HTML(&p->html, "<td>");
    html_name(&p->html, text_of(p, verdict, "action"));
    HTML(&p->html, " ");
    html_name(&p->html, text_of(p, verdict, "rule"));
    HTML(&p->html, "</td>");
}

static void put_changes(struct page *p, struct json_value changes)
{
    static const enum text columns[] = {TEXT_REPLAY_LINE, TEXT_BEFORE, TEXT_AFTER};
    struct json_iterator it = json_iterate(changes);
    struct json_value change;
    struct span key;

    table_begin(p, TEXT_REPLAY_LINES, columns, COUNT(columns));
    for (size_t n = 0; n < REPLAY_ROWS && json_next(&it, &key, &change); n++) {
        HTML(&p->html, "<tr><td><a href=\"/review/records/");
        html_id(&p->html, number_of(change, "seq"));
        HTML(&p->html, "\">");
        html_id(&p->html, number_of(change, "seq"));
        HTML(&p->html, "</a></td>");
        put_verdict(p, member(change, "before"));
        put_verdict(p, member(change, "after"));
        HTML(&p->html, "</tr>\n");
    }
    table_end(p);
}

void replay_put(struct page *p, const char *state_directory)
{
    struct buf text CLEANUP(buf_deinit);
    char path[PATH_MAX];
    struct error ignored;

    buf_init(&text, REPLAY_FILE_MAX);
    if (state_directory == NULL || snprintf(path, sizeof(path), "%s/" REPLAY_FILE, state_directory) >= (int)sizeof(path) ||
        !file_read(path, &text, &ignored) || !json_validate(buf_span(&text), &ignored)) {
        return;
    }
    struct json_value root = json_root(buf_span(&text));
    if (root.kind != JSON_KIND_OBJECT || number_of(root, "v") != 1) {
        return;
    }
    HTML(&p->html, "<section><h2>");
    html_word(&p->html, TEXT_REPLAY);
    HTML(&p->html, "</h2>");
    put_sums(p, root);
    if (number_of(root, "changed") > 0) {
        put_moves(p, member(root, "moves"));
        put_changes(p, member(root, "changes"));
    }
    HTML(&p->html, "</section>");
}
