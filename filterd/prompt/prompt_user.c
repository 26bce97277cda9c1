#include "prompt/prompt_user.h"

enum { PLACES = 3 };

static const char *const names[PLACES] = {"safety_identifier", "user", "metadata"}, *const inner_name[] = {"user_id"};

enum { METADATA = 2 };

/* All names in one pass: a body may be long. The last of a name counts. A name with an escape is found, too. */
static bool find(struct arena *a, struct json_iterator it, const char *const *wanted, size_t n, struct json_value *out, struct error *err)
{
    struct json_value item;
    struct span raw, name;

    for (size_t i = 0; i < n; i++) {
        out[i] = (struct json_value){.kind = JSON_KIND_NULL};
    }
    while (json_next(&it, &raw, &item)) {
        if (!json_unescape(a, raw, &name, err)) {
            return false;
        }
        for (size_t i = 0; i < n; i++) {
            out[i] = span_is(name, wanted[i]) ? item : out[i];
        }
    }
    return true;
}

static bool read_name(struct arena *a, struct json_value at, struct span *out, struct error *err)
{
    if (at.kind == JSON_KIND_NUMBER) {
        *out = at.raw;
    }
    return at.kind != JSON_KIND_STRING || json_unquote(a, at, out, err);
}

bool prompt_user(struct arena *a, struct span body, struct json_known known, struct span *out, struct error *err)
{
    struct json_value found[PLACES], metadata;

    *out = span_of(NULL, 0);
    if (!find(a, json_iterate_known(body, known), names, PLACES, found, err)) {
        return false;
    }
    metadata = found[METADATA].kind == JSON_KIND_OBJECT ? found[METADATA] : (struct json_value){.kind = JSON_KIND_NULL};
    if (!find(a, json_iterate(metadata), inner_name, COUNT(inner_name), &found[METADATA], err)) {
        return false;
    }
    for (size_t i = 0; i < PLACES && out->len == 0; i++) {
        if (!read_name(a, found[i], out, err)) {
            return false;
        }
    }
    return true;
}
