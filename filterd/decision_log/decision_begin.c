#include "decision_log/decision_begin.h"

#include <errno.h>
#include <fcntl.h>
#include <gnutls/crypto.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "decision_log/decision_repair.h"
#include "record/checkpoint_store.h"
#include "record/signer.h"

enum { LOG_ID = 8, NODE_MAX = 64, CLOSED_MAX = 1000, STEP = 256 * 1024, SHA256 = 32 };

static const char suffix[] = ".jsonl";

bool decision_place_init(struct decision_place *place, const char *path, struct error *err)
{
    const char *slash = strrchr(path, '/');
    size_t len = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);

    if (strlen(path) >= PATH_MAX || len + sizeof("/record/") + 2 * CHECKPOINT_ORIGIN_MAX >= PATH_MAX) {
        return error_set(err, ERROR_INVALID, "decision log: path too long");
    }
    (void)snprintf(place->path, sizeof(place->path), "%s", path);
    (void)snprintf(place->folder, sizeof(place->folder), "%.*s", len == 0 ? 1 : (int)len, len == 0 ? "." : path);
    int n = snprintf(place->record, sizeof(place->record), "%s/record", place->folder);
    return n < (int)sizeof(place->record) && file_make_directory(place->record, err);
}

int decision_place_lock(const struct decision_place *place, struct error *err)
{
    int fd = open(place->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0) {
        error_errno(err, "%s", place->folder);
        return -1;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        (void)close(fd);
        error_set(err, ERROR_DENIED, "%s: another process writes a log with a proof in this folder", place->folder);
        return -1;
    }
    return fd;
}

/* --- what is there -------------------------------------------------------------- */

struct found {
    struct buf note; /* the newest checkpoint; empty: none */
    struct checkpoint checkpoint;
    struct log_files open; /* the open file, when it has a line */
    bool is_damaged;       /* its first line is no record */
};

static void found_deinit(struct found *found)
{
    buf_deinit(&found->note);
    log_files_deinit(&found->open);
}

static bool look(const struct decision_place *place, bool is_to_begin, struct found *found, struct error *err)
{
    struct error why;

    *found = (struct found){.note = {.data = NULL}};
    buf_init(&found->note, NOTE_MAX);
    if (checkpoint_store_newest(place->record, &found->note, &why)) {
        if (!checkpoint_parse(buf_span(&found->note), &found->checkpoint, err)) {
            return error_wrap(err, "record: %s/checkpoint", place->record);
        }
    } else if (why.kind != ERROR_NOT_FOUND) {
        *err = why;
        return false;
    }
    if (log_files_add(&found->open, place->path, &why) || why.kind == ERROR_NOT_FOUND) {
        return true;
    }
    found->is_damaged = why.kind == ERROR_INVALID;
    return (found->is_damaged && is_to_begin) || error_set(err, why.kind, "record: line 1 is no record: %s", why.text);
}

/* --- a new log ------------------------------------------------------------------ */

static void make_origin(char origin[DECISION_TEXT_MAX + 1])
{
    uint8_t id[LOG_ID];
    char hex[2 * LOG_ID + 1], node[NODE_MAX + 1] = "";

    (void)gethostname(node, NODE_MAX);
    for (char *c = node; *c != '\0'; c++) {
        /* What the name of a key cannot have. */
        *c = (*c > ' ' && *c < 0x7F && *c != '+' && *c != '"' && *c != '\\') ? *c : '-';
    }
    randombytes_buf(id, sizeof(id));
    (void)sodium_bin2hex(hex, sizeof(hex), id, sizeof(id));
    (void)snprintf(origin, DECISION_TEXT_MAX + 1, "%s/filterd/%s", node[0] == '\0' ? "node" : node, hex);
}

static bool hash_file(int fd, char hex[2 * SHA256 + 1], struct error *err)
{
    char *bytes CLEANUP(cleanup_free) = malloc(STEP);
    unsigned char digest[SHA256];
    gnutls_hash_hd_t hash;
    ssize_t n = 1;

    if (bytes == NULL || gnutls_hash_init(&hash, GNUTLS_DIG_SHA256) != 0) {
        return error_set(err, ERROR_NO_MEMORY, "decision log: no memory");
    }
    for (off_t at = 0; n > 0; at += n) {
        n = pread(fd, bytes, STEP, at);
        if (n > 0) {
            (void)gnutls_hash(hash, bytes, (size_t)n);
        }
    }
    gnutls_hash_deinit(hash, digest);
    (void)sodium_bin2hex(hex, 2 * SHA256 + 1, digest, sizeof(digest));
    return n == 0 || error_errno(err, "decision log: read");
}

