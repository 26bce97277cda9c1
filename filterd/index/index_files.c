#include "index/index_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

/* Where a line begins in the text, as that moves when it grows; `len` 0: not read. */
struct fetched {
    size_t at, len;
};

void index_files_init(struct index_files *f, sqlite3 *db, const char *folder)
{
    *f = (struct index_files){.db = db, .folder = folder, .fd = -1};
}

static void close_file(struct index_files *f)
{
    if (f->fd >= 0) {
        close(f->fd);
    }
    f->fd = -1;
    f->file = 0;
}

void index_files_deinit(struct index_files *f)
{
    close_file(f);
    log_files_deinit(&f->found);
}

/* Path and first line of file `id`; false when there is none. */
static bool look_up(struct index_files *f, int64_t id, char path[PATH_MAX], uint64_t *first_seq)
{
    sqlite3_stmt *s = NULL;
    struct error ignored;

    bool is_there = index_prepare(f->db, "SELECT path, first_seq FROM file WHERE id=?1", &s, &ignored);
    if (is_there) {
        (void)sqlite3_bind_int64(s, 1, id);
        is_there = sqlite3_step(s) == SQLITE_ROW;
    }
    if (is_there) {
        (void)snprintf(path, PATH_MAX, "%s", (const char *)sqlite3_column_text(s, 0));
        *first_seq = (uint64_t)sqlite3_column_int64(s, 1);
    }
    (void)sqlite3_finalize(s);
    return is_there;
}

static bool find_files(struct index_files *f, struct error *err)
{
    struct index_position position;

    if (f->is_found) {
        return true;
    }
    if (!index_position_read(f->db, &position, err) || !log_files_scan(&f->found, f->folder, err)) {
        return false;
    }
    log_files_select(&f->found, span_str(position.origin));
    f->is_found = true;
    return true;
}

/* --- at its place ----------------------------------------------------------------- */

static bool open_file(struct index_files *f, const char *path)
{
    close_file(f);
    f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    return f->fd >= 0;
}

static bool read_at(struct index_files *f, const struct index_row *row, struct buf *text, struct fetched *out, struct error *err)
{
    uint64_t seq = 0;

    if (!buf_reserve(text, row->len + 1, err)) {
        return false;
    }
    char *at = text->data + text->len;
    ssize_t n = f->fd < 0 ? -1 : pread(f->fd, at, row->len + 1, (off_t)row->offset);
    bool is_it = n == (ssize_t)row->len + 1 && at[row->len] == '\n' && log_line_seq(span_of(at, row->len), &seq) && seq == row->seq;
    *out = (struct fetched){text->len, is_it ? row->len : 0};
    text->len += is_it ? row->len : 0;
    return true;
}

/* From the file at the path that the index knows, else at the one where it is by now. */
static bool read_plain(struct index_files *f, const struct index_row *row, struct buf *text, struct fetched *out, struct error *err)
{
    char path[PATH_MAX];
    uint64_t first_seq = 0;

    if (f->file != row->file) {
        if (!look_up(f, row->file, path, &first_seq)) {
            return true;
        }
        (void)open_file(f, path);
        f->file = row->file;
    }
    if (!read_at(f, row, text, out, err)) {
        return false;
    }
    if (out->len > 0 || !look_up(f, row->file, path, &first_seq)) {
        return true;
    }
    if (!find_files(f, err)) {
        return false;
    }
    for (size_t i = 0; i < f->found.n; i++) {
        const struct log_file *file = &f->found.items[i];
        if (file->first_seq == first_seq && file->compression == LOG_PLAIN && open_file(f, file->path)) {
            f->file = row->file;
            return read_at(f, row, text, out, err);
        }
    }
    return true;
}

/* --- by reading what is before ---------------------------------------------------- */

/* The rows that are not read yet, from the oldest on. */
static bool read_through(struct log_reader *reader, const struct index_row *rows, size_t n, struct buf *text,
                         struct fetched *out, struct error *err)
{
    struct log_line line = {.seq = 0};
    bool is_begun = false;

    for (size_t i = n; i-- > 0;) {
        if (out[i].len > 0) {
            continue;
        }
        if (!is_begun && !log_reader_seek(reader, rows[i].seq, err)) {
            return false;
        }
        while (!is_begun || (line.text.ptr != NULL && line.seq < rows[i].seq)) {
            is_begun = true;
            if (!log_reader_next(reader, &line, err)) {
                return false;
            }
        }
        if (line.text.ptr == NULL || line.seq != rows[i].seq || line.fault == LOG_TORN || line.fault == LOG_TOO_LONG) {
            continue;
        }
        out[i] = (struct fetched){text->len, line.text.len};
        if (!buf_append(text, line.text, err)) {
            return false;
        }
    }
    return true;
}

static bool read_rest(struct index_files *f, const struct index_row *rows, size_t n, struct buf *text, struct fetched *out,
                      struct error *err)
{
    if (!find_files(f, err)) {
        return false;
    }
    struct log_reader *reader = log_reader_new(&f->found, err);
    bool is_read = reader != NULL && read_through(reader, rows, n, text, out, err);
    log_reader_free(reader);
    return is_read;
}

bool index_files_read(struct index_files *f, const struct index_row *rows, size_t n, struct buf *text, struct span *lines,
                      struct error *err)
{
    struct fetched fetched[INDEX_FETCH_MAX] = {{0}};
    bool is_all = true;

    for (size_t i = 0; i < n; i++) {
        if (!read_plain(f, &rows[i], text, &fetched[i], err)) {
            return false;
        }
        is_all = is_all && fetched[i].len > 0;
    }
    if (!is_all && !read_rest(f, rows, n, text, fetched, err)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        lines[i] = span_of(fetched[i].len == 0 ? NULL : text->data + fetched[i].at, fetched[i].len);
    }
    return true;
}
