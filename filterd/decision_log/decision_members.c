/* decision_members.c - members of a decision: what the exchange did with each budget that counts its values, which trace it is
 * part of, in which texts what was found, and the token of what was judged.
 *
 * Findings are written strictest first until FINDING_ROOM is left, so what is left out is counted and never the gravest. */
#include "base/digest.h"
#include "decision_log/decision_line.h"
#include "decision_log/decision_log.h"
#include "decision_log/shown_path.h"
#include "judge/exchange.h"
#include "policy/budget_policy.h"
#include "policy/supervisor.h"

enum {
    FINDINGS_MAX = 64,
    CHANNELS_MAX = 64,
    FINDING_ROOM = 4096, /* no finding takes more, and the end of the record needs less */
    UNIT_ROOM = 256,     /* no question about a part takes more */
};

_Static_assert(DECISION_RECORD_MAX > CHANNELS_MAX * 2 * DECISION_PATH_MAX + SUPERVISOR_QUESTIONS_MAX * UNIT_ROOM +
                                         4 * FINDING_ROOM,
               "all channels, all questions, some findings and the rest fit into one record");

static void put_budget(struct decision_line *l, const struct policy_budget *b, const struct spent *spent)
{
    line_open(l, NULL, '{');
    line_text(l, "name", b->name);
    line_text(l, "per", span_str(budget_per_names[b->per]));
    line_text(l, "then", span_str(budget_then_names[b->then]));
    line_number(l, "limit", b->values);
    line_number(l, "window_s", (uint64_t)(b->window_ns / 1000000000));
    line_number(l, "values", spent->values);
    line_flag(l, "estimated", spent->is_estimated);
    line_number(l, "disclosed", spent->disclosed);
    line_number(l, "exceeding", spent->over);
    line_close(l, '}');
}

void line_budgets(struct decision_line *l, const struct exchange *x)
{
    bool is_open = false;

    for (size_t i = 0; x->spending != NULL && i < x->policy->n_budgets; i++) {
        struct spent spent;
        if (!spending_report(x->spending, i, &spent)) {
            continue;
        }
        if (!is_open) {
            line_open(l, "budgets", '[');
            is_open = true;
        }
        put_budget(l, &x->policy->budgets[i], &spent);
    }
    if (is_open) {
        line_close(l, ']');
    }
}

static void put_id(struct decision_line *l, const char *name, const uint8_t *id, size_t n)
{
    char hex[2 * TRACE_ID_BYTES + 1];

    trace_hex(id, n, hex);
    line_text(l, name, span_str(hex));
}

void line_trace(struct decision_line *l, const struct trace_context *t)
{
    bool has_span = trace_has_span(t->span);

    if (!trace_is_known(t)) {
        return;
    }
    put_id(l, "trace_id", t->id, sizeof(t->id));
    if (has_span) {
        put_id(l, "span_id", t->span, sizeof(t->span));
    }
    if (trace_has_span(t->parent)) {
        put_id(l, has_span ? "parent_span_id" : "span_id", t->parent, sizeof(t->parent));
    }
}

/* From `from` to `to` of the monotonic clock; absent when either did not happen. */
static void put_part(struct decision_line *l, const struct exchange_times *t, const char *name, uint64_t from, uint64_t to)
{
    if (from < t->started_ns || to < from) {
        return;
    }
    line_open(l, NULL, '{');
    line_text(l, "name", span_str(name));
    line_number(l, "at_us", (from - t->started_ns) / 1000);
    line_number(l, "us", (to - from) / 1000);
    line_close(l, '}');
}

/* Stages take turns over the channels: each is shown as one part as long as its sum, behind the one before. */
static void put_stages(struct decision_line *l, const struct exchange *x, uint64_t at)
{
    for (unsigned i = 0; i < STAGE_COUNT; i++) {
        if (x->stage_ns[i] > 0) {
            put_part(l, x->times, stage_name((enum stage)i), at, at + x->stage_ns[i]);
        }
        at += x->stage_ns[i];
    }
}

void line_span(struct decision_line *l, const struct exchange *x)
{
    const struct exchange_times *t = x->times;

    if (t == NULL || !x->who.trace.is_recorded) {
        return;
    }
    uint64_t judged = t->received_ns > 0 ? t->received_ns : t->started_ns;
    line_open(l, "span", '{');
    line_time(l, "start", t->started_utc_ns);
    line_number(l, "us", (t->ended_ns - t->started_ns) / 1000);
    line_open(l, "parts", '[');
    put_part(l, t, "receive", t->received_ns > 0 ? t->started_ns : 0, t->received_ns);
    put_part(l, t, "judge", t->asked_ns > 0 ? 0 : judged, t->ended_ns);
    put_stages(l, x, judged);
    if (x->supervision != NULL && x->supervision->latency_ns <= t->ended_ns - t->started_ns) {
        put_part(l, t, "supervisor", t->ended_ns - x->supervision->latency_ns, t->ended_ns);
    }
    put_part(l, t, "upstream", t->asked_ns, t->answer_ended_ns);
    put_part(l, t, "hold", t->answered_ns, t->delivered_ns > 0 ? t->delivered_ns : t->ended_ns);
    put_part(l, t, "deliver", t->delivered_ns, t->ended_ns);
    line_close(l, ']');
    line_close(l, '}');
}

