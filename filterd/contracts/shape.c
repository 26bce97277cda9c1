#include "contracts/shape.h"

#include <stdio.h>

#include "http/fault.h"

enum { POINTER_MAX = 40, COUNT_DIGITS = 9 };

bool shape_root(const struct contract_call *call, struct json_value *root, struct filter_fault *fault)
{
    struct error err;

    if (!json_validate(call->body, &err)) {
        return fault_set(fault, 400, "", "%s", err.text);
    }
    *root = json_root(call->body);
    return root->kind == JSON_KIND_OBJECT || fault_set(fault, 422, "", "an object expected");
}

static const char *kinds_text(unsigned kinds)
{
    static const struct {
        unsigned kinds;
        const char *text;
    } rows[] = {
        {SHAPE_STRING, "a string"},
        {SHAPE_ARRAY, "an array"},
        {SHAPE_OBJECT, "an object"},
        {SHAPE_NUMBER, "a number"},
        {SHAPE_FLAG, "true or false"},
        {SHAPE_STRING | SHAPE_ARRAY, "a string or an array"},
        {SHAPE_STRING | SHAPE_OBJECT, "a string or an object"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].kinds == kinds) {
            return rows[i].text;
        }
    }
    return "another type";
}

static bool refuse(const char *pointer, const char *name, unsigned kinds, struct filter_fault *fault)
{
    char place[POINTER_MAX];

    (void)snprintf(place, sizeof(place), "%s/%s", pointer, name);
    return fault_set(fault, 422, place, "%s expected", kinds_text(kinds));
}

static const struct shape_member *find(const struct shape_member *members, struct span name)
{
    for (const struct shape_member *m = members; m->name != NULL; m++) {
        if (span_is(name, m->name)) {
            return m;
        }
    }
    return NULL;
}

static bool take(const struct shape_member *m, struct json_value value, const char *pointer, struct filter_fault *fault)
{
    char place[POINTER_MAX];

    if (m->value->raw.ptr != NULL) {
        (void)snprintf(place, sizeof(place), "%s/%s", pointer, m->name);
        return fault_set(fault, 400, place, "each member once expected");
    }
    if (value.kind == JSON_KIND_NULL) {
        return true;
    }
    *m->value = value;
    return (m->kinds >> value.kind & 1U) != 0 || refuse(pointer, m->name, m->kinds, fault);
}

bool shape_read(const struct contract_call *call, struct json_value object, const char *pointer,
                const struct shape_member *members, struct filter_fault *fault)
{
    struct json_iterator it = json_iterate(object);
    struct json_value item;
    struct span raw, name;
    struct error err;

    for (const struct shape_member *m = members; m->name != NULL; m++) {
        *m->value = (struct json_value){0};
    }
    while (json_next(&it, &raw, &item)) {
        if (!json_unescape(call->arena, raw, &name, &err)) {
            return fault_set_error(fault, &err);
        }
        const struct shape_member *m = find(members, name);
        if (m != NULL && !take(m, item, pointer, fault)) {
            return false;
        }
    }
    for (const struct shape_member *m = members; m->name != NULL; m++) {
        if (m->is_required && m->value->raw.ptr == NULL) {
            return refuse(pointer, m->name, m->kinds, fault);
        }
    }
    return true;
}

bool shape_count(struct json_value number, size_t *out)
{
    *out = 0;
    for (size_t i = 0; i < number.raw.len; i++) {
        if (number.raw.ptr[i] < '0' || number.raw.ptr[i] > '9') {
            return false;
        }
        *out = 10 * *out + (size_t)(number.raw.ptr[i] - '0');
    }
    return number.kind == JSON_KIND_NUMBER && number.raw.len > 0 && number.raw.len <= COUNT_DIGITS;
}

bool shape_text(const struct contract_call *call, struct json_value string, struct span *out, struct filter_fault *fault)
{
    struct error err;

    *out = span_of("", 0);
    return string.raw.ptr == NULL || json_unquote(call->arena, string, out, &err) || fault_set_error(fault, &err);
}

bool shape_items(const struct contract_call *call, struct json_value array, const char *pointer, unsigned kinds,
                 struct json_value **items, size_t *n, struct filter_fault *fault)
{
    struct json_iterator it = json_iterate(array);
    struct json_value item;
    struct span name;
    struct error err;
    char index[24];

