/* decision_format.c - the JSON of a decision.
 *
 * Only numbers, names of rules and policies, ids and keyed tokens are written here; content has no way in, as texts are
 * reached by value_token and shown_path alone. */
#include "base/uuid.h"
#include "decision_log/decision_line.h"
#include "decision_log/decision_log.h"
#include "decision_log/shown_path.h"
#include "judge/review_mark.h"
#include "policy/seal.h"
#include "policy/supervisor.h"

_Static_assert(sizeof(struct exchange_id) == UUID_BYTES, "an exchange's id is a UUID");

static struct span name_span(const char *name)
{
    return name == NULL ? span_of(NULL, 0) : span_str(name);
}

static void put_head(struct decision_line *l, const struct exchange *x, const char *type)
{
    char id[UUID_TEXT + 1];

    uuid_format(x->id.bytes, id);
    line_number(l, "v", DECISION_VERSION);
    line_text(l, "type", span_str(type));
    line_time(l, "ts", x->now_ns);
    line_text(l, "req_id", span_str(id));
    line_text(l, "tenant", x->who.tenant);
    line_text(l, "app", x->who.app);
    line_text(l, "route", x->who.route);
    line_text(l, "agent", x->who.agent);
    if (x->who.session.len > 0) {
        line_token(l, "session", x->who.session);
    }
    line_text(l, "user_tok", x->who.user);
    line_trace(l, &x->who.trace);
    if (x->policy != NULL) {
        line_open(l, "policy", '{');
        line_text(l, "name", x->policy->name);
        line_text(l, "digest", x->policy->digest);
        line_flag(l, "shadow", x->policy->is_shadow);
        line_close(l, '}');
    }
    line_text(l, "engine", span_str(FILTERD_VERSION));
}

static void put_verdict(struct decision_line *l, const struct exchange *x)
{
    line_text(l, "action", span_str(action_name(x->action)));
    line_text(l, "rule", x->rule);
    line_text(l, "reason", name_span(x->unjudged_reason));
    if (x->is_unclassified) {
        line_text(l, "without", span_str("classifiers"));
    }
    line_text(l, "store", span_str(x->is_store_lost ? "lost" : ""));
}

static void put_answer(struct decision_line *l, enum supervision_outcome outcome, bool is_violation, unsigned category,
                       double confidence)
{
    line_text(l, "outcome", span_str(supervision_outcome_name(outcome)));
    if (outcome == SUPERVISION_ANSWERED) {
        line_text(l, "verdict", span_str(is_violation ? "violation" : "ok"));
        if (is_violation) {
            line_text(l, "category", span_str(supervisor_category_name((enum supervisor_category)category)));
        }
        line_fraction(l, "confidence", confidence);
    }
}

/* Of a stream that was asked about in parts: where each began and ended in what the rules let go, and what came of it. */
static void put_units(struct decision_line *l, const struct exchange *x)
{
    if (x->n_units == 0) {
        return;
    }
    line_open(l, "units", '[');
    for (size_t i = 0; i < x->n_units; i++) {
        const struct supervision_unit *u = &x->units[i];
        line_open(l, NULL, '{');
        if (u->channel != SUPERVISION_BESIDE) {
            line_number(l, "channel", u->channel);
            line_number(l, "start", u->from);
        }
        if (u->channel != SUPERVISION_BESIDE && !u->is_rest) {
            line_number(l, "end", u->to);
        }
        line_flag(l, "beside", u->channel == SUPERVISION_BESIDE);
        line_flag(l, "rest", u->is_rest);
        put_answer(l, u->outcome, u->is_violation, u->category, u->confidence);
        line_number(l, "latency_us", u->latency_ns / 1000);
        line_flag(l, "cached", u->is_cached);
        line_close(l, '}');
    }
    line_close(l, ']');
}

/* What the supervisor was asked and came to, never what it wrote: it has read the text. */
static void put_supervision(struct decision_line *l, const struct exchange *x)
{
    const struct supervision *s = x->supervision;

    if (s == NULL) {
        return;
    }
    line_open(l, "supervisor", '{');
    put_answer(l, s->outcome, s->is_violation, s->category, s->confidence);
    if (s->outcome != SUPERVISION_ANSWERED && x->policy != NULL && x->policy->supervisor != NULL) {
        line_text(l, "on_failure", span_str(action_name(x->policy->supervisor->on_failure)));
    }
    line_text(l, "endpoint", span_str(s->endpoint));
    line_text(l, "model", span_str(s->model));
    line_text(l, "prompt", span_str(s->prompt));
    line_number(l, "latency_us", s->latency_ns / 1000);
    line_number(l, "attempts", s->attempts);
    line_flag(l, "cached", s->is_cached);
    if (s->tokens_in + s->tokens_out > 0) {
        line_number(l, "tokens_in", s->tokens_in);
        line_number(l, "tokens_out", s->tokens_out);
    }
    put_units(l, x);
    line_close(l, '}');
}

static void put_groups(struct decision_line *l, const char *name, const struct seal_groups *groups)
{
    if (groups->names.n == 0) {
        return;
    }
    line_open(l, name, '[');
    for (size_t i = 0; i < groups->names.n; i++) {
        line_text(l, NULL, groups->names.items[i]);
    }
    line_close(l, ']');
}

/* Where the original is and who can open it; or that there is none, though the policy wants one. */
static void put_sealed(struct decision_line *l, const struct sealed_note *note)
{
    if (note == NULL) {
        return;
    }
    line_open(l, "sealed", '{');
    line_flag(l, "failed", note->has_failed);
    if (!note->has_failed) {
        line_text(l, "blob", span_str(note->blob));
        line_text(l, "sha256", span_str(note->sha256));
        line_number(l, "bytes", note->bytes);
        line_text(l, "kek", span_str(note->kek));
        put_groups(l, "to", &note->seal->to);
        put_groups(l, "also", &note->seal->also);
        line_text(l, "recipients", note->seal->digest);
        line_text(l, "what", span_str(seal_what_name(note->seal->what)));
        line_flag(l, "partial", note->is_partial);
        line_time(l, "expires", note->expires_ns);
    }
    line_close(l, '}');
}

