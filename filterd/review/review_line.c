#include "review/review_line.h"

#include <inttypes.h>
#include <time.h>

#include "base/json.h"
#include "query/timestamp.h"
#include "record/log_files.h"
#include "record/note_text.h"

static const char group_key[] = "group:"; /* in front of an id, so that it reads as the record's tokens do */

/* --- groups ------------------------------------------------------------------- */

void review_group_text(const uint8_t group[REVIEW_GROUP], char text[REVIEW_GROUP_TEXT + 1])
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < REVIEW_GROUP; i++) {
        text[2 * i] = digits[group[i] >> 4];
        text[2 * i + 1] = digits[group[i] & 15];
    }
    text[REVIEW_GROUP_TEXT] = '\0';
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool review_group_parse(struct span text, uint8_t group[REVIEW_GROUP])
{
    struct span prefix = span_str(group_key);
    uint8_t bytes[REVIEW_GROUP];

    text = span_starts_with(text, prefix) ? span_slice(text, prefix.len, text.len) : text;
    if (text.len != REVIEW_GROUP_TEXT) {
        return false;
    }
    for (size_t i = 0; i < REVIEW_GROUP; i++) {
        int high = hex_value(text.ptr[2 * i]), low = hex_value(text.ptr[2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    memcpy(group, bytes, sizeof(bytes));
    return true;
}

/* --- writing ------------------------------------------------------------------ */

bool review_append_time(struct buf *out, int64_t utc_ns, struct error *err)
{
    int64_t ns = utc_ns < 0 ? 0 : utc_ns;
    time_t seconds = (time_t)(ns / 1000000000);
    char date[32];
    struct tm t;

    (void)strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", gmtime_r(&seconds, &t));
    return buf_appendf(out, err, "\"%s.%09" PRId64 "Z\"", date, ns % 1000000000);
}

static bool put_text(struct buf *out, const char *name, struct span text, struct error *err)
{
    return text.len == 0 || (buf_appendf(out, err, ",\"%s\":", name) && json_append_string(out, text, err));
}

static bool put_time(struct buf *out, const char *name, int64_t ms, struct error *err)
{
    return ms == 0 || (buf_appendf(out, err, ",\"%s\":", name) && review_append_time(out, ms * 1000000, err));
}

static bool put_number(struct buf *out, const char *name, uint64_t number, struct error *err)
{
    return number == 0 || buf_appendf(out, err, ",\"%s\":%" PRIu64, name, number);
}

static bool put_items(const struct review_line *l, struct buf *out, struct error *err)
{
    if (l->n_items == 1) {
        return put_number(out, "item", l->items[0], err);
    }
    for (size_t i = 0; i < l->n_items; i++) {
        if (!buf_appendf(out, err, "%s%" PRIu64, i == 0 ? ",\"items\":[" : ",", l->items[i])) {
            return false;
        }
    }
    return l->n_items == 0 || buf_append_char(out, ']', err);
}

static bool put_group(const struct review_line *l, struct buf *out, struct error *err)
{
    char text[REVIEW_GROUP_TEXT + 1];

    review_group_text(l->group, text);
    return !l->has_group || buf_appendf(out, err, ",\"group\":\"%s%s\"", group_key, text);
}

static bool put_states(const struct review_line *l, struct buf *out, struct error *err)
{
    return l->from >= ITEM_STATES || l->to >= ITEM_STATES ||
           buf_appendf(out, err, ",\"from\":\"%s\",\"to\":\"%s\"", item_state_name(l->from), item_state_name(l->to));
}

bool review_line_format(const struct review_line *l, struct buf *out, struct error *err)
{
    buf_clear(out);
    return buf_append_str(out, "{\"v\":2,\"type\":\"review\",\"ts\":", err) && review_append_time(out, l->ts_ns, err) &&
           buf_appendf(out, err, ",\"step\":\"%s\"", item_verb_name(l->verb)) && put_items(l, out, err) && put_group(l, out, err) &&
           put_states(l, out, err) && put_text(out, "disposition", span_str(item_disposition_name(l->disposition)), err) &&
           put_text(out, "assignee", l->assignee, err) && put_time(out, "lease", l->until_ms, err) &&
           put_time(out, "until", l->snooze.until_ms, err) && put_number(out, "more", l->snooze.more, err) &&
           (!l->snooze.until_policy || buf_append_str(out, ",\"until_policy\":true", err)) &&
           put_number(out, "undo_of", l->undo_of, err) && put_text(out, "note", l->note, err) && put_text(out, "by", l->by, err) &&
           put_text(out, "role", l->role, err) && put_text(out, "console", l->console, err) && put_text(out, "order", l->order, err) && buf_append_char(out, '}', err);
}

/* --- reading ------------------------------------------------------------------ */

struct parts {
    struct review_line *out;
    struct arena *memory;
    struct error *err;
    struct span group;
    struct json_value items;
    uint64_t item;
    bool has_failed;
};

static struct span text_of(struct parts *p, struct json_value value)
{
    struct span text = {NULL, 0};

    p->has_failed |= value.kind == JSON_KIND_STRING && !json_unquote(p->memory, value, &text, p->err);
    return text;
}

static uint64_t number_of(struct json_value value)
{
    uint64_t number = 0;

    return value.kind == JSON_KIND_NUMBER && note_read_number(value.raw, &number) && number <= INT64_MAX ? number : 0;
}

static int64_t time_of(struct parts *p, struct json_value value)
{
    int64_t ns = 0;

    return timestamp_parse(text_of(p, value), 0, &ns) ? ns : 0;
}

static void take_member(struct parts *p, struct span name, struct json_value value)
{
    struct review_line *l = p->out;
    const struct {
        const char *name;
        struct span *text;
    } texts[] = {{"by", &l->by}, {"role", &l->role}, {"assignee", &l->assignee}, {"note", &l->note}, {"group", &p->group}, {"console", &l->console}, {"order", &l->order}};
    const struct {
        const char *name;
        uint64_t *number;
    } numbers[] = {{"item", &p->item}, {"more", &l->snooze.more}, {"undo_of", &l->undo_of}};

    for (size_t i = 0; i < COUNT(texts); i++) {
        *texts[i].text = span_is(name, texts[i].name) ? text_of(p, value) : *texts[i].text;
    }
    for (size_t i = 0; i < COUNT(numbers); i++) {
        *numbers[i].number = span_is(name, numbers[i].name) ? number_of(value) : *numbers[i].number;
    }
    if (span_is(name, "step")) {
        l->verb = (enum item_verb)item_verb_of(text_of(p, value));
    } else if (span_is(name, "disposition")) {
        l->disposition = (enum item_disposition)item_disposition_of(text_of(p, value));
    } else if (span_is(name, "from")) {
        l->from = item_state_of(text_of(p, value));
    } else if (span_is(name, "to")) {
        l->to = item_state_of(text_of(p, value));
    } else if (span_is(name, "ts")) {
        l->ts_ns = time_of(p, value);
    } else if (span_is(name, "lease")) {
        l->until_ms = time_of(p, value) / 1000000;
    } else if (span_is(name, "until")) {
        l->snooze.until_ms = time_of(p, value) / 1000000;
    } else if (span_is(name, "until_policy")) {
        l->snooze.until_policy = value.kind == JSON_KIND_TRUE;
    } else if (span_is(name, "items")) {
        p->items = value;
    }
}

/* Ascending numbers, each once: a repeated one would be a step taken twice. */
static bool take_items(struct parts *p, struct error *err)
{
    uint64_t *items = arena_array(p->memory, REVIEW_ITEMS_MAX, sizeof(*items), err);
    struct json_iterator it = json_iterate(p->items);
    struct json_value value;
    struct span none;
    size_t n = 0;

    if (items == NULL) {
        return false;
    }
    if (p->item != 0) {
        items[n++] = p->item;
    }
    while (p->item == 0 && p->items.kind == JSON_KIND_ARRAY && json_next(&it, &none, &value)) {
        uint64_t number = number_of(value);
        if (n == REVIEW_ITEMS_MAX || number == 0 || (n > 0 && number <= items[n - 1])) {
            return error_set(err, ERROR_INVALID, "review: at most %d ascending numbers of items expected", REVIEW_ITEMS_MAX);
        }
        items[n++] = number;
    }
    p->out->items = items;
    p->out->n_items = n;
    return true;
}

static bool check(const struct review_line *l, struct error *err)
{
    bool is_aimed = l->n_items > 0 || l->has_group;

    return (l->verb != ITEM_NO_VERB && l->by.len > 0 && l->by.len <= ITEM_NAME && l->assignee.len <= ITEM_NAME && is_aimed) ||
           error_set(err, ERROR_INVALID, "review: step, by and item, items or group expected");
}

bool review_line_parse(struct span text, struct arena *memory, struct review_line *out, struct error *err)
{
    struct parts p = {.out = out, .memory = memory, .err = err, .items = {.kind = JSON_KIND_NULL}};
    struct json_value value;
    struct span name;

    *out = (struct review_line){.from = ITEM_STATES, .to = ITEM_STATES};
    if (!json_validate(text, err)) {
        return false;
    }
    (void)log_line_seq(text, &out->seq);
    struct json_iterator it = json_iterate(json_root(text));
    while (!p.has_failed && json_next(&it, &name, &value)) {
        take_member(&p, name, value);
    }
    if (p.has_failed || !take_items(&p, err)) {
        return false;
    }
    out->has_group = review_group_parse(p.group, out->group);
    return check(out, err);
}