static void put_text(struct decision_line *l, const char *name, const char *text)
{
    l->has_failed = l->has_failed || !buf_appendf(l->out, l->err, ",\"%s\":", name) ||
                    !json_append_string(l->out, span_str(text), l->err);
}

/* The log that ended, and the file that was closed, where there is one. */
static void put_before(struct decision_line *l, const struct found *found, const struct decision_file *closed)
{
    char root[TREE_HASH_TEXT + 1], origin[CHECKPOINT_ORIGIN_MAX + 1], sha256[2 * SHA256 + 1];

    if (found->note.len > 0) {
        tree_hash_format(&found->checkpoint.root, root);
        (void)snprintf(origin, sizeof(origin), SPAN_FMT, SPAN_ARG(found->checkpoint.origin));
        line_open(l, "after", '{');
        line_text(l, "origin", span_str(origin));
        line_number(l, "size", found->checkpoint.size);
        line_text(l, "root", span_str(root));
        line_close(l, '}');
    }
    if (closed->kept > 0) {
        l->has_failed = l->has_failed || !hash_file(closed->fd, sha256, l->err);
        line_open(l, "before", '{');
        line_text(l, "sha256", span_str(sha256));
        line_number(l, "last_seq", closed->seq);
        line_close(l, '}');
    }
}

static bool make_log_line(const struct found *found, const struct decision_proving *proving,
                          const struct decision_file *closed, struct decision_batch *b, struct error *err)
{
    struct decision_line l = {.out = &b->log_line, .err = err};
    char vkey[NOTE_VKEY_MAX + 1];
    struct note_key key;

    make_origin(b->origin);
    if (!signer_key(proving->signer, span_str(b->origin), &key, err)) {
        return false;
    }
    note_key_format(&key, vkey);
    buf_clear(&b->log_line);
    line_open(&l, NULL, '{');
    line_number(&l, "v", DECISION_VERSION);
    line_text(&l, "type", span_str("log"));
    line_time(&l, "ts", clock_utc_ns());
    line_text(&l, "origin", span_str(b->origin));
    put_text(&l, "vkey", vkey); /* longer than the texts of others may be */
    put_before(&l, found, closed);
    line_text(&l, "reason", span_str(proving->new_record == NULL ? "" : proving->new_record));
    line_close(&l, '}');
    return !l.has_failed;
}

/* A name for the file that is closed, which it gets beside its old one. */
static bool link_closed(const struct decision_place *place, const struct decision_file *f, const struct found *found,
                        struct error *err)
{
    uint64_t first_seq = found->open.n > 0 ? found->open.items[0].first_seq : 0;
    char closed[PATH_MAX + 48];
    size_t len = strlen(place->path), ending = sizeof(suffix) - 1;

    if (len > ending && strcmp(place->path + len - ending, suffix) == 0) {
        len -= ending;
    }
    for (unsigned n = 0; n < CLOSED_MAX; n++) {
        char more[16] = "";
        struct stat info;
        if (n > 0) {
            (void)snprintf(more, sizeof(more), "-%u", n);
        }
        (void)snprintf(closed, sizeof(closed), "%.*s-%08" PRIu64 "%s%s", (int)len, place->path, first_seq, more, suffix);
        if (link(place->path, closed) == 0) {
            return true;
        }
        if (errno != EEXIST) {
            return error_errno(err, "%s", closed);
        }
        if (stat(closed, &info) == 0 && info.st_dev == f->device && info.st_ino == f->inode) {
            return true; /* by a start that was interrupted */
        }
    }
    return error_set(err, ERROR_LIMIT, "%s: a free name expected for the file to be closed", closed);
}

/* In a file of its own, which takes the place of the one there. */
static bool replace_file(const struct decision_place *place, const struct found *found, struct decision_batch *b,
                         struct decision_file *f, struct error *err)
{
    char path[PATH_MAX + 8];
    struct decision_file next;

    (void)snprintf(path, sizeof(path), "%s.new", place->path);
    if (unlink(path) != 0 && errno != ENOENT) {
        return error_errno(err, "%s", path);
    }
    if (!decision_file_open(&next, path, err)) {
        return false;
    }
    next.dropped = f->dropped;
    bool is_written = decision_batch_write(b, &next, NULL, err) && decision_file_sync(&next, err) &&
                      (f->kept == 0 || link_closed(place, f, found, err)) &&
                      (rename(path, place->path) == 0 || error_errno(err, "%s", path)) &&
                      decision_file_sync_folder(place->path, err);
    decision_file_close(is_written ? f : &next);
    if (is_written) {
        *f = next;
    }
    return is_written;
}

static bool begin_new(const struct decision_place *place, const struct decision_proving *proving, const struct found *found,
                      struct decision_batch *b, struct decision_file *f, struct error *err)
{
    size_t n_aborted = 0;

