#include "ctl/record/removal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "decision_log/decision_line.h"
#include "query/timestamp.h"
#include "seal/blobs.h"

enum { LIST_MAX = 2048, WHY = 256 };

/* --- whether a file may go -------------------------------------------------------- */

struct judging {
    const struct removal *r;
    bool is_due;
    char why[WHY]; /* it stays though it is due; "" */
};

static struct json_value member_of(struct json_value value, const char *name)
{
    struct json_iterator it = json_iterate(value);
    struct json_value found;
    struct span member;

    while (value.kind == JSON_KIND_OBJECT && json_next(&it, &member, &found)) {
        if (span_is(member, name)) {
            return found;
        }
    }
    return (struct json_value){.kind = JSON_KIND_NULL};
}

static struct span member_text(struct json_value value, const char *name)
{
    struct json_value found = member_of(value, name);

    return found.kind == JSON_KIND_STRING ? span_slice(found.raw, 1, found.raw.len - 1) : span_of("", 0);
}

/* The file of the line's original is still there: without the line nobody would know when to remove it. */
static bool has_original(const struct removal *r, struct json_value record)
{
    struct span blob = member_text(member_of(record, "sealed"), "blob");
    char path[PATH_MAX];

    return blob.len > 0 && blobs_path(r->originals, blob, path) && access(path, F_OK) == 0;
}

static void judge_reasons(struct judging *j, struct json_value record, const struct log_line *line)
{
    const char *hold = legal_holds_match(j->r->holds, line->text);

    if (hold != NULL) {
        (void)snprintf(j->why, sizeof(j->why), "hold %.100s is over line %" PRIu64, hold, line->seq);
    } else if (span_is(member_text(record, "type"), "hold") && legal_holds_has(j->r->holds, member_text(record, "id"))) {
        (void)snprintf(j->why, sizeof(j->why), "line %" PRIu64 " is a hold in force", line->seq);
    } else if (has_original(j->r, record)) {
        (void)snprintf(j->why, sizeof(j->why), "the original of line %" PRIu64 " is still kept", line->seq);
    }
}

/* All lines are read before a reason counts: a file that is not due stays anyway. */
static bool judge_line(void *context, const struct log_line *line, struct error *err)
{
    struct judging *j = context;
    int64_t ts_ns = 0;

    if (!json_validate(line->text, err)) {
        return error_wrap(err, "%s: line %" PRIu64, line->file->path, line->seq);
    }
    struct json_value record = json_root(line->text);
    int64_t term_ns = retention_term(j->r->keep, member_text(record, "type"));
    if (!timestamp_parse(member_text(record, "ts"), j->r->now_ns, &ts_ns)) {
        return error_set(err, ERROR_INVALID, "%s: line %" PRIu64 ": a time expected", line->file->path, line->seq);
    }
    /* A time in the future is not due, whatever the term. */
    j->is_due = term_ns > 0 && ts_ns <= j->r->now_ns && (uint64_t)j->r->now_ns - (uint64_t)ts_ns >= (uint64_t)term_ns;
    if (j->is_due && j->why[0] == '\0') {
        judge_reasons(j, record, line);
    }
    return j->is_due;
}

static bool judge_file(const struct closed_log *c, const struct removal *r, size_t file, struct judging *j, struct error *err)
{
    uint64_t last = closed_log_last(c, file);

    *j = (struct judging){.r = r, .is_due = true};
    if (!closed_each(&c->log.files.items[file], judge_line, j, err) && j->is_due) {
        return false;
    }
    if (j->is_due && j->why[0] == '\0' && last > c->log.newest.size) {
        (void)snprintf(j->why, sizeof(j->why), "no checkpoint covers line %" PRIu64 " yet", last);
    }
    return !j->is_due || j->why[0] != '\0' || shipped_check(&r->ship, &c->log.files.items[file], last, j->why, err);
}

/* --- removing --------------------------------------------------------------------- */

/* The files of the log that begin with that line: one, or a compressed one beside it. */
static bool find_all(const struct closed_log *c, uint64_t first, struct log_files *out, struct error *err)
{
    struct log_files all = {0};
    size_t n = 0;

    if (!log_files_scan(&all, c->log.folder, err)) {
        log_files_deinit(&all);
        return false;
    }
    for (size_t i = 0; i < all.n; i++) {
        if (all.items[i].first_seq == first && span_is(c->log.newest.origin, all.items[i].origin)) {
            all.items[n++] = all.items[i];
        } else {
            free(all.items[i].path);
        }
    }
    all.n = n;
    *out = all;
    return true;
}

/* A name stands in the line as it is, or not at all. */
static bool put_file(struct removal_line *line, const char *path, struct error *err)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    char hex[DIGEST_SHA256_HEX + 1];
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1, *comma = line->files.len == 0 ? "" : ",";

    if (strlen(name) > DECISION_TEXT_MAX || name[strspn(name, plain)] != '\0') {
        return error_set(err, ERROR_INVALID, "%s: a name of at most %d letters, digits, '-', '_' and '.' expected: filterctl record close "
                         "renames it", path, DECISION_TEXT_MAX);
    }
    return closed_sha256(path, hex, err) && buf_appendf(&line->files, err, "%s%s", comma, name) &&
           buf_appendf(&line->sha256, err, "%s%s", comma, hex);
}

static bool record_files(const struct removal *r, const struct log_files *files, struct removal_line *line, struct error *err)
{
    for (size_t i = 0; i < files->n; i++) {
        if (!put_file(line, files->items[i].path, err)) {
            return false;
        }
    }
    return r->record(r->context, line, err);
}

static bool unlink_files(const struct closed_log *c, const struct log_files *files, struct error *err)
{
    for (size_t i = 0; i < files->n; i++) {
        if (unlink(files->items[i].path) != 0 && errno != ENOENT) {
            return error_errno(err, "%s", files->items[i].path);
        }
    }
    return closed_sync_folder(c->log.folder, err);
}

static bool remove_file(const struct closed_log *c, const struct removal *r, size_t file, struct error *err)
{
    struct log_files files CLEANUP(log_files_deinit) = {0};
    struct removal_line line = {.first = c->log.files.items[file].first_seq, .last = closed_log_last(c, file)};
    uint64_t minimum = line.last > c->log.minimum ? line.last : c->log.minimum;

    buf_init(&line.files, LIST_MAX);
    buf_init(&line.sha256, LIST_MAX);
    bool is_removed = find_all(c, line.first, &files, err) && record_files(r, &files, &line, err) &&
                      proven_log_keep(&c->log, &c->keys.list[0].key, minimum, err) && closed_sync_folder(c->log.record, err) &&
                      unlink_files(c, &files, err);
    buf_deinit(&line.files);
    buf_deinit(&line.sha256);
    return is_removed;
}

bool removal_run(const struct closed_log *c, const struct removal *r, struct removal_result *out, struct error *err)
{
    struct judging j;

    *out = (struct removal_result){.n = 0};
    for (size_t i = 0; i < c->n; i++) {
        if (!judge_file(c, r, i, &j, err)) {
            return false;
        }
        if (!j.is_due) {
            return true;
        }
        if (j.why[0] != '\0') {
            (void)snprintf(out->kept, sizeof(out->kept), "%s: %s", c->log.files.items[i].path, j.why);
            return true;
        }
        /* Once, before the first: the whole log is what was signed, and what is left can be proven. */
        if ((out->n == 0 && !closed_log_check(c, err)) || !remove_file(c, r, i, err)) {
            return false;
        }
        out->n++;
        out->last = closed_log_last(c, i);
    }
    return true;
}
