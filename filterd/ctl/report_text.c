/* report_text.c - a line per finding, and a last line that sums up. */
#include "base/cleanup.h"
#include "base/plural.h"
#include "ctl/mask.h"
#include "ctl/report.h"

enum { PATH_MAX_BYTES = 256 * 1024 };

static const char *colour_of(const struct finding *f)
{
    switch (f->action) {
    case ACTION_BLOCK:
        return "\033[1;31m";
    case ACTION_REDACT:
        return "\033[33m";
    case ACTION_ALLOW:
        break;
    }
    return "\033[2m";
}

static bool no_head(struct buf *out, const struct session *s, struct error *err)
{
    (void)out;
    (void)s;
    (void)err;
    return true;
}

static bool append_notes(struct buf *out, const struct finding *f, struct error *err)
{
    bool is_dressed = f->view != VIEW_RAW;

    return (!is_dressed || buf_appendf(out, err, "  in %s", finding_view(f))) &&
           (!f->is_shadow || buf_append_str(out, "  (shadow)", err)) &&
           (!f->is_excepted || buf_append_str(out, "  (excepted)", err)) &&
           (!f->is_over_limit || buf_append_str(out, "  (over the rule's limits)", err));
}

/* Names of members are the agent's, as names of files may be. */
static bool append_path(struct buf *out, const struct report_item *item, struct error *err)
{
    struct buf path CLEANUP(buf_deinit);

    buf_init(&path, PATH_MAX_BYTES);
    return report_append_path(&path, item->judging, item->finding, err) &&
           mask_append_escaped(out, buf_span(&path), err);
}

/* Which commit, by whom: names are the repository's. */
static bool append_origin(struct buf *out, const struct report_item *item, struct error *err)
{
    enum { COMMIT_SHOWN = 12 };
    const struct history_commit *commit = item->commit;

    if (item->ignored != NULL && !buf_appendf(out, err, "  (ignored by %s)", item->ignored)) {
        return false;
    }
    if (commit != NULL &&
        !(buf_appendf(out, err, "  commit %.*s by ", COMMIT_SHOWN, commit->id.ptr) &&
          mask_append_escaped(out, commit->author, err) && buf_append_str(out, " <", err) &&
          mask_append_escaped(out, commit->address, err) && buf_append_char(out, '>', err))) {
        return false;
    }
    return !item->is_verbose || buf_appendf(out, err, "  fingerprint:%s", item->fingerprint);
}

/* FILE:LINE:COLUMN  ACTION  RULE  CONFIDENCE  MASKED  notes  at /path  commit … */
static bool text_finding(struct buf *out, const struct report_item *item, struct error *err)
{
    const struct finding *f = item->finding;
    bool has_path = item->judging->exchange.channels[f->channel].path.len > 0;

    return mask_append_escaped(out, span_str(item->file), err) &&
           buf_appendf(out, err, ":%zu:%zu  %s%-6s%s  " SPAN_FMT "  %.2f  ", item->line, item->column, item->is_coloured ? colour_of(f) : "",
                       action_name(f->action), item->is_coloured ? "\033[0m" : "",
                       SPAN_ARG(f->rule->id), f->confidence) &&
           mask_append(out, judging_match(item->judging, f), err) && append_notes(out, f, err) &&
           (!has_path || (buf_append_str(out, "  at ", err) &&
                          append_path(out, item, err))) &&
           append_origin(out, item, err) && buf_append_char(out, '\n', err);
}

static bool text_tail(struct buf *out, const struct session *s, const struct report_totals *t, struct error *err)
{
    (void)s;
    return buf_appendf(out, err, "%zu finding%s in %zu text%s of %zu file%s", t->findings, plural_s(t->findings), t->texts,
                       plural_s(t->texts), t->files, plural_s(t->files)) &&
           (t->commits == 0 || buf_appendf(out, err, " in %zu commit%s", t->commits, plural_s(t->commits))) &&
           (t->findings == 0 ||
            buf_appendf(out, err, ": %zu allowed, %zu redacted, %zu blocked", t->actions[ACTION_ALLOW],
                        t->actions[ACTION_REDACT], t->actions[ACTION_BLOCK])) &&
           (t->ignored == 0 || buf_appendf(out, err, "; %zu ignored", t->ignored)) &&
           (t->skipped == 0 || buf_appendf(out, err, "; %zu file%s skipped", t->skipped, plural_s(t->skipped))) &&
           (t->unjudged == 0 || buf_appendf(out, err, "; %zu could not be judged", t->unjudged)) &&
           buf_append_char(out, '\n', err);
}

const struct report_format report_text = {
    .name = "text", .separator = "", .head = no_head, .finding = text_finding, .tail = text_tail};
