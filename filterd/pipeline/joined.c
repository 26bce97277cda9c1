#include "pipeline/joined.h"

#include "base/ascii.h"
#include "pipeline/joined_texts.h"

enum {
    REACH = 4096, /* bytes of a request's texts on each side of a joint, as of a stream (protocol/text_joint.c) */
    NEAR = 512,   /* bytes of the first and the last of a few texts */
    SPAN = 3,     /* a few */
    BEFORE_MAX = 256, /* texts before a message that are joined with it */
    SPANS_MAX = 1 << 16, /* of a few texts; what has more could not be checked */
};

/* What of a joined text is searched. */
struct region {
    const struct joined_texts *in;
    size_t from, to;
};

/* All that is searched of an exchange. */
struct plan {
    struct arena *arena;
    struct region *items;
    size_t n, cap;
    size_t n_spans;
};

/* --- texts that belong together ---------------------------------------------------- */

/* Empty texts would stand between those that a few texts are (SPAN, BEFORE_MAX). */
static bool has_text(const struct channel *c)
{
    return c->text.len > 0;
}

/* The channels of all messages that have a text, those of one behind each other. ends[number]: where those of the number begin, which is where the last ones end. */
static bool sort_channels(struct arena *a, const struct exchange *x, size_t last, uint32_t **channels, size_t **ends, struct error *err)
{
    size_t at = 0;

    *channels = arena_array(a, x->n_channels + 1, sizeof(**channels), err);
    *ends = *channels == NULL ? NULL : arena_array(a, last + 2, sizeof(**ends), err);
    if (*ends == NULL) {
        return false;
    }
    memset(*ends, 0, (last + 2) * sizeof(**ends));
    for (size_t i = 0; i < x->n_channels; i++) {
        (*ends)[x->channels[i].message + 1] += has_text(&x->channels[i]);
    }
    (*ends)[1] = 0; /* of no message */
    for (size_t number = 1; number <= last; number++) {
        size_t count = (*ends)[number + 1];
        (*ends)[number + 1] = at;
        at += count;
    }
    for (size_t i = 0; i < x->n_channels; i++) {
        if (x->channels[i].message > 0 && has_text(&x->channels[i])) {
            (*channels)[(*ends)[x->channels[i].message + 1]++] = (uint32_t)i;
        }
    }
    return true;
}

static const struct channel *channel_of(const struct joined_texts *m, size_t i)
{
    return &m->x->channels[m->channels[i]];
}

static bool measure(struct arena *a, struct joined_texts *m, struct error *err)
{
    size_t *starts = arena_array(a, m->n + 1, sizeof(*starts), err);

    if (starts == NULL) {
        return false;
    }
    starts[0] = 0;
    for (size_t i = 0; i < m->n; i++) {
        starts[i + 1] = starts[i] + channel_of(m, i)->text.len;
    }
    m->starts = starts;
    return true;
}

/* --- one text ------------------------------------------------------------------------- */

static bool join(struct arena *a, struct region r, struct span *out, struct error *err)
{
    const struct joined_texts *m = r.in;
    char *text = arena_alloc(a, r.to - r.from + 1, err);
    size_t at = 0;

    for (size_t i = joined_texts_at(m, r.from); text != NULL && i < m->n && m->starts[i] < r.to; i++) {
        size_t from = m->starts[i] > r.from ? m->starts[i] : r.from, to = m->starts[i + 1] < r.to ? m->starts[i + 1] : r.to;
        if (from < to) {
            memcpy(text + at, channel_of(m, i)->text.ptr + (from - m->starts[i]), to - from);
            at += to - from;
        }
    }
    *out = span_of(text, at);
    return text != NULL;
}

/* --- what is searched --------------------------------------------------------------- */

static bool add_region(struct plan *p, struct region r, struct error *err)
{
    if (p->n == p->cap) {
        size_t cap = p->cap == 0 ? 16 : 2 * p->cap;
        struct region *items = arena_array(p->arena, cap, sizeof(*items), err);
        if (items == NULL) {
            return false;
        }
        if (p->n > 0) {
            memcpy(items, p->items, p->n * sizeof(*items));
        }
        p->items = items;
        p->cap = cap;
    }
    p->items[p->n++] = r;
    return true;
}

/* --- near joints ---------------------------------------------------------------------- */

static bool has_word_at(const struct joined_texts *m, size_t i, bool is_end)
{
    struct span text = channel_of(m, i)->text;

    return text.len > 0 && ascii_is(text.ptr[is_end ? text.len - 1 : 0], ASCII_ALNUM);
}

/* Whether a word goes on from the text before the i-th into it: then patterns that stand at the edge of a word see none there. */
static bool is_in_word(const struct joined_texts *m, size_t i)
{
    return i > 0 && i < m->n && has_word_at(m, i - 1, true) && has_word_at(m, i, false);
}

