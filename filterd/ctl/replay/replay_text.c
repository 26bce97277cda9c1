#include "ctl/replay/replay_text.h"

#include <malloc.h>
#include <sodium.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "base/json.h"
#include "judge/path.h"

enum { FREED = 0x5a };

struct part {
    struct span path, key, text;
    bool is_member_name, is_parts, has_text;
};

static bool read_base64(struct arena *a, struct json_value value, struct span *out, struct error *err)
{
    struct span text;
    size_t n = 0;

    if (!json_unquote(a, value, &text, err)) {
        return false;
    }
    unsigned char *bytes = arena_alloc(a, text.len + 1, err);
    if (bytes == NULL) {
        return false;
    }
    if (sodium_base642bin(bytes, text.len + 1, text.ptr, text.len, NULL, &n, NULL, sodium_base64_VARIANT_ORIGINAL) != 0) {
        return error_set(err, ERROR_MALFORMED, "original: base64 expected");
    }
    *out = span_of((const char *)bytes, n);
    return true;
}

static bool read_member(struct arena *a, struct span name, struct json_value value, struct part *p, struct error *err)
{
    bool is_text = value.kind == JSON_KIND_STRING;

    if (span_is(name, "path") && is_text) {
        return json_unquote(a, value, &p->path, err);
    }
    if (span_is(name, "key") && is_text) {
        return json_unquote(a, value, &p->key, err);
    }
    if (span_is(name, "text") && is_text) {
        p->has_text = true;
        return json_unquote(a, value, &p->text, err);
    }
    if (span_is(name, "base64") && is_text) {
        p->has_text = true;
        return read_base64(a, value, &p->text, err);
    }
    p->is_member_name |= span_is(name, "name") && value.kind == JSON_KIND_TRUE;
    p->is_parts |= span_is(name, "joined") && value.kind == JSON_KIND_TRUE;
    return true;
}

/* The name of the nearest enclosing member, if the original lacks it. */
static struct span key_of(struct span path, bool is_member_name)
{
    struct span key = span_of("", 0), before = key;
    struct path_step step;

    while (path_next(&path, &step)) {
        if (!step.is_index) {
            before = key;
            key = step.text;
        }
    }
    return is_member_name ? before : key;
}

static bool read_part(struct arena *a, struct json_value value, struct channel *out, struct error *err)
{
    struct part p = {.path = span_of("", 0), .key = span_of("", 0)};
    struct json_iterator it = json_iterate(value);
    struct json_value item;
    struct span name;

    while (json_next(&it, &name, &item)) {
        if (!read_member(a, name, item, &p, err)) {
            return false;
        }
    }
    if (!p.has_text) {
        return error_set(err, ERROR_MALFORMED, "original: a part with text or base64 expected");
    }
    *out = (struct channel){.path = p.path,
                            .text = p.text,
                            .key = p.key.len > 0 ? p.key : key_of(p.path, p.is_member_name),
                            .is_member_name = p.is_member_name,
                            .is_parts = p.is_parts};
    return true;
}

static bool read_parts(struct arena *a, struct json_value list, struct replay_text *out, struct error *err)
{
    struct json_iterator it = json_iterate(list), counted = it;
    struct json_value item;
    struct span name;
    size_t n = 0;

    while (json_next(&counted, &name, &item)) {
        n++;
    }
    out->channels = arena_array(a, n == 0 ? 1 : n, sizeof(*out->channels), err);
    if (out->channels == NULL) {
        return false;
    }
    while (json_next(&it, &name, &item)) {
        if (!read_part(a, item, &out->channels[out->n], err)) {
            return false;
        }
        out->n++;
    }
    return true;
}

struct head {
    struct replay_text text;
    bool is_exchange, is_partial, has_version;
};

static bool read_policy(struct arena *a, struct json_value value, struct span *name, struct error *err)
{
    struct json_iterator it = json_iterate(value);
    struct json_value item;
    struct span member;

    while (json_next(&it, &member, &item)) {
        if (span_is(member, "name") && item.kind == JSON_KIND_STRING && !json_unquote(a, item, name, err)) {
            return false;
        }
    }
    return true;
}

static bool read_string(struct arena *a, struct span name, struct json_value value, struct head *h, struct error *err)
{
    struct replay_text *t = &h->text;
    struct span what = span_of("", 0);
    const struct {
        const char *name;
        struct span *to;
    } members[] = {{"req_id", &t->req_id}, {"tenant", &t->who.tenant}, {"app", &t->who.app}, {"route", &t->who.route},
                   {"agent", &t->who.agent}, {"what", &what}};

    for (size_t i = 0; i < COUNT(members); i++) {
        if (span_is(name, members[i].name) && !json_unquote(a, value, members[i].to, err)) {
            return false;
        }
    }
    h->is_exchange |= span_is(what, "exchange");
    return true;
}

static bool read_head(struct arena *a, struct span name, struct json_value value, struct head *h, struct error *err)
{
    if (value.kind == JSON_KIND_STRING) {
        return read_string(a, name, value, h, err);
    }
    if (span_is(name, "parts") && value.kind == JSON_KIND_ARRAY && h->text.n == 0) {
        return read_parts(a, value, &h->text, err);
    }
    if (span_is(name, "policy")) {
        h->text.has_names = true;
        return read_policy(a, value, &h->text.policy_name, err);
    }
    h->has_version |= span_is(name, "v") && span_is(value.raw, "1");
    h->is_partial |= span_is(name, "partial") && value.kind != JSON_KIND_FALSE;
    return true;
}

bool replay_text_read(struct arena *a, struct span json, struct replay_text *out, struct error *err)
{
    const struct span none = span_of("", 0);
    struct head h = {.text = {.req_id = none, .who = {none, none, none, none, none}, .policy_name = none}};
    struct json_value item;
    struct span name;

    if (!json_validate(json, err)) {
        return error_wrap(err, "original");
    }
    struct json_iterator it = json_iterate(json_root(json));
    while (json_next(&it, &name, &item)) {
        if (!read_head(a, name, item, &h, err)) {
            return false;
        }
    }
    if (!h.has_version || h.text.n == 0 || h.text.req_id.len == 0) {
        return error_set(err, ERROR_MALFORMED, "original: version 1, req_id and parts expected");
    }
    h.text.is_whole = h.is_exchange && !h.is_partial;
    *out = h.text;
    return true;
}

bool replay_guard_memory(struct error *err)
{
    const struct rlimit none = {0, 0};
    struct rlimit locked;

    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || setrlimit(RLIMIT_CORE, &none) != 0) {
        return error_errno(err, "core dumps");
    }
    (void)mallopt(M_PERTURB, FREED);
    if (getrlimit(RLIMIT_MEMLOCK, &locked) == 0 && locked.rlim_cur == RLIM_INFINITY) {
        (void)mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT); /* on failure only secrets are locked */
    }
    return true;
}
