#include "jail/egress/attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "jail/egress/wire/path.h"

enum { REFUSALS = 1000, REFUSALS_MS = 10 * 1000, PAUSE_MS = 10 };
enum { LINE_MAX_BYTES = 16 * 1024, LINE_ROOM = 4096, PIECE_MAX = 40, PIECE_PLAIN = 15, TARGET_MAX = 1024 };

/* --- masks ---------------------------------------------------------------- */

/* Longer than names are, or long and with digits, as keys, tokens and encoded data are. */
static bool is_more_than_a_name(struct span piece)
{
    bool has_digit = false;

    for (size_t i = 0; i < piece.len; i++) {
        has_digit |= (piece.ptr[i] >= '0' && piece.ptr[i] <= '9') || piece.ptr[i] == '%';
    }
    return piece.len > PIECE_MAX || (piece.len > PIECE_PLAIN && has_digit);
}

static bool append_piece(struct buf *out, struct span piece, struct error *err)
{
    return is_more_than_a_name(piece) ? buf_append_char(out, '*', err) : buf_append(out, piece, err);
}

/* Pieces between any of the separators; when there is '=' among them, what follows it is a star. */
static bool append_masked(struct buf *out, struct span text, const char *separators, struct error *err)
{
    size_t from = 0;
    bool is_value = false;

    for (size_t at = 0; at <= text.len; at++) {
        bool is_end = at == text.len || strchr(separators, text.ptr[at]) != NULL;
        if (!is_end || (is_value && at < text.len && text.ptr[at] == '=')) {
            continue;
        }
        struct span piece = span_slice(text, from, at);
        bool is_good = is_value && piece.len > 0 ? buf_append_char(out, '*', err) : append_piece(out, piece, err);
        if (!is_good || (at < text.len && !buf_append_char(out, text.ptr[at], err))) {
            return false;
        }
        is_value = at < text.len && text.ptr[at] == '=';
        from = at + 1;
    }
    return true;
}

static bool append_target(struct buf *out, const struct egress_attempt *a, struct error *err)
{
    struct buf masked CLEANUP(buf_deinit);
    struct span path = egress_path_only(a->target);

    buf_init(&masked, LINE_MAX_BYTES);
    if (a->is_target_secret || a->target.len > TARGET_MAX) {
        return json_append_string(out, span_str("*"), err);
    }
    return append_masked(&masked, path, "/", err) &&
           append_masked(&masked, span_slice(a->target, path.len, a->target.len), "?&;=", err) &&
           json_append_string(out, buf_span(&masked), err);
}

static bool append_host(struct buf *out, const struct egress_attempt *a, struct error *err)
{
    struct buf masked CLEANUP(buf_deinit);

    buf_init(&masked, LINE_MAX_BYTES);
    return (a->rule.len > 0 ? buf_append_str(&masked, a->host, err)
                            : append_masked(&masked, span_str(a->host), ".", err)) &&
           json_append_string(out, buf_span(&masked), err);
}

/* --- the line ------------------------------------------------------------- */

static bool append_text(struct buf *out, const char *name, struct span value, struct error *err)
{
    return value.len == 0 || (buf_appendf(out, err, ",\"%s\":", name) && json_append_string(out, value, err));
}

static bool append_time(struct buf *out, int64_t utc_ns, struct error *err)
{
    enum { NS_PER_S = 1000000000 };
    time_t seconds = (time_t)(utc_ns / NS_PER_S);
    struct tm t;
    char text[32];

    if (gmtime_r(&seconds, &t) == NULL || strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &t) == 0) {
        return error_set(err, ERROR_INTERNAL, "a time in years of four digits expected");
    }
    return buf_appendf(out, err, "{\"time\":\"%s.%09dZ\"", text, (int)(utc_ns % NS_PER_S));
}

static struct span text_of(const char *text)
{
    return text == NULL ? (struct span){0} : span_str(text);
}

static bool append_place(struct buf *out, const struct egress_attempt *a, struct error *err)
{
    return (a->host[0] == '\0' || (buf_append_str(out, ",\"host\":", err) && append_host(out, a, err))) &&
           (a->port == 0 || buf_appendf(out, err, ",\"port\":%u", a->port)) &&
           append_text(out, "method", span_str(a->method), err) &&
           (a->target.len == 0 || (buf_append_str(out, ",\"path\":", err) && append_target(out, a, err))) &&
           append_text(out, "original", span_str(a->original), err) &&
           append_text(out, "address", span_str(a->address), err);
}

bool egress_attempt_print(const struct egress_attempt *a, const struct egress_log *log, uint64_t now_ns,
                          struct buf *out, struct error *err)
{
    static const char *const outcomes[] = {
        [EGRESS_REFUSED] = "refused", [EGRESS_FAILED] = "failed", [EGRESS_ALLOWED] = "allowed",
        [EGRESS_OPENED] = "opened"};
    uint64_t duration = now_ns > a->started_ns ? now_ns - a->started_ns : 0;

