/* check_pipe.c - filterctl check --pipe: a line in, its verdict and what may be delivered out.
 *
 * Every line of the input gives exactly one line of the output, also when it cannot be judged: the
 * program at the other end counts them. */
#include "ctl/check/check.h"
#include "ctl/lines.h"

static bool append_unjudged(const struct check *c, struct batch *b, size_t line, const char *reason, struct error *err)
{
    batch_problem(b, PROBLEM_UNJUDGED, line, reason);
    return c->answer->append_unjudged(c, reason, &b->output, err);
}

static bool answer_line(const struct check *c, struct worker *w, struct batch *b, struct span line,
                        size_t number, struct error *err)
{
    struct judging j;
    size_t start = b->output.len;

    if (!judging_document(c->session, w, line, c->field, &j, err)) {
        return append_unjudged(c, b, number, err->text, err);
    }
    b->totals.texts++;
    if (judging_is_complete(&j)) {
        b->totals.verdicts[j.exchange.action]++;
    } else {
        batch_problem(b, PROBLEM_UNJUDGED, number,
                      j.exchange.unjudged_reason != NULL ? j.exchange.unjudged_reason
                                                         : "could not be judged");
    }
    if (c->answer->append(c, &j, &b->output, err)) {
        return true;
    }
    b->output.len = start; /* no half of an answer */
    return append_unjudged(c, b, number, err->text, err);
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
