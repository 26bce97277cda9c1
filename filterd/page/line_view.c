#include "page/line_view.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/json.h"
#include "query/timestamp.h"

enum kind { TEXT, NUMBER, FLAG, SCORE, LIST };

struct member {
    const char *name;
    enum kind kind;
    size_t offset;
};

#define MEMBER(type, name, kind, place) {name, kind, offsetof(struct type, place)}

static const struct member line_members[] = {
    MEMBER(line_view, "seq", NUMBER, seq),
    MEMBER(line_view, "in_bytes", NUMBER, in_bytes),
    MEMBER(line_view, "judged_bytes", NUMBER, judged_bytes),
    MEMBER(line_view, "out_bytes", NUMBER, out_bytes),
    MEMBER(line_view, "elapsed_us", NUMBER, elapsed_us),
    MEMBER(line_view, "findings_more", NUMBER, findings_more),
    MEMBER(line_view, "channels_more", NUMBER, channels_more),
    MEMBER(line_view, "item", NUMBER, item),
    MEMBER(line_view, "type", TEXT, type),
    MEMBER(line_view, "ts", TEXT, ts),
    MEMBER(line_view, "req_id", TEXT, req_id),
    MEMBER(line_view, "tenant", TEXT, tenant),
    MEMBER(line_view, "app", TEXT, app),
    MEMBER(line_view, "route", TEXT, route),
    MEMBER(line_view, "agent", TEXT, agent),
    MEMBER(line_view, "session", TEXT, session),
    MEMBER(line_view, "action", TEXT, action),
    MEMBER(line_view, "rule", TEXT, rule),
    MEMBER(line_view, "reason", TEXT, reason),
    MEMBER(line_view, "phase", TEXT, phase),
    MEMBER(line_view, "protocol", TEXT, protocol),
    MEMBER(line_view, "upstream", TEXT, upstream),
    MEMBER(line_view, "end", TEXT, end),
    MEMBER(line_view, "event", TEXT, event),
    MEMBER(line_view, "by", TEXT, by),
    MEMBER(line_view, "why", TEXT, why),
    MEMBER(line_view, "verb", TEXT, verb),
    MEMBER(line_view, "disposition", TEXT, disposition),
    MEMBER(line_view, "note", TEXT, note),
    MEMBER(line_view, "step", TEXT, step),
    MEMBER(line_view, "request", TEXT, request),
    MEMBER(line_view, "what", TEXT, what),
    MEMBER(line_view, "assignee", TEXT, assignee),
};
static const struct member policy_members[] = {
    MEMBER(line_view, "name", TEXT, policy.name),
    MEMBER(line_view, "digest", TEXT, policy.digest),
    MEMBER(line_view, "shadow", FLAG, policy.is_shadow),
};
static const struct member sealed_members[] = {
    MEMBER(line_view, "blob", TEXT, sealed.blob),     MEMBER(line_view, "what", TEXT, sealed.what),
    MEMBER(line_view, "expires", TEXT, sealed.expires), MEMBER(line_view, "bytes", NUMBER, sealed.bytes),
    MEMBER(line_view, "failed", FLAG, sealed.has_failed),
};
static const struct member finding_members[] = {
    MEMBER(line_finding, "source", TEXT, source),
    MEMBER(line_finding, "rule", TEXT, rule),
    MEMBER(line_finding, "category", TEXT, category),
    MEMBER(line_finding, "severity", TEXT, severity),
    MEMBER(line_finding, "path", TEXT, path),
    MEMBER(line_finding, "view", TEXT, view),
    MEMBER(line_finding, "action", TEXT, action),
    MEMBER(line_finding, "checks", LIST, checks),
    MEMBER(line_finding, "value_tok", TEXT, value_tok),
    MEMBER(line_finding, "channel", NUMBER, channel),
    MEMBER(line_finding, "start", NUMBER, start),
    MEMBER(line_finding, "end", NUMBER, end),
    MEMBER(line_finding, "score", SCORE, score),
    MEMBER(line_finding, "shadow", FLAG, is_shadow),
    MEMBER(line_finding, "excepted", FLAG, is_excepted),
};
static const struct member channel_members[] = {
    MEMBER(line_channel, "path", TEXT, path),
    MEMBER(line_channel, "channel", NUMBER, number),
    MEMBER(line_channel, "bytes", NUMBER, bytes),
    MEMBER(line_channel, "judged", NUMBER, judged),
};

struct reader {
    struct arena *memory;
    struct error *err;
};

/* --- values ---------------------------------------------------------------------- */

/* Digits only; 0 for other text. */
static uint64_t number_of(struct span raw)
{
    uint64_t n = 0;

    for (size_t i = 0; i < raw.len; i++) {
        bool is_digit = raw.ptr[i] >= '0' && raw.ptr[i] <= '9';
        if (!is_digit || n > UINT64_MAX / 10 - 1) {
            return 0;
        }
        n = n * 10 + (unsigned)(raw.ptr[i] - '0');
    }
    return n;
}

