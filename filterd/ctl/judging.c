#include "ctl/judging.h"

#include "base/json.h"
#include "judge/path.h"

static struct exchange exchange_for(const struct session *s)
{
    return (struct exchange){
        .snapshot = s->snapshot, .policy = s->policy, .who = s->who, .now_ns = s->now_ns};
}

/* One channel, in the worker's arena. */
static bool set_text(struct worker *w, struct span text, struct exchange *x, struct error *err)
{
    struct channel *channel = arena_array(worker_begin(w), 1, sizeof(*channel), err);

    if (channel == NULL) {
        return false;
    }
    *channel = (struct channel){.path = span_of("", 0), .key = span_of("", 0), .text = text};
    x->channels = channel;
    x->n_channels = 1;
    return true;
}

void judging_text(const struct session *s, struct worker *w, struct span text, struct judging *out)
{
    judging_text_near(s, w, text, NULL, out);
}

void judging_text_near(const struct session *s, struct worker *w, struct span text, const struct redacted_near *near,
                       struct judging *out)
{
    struct error err;

    *out = (struct judging){.exchange = exchange_for(s), .source = text};
    out->exchange.near = near;
    if (!set_text(w, text, &out->exchange, &err)) {
        exchange_fail(&out->exchange, "memory limit");
        return;
    }
    pipeline_judge(w, &out->exchange);
}

bool judging_find(const struct session *s, struct worker *w, struct span text, struct judging *out, struct error *err)
{
    *out = (struct judging){.exchange = exchange_for(s), .source = text};
    return set_text(w, text, &out->exchange, err) && pipeline_find(w, &out->exchange, err);
}

/* True when the path is the field: its name alone at the top, or the whole pointer. */
static bool is_field(struct span path, struct span field)
{
    struct path_step step;

    if (field.ptr[0] == '/') {
        return path_is_pointer(path, field);
    }
    return path_next(&path, &step) && span_equal(step.text, field) && path.len == 0;
}

static bool find_field(struct judging *j, struct span field, struct error *err)
{
    struct document *d = &j->document;

    for (size_t i = 0; i < d->n; i++) {
        d->channels[i].output = d->channels[i].text;
        if (!d->channels[i].is_member_name && is_field(d->channels[i].path, field)) {
            j->field = i;
        }
    }
    if (j->field == d->n) {
        return error_set(err, ERROR_INVALID, "a string at '" SPAN_FMT "' expected",
                         SPAN_ARG(field));
    }
    /* Where the text is, not what it is: it is judged as the `text` of a request and a row of a column are. */
    d->channels[j->field].key = span_of("", 0);
    j->exchange.channels = &d->channels[j->field];
    j->exchange.n_channels = 1;
    return true;
}

bool judging_document(const struct session *s, struct worker *w, struct span json,
                      struct span field, struct judging *out, struct error *err)
{
    struct arena *arena = worker_begin(w);

    *out = (struct judging){.exchange = exchange_for(s), .source = json, .is_document = true};
    if (!json_validate(json, err) ||
        !document_read(arena, json, span_of("", 0), &out->document, err)) {
        return false;
    }
    out->field = out->document.n;
    out->exchange.channels = out->document.channels;
    out->exchange.n_channels = out->document.n;
    if (field.len > 0 && !find_field(out, field, err)) {
        return false;
    }
    pipeline_judge(w, &out->exchange);
    return true;
}

bool judging_deliver(const struct judging *j, struct buf *out, struct error *err)
{
    const struct exchange *x = &j->exchange;

    if (x->action == ACTION_BLOCK) {
        return buf_append(out, x->notice, err);
    }
    return j->is_document ? document_write(&j->document, out, err)
                          : buf_append(out, x->channels[0].output, err);
}

struct span judging_match(const struct judging *j, const struct finding *f)
{
    return span_slice(j->exchange.channels[f->channel].text, f->from, f->to);
}

void judging_range(const struct judging *j, const struct finding *f, size_t *from, size_t *to)
{
    *from = f->from;
    *to = f->to;
    if (!j->is_document) {
        return;
    }
    size_t index = j->field < j->document.n ? j->field : f->channel;
    const struct document_token *token = &j->document.tokens[index];
    size_t quote = j->source.ptr[token->from] == '"' ? 1 : 0;
    struct span raw = span_slice(j->source, token->from + quote, token->to - quote);
    if (span_equal(raw, j->exchange.channels[f->channel].text)) {
        *from += token->from + quote;
        *to += token->from + quote;
    } else {
        *from = token->from;
        *to = token->to;
    }
}

bool judging_is_complete(const struct judging *j)
{
    return j->exchange.unjudged_reason == NULL && !span_is(j->exchange.rule, "filterd.unjudged");
}
