#include "link/gather_removed.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "record/log_keys.h"
#include "record/log_reader.h"
#include "record/tiles.h"

enum { NUMBER_MAX = 24, FILE_MODE = 0600, COPY_BYTES = 64 * 1024 };

static bool write_in(const char *record, const char *name, struct span text, struct error *err)
{
    char path[PATH_MAX + 16];

    (void)snprintf(path, sizeof(path), "%s/%s", record, name);
    return file_write_atomic(path, text, FILE_MODE, err);
}

/* The minimum last: what it says is true then. */
static bool write_minimum(const char *record, struct span vkey, uint64_t last, struct error *err)
{
    char line[NOTE_VKEY_MAX + 2], number[NUMBER_MAX];
    int n = snprintf(line, sizeof(line), SPAN_FMT "\n", SPAN_ARG(vkey));
    int n_digits = snprintf(number, sizeof(number), "%" PRIu64 "\n", last);

    return write_in(record, "vkey", span_of(line, (size_t)n), err) && write_in(record, "minimum", span_of(number, (size_t)n_digits), err);
}

static bool has_minimum(const char *record, uint64_t last)
{
    struct buf text CLEANUP(buf_deinit);
    char path[PATH_MAX + 16];
    struct error ignored;

    buf_init(&text, NUMBER_MAX);
    (void)snprintf(path, sizeof(path), "%s/minimum", record);
    return file_read(path, &text, &ignored) && buf_append_char(&text, '\0', &ignored) && strtoull(text.data, NULL, 10) == last;
}

/* --- a copy that begins ---------------------------------------------------------------------- */

/* The hashes of one deletion, as hexadecimal digits. False with *is_whole: they are not those of the next lines. */
static bool add_hashes(struct tile_writer *tiles, const char *digits, size_t len, bool *is_whole, struct error *err)
{
    struct tree_hash leaf;

    *is_whole = len > 0 && len % (2 * sizeof(leaf.bytes)) == 0;
    for (size_t at = 0; *is_whole && at < len; at += 2 * sizeof(leaf.bytes)) {
        for (size_t i = 0; i < sizeof(leaf.bytes); i++) {
            const char pair[] = {digits[at + 2 * i], digits[at + 2 * i + 1], '\0'};
            leaf.bytes[i] = (uint8_t)strtoul(pair, NULL, 16);
        }
        if (!tile_writer_add(tiles, &leaf, err)) {
            return false;
        }
    }
    return true;
}

static bool add_next(struct tile_writer *tiles, struct link_session *s, const struct gather_removed *r, bool *is_whole, struct error *err)
{
    char first[NUMBER_MAX];
    const char *const values[] = {r->id, first};

    (void)snprintf(first, sizeof(first), "%" PRIu64, tile_writer_size(tiles) + 1);
    PGresult *row CLEANUP(link_result_clear) = link_session_ask(s, "SELECT encode(hashes, 'hex') FROM filterd.removal WHERE node = $1::smallint AND first = $2::bigint",
                                                                COUNT(values), values, "hashes of lines that were removed", err);
    if (row == NULL) {
        return false;
    }
    *is_whole = PQntuples(row) == 1;
    return !*is_whole || add_hashes(tiles, link_value(row, 0, 0), (size_t)PQgetlength(row, 0, 0), is_whole, err);
}

bool gather_removed_begin(const char *record, struct link_session *s, const struct gather_removed *r, bool *is_whole, struct error *err)
{
    *is_whole = has_minimum(record, r->last);
    if (*is_whole || r->vkey.len == 0 || r->vkey.len > NOTE_VKEY_MAX) {
        return true;
    }
    struct tile_writer *tiles = tile_writer_open(record, 0, err);
    bool is_read = tiles != NULL;
    for (*is_whole = true; is_read && *is_whole && tile_writer_size(tiles) < r->last;) {
        is_read = add_next(tiles, s, r, is_whole, err);
    }
    *is_whole = *is_whole && is_read && tile_writer_size(tiles) == r->last;
    bool is_good = is_read && (!*is_whole || (tile_writer_commit(tiles, err) && write_minimum(record, r->vkey, r->last, err)));
    tile_writer_close(tiles);
    return is_good;
}

/* --- a copy that has them ---------------------------------------------------------------------- */

static uint64_t proven_lines(const char *record)
{
    struct buf note CLEANUP(buf_deinit);
    char path[PATH_MAX + 16];
    struct checkpoint c;
    struct error ignored;

    buf_init(&note, NOTE_MAX);
    (void)snprintf(path, sizeof(path), "%s/proven", record);
    return file_read(path, &note, &ignored) && checkpoint_parse(buf_span(&note), &c, &ignored) ? c.size : 0;
}

static bool find_line(struct log_reader *r, uint64_t seq, struct log_line *line, struct error *err)
{
    return log_reader_seek(r, seq, err) && log_reader_next(r, line, err) &&
           ((line->text.ptr != NULL && line->seq == seq && line->fault != LOG_TORN) || error_set(err, ERROR_NOT_FOUND, "line %" PRIu64 " expected", seq));
}

static bool copy_from(int from, uint64_t offset, int to, const char *path, struct error *err)
{
    char bytes[COPY_BYTES];
    ssize_t n;

    while ((n = pread(from, bytes, sizeof(bytes), (off_t)offset)) > 0) {
        if (!file_write_all(to, span_of(bytes, (size_t)n))) {
            return error_errno(err, "%s", path);
        }
        offset += (uint64_t)n;
    }
    return (n == 0 && fsync(to) == 0) || error_errno(err, "%s", path);
}

static bool write_rest(const char *log, uint64_t offset, struct error *err)
{
    char path[PATH_MAX + 8];

    (void)snprintf(path, sizeof(path), "%s.rest", log);
    int from = open(log, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    bool is_written = from >= 0 && to >= 0 ? copy_from(from, offset, to, path, err) && (rename(path, log) == 0 || error_errno(err, "%s", log))
                                           : error_errno(err, "%s", path);
    cleanup_fd(&from);
    cleanup_fd(&to);
    return is_written;
}

/* *offset: of the line behind them; 0: they stay. */
static bool find_rest(const struct log_files *files, const struct gather_removed *r, uint64_t *offset, struct error *err)
{
    struct log_reader *reader = log_reader_new(files, err);
    struct log_line line;

    bool is_found = reader != NULL && find_line(reader, r->line, &line, err);
    bool is_said = is_found && log_line_removed(line.text) >= r->last;
    is_found = is_found && (!is_said || find_line(reader, r->last + 1, &line, err));
    *offset = is_found && is_said ? line.offset : 0;
    log_reader_free(reader);
    return is_found;
}

bool gather_removed_cut(const char *log, const char *record, const struct gather_removed *r, struct error *err)
{
    struct log_files files = {.items = NULL};
    char vkey[NOTE_VKEY_MAX + 1];
    struct log_keys keys;
    uint64_t offset = 0, proven = proven_lines(record);

    if (r->line == 0 || proven < r->line || proven <= r->last) {
        return true;
    }
    bool is_good = log_files_add(&files, log, err);
    if (is_good && files.items[0].first_seq <= r->last) {
        is_good = log_keys_read(record, &files, NULL, &keys, err) && find_rest(&files, r, &offset, err);
        if (is_good && offset > 0) {
            note_key_format(&keys.list[0].key, vkey);
            is_good = write_minimum(record, span_str(vkey), r->last, err) && write_rest(log, offset, err);
        }
    }
    log_files_deinit(&files);
    return is_good;
}
