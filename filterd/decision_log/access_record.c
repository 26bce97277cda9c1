#include "decision_log/access_record.h"

#include "base/json.h"
#include "decision_log/decision_line.h"

/* Whole, as a part of a query means something else. */
static bool put_query(struct span query, struct buf *line, struct error *err)
{
    return query.ptr == NULL || (buf_append_str(line, ",\"query\":", err) && json_append_string(line, query, err));
}

static void put_given(struct decision_line *l, const char *name, struct span text)
{
    if (text.len > 0) {
        line_text(l, name, text);
    }
}

bool access_record_format(const struct access_event *e, struct buf *line, struct error *err)
{
    struct decision_line l = {.out = line, .err = err};

    buf_clear(line);
    line_open(&l, NULL, '{');
    line_number(&l, "v", DECISION_VERSION);
    line_text(&l, "type", span_str("access"));
    line_time(&l, "ts", e->now_ns);
    line_text(&l, "by", span_str(e->by));
    line_text(&l, "role", span_str(e->role));
    line_text(&l, "what", span_str(e->what));
    if (e->item != 0) {
        line_number(&l, "item", e->item);
    }
    put_given(&l, "step", e->step == NULL ? span_of("", 0) : span_str(e->step));
    put_given(&l, "person", e->person);
    put_given(&l, "passkey", e->passkey);
    put_given(&l, "kek", e->kek);
    put_given(&l, "blob", e->blob);
    put_given(&l, "purpose", e->purpose);
    put_given(&l, "request", e->request);
    put_given(&l, "copy_of", e->copy_of);
    return !l.has_failed && put_query(e->query, line, err) && buf_append_char(line, '}', err);
}

bool access_record_write(struct decision_log *log, const struct access_event *e, struct error *err)
{
    struct buf line;

    buf_init(&line, ACCESS_RECORD_MAX);
    bool is_written = access_record_format(e, &line, err) && decision_log_append_wait(log, buf_span(&line), err);
    buf_deinit(&line);
    return is_written;
}
