#include "http/filter_answer.h"

#include "base/json.h"
#include "base/uuid.h"
#include "decision_log/shown_path.h"
#include "http/offsets.h"
#include "http/writer.h"
#include "policy/budget_policy.h"

/* The account of the agent; who has none is in good standing. */
struct account {
    struct span agent;
    const char *state;
    double violations;
};

static void write_agent(struct writer *w, const struct account *a)
{
    char violations[32];

    put(w, ",\"agent\":{\"id\":");
    if (a->agent.len == 0) {
        put(w, "null");
    } else {
        put_string(w, a->agent);
    }
    (void)snprintf(violations, sizeof(violations), "%.1f", a->violations);
    put(w, ",\"state\":\"");
    put(w, a->state == NULL ? "active" : a->state);
    put(w, "\",\"violations\":");
    put(w, violations);
    put(w, "}");
}

static void write_policy(struct writer *w, const struct policy *policy)
{
    put(w, ",\"policy\":{\"name\":");
    put_string(w, policy->name);
    put(w, ",\"digest\":");
    put_string(w, policy->digest);
    put(w, "}");
}

static void write_head(struct writer *w, const struct exchange_id *id, enum action action,
                       struct span rule)
{
    char text[UUID_TEXT + 1];

    uuid_format(id->bytes, text);
    put(w, "{\"id\":\"");
    put(w, text);
    put(w, "\",\"action\":\"");
    put(w, action_name(action));
    put(w, "\",\"rule\":");
    if (rule.len == 0) {
        put(w, "null");
    } else {
        put_string(w, rule);
    }
}

/* A text that nothing was changed in goes back as it came: nothing to escape. */
static void write_text(struct writer *w, const struct filter_request *q)
{
    const struct channel *c = &q->channels[0];
    bool is_unchanged = c->output.ptr == c->text.ptr && c->output.len == c->text.len;

    if (is_unchanged && q->quoted.len > 0) {
        w->is_ok = w->is_ok && buf_append(w->out, q->quoted, w->err);
    } else {
        put_string(w, c->output);
    }
}

static void write_content(struct writer *w, const struct filter_request *q,
                          const struct exchange *x)
{
    put(w, ",\"");
    put(w, filter_kind_name(q->kind));
    put(w, "\":");
    if (x->action == ACTION_BLOCK) {
        put(w, "null,\"notice\":");
        put_string(w, x->notice);
    } else if (q->kind == FILTER_TEXT) {
        write_text(w, q);
    } else {
        w->is_ok = w->is_ok && document_write(&q->document, w->out, w->err);
    }
}

static void write_path(struct writer *w, struct span path, enum shown_names names)
{
    struct shown_path shown;

    w->is_ok = w->is_ok && shown_path_make(&shown, path, names, NULL, SHOWN_PATH_MAX, w->err);
    if (w->is_ok) {
        put_string(w, span_of(shown.text, shown.len));
    }
}

static void write_range(struct writer *w, const char *name, size_t from, size_t to)
{
    put(w, ",\"");
    put(w, name);
    put(w, "\":[");
    put_number(w, from);
    put(w, ",");
    put_number(w, to);
    put(w, "]");
}

static void write_flag(struct writer *w, const char *name, bool value)
{
    if (value) {
        put(w, ",\"");
        put(w, name);
        put(w, "\":true");
    }
}

static void write_checks(struct writer *w, const struct finding *f)
{
    const char *comma = "";

    put(w, ",\"explain\":{\"base\":");
    put_fraction(w, f->rule->confidence);
    put(w, ",\"transform\":");
    put_string(w, span_str(finding_view(f)));
    put(w, ",\"checks_passed\":[");
    for (size_t i = 0; i < f->rule->n_checks && i < 32; i++) {
        if ((f->checks_passed >> i & 1U) != 0) {
            put(w, comma);
            put_string(w, span_str(f->rule->checks[i].type->name));
            comma = ",";
        }
    }
    put(w, "],\"contexts_found\":[");
    comma = "";
    for (unsigned i = 0; i < f->rule->n_contexts && i < 32; i++) {
        if ((f->contexts_found >> i & 1U) != 0) {
            put(w, comma);
            put_number(w, i);
            comma = ",";
        }
    }
    put(w, "]}");
}

static void write_rule(struct writer *w, const struct rule *rule)
{
    put(w, "{\"rule\":");
    put_string(w, rule->id);
    put(w, ",\"category\":\"");
    put(w, category_name(rule->category));
    put(w, "\",\"severity\":\"");
    put(w, severity_name(rule->severity));
}

static void write_characters(struct writer *w, const struct finding *f,
                             const struct offsets *offsets)
{
    if (offsets->text.ptr != NULL) {
        struct position from = offsets_find(offsets, f->from);
        struct position to = offsets_find(offsets, f->to);
        write_range(w, "chars", from.chars, to.chars);
        write_range(w, "utf16", from.utf16, to.utf16);
    }
}