/* --- texts and findings ------------------------------------------------------------- */

/* Bytes of the line that may stand in it again: the same members behind the same ones. */
struct written {
    size_t from, len;
};

/* What findings have in common with those before them, and with their channels. */
struct repeats {
    const struct finding *last;
    struct written rule, checks;           /* of that */
    struct written paths[CHANNELS_MAX];    /* of the first channels; empty: not written */
};

static struct written written_since(const struct decision_line *l, size_t from)
{
    return (struct written){from, l->out->len - from};
}

static void put_again(struct decision_line *l, struct written w)
{
    if (!l->has_failed && !buf_reserve(l->out, w.len, l->err)) {
        l->has_failed = true;
    }
    if (!l->has_failed && w.len > 0) {
        memcpy(l->out->data + l->out->len, l->out->data + w.from, w.len);
        l->out->len += w.len;
    }
}

static void put_path(struct decision_line *l, const struct channel *c, enum shown_names names)
{
    struct shown_path path;

    if (!l->has_failed && !shown_path_make(&path, c->path, names, l->keys, DECISION_PATH_MAX, l->err)) {
        l->has_failed = true;
    }
    if (!l->has_failed) {
        line_path(l, "path", &path);
    }
}

/* Of many channels only those are listed that were not judged to the end: the others add nothing
 * that the sums and the findings do not say. */
static void put_channels(struct decision_line *l, const struct exchange *x, enum shown_names names, struct repeats *again)
{
    size_t n = 0;

    line_open(l, "channels", '[');
    for (size_t i = 0; i < x->n_channels && n < CHANNELS_MAX; i++) {
        const struct channel *c = &x->channels[i];
        if (x->n_channels > CHANNELS_MAX && c->judged >= c->text.len) {
            continue;
        }
        line_open(l, NULL, '{');
        line_number(l, "channel", i);
        size_t from = l->out->len;
        put_path(l, c, names);
        if (i < CHANNELS_MAX) {
            again->paths[i] = written_since(l, from);
        }
        line_flag(l, "name", c->is_member_name);
        line_number(l, "bytes", c->text.len);
        line_number(l, "judged", c->judged);
        line_close(l, '}');
        n++;
    }
    line_close(l, ']');
    if (n < x->n_channels) {
        line_number(l, "channels_more", x->n_channels - n);
    }
}

static void put_rule(struct decision_line *l, const struct finding *f)
{
    static const char *const sources[] = {
        [FINDING_RULE] = "rule",
        [FINDING_CLASSIFIER] = "classifier",
        [FINDING_SUPERVISOR] = "supervisor",
        [FINDING_SYSTEM_PROMPT] = "rule",
    };

    line_text(l, "source", span_str(sources[f->source]));
    if (f->rule != NULL) {
        line_text(l, "rule", f->rule->id);
        line_text(l, "category", span_str(category_name(f->rule->category)));
        line_text(l, "severity", span_str(severity_name(f->rule->severity)));
    }
}

static void put_checks(struct decision_line *l, const struct finding *f)
{
    if (f->rule == NULL || f->checks_passed == 0) {
        return;
    }
    line_open(l, "checks", '[');
    for (size_t i = 0; i < f->rule->n_checks && i < 32; i++) {
        if ((f->checks_passed >> i & 1) != 0) {
            line_text(l, NULL, span_str(f->rule->checks[i].type->name));
        }
    }
    line_close(l, ']');
}

/* What the finding is about: as its view reads it, so that a value has one token however it was
 * obfuscated; a finding about the text as a whole has no view of its own. */
static struct span value_of(const struct exchange *x, const struct finding *f)
{
    return f->value.len > 0 ? f->value : span_slice(x->channels[f->channel].text, f->from, f->to);
}

/* Many findings are of one rule, as those in the messages of a conversation. */
static void put_rule_again(struct decision_line *l, const struct finding *f, bool is_same, struct repeats *again)
{
    size_t from = l->out->len;

    if (is_same) {
        put_again(l, again->rule);
    } else {
        put_rule(l, f);
        again->rule = written_since(l, from);
    }
}

