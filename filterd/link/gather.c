#include "link/gather.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"
#include "link/gather_removed.h"
#include "record/log_files.h"

enum { BATCH_BYTES = 160 * 1024 * 1024, BATCH_LINES = 2000, LINE_MAX_BYTES = TREE_LEAF_MAX + 1, FILE_MODE = 0600, NUMBER_MAX = 24, NEWS_MAX = NOTE_MAX + 1024, FULL_EVERY = 60, SHOWN_MAX = 80 };

struct mirror {
    char folder[PATH_MAX], log[PATH_MAX], record[PATH_MAX], checkpoint[PATH_MAX];
    int fd;
};

static bool name_paths(struct mirror *m, const char *folder, const char *node, struct error *err)
{
    int len = snprintf(m->folder, PATH_MAX, "%s/%s", folder, node);

    if (len >= PATH_MAX - 32) {
        return error_set(err, ERROR_INVALID, "gather: %s: a shorter path expected", folder);
    }
    (void)snprintf(m->log, PATH_MAX, "%.*s/decisions.jsonl", PATH_MAX - 32, m->folder);
    (void)snprintf(m->record, PATH_MAX, "%.*s/record", PATH_MAX - 32, m->folder);
    (void)snprintf(m->checkpoint, PATH_MAX, "%.*s/record/checkpoint", PATH_MAX - 32, m->folder);
    return true;
}

/* Cuts off a line that a crash left incomplete; the number of the last one. */
static bool find_end(struct mirror *m, uint64_t *seq, struct error *err)
{
    char *tail CLEANUP(cleanup_free) = malloc(2 * LINE_MAX_BYTES);
    off_t size = lseek(m->fd, 0, SEEK_END);
    off_t from = size > 2 * LINE_MAX_BYTES ? size - 2 * LINE_MAX_BYTES : 0;

    *seq = 0;
    if (tail == NULL || size < 0 || pread(m->fd, tail, (size_t)(size - from), from) != size - from) {
        return error_errno(err, "%s", m->log);
    }
    size_t len = (size_t)(size - from);
    while (len > 0 && tail[len - 1] != '\n') {
        len--;
    }
    if (ftruncate(m->fd, from + (off_t)len) != 0 || lseek(m->fd, 0, SEEK_END) < 0) {
        return error_errno(err, "%s", m->log);
    }
    size_t begin = len > 0 ? len - 1 : 0;
    while (begin > 0 && tail[begin - 1] != '\n') {
        begin--;
    }
    return len == 0 || log_line_seq(span_of(tail + begin, len - 1 - begin), seq) ||
           error_set(err, ERROR_MALFORMED, "%s: a line of a record expected at its end", m->log);
}

/* *n_rows below BATCH_LINES: those were the last. A line that a power failure took back after it was copied is still there, beside the one that
 * has its number since: the later one is in the log. */
static bool add_batch(const struct mirror *m, struct link_session *s, const char *id, struct gathered *g, int *n_rows, struct error *err)
{
    struct buf bytes CLEANUP(buf_deinit);
    char last[NUMBER_MAX];
    const char *const values[] = {id, last};

    buf_init(&bytes, BATCH_BYTES);
    (void)snprintf(last, sizeof(last), "%" PRIu64, g->last);
    PGresult *rows CLEANUP(link_result_clear) =
        link_session_ask(s, "SELECT DISTINCT ON (seq) seq, line FROM filterd.record WHERE node = $1::smallint AND seq > $2::bigint ORDER BY seq, ts DESC LIMIT 2000",
                         COUNT(values), values, "lines", err);
    if (rows == NULL) {
        return false;
    }
    *n_rows = PQntuples(rows);
    for (int i = 0; i < *n_rows && g->missing == 0; i++) {
        uint64_t seq = strtoull(link_value(rows, i, 0), NULL, 10);
        g->missing = seq == g->last + 1 ? 0 : g->last + 1;
        if (g->missing == 0) {
            g->last = seq;
            g->added++;
            if (!buf_append(&bytes, span_of(link_value(rows, i, 1), (size_t)PQgetlength(rows, i, 1)), err) || !buf_append_char(&bytes, '\n', err)) {
                return false;
            }
        }
    }
    return file_write_all(m->fd, buf_span(&bytes)) || error_errno(err, "%s", m->log);
}

