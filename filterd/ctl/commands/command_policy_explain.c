/* command_policy_explain.c - filterctl policy explain: the verdict on a text, and why. */
#include "base/cleanup.h"
#include "ctl/command.h"
#include "ctl/holding.h"
#include "ctl/input.h"
#include "ctl/judging.h"
#include "ctl/mask.h"
#include "judge/decide.h"
#include "judge/path.h"
#include "mask/masking.h"
#include "policy/budget_policy.h"
#include "policy/request_policy.h"
#include "policy/supervisor.h"
#include "prompt/prompt_judge.h"

enum { OUTPUT_MAX = 256 * 1024 * 1024 };

static int run(const struct arguments *args);

const struct command command_policy_explain = {
    .name = "policy explain",
    .operands = "TEXT|-",
    .summary = "Print the verdict on a text and the entry of the policy that led to it",
    .options = OPTIONS_RULES | OPTIONS_JUDGING | OPTION_BIT(OPTION_TO_JSON) | OPTION_BIT(OPTION_REQUEST),
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

/* The service counts it, this command does not. */
static bool append_budgets(struct buf *out, const struct exchange *x, const struct finding *f, struct error *err)
{
    bool is_delivered = (f->action == ACTION_ALLOW || f->is_shadow) && !f->is_excepted;

    for (size_t i = 0; is_delivered && i < x->policy->n_budgets; i++) {
        const struct policy_budget *b = &x->policy->budgets[i];
        if (finding_meets(&b->when, &x->who, f) &&
            !buf_appendf(out, err, "; budget " SPAN_FMT " counts it: %u per %s, then %s", SPAN_ARG(b->name), b->values,
                         budget_per_names[b->per], budget_then_names[b->then])) {
            return false;
        }
    }
    return true;
}

/* Of a request: which of the two lists of entries. */
static bool append_request_reason(struct buf *out, const struct policy_request *request, const struct finding *f,
                                  struct error *err)
{
    if (f->is_excepted || f->because == NULL) {
        return append_reason(out, &request->as, f, err);
    }
    size_t entry = (size_t)(f->because - request->as.actions);
    bool is_result = entry >= request->n_actions;
    bool is_default = !is_result && request->has_default_actions;
    return is_default ? buf_append_str(out, "the default of request.actions", err)
                      : buf_appendf(out, err, "entry %zu of request.%s%s", is_result ? entry - request->n_actions + 1 : entry + 1,
                                    is_result ? "tool_results" : "actions", f->is_shadow ? ", in shadow: not acted on" : "");
}

static bool append_finding(struct buf *out, const struct judging *j, const struct finding *f,
                           struct error *err)
{
    return buf_appendf(out, err, "  %-6s " SPAN_FMT " %.2f  bytes %zu..%zu in %s  ",
                       action_name(f->action), SPAN_ARG(f->rule->id), f->confidence, f->from, f->to,
                       finding_view(f)) &&
           mask_append(out, judging_match(j, f), err) && buf_append_str(out, "\n         ", err) &&
           append_reason(out, j->exchange.policy, f, err) && append_budgets(out, &j->exchange, f, err) &&
           buf_append_char(out, '\n', err);
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

static bool append_request_findings(struct buf *out, const struct exchange *x, const struct policy_request *request,
                                    struct error *err)
{
    for (size_t i = 0; i < x->n_findings; i++) {
        const struct finding *f = &x->findings[i];
        const struct channel *c = &x->channels[f->channel];
        if (!buf_appendf(out, err, "  %-6s " SPAN_FMT " %.2f  %s at ", action_name(f->action), SPAN_ARG(f->rule->id), f->confidence,
                         text_role_names[c->role]) ||
            !path_append_pointer(out, c->path, err) || !buf_appendf(out, err, "  bytes %zu..%zu in %s  ", f->from, f->to, finding_view(f)) ||
            !mask_append(out, span_slice(c->text, f->from, f->to), err) || !buf_append_str(out, "\n         ", err) ||
            !append_request_reason(out, request, f, err) || !buf_append_char(out, '\n', err)) {
            return false;
        }
    }
    return true;
}

/* The verdict on a body, and what would go to the upstream; with pseudonyms of a conversation of its own. */
static bool explain_request(const struct session *s, struct worker *w, const struct prompt_input *q, struct exchange *x,
                            struct buf *out, struct error *err)
{
    const struct policy_request *request = s->policy->request;
    struct prompt_outcome outcome;
    struct buf body CLEANUP(buf_deinit);

    buf_init(&body, OUTPUT_MAX);
    prompt_judge(w, q, x, &body, &outcome);
    bool is_blocked = x->action == ACTION_BLOCK;
    return buf_appendf(out, err, "policy " SPAN_FMT " " SPAN_FMT "\naction %s", SPAN_ARG(x->policy->name),
                       SPAN_ARG(x->policy->digest), action_name(x->action)) &&
           (x->rule.len == 0 || buf_appendf(out, err, " by " SPAN_FMT, SPAN_ARG(x->rule))) &&
           (x->unjudged_reason == NULL || buf_appendf(out, err, ": %s", x->unjudged_reason)) &&
           buf_appendf(out, err, "\nfindings %zu\nunread %zu\n", x->n_findings, outcome.unread) &&
           append_request_findings(out, x, request, err) && buf_append_str(out, is_blocked ? "answered\n" : "forwarded\n", err) &&
           buf_append(out, is_blocked ? x->notice : outcome.is_changed ? buf_span(&body) : q->body, err) &&
           buf_append_char(out, '\n', err);
}

static int run_request(const struct arguments *args, const struct session *s, struct worker *w, struct span text, struct buf *out)
{
    const struct prompt_input q = {.route = args->request, .body = text};
    struct error err;

    if (!s->policy->request->is_judged) {
        return buf_append_str(out, "requests are not judged under this policy\n", &err) ? command_finish(out, EXIT_CLEAN)
                                                                                        : command_failed(&err);
    }
    struct masking *masking = masking_new(NULL, &masking_limits_default, &err);
    if (masking == NULL) {
        return command_failed(&err);
    }
    struct exchange x = {
        .snapshot = s->snapshot, .policy = s->policy, .who = s->who, .now_ns = s->now_ns, .masking = masking};
    bool is_written = explain_request(s, w, &q, &x, out, &err);
    masking_unref(masking);
    if (!is_written) {
        return command_failed(&err);
    }
    bool is_complete = x.unjudged_reason == NULL;
    return command_finish(out, !is_complete ? EXIT_FAILED : x.action == ACTION_ALLOW ? EXIT_CLEAN : EXIT_FOUND);
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
    if (args->request != NULL) {
        return run_request(args, &session, worker, text, &out);
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
