#include "pipeline/stream_gate.h"

#include <stdlib.h>

#include "base/locked_pages.h"
#include "judge/classify.h"
#include "pipeline/supervise.h"

enum { CONTEXT_KEPT = 8 * STREAM_GATE_CONTEXT };

struct stream_gate *stream_gate_new(enum hold_unit unit, size_t max, struct error *err)
{
    struct stream_gate *g = calloc(1, sizeof(*g));

    if (g == NULL) {
        error_set(err, ERROR_NO_MEMORY, "stream: no memory");
        return NULL;
    }
    g->unit = unit;
    buf_init_text(&g->text, max + CONTEXT_KEPT);
    return g;
}

void stream_gate_free(struct stream_gate *g)
{
    if (g != NULL) {
        buf_deinit(&g->text);
        free(g->marks);
        free(g);
    }
}

size_t stream_gate_waiting(const struct stream_gate *g)
{
    return g == NULL ? 0 : g->text.len - g->waits;
}

/* --- marks -------------------------------------------------------------------- */

static bool add_mark(struct stream_gate *g, size_t from, size_t to, struct error *err)
{
    if (g->n_marks == g->marks_cap) {
        size_t cap = g->marks_cap == 0 ? 8 : g->marks_cap * 2;
        struct stream_mark *marks = realloc(g->marks, cap * sizeof(*marks));
        if (marks == NULL) {
            return error_set(err, ERROR_NO_MEMORY, "stream: no memory");
        }
        g->marks = marks;
        g->marks_cap = cap;
    }
    /* What was taken out is where the text goes on behind it. */
    g->marks[g->n_marks++] = (struct stream_mark){.from = from, .to = to > from ? to : from + 1};
    return true;
}

/* Where what stands for the byte at `at` of the window begins in its output. */
static size_t start_in_output(const struct redacted_places *places, size_t at)
{
    for (size_t i = 0; i < places->n; i++) {
        if (at >= places->items[i].from && at < places->items[i].to) {
            return places->items[i].out_from;
        }
    }
    return redacted_to_output(places, at);
}

static bool calls(const struct stream_options *o, const struct stream_step *step, const struct finding *f)
{
    return f->from >= step->from && f->from < step->to && supervise_is_trigger(o->policy, &o->who, f);
}

/* A step's output on its way into the gate. */
struct piece {
    struct stream_gate *gate;
    const struct stream_step *step;
    size_t start, len; /* the output in that of the window */
    size_t at;         /* in all that the rules released */
};

static bool mark(const struct piece *p, size_t from, size_t to, struct error *err)
{
    const struct redacted_places *places = &p->step->places;
    size_t out_from = start_in_output(places, from) - p->start;
    size_t out_to = to < p->step->to ? redacted_to_output(places, to) - p->start : p->len;

    return add_mark(p->gate, p->at + out_from, p->at + (out_to < p->len ? out_to : p->len), err);
}

static bool mark_findings(const struct piece *p, const struct stream_options *o, size_t base, struct error *err)
{
    const struct stream_step *step = p->step;

    for (size_t i = 0; step->is_judged && i < step->judged.n_findings; i++) {
        const struct finding *f = &step->judged.findings[i];
        if (!calls(o, step, f)) {
            continue;
        }
        if (!mark(p, f->from, f->to, err)) {
            return false;
        }
        p->gate->reach = base + f->to > p->gate->reach ? base + f->to : p->gate->reach;
    }
    const struct finding *cut_off = &step->cut_off;
    return cut_off->rule == NULL || !supervise_is_trigger(o->policy, &o->who, cut_off) ||
           mark(p, cut_off->from, step->to, err);
}

bool stream_gate_add(struct stream_gate *g, const struct stream_options *o, const struct stream_step *step,
                     size_t base, struct span output, struct error *err)
{
    const struct piece p = {.gate = g,
                            .step = step,
                            .start = start_in_output(&step->places, step->from),
                            .len = output.len,
                            .at = g->from + stream_gate_waiting(g)};

    if (g->waits > CONTEXT_KEPT / 2) {
        size_t dropped = g->waits - STREAM_GATE_CONTEXT;
        memmove(g->text.data, g->text.data + dropped, g->text.len - dropped);
        g->text.len -= dropped;
        g->waits -= dropped;
    }
    return buf_append(&g->text, output, err) &&
           (g->reach <= base + step->from || step->to <= step->from || mark(&p, step->from, g->reach - base, err)) &&
           mark_findings(&p, o, base, err);
}

bool stream_gate_step_is_grey(const struct stream_options *o, const struct stream_step *step)
{
    for (size_t i = 0; step->is_judged && i < step->judged.n_findings; i++) {
        if (calls(o, step, &step->judged.findings[i])) {
            return true;
        }
    }
    return step->cut_off.rule != NULL && supervise_is_trigger(o->policy, &o->who, &step->cut_off);
}

/* --- units -------------------------------------------------------------------- */

/* Drops what ends with the unit. At the end of the text a mark may be behind all of it. */
static bool take_marks(struct stream_gate *g, size_t end, bool is_last)
{
    size_t kept = 0;
    bool is_marked = false;

    for (size_t i = 0; i < g->n_marks; i++) {
        is_marked = is_marked || g->marks[i].from < end + is_last;
        if (g->marks[i].to > end) {
            g->marks[kept++] = g->marks[i];
        }
    }
    g->n_marks = kept;
    return is_marked;
}

static struct span context_of(const struct stream_gate *g)
{
    size_t from = g->waits > STREAM_GATE_CONTEXT ? g->waits - STREAM_GATE_CONTEXT : 0;

    while (from < g->waits && ((unsigned char)g->text.data[from] & 0xc0) == 0x80) {
        from++;
    }
    return span_slice(buf_span(&g->text), from, g->waits);
}

bool stream_gate_next(struct stream_gate *g, bool is_whole, struct stream_gate_unit *unit)
{
    struct span waiting = span_slice(buf_span(&g->text), g->waits, g->text.len);
    size_t len = waiting.len > 0 ? classify_unit(g->unit, waiting, is_whole) : 0;

    if (len == 0) {
        return false;
    }
    *unit = (struct stream_gate_unit){
        .context = context_of(g),
        .text = span_slice(waiting, 0, len),
        .from = g->from,
        .is_grey = take_marks(g, g->from + len, is_whole && len == waiting.len),
    };
    g->waits += len;
    g->from += len;
    return true;
}
