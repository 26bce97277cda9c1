#include "http/members.h"

#include <stdio.h>

enum { POINTER_MAX = 40, NAMES_MAX = 160 };

static bool is_row(const struct member_reader *r, const struct member *m)
{
    return r->kinds == 0 || (m->kinds & r->kinds) != 0;
}

static const struct member *find(const struct member_reader *r, struct span name)
{
    for (const struct member *m = r->members; m->name != NULL; m++) {
        if (is_row(r, m) && span_is(name, m->name)) {
            return m;
        }
    }
    return NULL;
}

bool member_refuse(struct member_reader *r, const struct member *m, const char *expected)
{
    char pointer[POINTER_MAX];

    (void)snprintf(pointer, sizeof(pointer), "/%s", m->name);
    return fault_set(r->fault, 422, pointer, "%s expected", expected);
}

/* "a, b and c": the members, or those that may be parameters. */
static unsigned list_names(const struct member_reader *r, bool are_parameters, char text[NAMES_MAX])
{
    const char *last = NULL;
    unsigned n = 0;
    size_t len = 0;

    text[0] = '\0';
    for (const struct member *m = r->members; m->name != NULL; m++) {
        if (!is_row(r, m) || (are_parameters && m->type->set == NULL)) {
            continue;
        }
        if (last != NULL && len < NAMES_MAX) {
            len += (size_t)snprintf(text + len, NAMES_MAX - len, "%s%s", n > 1 ? ", " : "", last);
        }
        last = m->name;
        n++;
    }
    if (last != NULL && len < NAMES_MAX) {
        (void)snprintf(text + len, NAMES_MAX - len, "%s%s", n > 1 ? " and " : "", last);
    }
    return n;
}

static bool refuse_unknown(struct member_reader *r, struct span name)
{
    char names[NAMES_MAX], expected[NAMES_MAX + 40];

    unsigned n = list_names(r, false, names);
    (void)snprintf(expected, sizeof(expected), "only the member%s %s expected", n == 1 ? "" : "s", names);
    return fault_set_unknown(r->fault, name, expected);
}

/* Of two only one would be judged. */
static bool mark_seen(struct member_reader *r, const struct member *m)
{
    unsigned bit = 1U << (unsigned)(m - r->members);
    char pointer[POINTER_MAX];

    (void)snprintf(pointer, sizeof(pointer), "/%s", m->name);
    if ((r->seen & bit) != 0) {
        return fault_set(r->fault, 400, pointer, "each member once expected");
    }
    r->seen |= bit;
    return true;
}

bool members_has(const struct member_reader *r, const char *name)
{
    const struct member *m = find(r, span_str(name));

    return m != NULL && (r->seen >> (unsigned)(m - r->members) & 1U) != 0;
}

static bool read_member(struct member_reader *r, struct span raw_name, struct json_value value)
{
    struct span name;
    struct error err;

    if (!json_unescape(r->arena, raw_name, &name, &err)) {
        return fault_set_error(r->fault, &err);
    }
    const struct member *m = find(r, name);
    if (m == NULL) {
        return r->is_open || refuse_unknown(r, name);
    }
    if (r->is_open && value.kind == JSON_KIND_NULL && !members_has(r, m->name)) {
        return true;
    }
    return mark_seen(r, m) && m->type->read(r, m, value);
}

bool members_read(struct member_reader *r, struct span body)
{
    struct json_value item;
    struct span name;
    struct error err;

    if (!json_validate(body, &err)) {
        return fault_set(r->fault, 400, "", "%s", err.text);
    }
    struct json_value root = json_root(body);
    if (root.kind != JSON_KIND_OBJECT) {
        return fault_set(r->fault, 422, "", "an object expected");
    }
    for (struct json_iterator it = json_iterate(root); json_next(&it, &name, &item);) {
        if (!read_member(r, name, item)) {
            return false;
        }
    }
    return true;
}

bool members_set(struct member_reader *r, struct span name, struct span value)
{
    const struct member *m = find(r, name);
    char names[NAMES_MAX];

    if (m == NULL || m->type->set == NULL) {
        (void)list_names(r, true, names);
        return fault_set(r->fault, 422, "", "only the parameters %s expected", names);
    }
    return mark_seen(r, m) && m->type->set(r, m, value);
}

/* --- types ---------------------------------------------------------------- */

static bool read_text(struct member_reader *r, const struct member *m, struct json_value value)
{
    struct error err;

    if (value.kind != JSON_KIND_STRING) {
        return member_refuse(r, m, "a string");
    }
    return json_unquote(r->arena, value, member_of(r, m), &err) || fault_set_error(r->fault, &err);
}

static bool read_name(struct member_reader *r, const struct member *m, struct json_value value)
{
    if (value.kind != JSON_KIND_STRING || value.raw.len > (size_t)FILTER_NAME_MAX) {
        return member_refuse(r, m, "a string of at most 254 bytes");
    }
    return read_text(r, m, value);
}

static bool set_name(struct member_reader *r, const struct member *m, struct span value)
{
    *(struct span *)member_of(r, m) = value;
    return value.len <= (size_t)FILTER_NAME_MAX ||
           fault_set(r->fault, 422, "", "at most %d bytes in a parameter expected", FILTER_NAME_MAX);
}

static bool read_flag(struct member_reader *r, const struct member *m, struct json_value value)
{
    *(bool *)member_of(r, m) = value.kind == JSON_KIND_TRUE;
    return value.kind == JSON_KIND_TRUE || value.kind == JSON_KIND_FALSE || member_refuse(r, m, "true or false");
}

static bool set_flag(struct member_reader *r, const struct member *m, struct span value)
{
    bool *flag = member_of(r, m);

    *flag = span_is(value, "true") || span_is(value, "1");
    return *flag || span_is(value, "false") || span_is(value, "0") ||
           fault_set(r->fault, 422, "", "%s: true or false expected", m->name);
}

const struct member_type member_name = {read_name, set_name}, member_text = {read_text, NULL}, member_flag = {read_flag, set_flag};