/* Cuts off what was removed, and opens the log. */
static bool open_log(struct mirror *m, const struct gather_removed *removed, struct error *err)
{
    bool is_there = access(m->log, F_OK) == 0;

    if (is_there && removed->last > 0 && !gather_removed_cut(m->log, m->record, removed, err)) {
        return false;
    }
    m->fd = open(m->log, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    return m->fd >= 0 || error_errno(err, "%s", m->log);
}

/* A log without a line begins behind those that were removed. */
static bool begin(const struct mirror *m, struct link_session *s, const struct gather_removed *removed, struct gathered *g, struct error *err)
{
    bool is_whole = true;

    if (g->last > 0 || removed->last == 0) {
        return true;
    }
    bool is_begun = gather_removed_begin(m->record, s, removed, &is_whole, err);
    g->last = is_whole ? removed->last : 0;
    g->missing = is_whole ? 0 : 1;
    return is_begun;
}

static bool gather_node(struct mirror *m, struct link_session *s, const struct gather_removed *removed, struct span checkpoint, struct gathered *g,
                        struct error *err)
{
    int n_rows = BATCH_LINES;

    if (!open_log(m, removed, err)) {
        return false;
    }
    bool is_good = find_end(m, &g->last, err) && begin(m, s, removed, g, err);
    while (is_good && n_rows == BATCH_LINES && g->missing == 0) {
        is_good = add_batch(m, s, removed->id, g, &n_rows, err);
    }
    is_good = is_good && (fsync(m->fd) == 0 || error_errno(err, "%s", m->log));
    (void)close(m->fd);
    return is_good && (checkpoint.len == 0 || file_write_atomic(m->checkpoint, checkpoint, FILE_MODE, err));
}

/* A node without a new line or checkpoint, by a digest of what the database says of it. All are looked at once a minute. */
static bool has_news(const PGresult *nodes, int row, struct gather_seen *seen, bool *is_known, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);
    struct tree_hash digest;

    buf_init(&text, NEWS_MAX);
    *is_known = false;
    if (seen == NULL || row >= GATHER_SEEN_MAX) {
        return true;
    }
    for (int k = 0; k < PQnfields(nodes); k++) {
        if (!buf_appendf(&text, err, "%s\n", link_value(nodes, row, k))) {
            return false;
        }
    }
    tree_hash_leaf(buf_span(&text), &digest);
    *is_known = memcmp(seen->digests[row], digest.bytes, sizeof(digest.bytes)) == 0 && seen->n_calls % FULL_EVERY != 0;
    memcpy(seen->digests[row], digest.bytes, sizeof(digest.bytes));
    return true;
}

static bool gather_row(const char *folder, struct link_session *s, const PGresult *nodes, int row, struct gather_seen *seen, gathered_fn *take,
                       void *context, struct error *err)
{
    struct gathered g = {.node = link_value(nodes, row, 0)};
    struct span checkpoint = span_of(link_value(nodes, row, 2), (size_t)PQgetlength(nodes, row, 2));
    const struct gather_removed removed = {.id = link_value(nodes, row, 1), .last = strtoull(link_value(nodes, row, 4), NULL, 10),
                                           .line = strtoull(link_value(nodes, row, 5), NULL, 10), .vkey = span_str(link_value(nodes, row, 6))};
    struct mirror m;
    bool is_known;

    if (!has_news(nodes, row, seen, &is_known, err)) {
        return false;
    }
    if (!ship_is_name(span_str(g.node))) {
        if (!is_known) {
            log_warn("link: copies: node %s of the database is left out: its name '%.*s' is no name of a node", removed.id, SHOWN_MAX, g.node);
        }
        return true;
    }
    bool is_good = is_known || (name_paths(&m, folder, g.node, err) && file_make_directory(m.record, err) &&
                                gather_node(&m, s, &removed, checkpoint, &g, err) && take(context, &g, err));
    if (seen != NULL && row < GATHER_SEEN_MAX && (!is_good || g.missing > 0)) {
        memset(seen->digests[row], 0, sizeof(seen->digests[row])); /* looked at again */
    }
    return is_good;
}

bool gather_all(const char *folder, struct link_session *s, struct gather_seen *seen, gathered_fn *take, void *context, struct error *err)
{
    /* Of a schema without the columns of retention.sql nothing was removed. */
    PGresult *nodes CLEANUP(link_result_clear) =
        link_session_ask(s, "SELECT node, id, coalesce(checkpoint, ''), forwarded, coalesce(to_jsonb(n) ->> 'removed', '0'), "
                         "coalesce(to_jsonb(n) ->> 'removed_by', '0'), coalesce(to_jsonb(n) ->> 'vkey', '') FROM filterd.node n ORDER BY node",
                         0, NULL, "nodes", err);

    for (int i = 0; nodes != NULL && i < PQntuples(nodes); i++) {
        if (!gather_row(folder, s, nodes, i, seen, take, context, err)) {
            return false;
        }
    }
    if (seen != NULL) {
        seen->n_calls++;
    }
    return nodes != NULL;
}