static void put_stream(struct decision_line *l, const struct decision_stream *s)
{
    line_text(l, "phase", span_str(s->phase));
    line_text(l, "protocol", span_str(s->protocol));
    line_text(l, "upstream", s->upstream);
    if (s->end != NULL) {
        line_text(l, "end", span_str(s->end));
        line_number(l, "from_upstream_bytes", s->bytes_from);
        line_number(l, "to_client_bytes", s->bytes_to);
        line_number(l, "hold_max_bytes", s->hold_max);
        if (s->sent > 1) {
            line_number(l, "sent", s->sent);
        }
    }
}

/* Counted from the channels, as an exchange that failed early has no sums. Of a stream a part may
 * have been delivered before the block. */
static void put_sizes(struct decision_line *l, const struct exchange *x, bool is_stream)
{
    uint64_t in = 0, judged = 0, out = 0;

    for (size_t i = 0; i < x->n_channels; i++) {
        in += x->channels[i].text.len;
        judged += x->channels[i].judged;
        out += x->action == ACTION_BLOCK && !is_stream ? 0 : x->channels[i].output.len;
    }
    line_number(l, "in_bytes", in);
    line_number(l, "judged_bytes", judged);
    line_number(l, "out_bytes", out);
    if (x->left_out > 0) {
        line_number(l, "left_out_bytes", x->left_out);
    }
}

/* Of an answer in a conversation that has pseudonyms. */
static void put_restored(struct decision_line *l, const struct exchange *x)
{
    if (x->masking == NULL || x->is_request || masking_count(x->masking) == 0) {
        return;
    }
    line_number(l, "restored", x->restored.restored);
    if (x->restored.withheld > 0) {
        line_number(l, "kept_masked", x->restored.withheld);
    }
    if (x->restored.unknown > 0) {
        line_number(l, "unknown_pseudonyms", x->restored.unknown);
    }
}

/* A stream's texts are not kept. */
static bool has_texts(const struct exchange *x)
{
    for (size_t i = 0; i < x->n_channels; i++) {
        if (x->channels[i].text.ptr == NULL && x->channels[i].text.len > 0) {
            return false;
        }
    }
    return true;
}

static void put_review(struct decision_line *l, const struct exchange *x)
{
    struct review_mark mark;

    if (l->has_failed || !review_mark_of(x, l->keys->token, &mark, l->err)) {
        l->has_failed = true;
        return;
    }
    line_review(l, &mark);
}

/* Of a request to a model: which answer it led to. */
static void put_direction(struct decision_line *l, const struct exchange *x)
{
    static const struct exchange_id none;
    char id[UUID_TEXT + 1];

    if (!x->is_request) {
        return;
    }
    line_text(l, "direction", span_str("request"));
    if (memcmp(&x->answer, &none, sizeof(none)) != 0) {
        uuid_format(x->answer.bytes, id);
        line_text(l, "answer_id", span_str(id));
    }
    line_number(l, "known_bytes", x->known);
}

static void put_all(struct decision_line *l, const struct exchange *x,
                    const struct decision_stream *stream)
{
    enum shown_names names = shown_names_on_record(x);

    put_head(l, x, "decision");
    if (stream != NULL) {
        put_stream(l, stream);
    }
    if (stream != NULL && stream->end == NULL) {
        return;
    }
    put_direction(l, x);
    put_verdict(l, x);
    put_review(l, x);
    put_supervision(l, x);
    put_sealed(l, x->sealed);
    put_sizes(l, x, stream != NULL);
    put_restored(l, x);
    line_budgets(l, x);
    line_findings(l, x, names);
    if (stream == NULL && has_texts(x)) {
        line_input_token(l, x);
    }
}

static bool format(const struct exchange *x, const struct decision_stream *stream,
                   uint64_t elapsed_ns, struct decision_line *l)
{
    buf_clear(l->out);
    line_open(l, NULL, '{');
    put_all(l, x, stream);
    line_number(l, "elapsed_us", elapsed_ns / 1000);
    if (stream == NULL || stream->end != NULL) {
        line_span(l, x);
    }
    line_close(l, '}');
    if (l->has_failed) {
        buf_clear(l->out);
    }
    return !l->has_failed;
}

bool decision_format(const struct exchange *x, const struct decision_keys *keys,
                     uint64_t elapsed_ns, struct buf *line, struct error *err)
{
    struct decision_line l = {.out = line, .err = err, .keys = keys};

    return format(x, NULL, elapsed_ns, &l);
}

bool decision_format_stream(const struct exchange *x, const struct decision_stream *stream,
                            const struct decision_keys *keys, uint64_t elapsed_ns, struct buf *line,
                            struct error *err)
{
    struct decision_line l = {.out = line, .err = err, .keys = keys};

    return format(x, stream, elapsed_ns, &l);
}

bool decision_format_later(const struct exchange *x, const struct decision_keys *keys, struct buf *line,
                           struct error *err)
{
    struct decision_line l = {.out = line, .err = err, .keys = keys};

    buf_clear(line);
    line_open(&l, NULL, '{');
    put_head(&l, x, "second-look");
    put_verdict(&l, x);
    put_supervision(&l, x);
    line_close(&l, '}');
    if (l.has_failed) {
        buf_clear(line);
    }
    return !l.has_failed;
}
