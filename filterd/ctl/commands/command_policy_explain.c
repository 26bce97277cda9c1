/* command_policy_explain.c - filterctl policy explain: the verdict on a text, and why. */
#include "base/cleanup.h"
#include "ctl/command.h"
#include "ctl/holding.h"
#include "ctl/input.h"
#include "ctl/judging.h"
#include "ctl/mask.h"
#include "policy/supervisor.h"

enum { OUTPUT_MAX = 256 * 1024 * 1024 };

static int run(const struct arguments *args);

const struct command command_policy_explain = {
    .name = "policy explain",
    .operands = "TEXT|-",
    .summary = "Print the verdict on a text and the entry of the policy that led to it",
    .options = OPTIONS_RULES | OPTIONS_JUDGING | OPTION_BIT(OPTION_TO_JSON),
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};

static bool append_reason(struct buf *out, const struct policy *p, const struct finding *f,
                          struct error *err)
{
    if (f->is_excepted) {
        return buf_append_str(out, "an exception covers it", err);
    }
    if (f->because == NULL) {
        return buf_append_str(out, "no entry of the policy speaks of it", err);
    }
    return buf_appendf(out, err, "entry %td of actions%s", f->because - p->actions + 1,
                       f->is_shadow ? ", in shadow: not acted on" : "");
}

static bool append_finding(struct buf *out, const struct judging *j, const struct finding *f,
                           struct error *err)
{
    return buf_appendf(out, err, "  %-6s " SPAN_FMT " %.2f  bytes %zu..%zu in %s  ",
                       action_name(f->action), SPAN_ARG(f->rule->id), f->confidence, f->from, f->to,
                       finding_view(f)) &&
           mask_append(out, judging_match(j, f), err) && buf_append_str(out, "\n         ", err) &&
           append_reason(out, j->exchange.policy, f, err) && buf_append_char(out, '\n', err);
}

/* What classifiers cost in a stream. */
static bool append_hold(struct buf *out, const struct policy *p, struct error *err)
{
    return !p->has_classifiers || (buf_append_str(out, "classifiers in a stream\n", err) &&
                                   holding_describe_unit(p->hold, out, err));
}

/* What a supervisor costs in a stream: bytes that are held, and time. */
static bool append_supervisor(struct buf *out, const struct exchange *x, struct error *err)
{
    const struct policy_supervisor *s = x->policy->supervisor;

    if (s == NULL) {
        return true;
    }
    const char *when = s->is_later ? "later" : x->supervision != NULL ? "yes" : "no";
    return buf_appendf(out, err, "supervisor asked: %s; ", when) &&
           holding_describe_supervisor(s, x->bytes, out, err);
}

static bool append_verdict(struct buf *out, const struct judging *j, struct error *err)
{
    const struct exchange *x = &j->exchange;

    if (!buf_appendf(out, err, "policy " SPAN_FMT " " SPAN_FMT "\naction %s",
                     SPAN_ARG(x->policy->name), SPAN_ARG(x->policy->digest),
                     action_name(x->action)) ||
        (x->rule.len > 0 && !buf_appendf(out, err, " by " SPAN_FMT, SPAN_ARG(x->rule))) ||
        (x->unjudged_reason != NULL && !buf_appendf(out, err, ": %s", x->unjudged_reason)) ||
        !buf_appendf(out, err, "\nfindings %zu\n", x->n_findings) || !append_hold(out, x->policy, err) ||
        !append_supervisor(out, x, err)) {
        return false;
    }
    for (size_t i = 0; i < x->n_findings; i++) {
        if (!append_finding(out, j, &x->findings[i], err)) {
            return false;
        }
    }
    return buf_append_str(out, "delivered\n", err) && judging_deliver(j, out, err) &&
           buf_append_char(out, '\n', err);
}

static int run(const struct arguments *args)
{
    struct session session CLEANUP(session_close) = {0};
    struct worker_limits limits = worker_limits_default();
    struct buf storage CLEANUP(buf_deinit), out CLEANUP(buf_deinit);
    struct span text;
    struct judging j;
    struct error err;

    buf_init(&storage, INPUT_MAX);
    buf_init(&out, OUTPUT_MAX);
    struct worker *worker CLEANUP(input_free_worker) = worker_new(&limits, &session.keys, &err);
    if (worker == NULL || !input_text(args->operands[0], &storage, &text, &err) ||
        !session_open(&session, args, &err)) {
        return command_failed(&err);
    }
    if (!args->to_json) {
        judging_text(&session, worker, text, &j);
    } else if (!judging_document(&session, worker, text, span_of("", 0), &j, &err)) {
        return command_failed(&err);
    }
    if (!append_verdict(&out, &j, &err)) {
        return command_failed(&err);
    }
    int code = !judging_is_complete(&j)            ? EXIT_FAILED
               : j.exchange.action == ACTION_ALLOW ? EXIT_CLEAN
                                                   : EXIT_FOUND;
    return command_finish(&out, code);
}
