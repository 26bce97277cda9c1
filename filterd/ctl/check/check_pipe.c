/* check_pipe.c - filterctl check --pipe: a line in, its verdict and what may be delivered out.
 *
 * Every line of the input gives exactly one line of the output, also when it cannot be judged: the
 * program at the other end counts them. */
#include "base/json.h"
#include "ctl/check/check.h"
#include "ctl/lines.h"

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

static bool append_answer(struct buf *out, const struct check *c, const struct judging *j,
                          struct error *err)
{
    const struct exchange *x = &j->exchange;

    return buf_appendf(out, err, "{\"action\":\"%s\",\"rule\":", action_name(x->action)) &&
           (x->rule.len > 0 ? json_append_string(out, x->rule, err)
                            : buf_append_str(out, "null", err)) &&
           append_delivered(out, c, j, err) && append_findings(out, c, j, err) &&
           buf_append_str(out, "}\n", err);
}

static bool append_unjudged(struct batch *b, size_t line, const char *reason, struct error *err)
{
    batch_problem(b, PROBLEM_UNJUDGED, line, reason);
    return buf_append_str(&b->output,
                          "{\"action\":\"block\",\"rule\":\"filterd.unjudged\",\"error\":", err) &&
           report_append_quoted(&b->output, reason, err) &&
           buf_append_str(&b->output, ",\"findings\":[]}\n", err);
}

static bool answer_line(const struct check *c, struct worker *w, struct batch *b, struct span line,
                        size_t number, struct error *err)
{
    struct judging j;
    size_t start = b->output.len;

    if (!judging_document(c->session, w, line, c->field, &j, err)) {
        return append_unjudged(b, number, err->text, err);
    }
    b->totals.texts++;
    if (judging_is_complete(&j)) {
        b->totals.verdicts[j.exchange.action]++;
    } else {
        batch_problem(b, PROBLEM_UNJUDGED, number,
                      j.exchange.unjudged_reason != NULL ? j.exchange.unjudged_reason
                                                         : "could not be judged");
    }
    if (append_answer(&b->output, c, &j, err)) {
        return true;
    }
    b->output.len = start; /* no half of an answer */
    return append_unjudged(b, number, err->text, err);
}

void check_pipe_run(void *context, struct worker *w, struct batch *b)
{
    const struct check *c = context;
    struct span rest = buf_span(&b->input), line;
    struct error err;

    b->totals.bytes += rest.len;
    for (size_t number = b->first_line; lines_split(&rest, &line); number++) {
        bool is_ok = line.len == 0 ? buf_append_char(&b->output, '\n', &err)
                                   : answer_line(c, w, b, line, number, &err);
        if (!is_ok) {
            batch_problem(b, PROBLEM_UNJUDGED, number, err.text);
            return;
        }
    }
}
