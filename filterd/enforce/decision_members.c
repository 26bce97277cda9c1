/* decision_members.c - members of a decision: what the exchange did with each budget that counts its values, which trace it is
 * part of, and the token of what was judged. */
#include "base/digest.h"
#include "enforce/decision_line.h"
#include "enforce/decision_log.h"
#include "judge/exchange.h"
#include "policy/budget_policy.h"

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
    put_part(l, t, "upstream", t->asked_ns, t->told_ns);
    put_part(l, t, "hold", t->answered_ns, t->delivered_ns > 0 ? t->delivered_ns : t->ended_ns);
    put_part(l, t, "deliver", t->delivered_ns, t->ended_ns);
    line_close(l, ']');
    line_close(l, '}');
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