    /* The file that is closed keeps what it lost by a crash, and the ends of its exchanges. */
    bool has_proof = found->open.n > 0 && found->open.items[0].origin[0] != '\0';
    if (!has_proof && found->open.n > 0 && !decision_repair(b, f, &n_aborted, err)) {
        return false;
    }
    return make_log_line(found, proving, f, b, err) && replace_file(place, found, b, f, err);
}

/* --- the log that is there ------------------------------------------------------ */

/* The record's folder of the log before goes beside the new one, named by that log's id. */
static bool put_aside(const struct decision_place *place, const struct checkpoint *old, struct error *err)
{
    char aside[PATH_MAX];
    const char *slash = memrchr(old->origin.ptr, '/', old->origin.len);
    struct span id = old->origin;

    if (slash != NULL) {
        id = span_of(slash + 1, (size_t)(old->origin.ptr + old->origin.len - slash) - 1);
    }
    int n = snprintf(aside, sizeof(aside), "%s-" SPAN_FMT, place->record, SPAN_ARG(id));
    if (n >= (int)sizeof(aside) || rename(place->record, aside) != 0) {
        return error_errno(err, "%s", aside);
    }
    return file_make_directory(place->record, err) && decision_file_sync_folder(place->record, err);
}

/* Whether the new log's first line names that one as the log before it. */
static bool goes_on_after(const struct decision_place *place, const struct checkpoint *old)
{
    char line[2048], wanted[CHECKPOINT_ORIGIN_MAX + 32];
    FILE *file CLEANUP(cleanup_file) = fopen(place->path, "re");
    size_t n = file == NULL ? 0 : fread(line, 1, sizeof(line), file);
    int len = snprintf(wanted, sizeof(wanted), "\"after\":{\"origin\":\"" SPAN_FMT "\"", SPAN_ARG(old->origin));
    const char *end = memchr(line, '\n', n);

    return end != NULL && memmem(line, (size_t)(end - line), wanted, (size_t)len) != NULL;
}

/* The number of the last line in the closed files, of which a crash may have torn the last one. */
static bool last_closed(const struct decision_place *place, const struct found *found, struct decision_file *f,
                        struct error *err)
{
    struct log_files files CLEANUP(log_files_deinit) = {0};
    struct decision_file last;

    if (!log_files_scan(&files, place->folder, err)) {
        return false;
    }
    log_files_select(&files, found->checkpoint.origin);
    uint64_t seq = found->checkpoint.size;
    /* A compressed one was closed in order, and a checkpoint covers it. */
    if (files.n > 0 && files.items[files.n - 1].compression == LOG_PLAIN) {
        if (!decision_file_open(&last, files.items[files.n - 1].path, err)) {
            return false;
        }
        seq = last.seq > seq ? last.seq : seq;
        f->dropped += last.dropped;
        decision_file_close(&last);
    }
    f->seq = f->synced_seq = seq;
    return true;
}

static bool go_on(const struct decision_place *place, const struct found *found, struct decision_batch *b,
                  struct decision_file *f, struct error *err)
{
    bool has_checkpoint = found->note.len > 0;
    struct span origin = found->open.n > 0 ? span_str(found->open.items[0].origin) : found->checkpoint.origin;

    if (origin.len >= sizeof(b->origin)) {
        return error_set(err, ERROR_INVALID, "record: an origin of at most %zu bytes expected", sizeof(b->origin) - 1);
    }
    (void)snprintf(b->origin, sizeof(b->origin), SPAN_FMT, SPAN_ARG(origin));
    if (found->open.n == 0) {
        return last_closed(place, found, f, err);
    }
    if (!has_checkpoint || span_equal(origin, found->checkpoint.origin)) {
        return true;
    }
    return goes_on_after(place, &found->checkpoint) ? put_aside(place, &found->checkpoint, err)
                                                    : error_set(err, ERROR_INVALID,
                                                                "record: %s is of another log than %s: put back the one that "
                                                                "belongs to the other, or begin a new log (--new-record)",
                                                                place->record, place->path);
}

bool decision_begin(const struct decision_place *place, const struct decision_proving *proving, struct decision_batch *b,
                    struct decision_file *f, struct error *err)
{
    struct found found CLEANUP(found_deinit);

    if (!look(place, proving->new_record != NULL, &found, err)) {
        return false;
    }
    bool has_lines = found.open.n > 0, has_proof = has_lines && found.open.items[0].origin[0] != '\0';
    bool goes_on = proving->new_record == NULL && !found.is_damaged && (has_proof || (!has_lines && found.note.len > 0));
    if (goes_on) {
        return go_on(place, &found, b, f, err);
    }
    return begin_new(place, proving, &found, b, f, err) &&
           (found.note.len == 0 || put_aside(place, &found.checkpoint, err));
}
