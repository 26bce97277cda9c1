/* report.c - what the formats share. */
#include "ctl/report.h"

#include <ctype.h>
#include <time.h>

#include "base/digest.h"
#include "base/json.h"
#include "ctl/mask.h"
#include "judge/path.h"

enum { URI_MAX = 64 * 1024, PATH_MAX_BYTES = 64 * 1024, MASKED_MAX_BYTES = 4 * PATH_MAX_BYTES };

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
        buf_appendf(out, err, ",\"bytes\":[%zu,%zu]", f->from + j->offset, f->to + j->offset);
    buf_clear(&part);
    is_ok = is_ok && (!f->is_shadow || buf_append_str(out, ",\"shadow\":true", err)) &&
            (!f->is_excepted || buf_append_str(out, ",\"excepted\":true", err)) &&
            mask_append(&part, judging_match(j, f), err) &&
            append_span_member(out, "match", buf_span(&part), err);
    buf_deinit(&part);
    return is_ok;
}

/* What RFC 3986 does not leave as it is becomes %XX. */
bool report_append_uri(struct buf *out, const char *path, struct error *err)
{
    struct buf uri;

    buf_init(&uri, URI_MAX);
    while (path[0] == '.' && path[1] == '/') { /* as a folder's walk begins; "a" and "./a" are one file */
        path += 2 + strspn(path + 2, "/");
    }
    bool is_ok = path[0] != '/' || buf_append_str(&uri, "file://", err);
    for (const char *c = path; is_ok && *c != '\0'; c++) {
        is_ok = isalnum((unsigned char)*c) || strchr("/-._~", *c) != NULL
                    ? buf_append_char(&uri, *c, err)
                    : buf_appendf(&uri, err, "%%%02X", (unsigned char)*c);
    }
    is_ok = is_ok && json_append_string(out, buf_span(&uri), err);
    buf_deinit(&uri);
    return is_ok;
}

bool report_digest(const struct report_item *item, size_t text_line, char digest[REPORT_PRINT_MAX], struct error *err)
{
    struct buf text;
    char hex[DIGEST_SHA256_HEX + 1];
    const struct finding *f = item->finding;

    buf_init(&text, URI_MAX + MASKED_MAX_BYTES);
    bool is_ok = buf_append(&text, f->rule->id, err) && buf_append_char(&text, '\n', err) &&
                 report_append_uri(&text, item->file, err) && buf_append_char(&text, '\n', err) &&
                 report_append_path(&text, item->judging, f, err) && buf_append_char(&text, '\n', err) &&
                 mask_append(&text, judging_match(item->judging, f), err) &&
                 (text_line == 0 || buf_appendf(&text, err, "\n%zu", text_line)) &&
                 (item->commit == NULL ||
                  (buf_append_str(&text, "\ncommit ", err) && buf_append(&text, item->commit->id, err))) &&
                 digest_sha256(buf_span(&text), hex, err);
    buf_deinit(&text);
    if (is_ok) {
        (void)snprintf(digest, REPORT_PRINT_MAX, "%.16s", hex);
    }
    return is_ok;
}

static bool append_name_member(struct buf *out, const char *name, struct span value, struct error *err)
{
    return buf_appendf(out, err, ",\"%s\":", name) && mask_append_json_name(out, value, err);
}

bool report_append_origin_members(struct buf *out, const struct report_item *item, struct error *err)
{
    const struct history_commit *commit = item->commit;
    char date[32] = "";
    struct tm parts;

    if (!buf_appendf(out, err, ",\"fingerprint\":\"%s\"", item->fingerprint) ||
        (item->ignored != NULL && !buf_appendf(out, err, ",\"ignored\":\"%s\"", item->ignored))) {
        return false;
    }
    if (commit == NULL) {
        return true;
    }
    if (gmtime_r(&(time_t){commit->time}, &parts) != NULL) {
        (void)strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &parts);
    }
    return append_span_member(out, "commit", commit->id, err) && append_name_member(out, "author", commit->author, err) &&
           append_name_member(out, "email", commit->address, err) && append_span_member(out, "date", span_str(date), err);
}