    *n = 0;
    while (json_next(&it, &name, &item)) {
        if ((kinds >> item.kind & 1U) == 0) {
            (void)snprintf(index, sizeof(index), "%zu", *n);
            return refuse(pointer, index, kinds, fault);
        }
        ++*n;
    }
    *items = arena_array(call->arena, *n, sizeof(**items), &err);
    if (*items == NULL) {
        return fault_set_error(fault, &err);
    }
    it = json_iterate(array);
    for (size_t i = 0; json_next(&it, &name, &item); i++) {
        (*items)[i] = item;
    }
    return true;
}

bool shape_at_most(struct json_value array, const char *pointer, size_t max, const char *what, struct filter_fault *fault)
{
    struct json_iterator it = json_iterate(array);
    struct json_value item;
    struct span name;
    size_t n = 0;

    while (n <= max && json_next(&it, &name, &item)) {
        n++;
    }
    return n <= max || fault_set(fault, 413, pointer, "at most %zu %s expected", max, what);
}

/* 413 when the channels have more than the limit of the call. */
static bool shape_fits(const struct contract_call *call, const struct contract_exchange *c, struct filter_fault *fault)
{
    return c->bytes <= call->text_max || fault_set(fault, 413, "", "at most %zu bytes of text expected", call->text_max);
}

static bool set_channel(const struct contract_call *call, struct json_value string, const char *path, struct channel *channel,
                        struct error *err)
{
    *channel = (struct channel){0};
    return arena_copy(call->arena, span_str(path), &channel->path, err) &&
           json_unquote(call->arena, string, &channel->text, err);
}

bool shape_channels(const struct contract_call *call, const struct json_value *strings, size_t n, const char *prefix,
                    bool is_list, struct contract_exchange *out, struct filter_fault *fault)
{
    char path[POINTER_MAX];
    struct error err;

    out->channels = arena_array(call->arena, n, sizeof(*out->channels), &err);
    if (out->channels == NULL) {
        return fault_set_error(fault, &err);
    }
    for (out->n_channels = 0; out->n_channels < n; out->n_channels++) {
        size_t i = out->n_channels;
        (void)(is_list ? snprintf(path, sizeof(path), "%s/%zu", prefix, i) : snprintf(path, sizeof(path), "%s", prefix));
        if (!set_channel(call, strings[i], path, &out->channels[i], &err)) {
            return fault_set_error(fault, &err);
        }
        out->bytes += out->channels[i].text.len;
    }
    return shape_fits(call, out, fault);
}

bool shape_document(const struct contract_call *call, struct json_value value, const char *prefix, struct document *document,
                    struct contract_exchange *out, struct filter_fault *fault)
{
    struct error err;

    if (!document_read(call->arena, value.raw, span_str(prefix), document, &err)) {
        return fault_set_error(fault, &err);
    }
    out->channels = document->channels;
    out->n_channels = document->n;
    for (size_t i = 0; i < document->n; i++) {
        out->bytes += document->channels[i].text.len;
    }
    return shape_fits(call, out, fault);
}

/* Appends the channels of the document but those of `known`. There is room. */
static void append_rest(const struct document *d, const struct json_value *known, size_t n_known, struct contract_exchange *out)
{
    size_t next = 0;

    for (size_t i = 0; i < d->n; i++) {
        const char *at = d->json.ptr + d->tokens[i].from;
        while (next < n_known && known[next].raw.ptr < at) {
            next++;
        }
        if (next < n_known && known[next].raw.ptr == at) {
            continue;
        }
        out->channels[out->n_channels++] = d->channels[i];
        out->bytes += d->channels[i].text.len;
        out->n_rest++;
    }
}

bool shape_rest(const struct contract_call *call, struct json_value value, const char *prefix, const struct json_value *known,
                size_t n_known, struct contract_exchange *out, struct filter_fault *fault)
{
    const struct channel *before = out->channels;
    struct document d;
    struct error err;

    if (!document_read(call->arena, value.raw, span_str(prefix), &d, &err)) {
        return fault_set_error(fault, &err);
    }
    out->channels = arena_array(call->arena, out->n_channels + d.n, sizeof(*out->channels), &err);
    if (out->channels == NULL) {
        return fault_set_error(fault, &err);
    }
    if (out->n_channels > 0) {
        memcpy(out->channels, before, out->n_channels * sizeof(*before));
    }
    append_rest(&d, known, n_known, out);
    return shape_fits(call, out, fault);
}