static unsigned score_of(struct span raw)
{
    char text[32] = "";

    if (raw.len < sizeof(text)) {
        memcpy(text, raw.ptr, raw.len);
    }
    double score = strtod(text, NULL);
    return score >= 0 && score <= 1 ? (unsigned)(score * 10000 + 0.5) : 0;
}

static bool take_text(struct reader *r, struct json_value value, struct span *out)
{
    return value.kind != JSON_KIND_STRING || json_unquote(r->memory, value, out, r->err);
}

/* Elements that are names, separated by commas. */
static bool take_list(struct reader *r, struct json_value value, struct span *out)
{
    struct json_iterator it = json_iterate(value);
    char *text = arena_alloc(r->memory, value.raw.len + 1, r->err);
    struct json_value item;
    struct span name, word;
    size_t len = 0;

    if (text == NULL) {
        return false;
    }
    while (json_next(&it, &name, &item)) {
        word = span_of("", 0);
        if (!take_text(r, item, &word)) {
            return false;
        }
        if (word.len == 0) {
            continue;
        }
        if (len > 0) {
            text[len++] = ',';
        }
        memcpy(text + len, word.ptr, word.len); /* no longer than with its quotes */
        len += word.len;
    }
    *out = span_of(text, len);
    return true;
}

static bool take_member(struct reader *r, const struct member *m, void *into, struct json_value value)
{
    char *place = (char *)into + m->offset;

    switch (m->kind) {
    case TEXT:
        return take_text(r, value, (struct span *)(void *)place);
    case LIST:
        return take_list(r, value, (struct span *)(void *)place);
    case NUMBER:
        *(uint64_t *)(void *)place = value.kind == JSON_KIND_NUMBER ? number_of(value.raw) : 0;
        return true;
    case SCORE:
        *(unsigned *)(void *)place = value.kind == JSON_KIND_NUMBER ? score_of(value.raw) : 0;
        return true;
    case FLAG:
    default:
        *(bool *)(void *)place = value.kind == JSON_KIND_TRUE;
        return true;
    }
}

static bool take_members(struct reader *r, struct json_value object, const struct member *members, size_t n, void *into)
{
    struct json_iterator it = json_iterate(object);
    struct json_value value;
    struct span name;

    while (object.kind == JSON_KIND_OBJECT && json_next(&it, &name, &value)) {
        for (size_t i = 0; i < n; i++) {
            if (span_is(name, members[i].name) && !take_member(r, &members[i], into, value)) {
                return false;
            }
        }
    }
    return true;
}

/* --- lists ------------------------------------------------------------------------ */

static bool take_findings(struct reader *r, struct json_value list, struct line_view *out)
{
    struct json_iterator it = json_iterate(list);
    struct json_value item;
    struct span name;

    while (list.kind == JSON_KIND_ARRAY && out->n_findings < LINE_FINDINGS && json_next(&it, &name, &item)) {
        if (!take_members(r, item, finding_members, COUNT(finding_members), &out->findings[out->n_findings++])) {
            return false;
        }
    }
    return true;
}

static bool take_channels(struct reader *r, struct json_value list, struct line_view *out)
{
    struct json_iterator it = json_iterate(list);
    struct json_value item;
    struct span name;

    while (list.kind == JSON_KIND_ARRAY && out->n_channels < LINE_CHANNELS && json_next(&it, &name, &item)) {
        if (!take_members(r, item, channel_members, COUNT(channel_members), &out->channels[out->n_channels++])) {
            return false;
        }
    }
    return true;
}

static bool take_objects(struct reader *r, struct json_value root, struct line_view *out)
{
    struct json_iterator it = json_iterate(root);
    struct json_value value;
    struct span name;
    bool is_taken = true;

    while (is_taken && json_next(&it, &name, &value)) {
        if (span_is(name, "policy")) {
            is_taken = take_members(r, value, policy_members, COUNT(policy_members), out);
        } else if (span_is(name, "sealed")) {
            is_taken = take_members(r, value, sealed_members, COUNT(sealed_members), out);
        } else if (span_is(name, "findings")) {
            is_taken = take_findings(r, value, out);
        } else if (span_is(name, "channels")) {
            is_taken = take_channels(r, value, out);
        }
    }
    return is_taken;
}

const struct line_view *line_view_read(struct span text, struct arena *memory, struct error *err)
{
    struct reader r = {memory, err};

    if (!json_validate(text, err)) {
        return NULL;
    }
    struct json_value root = json_root(text);
    struct line_view *out = arena_alloc(memory, sizeof(*out), err);
    if (out == NULL) {
        return NULL;
    }
    if (root.kind != JSON_KIND_OBJECT) {
        error_set(err, ERROR_MALFORMED, "line: an object expected");
        return NULL;
    }
    *out = (struct line_view){.text = text};
    if (!take_members(&r, root, line_members, COUNT(line_members), out) || !take_objects(&r, root, out)) {
        return NULL;
    }
    (void)timestamp_parse(out->ts, 0, &out->ts_ns);
    return out;
}
