#include "service/stream_answer.h"

#include "http/filter_answer.h"
#include "http/writer.h"

bool stream_answer_chunk(const struct open_stream *o, struct span text, size_t held, struct buf *out)
{
    struct error err;
    struct writer w = {.out = out, .err = &err, .is_ok = true};
    struct exchange x;

    stream_exchange(o->stream, &x);
    put(&w, "{\"action\":\"");
    put(&w, action_name(x.action));
    put(&w, "\",\"rule\":");
    if (x.rule.len == 0) {
        put(&w, "null");
    } else {
        put_string(&w, x.rule);
    }
    put(&w, ",\"text\":");
    if (x.action == ACTION_BLOCK) {
        put(&w, "null,\"notice\":");
        put_string(&w, stream_notice(o->stream));
    } else {
        put_string(&w, text);
    }
    put(&w, ",\"held\":");
    put_number(&w, x.action == ACTION_BLOCK ? 0 : held);
    put(&w, "}");
    return w.is_ok;
}

/* The default channel's text, and those of the others by name. */
static void write_rest(struct writer *w, const struct open_stream *o, const struct exchange *x)
{
    put(w, ",\"text\":");
    if (x->action == ACTION_BLOCK) {
        put(w, "null,\"notice\":");
        put_string(w, x->notice);
        return;
    }
    put_string(w, buf_span(&o->channels[0].kept));
    for (size_t i = 1; i < o->n_channels; i++) {
        put(w, i == 1 ? ",\"channels\":[{\"channel\":" : ",{\"channel\":");
        put_string(w, span_str(o->channels[i].path));
        put(w, ",\"text\":");
        put_string(w, buf_span(&o->channels[i].kept));
        put(w, "}");
    }
    put(w, o->n_channels > 1 ? "]" : "");
}

bool stream_answer_end(const struct open_stream *o, const struct filter_request *q, const struct exchange *x,
                       struct arena *a, struct buf *out)
{
    struct error err;
    struct writer w = {.out = out, .err = &err, .is_ok = true};

    if (!filter_answer_begin(x, out, &err)) {
        return false;
    }
    write_rest(&w, o, x);
    return w.is_ok && filter_answer_finish(q, x, o->elapsed_ns, a, out, &err);
}