static void write_finding(struct writer *w, const struct filter_request *q, const struct finding *f,
                          const struct offsets *offsets, enum shown_names names)
{
    write_rule(w, f->rule);
    put(w, "\",\"action\":\"");
    put(w, action_name(f->action));
    put(w, "\",\"confidence\":");
    put_fraction(w, f->confidence);
    put(w, ",\"path\":");
    write_path(w, q->channels[f->channel].path, names);
    put(w, ",\"view\":\"");
    put(w, finding_view(f));
    put(w, "\"");
    write_range(w, "bytes", f->from, f->to);
    write_characters(w, f, offsets);
    write_flag(w, "shadow", f->is_shadow);
    write_flag(w, "excepted", f->is_excepted);
    if (f->budget != NULL) {
        put(w, ",\"budget\":");
        put_string(w, f->budget->name);
    }
    write_flag(w, "over_limit", f->is_over_limit);
    if (q->explain) {
        write_checks(w, f);
    }
    put(w, "}");
}

/* Findings are in order of channel: one table of offsets at a time. */
static void write_findings(struct writer *w, const struct filter_request *q,
                           const struct exchange *x, struct arena *a)
{
    struct offsets offsets = {0};
    enum shown_names names = shown_names_to_caller(x);

    put(w, ",\"findings\":[");
    for (size_t i = 0; i < x->n_findings && w->is_ok; i++) {
        const struct finding *f = &x->findings[i];
        bool is_new = i == 0 || f->channel != x->findings[i - 1].channel;
        struct span text = q->channels[f->channel].text;
        if (is_new && text.ptr != NULL && !offsets_init(a, text, &offsets, w->err)) {
            w->is_ok = false;
            return;
        }
        put(w, i == 0 ? "" : ",");
        write_finding(w, q, f, &offsets, names);
    }
    put(w, "]");
}

static void write_coverage(struct writer *w, const struct filter_request *q,
                           const struct exchange *x)
{
    const char *comma = "";

    put(w, ",\"coverage\":{\"bytes\":");
    put_number(w, x->bytes);
    put(w, ",\"judged\":");
    put_number(w, x->judged);
    put(w, ",\"unjudged\":[");
    for (size_t i = 0; i < q->n_channels && x->judged < x->bytes; i++) {
        const struct channel *c = &q->channels[i];
        if (c->judged >= c->text.len) {
            continue;
        }
        put(w, comma);
        put(w, "{\"path\":");
        write_path(w, c->path, NAMES_HIDDEN);
        write_range(w, "bytes", c->judged, c->text.len);
        put(w, ",\"reason\":");
        put_string(w, span_str(x->unjudged_reason == NULL ? "" : x->unjudged_reason));
        put(w, "}");
        comma = ",";
    }
    put(w, "]}");
}

/* The caller may know what the supervisor said; the sentence a model wrote only on request. */
static void write_supervision(struct writer *w, const struct filter_request *q, const struct exchange *x)
{
    const struct supervision *s = x->supervision;

    if (s == NULL) {
        return;
    }
    put(w, ",\"supervisor\":{\"outcome\":\"");
    put(w, supervision_outcome_name(s->outcome));
    put(w, "\"");
    if (s->outcome == SUPERVISION_ANSWERED) {
        put(w, s->is_violation ? ",\"verdict\":\"violation\"" : ",\"verdict\":\"ok\"");
        put(w, ",\"confidence\":");
        put_fraction(w, s->confidence);
    }
    if (q->explain && s->reason[0] != '\0') {
        put(w, ",\"reason\":");
        put_string(w, span_str(s->reason));
    }
    put(w, ",\"latency_us\":");
    put_number(w, s->latency_ns / 1000);
    put(w, "}");
}

/* Of a request the handle for its answer; of an answer how much of it is restored. */
static void write_conversation(struct writer *w, const struct filter_request *q, const struct exchange *x)
{
    if (q->handle[0] != '\0') {
        put(w, ",\"handle\":\"");
        put(w, q->handle);
        put(w, "\"");
    } else if (x->masking != NULL) {
        put(w, ",\"restored\":");
        put_number(w, x->restored.restored);
    }
}

static void write_count(struct writer *w, const char *name, uint64_t value)
{
    put(w, ",\"");
    put(w, name);
    put(w, "\":");
    put_number(w, value);
}

static void write_budget(struct writer *w, const struct policy_budget *b, const struct spent *spent)
{
    put(w, "{\"name\":");
    put_string(w, b->name);
    put(w, ",\"per\":\"");
    put(w, budget_per_names[b->per]);
    put(w, "\",\"then\":\"");
    put(w, budget_then_names[b->then]);
    put(w, "\"");
    write_count(w, "limit", b->values);
    write_count(w, "window_s", (uint64_t)(b->window_ns / 1000000000));
    write_count(w, "values", spent->values);
    write_flag(w, "estimated", spent->is_estimated);
    write_count(w, "disclosed", spent->disclosed);
    write_count(w, "exceeding", spent->over);
    put(w, "}");
}

