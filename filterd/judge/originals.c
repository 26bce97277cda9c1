#include "judge/originals.h"

#include <stdlib.h>

#include "judge/decide.h"

bool originals_are_wanted(const struct exchange *x, double draw)
{
    const struct policy_seal *seal = x->policy != NULL ? x->policy->seal : NULL;

    for (size_t i = 0; seal != NULL && i < seal->n_when; i++) {
        const struct seal_trigger *t = &seal->when[i];
        if ((t->actions & 1U << x->action) != 0 && draw < t->sample && exchange_meets(&t->when, x)) {
            return true;
        }
    }
    return false;
}

/* One that is acted on; where nothing is, any. */
static bool is_wanted(const struct finding *f, enum action verdict)
{
    return !f->is_shadow && !f->is_excepted && (f->action != ACTION_ALLOW || verdict == ACTION_ALLOW);
}

/* --- of a whole text ------------------------------------------------------------ */

struct stretch {
    size_t from, to;
};

static struct stretch around(const struct policy_seal *seal, size_t len, size_t from, size_t to)
{
    if (seal->what != SEAL_SPAN) {
        return (struct stretch){0, len};
    }
    return (struct stretch){from > seal->context ? from - seal->context : 0,
                            len - to > seal->context ? to + seal->context : len};
}

static void give(const struct exchange *x, uint32_t channel, struct stretch s, original_take_fn *take, void *context)
{
    const struct channel *c = &x->channels[channel];
    const struct original_part part = {channel, c->path, s.from, span_slice(c->text, s.from, s.to)};

    take(context, &part);
}

/* Stretches that touch are one. Findings are in order of channel and place. */
static size_t each_around_findings(const struct exchange *x, original_take_fn *take, void *context)
{
    struct stretch open = {0, 0};
    uint32_t channel = 0;
    size_t n = 0;

    for (size_t i = 0; i < x->n_findings; i++) {
        const struct finding *f = &x->findings[i];
        if (!is_wanted(f, x->action) || x->channels[f->channel].text.ptr == NULL) {
            continue;
        }
        struct stretch s = around(x->policy->seal, x->channels[f->channel].text.len, f->from, f->to);
        bool is_new = open.to == 0 || f->channel != channel || s.from > open.to;
        if (is_new && open.to > 0) {
            give(x, channel, open, take, context);
            n++;
        }
        open = is_new ? s : (struct stretch){open.from, s.to > open.to ? s.to : open.to};
        channel = f->channel;
    }
    if (open.to > 0) {
        give(x, channel, open, take, context);
        n++;
    }
    return n;
}

static size_t each_channel(const struct exchange *x, original_take_fn *take, void *context)
{
    size_t n = 0;

    for (uint32_t i = 0; i < x->n_channels; i++) {
        if (x->channels[i].text.ptr != NULL && x->channels[i].text.len > 0) {
            give(x, i, (struct stretch){0, x->channels[i].text.len}, take, context);
            n++;
        }
    }
    return n;
}

size_t originals_each(const struct exchange *x, original_take_fn *take, void *context)
{
    if (x->originals == NULL) {
        return x->policy->seal->what == SEAL_EXCHANGE ? each_channel(x, take, context)
                                                      : each_around_findings(x, take, context);
    }
    for (size_t i = 0; i < x->originals->n; i++) {
        const struct original *o = &x->originals->items[i];
        const struct original_part part = {o->channel, span_of(o->path, o->path_len), o->from, secret_span(&o->text)};
        take(context, &part);
    }
    return x->originals->n;
}

/* --- of a stream ---------------------------------------------------------------- */

static bool wants_allowed(const struct policy_seal *seal)
{
    for (size_t i = 0; i < seal->n_when; i++) {
        if ((seal->when[i].actions & 1U << ACTION_ALLOW) != 0) {
            return true;
        }
    }
    return false;
}

/* What the last part has already is not kept again. */
static size_t behind_the_last(const struct originals *o, uint32_t channel, size_t from)
{
    const struct original *last = o->n > 0 ? &o->items[o->n - 1] : NULL;
    size_t end = last != NULL && last->beside == 0 && last->channel == channel ? last->from + last->text.len : 0;

    return from < end ? end : from;
}

static bool make_room(struct originals *o, struct error *err)
{
    size_t cap = o->cap == 0 ? 4 : o->cap * 2;

    if (o->n < o->cap) {
        return true;
    }
    struct original *items = realloc(o->items, cap * sizeof(*items));
    if (items == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "originals: no memory");
    }
    o->items = items;
    o->cap = cap;
    return true;
}

bool originals_keep(struct originals *o, const struct policy_seal *seal, const struct finding *f, const struct channel *c,
                    uint32_t channel, size_t base, struct error *err)
{
    if (seal == NULL || !is_wanted(f, wants_allowed(seal) ? ACTION_ALLOW : ACTION_BLOCK) || f->to > c->text.len) {
        return true;
    }
    struct stretch s = around(seal, c->text.len, f->from, f->to);
    size_t from = behind_the_last(o, channel, base + s.from);
    if (from >= base + s.to) {
        return true;
    }
    struct span text = span_slice(c->text, from - base, s.to);
    if (o->n == ORIGINALS_MAX || text.len > ORIGINALS_BYTES_MAX - o->bytes) {
        o->is_cut = true;
        return true;
    }
    struct original kept = {.channel = channel, .from = from};
    if (!make_room(o, err) || !secret_init(&kept.text, text.len, err) || !secret_append(&kept.text, text, err)) {
        return false;
    }
    kept.path_len = c->path.len < sizeof(kept.path) ? c->path.len : sizeof(kept.path);
    if (kept.path_len > 0) {
        memcpy(kept.path, c->path.ptr, kept.path_len);
    }
    o->items[o->n++] = kept;
    o->bytes += text.len;
    return true;
}

bool originals_keep_beside(struct originals *o, const struct policy_seal *seal, const struct finding *f,
                           const struct channel *c, size_t beside, struct error *err)
{
    size_t before = o->n;

    if (!originals_keep(o, seal, f, c, UINT32_MAX, 0, err)) {
        return false;
    }
    if (o->n > before) {
        o->items[before].beside = beside;
    }
    return true;
}

void originals_place(struct originals *o, size_t first)
{
    for (size_t i = 0; i < o->n; i++) {
        if (o->items[i].beside > 0) {
            o->items[i].channel = (uint32_t)(first + o->items[i].beside - 1);
        }
    }
}

void originals_deinit(struct originals *o)
{
    for (size_t i = 0; i < o->n; i++) {
        secret_deinit(&o->items[i].text);
    }
    free(o->items);
    *o = (struct originals){0};
}
