#include "review/line_members.h"

#include "base/json.h"
#include "query/timestamp.h"
#include "record/note_text.h"

static bool take_text(const struct line_member *m, struct span text, char *out)
{
    if (text.ptr == NULL || text.len >= m->size || memchr(text.ptr, '\0', text.len) != NULL) {
        return false;
    }
    memcpy(out, text.ptr, text.len);
    out[text.len] = '\0';
    return true;
}

static bool take_time(struct span text, int64_t *ms)
{
    int64_t ns;

    if (text.ptr == NULL || !timestamp_parse(text, 0, &ns)) {
        return false;
    }
    *ms = ns / 1000000 - (ns % 1000000 < 0);
    return true;
}

static bool read_object(struct json_value object, const struct line_member *table, struct arena *memory, char *out, struct error *err);

static bool take(const struct line_member *m, struct json_value value, struct arena *memory, char *out, struct error *err)
{
    struct span text = {NULL, 0};

    if (value.kind == JSON_KIND_STRING && !json_unquote(memory, value, &text, err)) {
        return false;
    }
    bool is_taken = false;
    switch (m->kind) {
    case LINE_TEXT:
        is_taken = take_text(m, text, out + m->offset);
        break;
    case LINE_NUMBER:
        is_taken = value.kind == JSON_KIND_NUMBER && note_read_number(value.raw, (uint64_t *)(void *)(out + m->offset));
        break;
    case LINE_TIME:
        is_taken = take_time(text, (int64_t *)(void *)(out + m->offset));
        break;
    case LINE_FLAG:
        is_taken = value.kind == JSON_KIND_TRUE || value.kind == JSON_KIND_FALSE;
        *(bool *)(out + m->offset) = value.kind == JSON_KIND_TRUE;
        break;
    case LINE_OBJECT:
    default:
        return read_object(value, m->inner, memory, out, err);
    }
    return is_taken || error_set(err, ERROR_INVALID, "%s: a value of another kind expected", m->name);
}

static bool read_object(struct json_value object, const struct line_member *table, struct arena *memory, char *out, struct error *err)
{
    struct json_iterator it = json_iterate(object);
    struct json_value value;
    struct span name;

    if (object.kind != JSON_KIND_OBJECT) {
        return error_set(err, ERROR_INVALID, "an object expected");
    }
    while (json_next(&it, &name, &value)) {
        for (const struct line_member *m = table; m->name != NULL; m++) {
            if (span_is(name, m->name) && !take(m, value, memory, out, err)) {
                return false;
            }
        }
    }
    return true;
}

bool line_members_read(struct span line, const struct line_member *table, struct arena *memory, void *out, struct error *err)
{
    struct error ignored;

    if (!json_validate(line, &ignored)) {
        return error_set(err, ERROR_INVALID, "a line of the record expected");
    }
    return read_object(json_root(line), table, memory, out, err);
}
