#include "link/copy.h"

#include <inttypes.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/log.h"
#include "link/metrics.h"
#include "record/checkpoint_store.h"
#include "ship/line.h"

enum { POLL_MS = 500, PAUSE_MIN_MS = 200, PAUSE_MAX_MS = 2000, COMPLAIN_MS = 60000 };
enum { CHECKPOINT_MS = 1000 };
enum { ROWS_MAX = 64 * 1024 * 1024, ROWS_STEP = 4 * 1024 * 1024 };

bool link_copy_init(struct link_copy *c, const struct link_config *config, struct link_store *store, struct error *err)
{
    *c = (struct link_copy){.config = config, .store = store, .removal = {.keep = &config->keep}};
    buf_init(&c->rows, ROWS_MAX);
    buf_init(&c->checkpoint, NOTE_MAX + 1);
    const char *slash = strrchr(config->log, '/');
    int len = slash == NULL ? 0 : (int)(slash + 1 - config->log);
    if (snprintf(c->record, sizeof(c->record), "%.*srecord", len, config->log) >= (int)sizeof(c->record)) {
        return error_set(err, ERROR_INVALID, "log: a shorter path expected");
    }
    return ship_position_path(config->state, span_str("link"), c->path, err);
}

static void end_follow(struct link_copy *c)
{
    if (c->has_follow) {
        ship_follow_deinit(&c->follow);
    }
    c->has_follow = false;
}

void link_copy_deinit(struct link_copy *c)
{
    end_follow(c);
    buf_deinit(&c->rows);
    buf_deinit(&c->checkpoint);
}

/* --- rows --------------------------------------------------------------------------------- */

/* As COPY's text format writes a value. */
static bool put_value(struct buf *out, struct span value, struct error *err)
{
    static const char special[] = "\\\t\n\r", letters[] = "\\tnr";
    bool is_put = true;

    for (size_t i = 0, from = 0; i <= value.len && is_put; i++) {
        const char *found = i < value.len ? memchr(special, value.ptr[i], sizeof(special) - 1) : NULL;
        if (found == NULL && i < value.len) {
            continue;
        }
        is_put = buf_append(out, span_slice(value, from, i), err) &&
                 (found == NULL || buf_appendf(out, err, "\\%c", letters[found - special]));
        from = i + 1;
    }
    return is_put;
}

static bool put_member(struct buf *out, struct json_value value, struct error *err)
{
    struct span text = ship_characters(value);

    return (text.len == 0 ? buf_append(out, span_str("\\N"), err) : put_value(out, text, err)) &&
           buf_append(out, span_str("\t"), err);
}

static bool put_row(struct link_copy *c, const struct ship_line *line, struct error *err)
{
    const struct json_value members[] = {line->ts, line->type, line->action, line->rule, line->req_id};
    bool is_put = buf_appendf(&c->rows, err, "%s\t%" PRIu64 "\t", link_store_id(c->store), line->seq);

    for (size_t i = 0; i < COUNT(members) && is_put; i++) {
        is_put = put_member(&c->rows, members[i], err);
    }
    return is_put && put_value(&c->rows, line->text, err) && buf_append(&c->rows, span_str("\n"), err);
}

/* The rows of a batch, and the time in the last of them. A line without number or time has no key: it is counted. */
static enum ship_follow_result fill(struct link_copy *c, size_t *n, int64_t *last_ns, struct error *err)
{
    enum ship_follow_result result = SHIP_FOLLOW_LINE;
    struct ship_line line;
    struct span text;

    buf_clear(&c->rows);
    for (*n = 0; *n < (size_t)c->config->batch && c->rows.len < ROWS_STEP; (*n)++) {
        result = ship_follow_next(&c->follow, &text, err);
        if (result != SHIP_FOLLOW_LINE) {
            return result;
        }
        if (text.len > 0 && text.ptr[text.len - 1] == '\n') {
            text.len--;
        }
        ship_line_read(text, &line);
        if (line.seq == 0 || line.time_ns == 0) {
            c->unreadable++;
        } else if (!put_row(c, &line, err)) {
            return SHIP_FOLLOW_FAILED;
        }
        *last_ns = line.time_ns > *last_ns ? line.time_ns : *last_ns;
    }
    return result;
}

/* --- positions ------------------------------------------------------------------------------ */

static void complain(struct link_copy *c, const struct error *err)
{
    int64_t now = clock_monotonic_ms();

    if (c->complained_ms == 0 || now - c->complained_ms >= COMPLAIN_MS) {
        c->complained_ms = now;
        log_warn("link: %s: it is tried again", err->text);
    }
}

static void save(struct link_copy *c, int64_t as_of_ns)
{
    struct error err;

    c->position.as_of_ns = as_of_ns > c->position.as_of_ns ? as_of_ns : c->position.as_of_ns;
    if (clock_monotonic_ms() - c->written_ms < SHIP_HEARTBEAT_MS && c->written_ms != 0) {
        return;
    }
    c->written_ms = clock_monotonic_ms();
    if (!ship_position_write(c->path, &c->position, &err)) {
        complain(c, &err);
    }
}

/* Half of it random, so that many nodes do not come at once. */
static int64_t next_pause(struct link_copy *c)
{
    uint32_t random = 0;

    c->pause_ms = c->pause_ms == 0 ? PAUSE_MIN_MS : c->pause_ms * 2;
    c->pause_ms = c->pause_ms < PAUSE_MAX_MS ? c->pause_ms : PAUSE_MAX_MS;
    (void)!getrandom(&random, sizeof(random), GRND_NONBLOCK);
    return c->pause_ms / 2 + (int64_t)(random % (uint32_t)(c->pause_ms / 2 + 1));
}

