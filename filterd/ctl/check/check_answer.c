/* check_answer.c - what filterctl check --pipe says of a line: JSON, or what rsyslog is to change. */
#include "base/json.h"
#include "ctl/check/check.h"

/* --- JSON --------------------------------------------------------------------- */

static bool append_findings(struct buf *out, const struct check *c, const struct judging *j,
                            struct error *err)
{
    bool is_first = true;

    if (!buf_append_str(out, ",\"findings\":[", err)) {
        return false;
    }
    for (size_t i = 0; i < j->exchange.n_findings; i++) {
        const struct finding *f = &j->exchange.findings[i];
        if (!check_is_found(c->args, f) && !c->args->is_all) {
            continue;
        }
        if (!buf_append_str(out, is_first ? "{" : ",{", err) ||
            !report_append_finding_members(out, j, f, err) || !buf_append_char(out, '}', err)) {
            return false;
        }
        is_first = false;
    }
    return buf_append_char(out, ']', err);
}

/* "text" for the string of --field, else "document"; null when blocked. */
static bool append_delivered(struct buf *out, const struct check *c, const struct judging *j,
                             struct error *err)
{
    const struct exchange *x = &j->exchange;
    bool is_text = c->field.len > 0;

    if (!buf_appendf(out, err, ",\"%s\":", is_text ? "text" : "document")) {
        return false;
    }
    if (x->action == ACTION_BLOCK) {
        return buf_append_str(out, "null,\"notice\":", err) &&
               json_append_string(out, x->notice, err);
    }
    return is_text ? json_append_string(out, x->channels[0].output, err)
                   : document_write(&j->document, out, err);
}

static bool append_json(const struct check *c, const struct judging *j, struct buf *out, struct error *err)
{
    const struct exchange *x = &j->exchange;

    return buf_appendf(out, err, "{\"action\":\"%s\",\"rule\":", action_name(x->action)) &&
           (x->rule.len > 0 ? json_append_string(out, x->rule, err)
                            : buf_append_str(out, "null", err)) &&
           append_delivered(out, c, j, err) && append_findings(out, c, j, err) &&
           buf_append_str(out, "}\n", err);
}

static bool append_unjudged_json(const struct check *c, const char *reason, struct buf *out, struct error *err)
{
    (void)c;
    return buf_append_str(out, "{\"action\":\"block\",\"rule\":\"filterd.unjudged\",\"error\":", err) &&
           report_append_quoted(out, reason, err) && buf_append_str(out, ",\"findings\":[]}\n", err);
}

/* --- rsyslog ----------------------------------------------------------------------
 *
 * Source: rsyslog, plugins/external/INTERFACE.md: an object whose members replace those of the message; "$!" are its variables. */

static bool append_change(const struct check *c, struct span text, const char *action, struct span rule, struct buf *out, struct error *err)
{
    return buf_append_char(out, '{', err) && json_append_string(out, c->field, err) && buf_append_char(out, ':', err) &&
           json_append_string(out, text, err) && buf_appendf(out, err, ",\"$!\":{\"filterd\":{\"action\":\"%s\",\"rule\":", action) &&
           json_append_string(out, rule, err) && buf_append_str(out, "}}}\n", err);
}

/* The policy's notice stands in place of a blocked message. */
static bool append_changes(const struct check *c, const struct judging *j, struct buf *out, struct error *err)
{
    const struct exchange *x = &j->exchange;

    return append_change(c, x->action == ACTION_BLOCK ? x->notice : x->channels[0].output, action_name(x->action), x->rule, out, err);
}

static bool append_unjudged_changes(const struct check *c, const char *reason, struct buf *out, struct error *err)
{
    (void)reason;
    return append_change(c, c->session->policy->notice, "block", span_str("filterd.unjudged"), out, err);
}

const struct check_answer *check_answer_find(const char *name)
{
    static const struct check_answer answers[] = {
        {"json", append_json, append_unjudged_json},
        {"rsyslog", append_changes, append_unjudged_changes},
    };

    for (size_t i = 0; name != NULL && i < sizeof(answers) / sizeof(answers[0]); i++) {
        if (strcmp(answers[i].name, name) == 0) {
            return &answers[i];
        }
    }
    return &answers[0];
}