    return append_time(out, a->time_ns, err) && append_text(out, "jail", text_of(log->jail), err) &&
           append_text(out, "agent", text_of(log->agent), err) && append_text(out, "kind", span_str(a->kind), err) &&
           append_place(out, a, err) && append_text(out, "verdict", span_str(outcomes[a->outcome]), err) &&
           append_text(out, "reason", text_of(a->reason), err) && append_text(out, "detail", span_str(a->detail), err) &&
           append_text(out, "rule", a->rule, err) && append_text(out, "filter_rule", span_str(a->filter_rule), err) &&
           (a->status == 0 || buf_appendf(out, err, ",\"status\":%u", a->status)) &&
           buf_appendf(out, err, ",\"bytes_out\":%" PRId64 ",\"bytes_in\":%" PRId64 ",\"duration_ns\":%" PRIu64 "}\n",
                       a->bytes_out, a->bytes_in, duration);
}

void egress_attempt_summarise(const struct egress_attempt *a, char *text, size_t size)
{
    struct buf host CLEANUP(buf_deinit);
    const char *rule = a->filter_rule;
    char port[16] = "";
    struct error err;

    buf_init(&host, LINE_MAX_BYTES);
    bool is_named = a->host[0] != '\0' && (a->rule.len > 0 ? buf_append_str(&host, a->host, &err)
                                                           : append_masked(&host, span_str(a->host), ".", &err));
    if (a->port != 0) {
        (void)snprintf(port, sizeof(port), ":%u", a->port);
    }
    struct span place = is_named ? buf_span(&host) : span_str(a->original);
    (void)snprintf(text, size, "%s%s" SPAN_FMT "%s %s%s%s%s%s%s", a->kind, place.len > 0 ? " " : "", SPAN_ARG(place), port,
                   a->outcome == EGRESS_ALLOWED ? "allowed" : a->outcome == EGRESS_FAILED ? "failed" : "refused",
                   a->reason == NULL ? "" : ": ", a->reason == NULL ? "" : a->reason, rule[0] == '\0' ? "" : " (", rule,
                   rule[0] == '\0' ? "" : ")");
}

/* --- the file ------------------------------------------------------------- */

bool egress_log_open(struct egress_log *log, const char *path, int64_t attempts, struct error *err)
{
    bool is_stdout = strcmp(path, "-") == 0;
    static const struct egress_rate refusals = {REFUSALS, REFUSALS_MS};
    int fd = is_stdout ? STDOUT_FILENO : open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd < 0) {
        return error_errno(err, "%s", path);
    }
    log->fd = fd;
    egress_account_init_rate(&log->refusals, &refusals, clock_monotonic_ns());
    log->room = 2 * attempts * LINE_ROOM; /* a line when it is opened, and the last one */
    return true;
}

void egress_log_close(struct egress_log *log)
{
    egress_account_deinit(&log->refusals);
    if (log->fd > STDERR_FILENO) {
        close(log->fd);
    }
}

/* A file that was removed is no record. The end of the file stays where it is. A file system that cannot reserve, like a pipe, shows
 * at the write that it is full. */
bool egress_log_has_room(const struct egress_log *log)
{
    struct stat file;

    if (atomic_load(&log->is_broken) || fstat(log->fd, &file) != 0) {
        return false;
    }
    bool is_removed = file.st_nlink == 0 && log->fd != STDOUT_FILENO;
    bool is_full = S_ISREG(file.st_mode) && fallocate(log->fd, FALLOC_FL_KEEP_SIZE, file.st_size, log->room) != 0 &&
                   (errno == ENOSPC || errno == EDQUOT || errno == EFBIG);
    return !is_removed && !is_full;
}

/* What is refused costs the jail nothing, and no rule has a rate for it: its lines would fill the disk. It is delayed, so that
 * each still has its line; what is cut does not wait. */
static void throttle(struct egress_log *log)
{
    struct pollfd p = {.fd = log->cut, .events = POLLIN};

    while (!egress_account_take(&log->refusals, clock_monotonic_ns()) && poll(&p, 1, PAUSE_MS) == 0) {
    }
}

void egress_log_write(struct egress_log *log, const struct egress_attempt *a)
{
    struct buf line CLEANUP(buf_deinit);
    struct error err = {0};

    if (a->outcome == EGRESS_REFUSED || a->outcome == EGRESS_FAILED) {
        throttle(log);
    }
    buf_init(&line, LINE_MAX_BYTES);
    /* Appended in one write, as a rule, so that lines of several threads stay apart. */
    bool is_written = egress_attempt_print(a, log, clock_monotonic_ns(), &line, &err) &&
                      (file_write_all(log->fd, buf_span(&line)) || error_errno(&err, "write"));
    if (!is_written && !atomic_exchange(&log->is_broken, true)) {
        log_error("egress: the record cannot be written, nothing leaves any more: %s", err.text);
    }
    if (log->notify != NULL && a->outcome != EGRESS_OPENED) {
        log->notify(log->notify_context, a);
    }
}

bool egress_log_open_attempt(struct egress_log *log, const struct egress_attempt *a)
{
    struct egress_attempt opened = *a;

    opened.outcome = EGRESS_OPENED;
    egress_log_write(log, &opened);
    return egress_log_has_room(log);
}