static int64_t fail(struct link_copy *c, const struct error *err)
{
    c->failures++;
    complain(c, err);
    end_follow(c);
    return next_pause(c);
}

static void note_success(struct link_copy *c)
{
    if (c->complained_ms != 0) {
        log_info("link: goes on seq=%" PRIu64, c->position.seq);
    }
    c->complained_ms = 0;
    c->pause_ms = 0;
}

/* --- checkpoints -------------------------------------------------------------------------------- */

/* Without a proof there is none. What cannot be read is left to filterd's own checks. */
static void look_for_checkpoint(struct link_copy *c)
{
    struct checkpoint parsed;
    struct error ignored;

    if (c->checkpoint.len > 0 || clock_monotonic_ms() - c->looked_ms < CHECKPOINT_MS) {
        return;
    }
    c->looked_ms = clock_monotonic_ms();
    if (checkpoint_store_newest(c->record, &c->checkpoint, &ignored) && checkpoint_parse(buf_span(&c->checkpoint), &parsed, &ignored) &&
        parsed.size > c->sent && buf_append_char(&c->checkpoint, '\0', &ignored)) {
        c->size = parsed.size;
    } else {
        buf_clear(&c->checkpoint);
    }
}

/* Only when the database has all lines of it, so that these can be compared with it. */
static bool send_checkpoint(struct link_copy *c, struct error *err)
{
    look_for_checkpoint(c);
    if (c->checkpoint.len == 0 || c->position.seq < c->size) {
        return true;
    }
    bool is_sent = link_store_checkpoint(c->store, c->checkpoint.data, err);
    c->sent = is_sent ? c->size : c->sent;
    buf_clear(&c->checkpoint);
    return is_sent;
}

/* --- a step ------------------------------------------------------------------------------------ */

static bool begin(struct link_copy *c, struct error *err)
{
    if (link_store_is_connected(c->store) && c->has_follow) {
        return true;
    }
    end_follow(c);
    if (!link_store_connect(c->store, &c->position, err) || !ship_follow_init(&c->follow, c->config->log, &c->position, err)) {
        return false;
    }
    c->has_follow = true;
    return true;
}

static bool copy(struct link_copy *c, size_t n, int64_t last_ns, struct error *err)
{
    struct ship_position after = c->position;

    ship_follow_position(&c->follow, &after);
    if (!link_store_copy(c->store, buf_span(&c->rows), &c->position, &after, err)) {
        return false;
    }
    c->position = after;
    c->lines += n;
    c->batches++;
    note_success(c);
    save(c, last_ns);
    return true;
}

static bool idle(struct link_copy *c, struct error *err)
{
    bool is_due = clock_monotonic_ms() - c->written_ms >= SHIP_HEARTBEAT_MS;

    if (is_due && !link_store_beat(c->store, err)) {
        return false;
    }
    note_success(c);
    save(c, c->follow.as_of_ns);
    return true;
}

int64_t link_copy_step(struct link_copy *c)
{
    struct error err = {.text = ""};
    int64_t last_ns = 0;
    size_t n = 0;

    if (!begin(c, &err)) {
        return fail(c, &err);
    }
    enum ship_follow_result result = fill(c, &n, &last_ns, &err);
    c->missing += c->follow.missing;
    c->follow.missing = 0;
    if (result == SHIP_FOLLOW_FAILED) {
        return fail(c, &err); /* what was read of a batch is read again */
    }
    bool is_good = (n > 0 ? copy(c, n, last_ns, &err) : idle(c, &err)) && send_checkpoint(c, &err) &&
                   (result == SHIP_FOLLOW_LINE || link_removal_step(&c->removal, c->record, c->store, &err));
    return !is_good ? fail(c, &err) : result == SHIP_FOLLOW_LINE ? 0 : POLL_MS;
}

bool link_copy_put_metrics(const struct link_copy *c, struct buf *out, struct error *err)
{
    const struct link_metric metrics[] = {
        {"lines_total", "counter", "Lines of the log that the database has taken.", c->lines},
        {"batches_total", "counter", "Transactions that were committed.", c->batches},
        {"failures_total", "counter", "Steps that failed; they are tried again.", c->failures},
        {"unreadable_lines_total", "counter", "Lines without a number or a time; they are not copied.", c->unreadable},
        {"missing_lines_total", "counter", "Lines whose numbers were passed over in the files.", c->missing},
        {"removed_lines_total", "counter", "Lines whose copies were deleted at the end of their term.", c->removal.lines},
        {"seq", "gauge", "Number of the last line that the database has.", c->position.seq},
    };
    int64_t as_of_ns = c->position.as_of_ns, age_ns = clock_utc_ns() - as_of_ns;

    return buf_append(out, span_str("# HELP filterd_link_lag_seconds Age of what the database may not have yet.\n"
                                    "# TYPE filterd_link_lag_seconds gauge\n"), err) &&
           (as_of_ns == 0 ? buf_append(out, span_str("filterd_link_lag_seconds +Inf\n"), err)
                          : buf_appendf(out, err, "filterd_link_lag_seconds %.3f\n", age_ns > 0 ? (double)age_ns / 1e9 : 0.0)) &&
           link_metrics_put(metrics, COUNT(metrics), out, err);
}
