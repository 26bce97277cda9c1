#include "decision_log/admin_record.h"

#include "base/json.h"
#include "decision_log/decision_line.h"

static struct span text_of(const char *text)
{
    return text == NULL ? span_of(NULL, 0) : span_str(text);
}

/* Whole: a vkey is longer than the texts of others may be. */
static void put_vkey(struct decision_line *l, const char *vkey)
{
    l->has_failed = l->has_failed || !buf_append_str(l->out, ",\"vkey\":", l->err) ||
                    !json_append_string(l->out, span_str(vkey), l->err);
}

bool admin_record_format(const struct admin_change *c, struct buf *line, struct error *err)
{
    struct decision_line l = {.out = line, .err = err};

    buf_clear(line);
    line_open(&l, NULL, '{');
    line_number(&l, "v", DECISION_VERSION);
    line_text(&l, "type", span_str("admin"));
    line_time(&l, "ts", c->now_ns);
    line_text(&l, "what", span_str(c->what));
    line_text(&l, "before", text_of(c->before));
    line_text(&l, "after", text_of(c->after));
    if (c->vkey != NULL) {
        put_vkey(&l, c->vkey);
    }
    line_text(&l, "by", span_str(c->by));
    line_close(&l, '}');
    return !l.has_failed;
}