/* A few texts around a joint by themselves, where words go on beyond them. */
static bool add_spans(struct plan *p, const struct joined_texts *m, size_t joint, struct error *err)
{
    for (size_t first = joint > SPAN ? joint - SPAN : 0; first < joint; first++) {
        for (size_t last = joint; last < m->n && last < first + SPAN; last++) {
            size_t begin = m->starts[first + 1] - m->starts[first] > NEAR ? m->starts[first + 1] - NEAR : m->starts[first];
            size_t end = m->starts[last + 1] - m->starts[last] > NEAR ? m->starts[last] + NEAR : m->starts[last + 1];
            if (!is_in_word(m, first) && !is_in_word(m, last + 1)) {
                continue;
            }
            if (++p->n_spans > SPANS_MAX) {
                return error_set(err, ERROR_LIMIT, "more than %d joints of texts", SPANS_MAX);
            }
            if (!add_region(p, (struct region){m, begin, end}, err)) {
                return false;
            }
        }
    }
    return true;
}

/* What is near the joint before the i-th text; of an answer all of it. */
static struct region region_at(const struct joined_texts *m, size_t i)
{
    const size_t joint = m->starts[i], end = m->starts[m->n], reach = m->x->is_request ? REACH : end;

    return (struct region){m, joint > reach ? joint - reach : 0, end - joint > reach ? joint + reach : end};
}

/* The joints inside of a message that are not known. */
static bool add_inside(struct plan *p, const struct joined_texts *m, struct error *err)
{
    struct region r = {0};

    for (size_t i = 1; i < m->n; i++) {
        if (channel_of(m, i)->joint_is_known) {
            continue;
        }
        const struct region next = region_at(m, i);
        if (r.to > 0 && next.from > r.to && !add_region(p, r, err)) {
            return false;
        }
        r = (struct region){m, r.to > 0 && next.from <= r.to ? r.from : next.from, next.to};
        if (m->x->is_request && !add_spans(p, m, i, err)) {
            return false;
        }
    }
    return r.to == 0 || add_region(p, r, err);
}

/* The first of the texts before a message that are joined with it. */
static size_t before_joint(const struct exchange *x, const uint32_t *channels, size_t root, size_t from)
{
    size_t at = from;

    for (size_t bytes = 0; at > root && bytes < REACH && from - at < BEFORE_MAX;) {
        bytes += x->channels[channels[--at]].text.len;
    }
    return at;
}

/* NULL when there is no memory. */
static const struct joined_texts *message_of(struct arena *a, const struct exchange *x, const uint32_t *channels, size_t n, struct error *err)
{
    struct joined_texts *m = arena_alloc(a, sizeof(*m), err);

    if (m == NULL) {
        return NULL;
    }
    *m = (struct joined_texts){.x = x, .channels = channels, .n = n};
    return measure(a, m, err) ? m : NULL;
}

/* What is behind a message counts with the next joint, so that what is known of the joint before it does not depend on that. */
static bool plan(struct plan *p, const struct exchange *x, size_t n, struct error *err)
{
    uint32_t *channels;
    size_t *ends, root = 0;

    if (!sort_channels(p->arena, x, n, &channels, &ends, err)) {
        return false;
    }
    for (size_t number = 1; number <= n; number++) {
        const size_t from = ends[number], to = ends[number + 1];
        const struct channel *first = from < to ? &x->channels[channels[from]] : NULL;
        root = first != NULL && first->goes_on ? root : from;
        const struct joined_texts *m = to - from > 1 ? message_of(p->arena, x, channels + from, to - from, err) : NULL;
        if (to - from > 1 && (m == NULL || !add_inside(p, m, err))) {
            return false;
        }
        if (root == from || first->joint_is_known) {
            continue;
        }
        const size_t before = before_joint(x, channels, root, from);
        const struct joined_texts *run = message_of(p->arena, x, channels + before, to - before, err);
        if (run == NULL || !add_region(p, region_at(run, from - before), err) || !add_spans(p, run, from - before, err)) {
            return false;
        }
    }
    return true;
}

/* Without the classifiers, which judge units of a text. */
bool joined_find(struct finder *f, struct exchange *x, struct finding_list *list, struct error *err)
{
    struct plan p = {.arena = f->arena};
    size_t n = 0;

    for (size_t i = 0; i < x->n_channels; i++) {
        n = x->channels[i].message > n ? x->channels[i].message : n;
    }
    if (n > 0 && !plan(&p, x, n, err)) {
        return false;
    }
    for (size_t i = 0; i < p.n; i++) {
        const struct region r = p.items[i];
        struct finding_list found = {0};
        struct find_request request = {.rules = x->snapshot->rules,
                                       .has_rule = x->policy->has_rule,
                                       .channel = r.in->channels[0],
                                       .stage_ns = x->stage_ns,
                                       .classify = {.is_off = true},
                                       .links = x->policy->links,
                                       .without_links = x->is_request};
        if (!join(f->arena, r, &request.text, err) || !find_in_text(f, &request, &found, err) ||
            !joined_texts_add(f, r.in, request.text, r.from, &found, list, err)) {
            return false;
        }
    }
    return true;
}