/* Those that count a value of the exchange. */
static void write_budgets(struct writer *w, const struct exchange *x)
{
    bool is_open = false;

    for (size_t i = 0; x->spending != NULL && i < x->policy->n_budgets; i++) {
        struct spent spent;
        if (spending_report(x->spending, i, &spent)) {
            put(w, is_open ? "," : ",\"budgets\":[");
            write_budget(w, &x->policy->budgets[i], &spent);
            is_open = true;
        }
    }
    put(w, is_open ? "]" : "");
}

static void write_tail(struct writer *w, const struct policy *policy, const struct account *account,
                       uint64_t elapsed_ns)
{
    write_policy(w, policy);
    write_agent(w, account);
    put(w, ",\"elapsed_us\":");
    put_number(w, elapsed_ns / 1000);
    put(w, "}");
}

bool filter_answer_write(const struct filter_request *q, const struct exchange *x,
                         uint64_t elapsed_ns, struct arena *a, struct buf *out, struct error *err)
{
    struct writer w = {.out = out, .err = err, .is_ok = true};

    write_head(&w, &x->id, x->action, x->rule);
    write_content(&w, q, x);
    return w.is_ok && filter_answer_finish(q, x, elapsed_ns, a, out, err);
}

bool filter_answer_begin(const struct exchange *x, struct buf *out, struct error *err)
{
    struct writer w = {.out = out, .err = err, .is_ok = true};

    write_head(&w, &x->id, x->action, x->rule);
    return w.is_ok;
}

bool filter_answer_finish(const struct filter_request *q, const struct exchange *x,
                          uint64_t elapsed_ns, struct arena *a, struct buf *out, struct error *err)
{
    struct writer w = {.out = out, .err = err, .is_ok = true};

    write_findings(&w, q, x, a);
    write_coverage(&w, q, x);
    write_supervision(&w, q, x);
    write_conversation(&w, q, x);
    write_budgets(&w, x);
    const struct account account = {q->who.agent, x->agent_state, x->violations};
    write_tail(&w, x->policy, &account, elapsed_ns);
    return w.is_ok;
}

bool filter_answer_plain(const struct exchange *x, struct buf *out, struct error *err)
{
    return buf_append(out, x->action == ACTION_BLOCK ? x->notice : x->channels[0].output, err);
}

static void copy_name(char *to, size_t size, struct span from)
{
    size_t len = from.len < size - 1 ? from.len : size - 1;

    if (len > 0) {
        memcpy(to, from.ptr, len);
    }
    to[len] = '\0';
}

void filter_outcome_set(struct filter_outcome *o, const struct filter_request *q,
                        const struct exchange *x, uint64_t elapsed_ns)
{
    o->kind = q->kind;
    o->action = x->action;
    o->id = x->id;
    o->policy = x->policy;
    o->bytes = q->bytes;
    o->elapsed_ns = elapsed_ns;
    copy_name(o->rule, sizeof(o->rule), x->rule);
    copy_name(o->agent, sizeof(o->agent), q->who.agent);
    o->agent_state = x->agent_state;
    o->violations = x->violations;
}

void filter_outcome_fail(struct filter_outcome *o)
{
    o->action = ACTION_BLOCK;
    copy_name(o->rule, sizeof(o->rule), span_str("filterd.unjudged"));
}

bool filter_answer_failed(const struct filter_outcome *o, const char *reason, struct buf *out,
                          struct error *err)
{
    struct writer w = {.out = out, .err = err, .is_ok = true};

    write_head(&w, &o->id, ACTION_BLOCK, span_str(o->rule));
    put(&w, ",\"");
    put(&w, filter_kind_name(o->kind));
    put(&w, "\":null,\"notice\":");
    put_string(&w, o->policy->notice);
    put(&w, ",\"findings\":[],\"coverage\":{\"bytes\":");
    put_number(&w, o->bytes);
    put(&w, ",\"judged\":0,\"unjudged\":[{\"path\":\"\",\"bytes\":[0,");
    put_number(&w, o->bytes);
    put(&w, "],\"reason\":");
    put_string(&w, span_str(reason));
    put(&w, "}]}");
    const struct account account = {span_str(o->agent), o->agent_state, o->violations};
    write_tail(&w, o->policy, &account, o->elapsed_ns);
    return w.is_ok;
}

bool filter_answer_failed_plain(const struct filter_outcome *o, struct buf *out, struct error *err)
{
    return buf_append(out, o->policy->notice, err);
}
