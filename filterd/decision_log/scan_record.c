#include "decision_log/scan_record.h"

#include "decision_log/decision_line.h"

static void put_actions(struct decision_line *l, const struct scan_event *e)
{
    line_open(l, "actions", '{');
    for (size_t i = 0; i <= ACTION_ALLOW; i++) {
        line_number(l, action_names[i], e->actions[i]);
    }
    line_close(l, '}');
}

static void put_rules(struct decision_line *l, const struct scan_event *e)
{
    line_open(l, "rules", '[');
    for (size_t i = 0; i < e->n_rules; i++) {
        line_open(l, NULL, '{');
        line_text(l, "rule", e->rules[i].id);
        line_number(l, "findings", e->rules[i].findings);
        line_close(l, '}');
    }
    line_close(l, ']');
}

bool scan_record_format(const struct scan_event *e, struct buf *line, struct error *err)
{
    struct decision_line l = {.out = line, .err = err};

    buf_clear(line);
    line_open(&l, NULL, '{');
    line_number(&l, "v", DECISION_VERSION);
    line_text(&l, "type", span_str("scan"));
    line_time(&l, "ts", e->now_ns);
    line_text(&l, "source", e->source);
    line_text(&l, "snapshot", e->snapshot);
    line_text(&l, "digest", e->digest);
    line_text(&l, "engine", e->engine);
    line_number(&l, "rows", e->rows);
    line_number(&l, "nulls", e->nulls);
    line_number(&l, "unjudged", e->unjudged);
    line_number(&l, "bytes", e->bytes);
    put_actions(&l, e);
    put_rules(&l, e);
    line_text(&l, "by", span_str(e->by));
    line_text(&l, "role", span_str(e->role));
    line_close(&l, '}');
    return !l.has_failed;
}
