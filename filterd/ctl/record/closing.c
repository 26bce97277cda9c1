#include "ctl/record/closing.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "record/tiles.h"

enum { NAMES_MAX = 1000, PATH_ROOM = PATH_MAX + NAME_MAX + 64 };

/* --- lines against tiles ---------------------------------------------------------- */

struct comparing {
    struct tree_source tiles;
    uint64_t next;
};

static bool compare_line(void *context, const struct log_line *line, struct error *err)
{
    struct comparing *c = context;
    struct tree_hash stored, own;

    tree_hash_leaf(line->text, &own);
    if (line->seq != c->next || !c->tiles.node(c->tiles.state, 0, line->seq - 1, &stored, err) || !tree_hash_equal(&own, &stored)) {
        return error_set(err, ERROR_INVALID, "%s: line %" PRIu64 " is not what was signed (filterctl record verify says more)",
                         line->file->path, c->next);
    }
    c->next++;
    return true;
}

/* That the file has all lines of closed file `i`, as they were signed. */
static bool compare(const struct closed_log *c, size_t i, const char *path, struct error *err)
{
    struct log_file file = c->log.files.items[i];
    struct tile_reader *tiles = tile_reader_open(c->log.record, c->log.newest.size, err);
    char copy[PATH_ROOM];

    if (tiles == NULL) {
        return false;
    }
    (void)snprintf(copy, sizeof(copy), "%s", path);
    file.path = copy;
    struct comparing compared = {.tiles = tile_reader_source(tiles), .next = file.first_seq};
    bool is_same = closed_each(&file, compare_line, &compared, err);
    tile_reader_close(tiles);
    return is_same && (compared.next == closed_log_last(c, i) + 1 ||
                       error_set(err, ERROR_INVALID, "%s: line %" PRIu64 " is missing", path, compared.next));
}

/* --- compressing -------------------------------------------------------------------- */

struct packing {
    int from, to;
    char *in, *out;
    ZSTD_CCtx *zstd;
    const char *path; /* of the file that is written, for messages */
};

static bool pack_step(const struct packing *p, ZSTD_inBuffer *in, bool is_last, struct error *err)
{
    for (bool is_done = false; !is_done;) {
        ZSTD_outBuffer out = {.dst = p->out, .size = ZSTD_CStreamOutSize()};
        size_t left = ZSTD_compressStream2(p->zstd, &out, in, is_last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left) != 0) {
            return error_set(err, ERROR_INTERNAL, "%s: zstd: %s", p->path, ZSTD_getErrorName(left));
        }
        if (!file_write_all(p->to, span_of(p->out, out.pos))) {
            return error_errno(err, "%s", p->path);
        }
        is_done = is_last ? left == 0 : in->pos == in->size;
    }
    return true;
}

static bool pack_all(const struct packing *p, const char *source, struct error *err)
{
    for (ssize_t n = 1; n > 0;) {
        n = read(p->from, p->in, ZSTD_CStreamInSize());
        if (n < 0 && errno == EINTR) {
            n = 1;
            continue;
        }
        if (n < 0) {
            return error_errno(err, "%s", source);
        }
        ZSTD_inBuffer in = {.src = p->in, .size = (size_t)n};
        if (!pack_step(p, &in, n == 0, err)) {
            return false;
        }
    }
    return true;
}

/* The service reads it as the file that it replaces. */
static bool copy_owner(const struct packing *p, struct error *err)
{
    struct stat from, to;

    if (fstat(p->from, &from) != 0 || fstat(p->to, &to) != 0) {
        return error_errno(err, "%s", p->path);
    }
    bool is_owned = (from.st_uid == to.st_uid && from.st_gid == to.st_gid) || fchown(p->to, from.st_uid, from.st_gid) == 0;
    const struct timespec times[] = {from.st_atim, from.st_mtim};
    return (is_owned && fchmod(p->to, from.st_mode & 0777) == 0 && futimens(p->to, times) == 0) || error_errno(err, "%s", p->path);
}

