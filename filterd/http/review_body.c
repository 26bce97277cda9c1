#include "http/review_body.h"

#include <stdlib.h>

#include "http/members.h"
#include "query/timestamp.h"
#include "record/note_text.h"

enum { FOR_ITEM = 1, FOR_BULK = 2 };

static bool unquote(struct member_reader *r, const struct member *m, struct json_value value, struct span *out, const char *expected)
{
    struct error err;

    if (value.kind != JSON_KIND_STRING) {
        return member_refuse(r, m, expected);
    }
    return json_unquote(r->arena, value, out, &err) || fault_set_error(r->fault, &err);
}

static bool read_verb(struct member_reader *r, const struct member *m, struct json_value value)
{
    static const char expected[] = "claim, release, dispose, reopen, undo, assign, escalate, snooze or note";
    enum item_verb *out = member_of(r, m);
    struct span text;

    if (!unquote(r, m, value, &text, expected)) {
        return false;
    }
    *out = (enum item_verb)item_verb_of(text);
    return *out != ITEM_NO_VERB || member_refuse(r, m, expected);
}

static bool read_disposition(struct member_reader *r, const struct member *m, struct json_value value)
{
    static const char expected[] = "true_positive, false_positive, benign, policy_gap or unsure";
    enum item_disposition *out = member_of(r, m);
    struct span text;

    if (!unquote(r, m, value, &text, expected)) {
        return false;
    }
    *out = (enum item_disposition)item_disposition_of(text);
    return *out != ITEM_UNDISPOSED || member_refuse(r, m, expected);
}

static bool read_group(struct member_reader *r, const struct member *m, struct json_value value)
{
    struct review_body *out = member_of(r, m);
    struct span text;

    if (!unquote(r, m, value, &text, "the id of a group")) {
        return false;
    }
    out->has_group = review_group_parse(text, out->group);
    return out->has_group || member_refuse(r, m, "the id of a group");
}

static bool read_time(struct member_reader *r, const struct member *m, struct json_value value)
{
    int64_t *out = member_of(r, m), ns;
    struct span text;

    if (!unquote(r, m, value, &text, "a time of RFC 3339")) {
        return false;
    }
    bool is_age = text.len > 0 && text.ptr[text.len - 1] >= 'a' && text.ptr[text.len - 1] <= 'z';
    if (is_age || !timestamp_parse(text, 0, &ns) || ns <= 0) {
        return member_refuse(r, m, "a time of RFC 3339");
    }
    *out = ns / 1000000;
    return true;
}

static bool is_number(struct json_value value, uint64_t *out)
{
    return value.kind == JSON_KIND_NUMBER && note_read_number(value.raw, out) && *out > 0 && *out <= INT64_MAX;
}

static bool read_number(struct member_reader *r, const struct member *m, struct json_value value)
{
    return is_number(value, member_of(r, m)) || member_refuse(r, m, "a whole number from 1 on");
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static bool read_items(struct member_reader *r, const struct member *m, struct json_value value)
{
    struct review_body *out = member_of(r, m);
    struct json_iterator it = json_iterate(value);
    struct json_value item;
    struct span none;
    struct error err;

    uint64_t *items = arena_array(r->arena, REVIEW_ITEMS_MAX, sizeof(*items), &err);
    if (items == NULL) {
        return fault_set_error(r->fault, &err);
    }
    bool is_list = value.kind == JSON_KIND_ARRAY;
    while (is_list && json_next(&it, &none, &item)) {
        is_list = out->n_items < REVIEW_ITEMS_MAX && is_number(item, &items[out->n_items++]);
    }
    qsort(items, is_list ? out->n_items : 0, sizeof(*items), compare);
    for (size_t i = 1; is_list && i < out->n_items; i++) {
        is_list = items[i] != items[i - 1];
    }
    out->items = items;
    return (is_list && out->n_items > 0) || member_refuse(r, m, "1 to 500 numbers of items, each once,");
}

static const struct member_type verb_type = {read_verb, NULL}, disposition_type = {read_disposition, NULL},
                                group_type = {read_group, NULL}, time_type = {read_time, NULL}, number_type = {read_number, NULL},
                                items_type = {read_items, NULL};

#define AT(member) offsetof(struct review_body, member)
static const struct member members[] = {
    {"step", &verb_type, AT(verb), FOR_BULK},
    {"items", &items_type, 0, FOR_BULK},
    {"group", &group_type, 0, FOR_BULK},
    {"disposition", &disposition_type, AT(disposition), FOR_ITEM | FOR_BULK},
    {"assignee", &member_text, AT(assignee), FOR_ITEM | FOR_BULK},
    {"note", &member_text, AT(note), FOR_ITEM | FOR_BULK},
    {"until", &time_type, AT(snooze.until_ms), FOR_ITEM | FOR_BULK},
    {"more", &number_type, AT(snooze.more), FOR_ITEM | FOR_BULK},
    {"until_policy", &member_flag, AT(snooze.until_policy), FOR_ITEM | FOR_BULK},
    {"undo_of", &number_type, AT(undo_of), FOR_ITEM | FOR_BULK},
    {0},
};

bool review_body_read(struct arena *a, struct span body, bool is_bulk, struct review_body *out, struct filter_fault *fault)
{
    struct member_reader r = {.arena = a, .members = members, .out = out, .fault = fault, .kinds = is_bulk ? FOR_BULK : FOR_ITEM};

    *out = (struct review_body){.verb = ITEM_NO_VERB};
    if (body.len > REVIEW_BODY_MAX) {
        return fault_set(fault, 413, "", "at most %d bytes expected", REVIEW_BODY_MAX);
    }
    if (body.len > 0 && !members_read(&r, body)) {
        return false;
    }
    return !is_bulk || (out->verb != ITEM_NO_VERB && out->has_group != (out->n_items > 0)) ||
           fault_set(fault, 422, "", "step, and either items or group expected");
}