static void put_checks_again(struct decision_line *l, const struct finding *f, bool is_same, struct repeats *again)
{
    size_t from = l->out->len;

    if (is_same && again->last->checks_passed == f->checks_passed) {
        put_again(l, again->checks);
    } else {
        put_checks(l, f);
        again->checks = written_since(l, from);
    }
}

static void put_finding(struct decision_line *l, const struct exchange *x, const struct finding *f, enum shown_names names,
                        struct repeats *again)
{
    bool is_same = again->last != NULL && again->last->rule == f->rule && again->last->source == f->source;

    line_open(l, NULL, '{');
    put_rule_again(l, f, is_same, again);
    line_number(l, "channel", f->channel);
    if (f->channel < CHANNELS_MAX && again->paths[f->channel].len > 0) {
        put_again(l, again->paths[f->channel]);
    } else {
        put_path(l, &x->channels[f->channel], names);
    }
    line_number(l, "start", f->from);
    line_number(l, "end", f->to);
    line_number(l, "len", f->to - f->from);
    line_text(l, "view", span_str(finding_view(f)));
    line_fraction(l, "score", f->confidence);
    line_text(l, "action", span_str(action_name(f->action)));
    line_flag(l, "shadow", f->is_shadow);
    line_flag(l, "excepted", f->is_excepted);
    line_text(l, "exception", f->exception);
    line_text(l, "budget", f->budget == NULL ? span_of(NULL, 0) : f->budget->name);
    line_flag(l, "over_limit", f->is_over_limit);
    put_checks_again(l, f, is_same, again);
    again->last = f;
    line_text(l, "value_tok", f->token);
    if (f->token.len == 0 && (f->value.len > 0 || x->channels[f->channel].text.ptr != NULL)) {
        line_token(l, "value_tok", value_of(x, f));
    }
    line_close(l, '}');
}

/* Strictest first, so that the finding that decided is never among those left out. */
static void put_findings(struct decision_line *l, const struct exchange *x, enum shown_names names, struct repeats *again)
{
    static const enum action order[] = {ACTION_BLOCK, ACTION_REDACT, ACTION_ALLOW};
    size_t n = 0;

    line_open(l, "findings", '[');
    for (size_t k = 0; k < COUNT(order); k++) {
        for (size_t i = 0; i < x->n_findings && n < FINDINGS_MAX; i++) {
            bool has_room = l->out->len + (size_t)2 * FINDING_ROOM <= DECISION_RECORD_MAX;
            if (x->findings[i].action == order[k] && has_room && !l->has_failed) {
                put_finding(l, x, &x->findings[i], names, again);
                n++;
            }
        }
    }
    line_close(l, ']');
    if (n < x->n_findings) {
        line_number(l, "findings_more", x->n_findings - n);
    }
}

void line_findings(struct decision_line *l, const struct exchange *x, enum shown_names names)
{
    struct repeats again = {0};

    put_channels(l, x, names, &again);
    put_findings(l, x, names, &again);
}

/* Of several channels each text is led by its length, or two documents could share a token. Those that were judged before, as messages of a
 * conversation are, are left out like those of them that have no finding. */
static bool token_of_channels(const struct exchange *x, struct digest_stream *s, char *hex,
                              struct error *err)
{
    for (size_t i = 0; i < x->n_channels; i++) {
        struct span text = x->channels[i].text;
        char len[8];
        if (x->channels[i].known != NULL) {
            continue;
        }
        for (size_t k = 0; k < sizeof(len); k++) {
            len[k] = (char)((uint64_t)text.len >> (8 * k));
        }
        if (!digest_stream_add(s, span_of(len, sizeof(len)), err) ||
            !digest_stream_add(s, text, err)) {
            return false;
        }
    }
    digest_stream_token(s, hex);
    return true;
}

static bool has_new_texts(const struct exchange *x)
{
    size_t n = 0;

    while (n < x->n_channels && x->channels[n].known != NULL) {
        n++;
    }
    return n < x->n_channels || n == 0;
}

void line_input_token(struct decision_line *l, const struct exchange *x)
{
    char hex[DIGEST_TOKEN_HEX + 1];
    struct digest_stream stream;

    if (!has_new_texts(x)) {
        return;
    }
    if (x->n_channels == 1 && x->channels[0].path.len == 0) {
        line_token(l, "input_tok", x->channels[0].text);
        return;
    }
    if (l->has_failed || !digest_stream_init(&stream, l->keys->token, l->err)) {
        l->has_failed = true;
        return;
    }
    l->has_failed = !token_of_channels(x, &stream, hex, l->err);
    digest_stream_deinit(&stream);
    if (!l->has_failed) {
        line_token_hex(l, "input_tok", hex);
    }
}