static bool pack(const char *source, const char *target, struct error *err)
{
    int from CLEANUP(cleanup_fd) = open(source, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    int to CLEANUP(cleanup_fd) = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    char *in CLEANUP(cleanup_free) = malloc(ZSTD_CStreamInSize());
    char *out CLEANUP(cleanup_free) = malloc(ZSTD_CStreamOutSize());
    struct packing p = {.from = from, .to = to, .in = in, .out = out, .path = target};

    if (from < 0 || to < 0) {
        return error_errno(err, "%s", from < 0 ? source : target);
    }
    p.zstd = ZSTD_createCCtx();
    bool is_ready = in != NULL && out != NULL && p.zstd != NULL &&
                    ZSTD_isError(ZSTD_CCtx_setParameter(p.zstd, ZSTD_c_checksumFlag, 1)) == 0;
    bool is_packed = is_ready ? pack_all(&p, source, err) && copy_owner(&p, err) && (fsync(to) == 0 || error_errno(err, "%s", target))
                              : error_set(err, ERROR_NO_MEMORY, "%s: no memory", target);
    (void)ZSTD_freeCCtx(p.zstd);
    return is_packed;
}

/* --- names -------------------------------------------------------------------------- */

/* The name that closed file `i` gets: one that is free, or of a file of this log with the same first line (*is_own). */
static bool choose_name(const struct closed_log *c, size_t i, const char *ending, char path[PATH_ROOM], bool *is_own, struct error *err)
{
    const struct log_file *file = &c->log.files.items[i];

    for (unsigned n = 0; n < NAMES_MAX; n++) {
        struct log_files other CLEANUP(log_files_deinit) = {0};
        struct error ignored;
        char more[16] = "";
        if (n > 0) {
            (void)snprintf(more, sizeof(more), "-%u", n);
        }
        (void)snprintf(path, PATH_ROOM, "%s/%s-%08" PRIu64 "%s.jsonl%s", c->log.folder, c->stem, file->first_seq, more, ending);
        *is_own = false;
        if (access(path, F_OK) != 0) {
            return errno == ENOENT || error_errno(err, "%s", path);
        }
        *is_own = log_files_add(&other, path, &ignored) && other.items[0].first_seq == file->first_seq &&
                  strcmp(other.items[0].origin, file->origin) == 0;
        if (*is_own) {
            return true;
        }
    }
    return error_set(err, ERROR_LIMIT, "%s: a free name expected", path);
}

static bool move(const struct closed_log *c, const char *from, const char *to, struct error *err)
{
    return (rename(from, to) == 0 || error_errno(err, "%s", to)) && closed_sync_folder(c->log.folder, err);
}

/* A file that is compressed already. */
static bool rename_file(const struct closed_log *c, size_t i, bool *is_changed, struct error *err)
{
    const struct log_file *file = &c->log.files.items[i];
    char path[PATH_ROOM];
    bool is_own = false;

    if (!choose_name(c, i, file->compression == LOG_GZIP ? ".gz" : ".zst", path, &is_own, err)) {
        return false;
    }
    *is_changed = !is_own;
    return is_own || move(c, file->path, path, err);
}

static bool compress_file(const struct closed_log *c, size_t i, struct error *err)
{
    const char *plain = c->log.files.items[i].path;
    char path[PATH_ROOM], unfinished[PATH_ROOM + 8];
    bool is_own = false;

    if (!choose_name(c, i, ".zst", path, &is_own, err)) {
        return false;
    }
    /* Passed over by all who look for files of a log. */
    (void)snprintf(unfinished, sizeof(unfinished), "%s/.%s.new", c->log.folder, strrchr(path, '/') + 1);
    if (!is_own && (!pack(plain, unfinished, err) || !compare(c, i, unfinished, err))) {
        (void)unlink(unfinished);
        return false;
    }
    return (is_own ? compare(c, i, path, err) : move(c, unfinished, path, err)) &&
           (unlink(plain) == 0 || error_errno(err, "%s", plain)) && closed_sync_folder(c->log.folder, err);
}

bool closing_run(const struct closed_log *c, struct closing_result *out, struct error *err)
{
    *out = (struct closing_result){.n = 0};
    for (size_t i = 0; i < c->n; i++) {
        bool is_plain = c->log.files.items[i].compression == LOG_PLAIN, is_changed = is_plain;
        if (closed_log_last(c, i) > c->log.newest.size) {
            out->n_waiting = c->n - i;
            return true;
        }
        if (!(is_plain ? compress_file(c, i, err) : rename_file(c, i, &is_changed, err))) {
            return false;
        }
        out->n += is_changed;
    }
    return true;
}
