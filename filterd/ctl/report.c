/* report.c - what the formats share. */
#include "ctl/report.h"

#include "base/json.h"
#include "ctl/mask.h"
#include "judge/path.h"

enum { PATH_MAX_BYTES = 64 * 1024, MASKED_MAX_BYTES = 4 * PATH_MAX_BYTES };

static const struct report_format *const formats[] = {&report_text, &report_json, &report_ndjson,
                                                      &report_sarif};

const struct report_format *report_format_find(const char *name)
{
    for (size_t i = 0; name != NULL && i < COUNT(formats); i++) {
        if (strcmp(formats[i]->name, name) == 0) {
            return formats[i];
        }
    }
    return &report_text;
}

bool report_append_quoted(struct buf *out, const char *text, struct error *err)
{
    return json_append_string(out, span_str(text), err);
}

/* A token of a JSON pointer: '~' and '/' are written as ~0 and ~1. */
static bool append_pointer_token(struct buf *out, struct span text, struct error *err)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool is_ok = c == '~'   ? buf_append_str(out, "~0", err)
                     : c == '/' ? buf_append_str(out, "~1", err)
                                : buf_append_char(out, c, err);
        if (!is_ok) {
            return false;
        }
    }
    return true;
}

/* Replaces every occurrence of `secret` in `path` by its mask. */
static bool mask_in_path(struct buf *path, struct span secret, struct error *err)
{
    struct buf masked;
    size_t at = 0;
    bool is_ok = true;

    buf_init(&masked, MASKED_MAX_BYTES);
    while (is_ok && at < path->len) {
        if (path->len - at >= secret.len && memcmp(path->data + at, secret.ptr, secret.len) == 0) {
            is_ok = mask_append(&masked, secret, err);
            at += secret.len;
        } else {
            is_ok = buf_append_char(&masked, path->data[at++], err);
        }
    }
    buf_clear(path);
    is_ok = is_ok && buf_append(path, buf_span(&masked), err);
    buf_deinit(&masked);
    return is_ok;
}

static bool mask_names(struct buf *path, const struct judging *j, struct error *err)
{
    struct buf token;
    bool is_ok = true;

    buf_init(&token, PATH_MAX_BYTES);
    for (size_t i = 0; is_ok && i < j->exchange.n_findings; i++) {
        const struct finding *f = &j->exchange.findings[i];
        if (j->exchange.channels[f->channel].is_member_name && f->to > f->from) {
            buf_clear(&token);
            is_ok = append_pointer_token(&token, judging_match(j, f), err) &&
                    mask_in_path(path, buf_span(&token), err);
        }
    }
    buf_deinit(&token);
    return is_ok;
}

bool report_append_path(struct buf *out, const struct judging *j, const struct finding *f,
                        struct error *err)
{
    struct buf path;

    buf_init(&path, PATH_MAX_BYTES);
    bool is_ok = path_append_pointer(&path, j->exchange.channels[f->channel].path, err) &&
                 mask_names(&path, j, err) && buf_append(out, buf_span(&path), err);
    buf_deinit(&path);
    return is_ok;
}

static bool append_span_member(struct buf *out, const char *name, struct span value,
                               struct error *err)
{
    return buf_appendf(out, err, ",\"%s\":", name) && json_append_string(out, value, err);
}

bool report_append_finding_members(struct buf *out, const struct judging *j,
                                   const struct finding *f, struct error *err)
{
    struct buf part;
    const struct rule *rule = f->rule;

    buf_init(&part, MASKED_MAX_BYTES);
    bool is_ok =
        buf_append_str(out, "\"rule\":", err) && json_append_string(out, rule->id, err) &&
        append_span_member(out, "category", span_str(category_name(rule->category)), err) &&
        append_span_member(out, "severity", span_str(severity_name(rule->severity)), err) &&
        append_span_member(out, "action", span_str(action_name(f->action)), err) &&
        buf_appendf(out, err, ",\"confidence\":%.2f", f->confidence) &&
        report_append_path(&part, j, f, err) &&
        append_span_member(out, "path", buf_span(&part), err) &&
        append_span_member(out, "view", span_str(finding_view(f)),
                           err) &&
        buf_appendf(out, err, ",\"bytes\":[%zu,%zu]", f->from, f->to);
    buf_clear(&part);
    is_ok = is_ok && (!f->is_shadow || buf_append_str(out, ",\"shadow\":true", err)) &&
            (!f->is_excepted || buf_append_str(out, ",\"excepted\":true", err)) &&
            mask_append(&part, judging_match(j, f), err) &&
            append_span_member(out, "match", buf_span(&part), err);
    buf_deinit(&part);
    return is_ok;
}
