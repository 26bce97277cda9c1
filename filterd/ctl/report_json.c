/* report_json.c - one JSON object, or a JSON line per finding. */
#include "ctl/report.h"

#include "base/json.h"
#include "ctl/mask.h"

static bool append_finding(struct buf *out, const struct report_item *item, struct error *err)
{
    return buf_append_str(out, "{\"file\":", err) && mask_append_json_name(out, span_str(item->file), err) &&
           buf_appendf(out, err, ",\"line\":%zu,\"column\":%zu,", item->line, item->column) &&
           report_append_finding_members(out, item->judging, item->finding, err) &&
           report_append_origin_members(out, item, err) && buf_append_char(out, '}', err);
}

static bool append_problem(struct buf *out, const struct report_problem *p, struct error *err)
{
    return buf_append_str(out, "{\"file\":", err) && mask_append_json_name(out, span_str(p->file), err) &&
           (p->line == 0 || buf_appendf(out, err, ",\"line\":%zu", p->line)) &&
           buf_appendf(out, err, ",\"%s\":", p->kind == PROBLEM_SKIPPED ? "skipped" : "unjudged") &&
           report_append_quoted(out, p->reason, err) && buf_append_char(out, '}', err);
}

static bool json_head(struct buf *out, const struct session *s, struct error *err)
{
    return buf_append_str(out,
                          "{\"filterctl\":\"" FILTERD_VERSION "\",\"policy\":{\"name\":", err) &&
           json_append_string(out, s->policy->name, err) &&
           buf_append_str(out, ",\"digest\":", err) &&
           json_append_string(out, s->policy->digest, err) &&
           buf_append_str(out, "},\n\"findings\":[\n", err);
}

static bool json_tail(struct buf *out, const struct session *s, const struct report_totals *t, struct error *err)
{
    (void)s;
    if (!buf_append_str(out, "\n],\n\"problems\":[", err)) {
        return false;
    }
    for (size_t i = 0; i < t->n_problems; i++) {
        if (!buf_append_str(out, i == 0 ? "\n" : ",\n", err) ||
            !append_problem(out, &t->problems[i], err)) {
            return false;
        }
    }
    return buf_appendf(out, err,
                       "],\n\"summary\":{\"files\":%zu,\"texts\":%zu,\"bytes\":%llu,\"findings\":%"
                       "zu,\"allowed\":%zu,"
                       "\"redacted\":%zu,\"blocked\":%zu,\"verdicts\":{\"allow\":%zu,\"redact\":%zu,\"block\":%zu},"
                       "\"skipped\":%zu,\"unjudged\":%zu,\"ignored\":%zu}}\n",
                       t->files, t->texts, (unsigned long long)t->bytes, t->findings,
                       t->actions[ACTION_ALLOW], t->actions[ACTION_REDACT], t->actions[ACTION_BLOCK],
                       t->verdicts[ACTION_ALLOW], t->verdicts[ACTION_REDACT],
                       t->verdicts[ACTION_BLOCK], t->skipped, t->unjudged, t->ignored);
}

static bool ndjson_head(struct buf *out, const struct session *s, struct error *err)
{
    (void)out;
    (void)s;
    (void)err;
    return true;
}

static bool ndjson_finding(struct buf *out, const struct report_item *item, struct error *err)
{
    return append_finding(out, item, err) && buf_append_char(out, '\n', err);
}

static bool ndjson_tail(struct buf *out, const struct session *s, const struct report_totals *t, struct error *err)
{
    (void)s;
    for (size_t i = 0; i < t->n_problems; i++) {
        if (!append_problem(out, &t->problems[i], err) || !buf_append_char(out, '\n', err)) {
            return false;
        }
    }
    return true;
}

const struct report_format report_json = {.name = "json",
                                          .separator = ",\n",
                                          .head = json_head,
                                          .finding = append_finding,
                                          .tail = json_tail};
const struct report_format report_ndjson = {.name = "ndjson",
                                            .separator = "",
                                            .head = ndjson_head,
                                            .finding = ndjson_finding,
                                            .tail = ndjson_tail};
