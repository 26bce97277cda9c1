#include "view/view.h"

#include "view/builder.h"
#include "view/transform.h"

#include <assert.h>

void view_raw(struct span valid_utf8, struct view_piece *whole, struct view *out)
{
    *whole =
        (struct view_piece){.to = (uint32_t)valid_utf8.len, .kind = VIEW_RAW, .transform = "raw"};
    *out = (struct view){.text = valid_utf8, .pieces = whole, .n_pieces = 1};
}

/* The hints of the piece: the slice of the ordered list that starts in it. */
static void select_hints(struct source_piece *r, const struct view_hint *hints, size_t n_hints)
{
    size_t low = 0;
    size_t high = n_hints;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (hints[middle].from < r->piece->from) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    while (high < n_hints && hints[high].to <= r->piece->to) {
        high++;
    }
    r->hints = high > low ? hints + low : NULL;
    r->n_hints = high - low;
}

/* How many steps of this kind led to the piece. */
static unsigned steps_to(const struct view_piece *piece, enum view_kind kind)
{
    return kind == VIEW_DECODED ? piece->decodings : piece->joinings;
}

static bool is_deepest(const struct view_piece *piece, unsigned depth)
{
    return piece->decodings >= depth && piece->joinings >= depth;
}

static void apply(const struct transform *t, const struct source_piece *r, struct builder *b)
{
    struct region region;
    size_t at = 0;

    if (t->marks == 0 ? r->n_hints == 0 : (r->survey.all & t->marks) == 0) {
        return;
    }
    if (steps_to(r->piece, t->kind) >= b->limits->depth) {
        return;
    }
    builder_count_from(b, r->piece);
    while (!builder_has_failed(b) && t->next(r, at, &region)) {
        t->rewrite(r, &region, b);
        at = region.to;
    }
}

/* NOLINTNEXTLINE(readability-function-size): the hints and their count belong together */
bool view_expand(struct arena *a, const struct view *parent, const struct view_hint *hints,
                 size_t n_hints, const struct view_limits *limits, const struct view **child,
                 struct error *err)
{
    struct builder builder;
    size_t n_transforms;
    const struct transform *const *transforms = transforms_all(&n_transforms);

    assert(limits->depth <= VIEW_DEPTH_MAX);
    if (parent->text.len > VIEW_TEXT_MAX || limits->max_bytes > VIEW_TEXT_MAX) {
        return error_set(err, ERROR_LIMIT, "text to decode: more than %d bytes", VIEW_TEXT_MAX);
    }
    builder_init(&builder, a, limits, err);
    for (size_t i = 0; i < parent->n_pieces; i++) {
        const struct view_piece *piece = &parent->pieces[i];
        if (piece->from == piece->to || is_deepest(piece, limits->depth)) {
            continue;
        }
        struct source_piece source = {
            .text = span_slice(parent->text, piece->from, piece->to),
            .base = piece->from,
            .parent = parent,
            .piece = piece,
        };
        if (!survey_make(a, source.text, &source.survey, err)) {
            return false;
        }
        select_hints(&source, hints, n_hints);
        builder_read_from(&builder, piece->from);
        for (size_t t = 0; t < n_transforms; t++) {
            apply(transforms[t], &source, &builder);
        }
    }
    return builder_finish(&builder, parent, child);
}

bool view_is_in_place(const struct view_piece *piece)
{
    return piece->transform == fold_transform.name || piece->transform == escapes_transform.name ||
           piece->transform == quoted_printable_transform.name;
}

bool view_is_joined(const struct view_piece *piece)
{
    return piece->transform == rendered_transform.name ||
           piece->transform == grouped_transform.name ||
           piece->transform == literals_transform.name;
}

const struct view_piece *view_piece_at(const struct view *v, size_t offset)
{
    size_t low = 0;
    size_t high = v->n_pieces;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (v->pieces[middle].to <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < v->n_pieces && v->pieces[low].from <= offset ? &v->pieces[low] : NULL;
}

const struct view_segment *view_segment_at(const struct view *v, const struct view_piece *piece,
                                           size_t offset)
{
    const struct view_segment *first = v->segments + piece->first_segment;
    size_t low = 0;
    size_t high = piece->n_segments;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (first[middle].view_from <= offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &first[low];
}

/* The range of the parent that the byte at `offset` of the piece comes from. */
static void byte_to_parent(const struct view *v, const struct view_piece *piece, size_t offset,
                           size_t *from, size_t *to)
{
    const struct view_segment *s = view_segment_at(v, piece, offset);
    size_t unit = (offset - s->view_from) / s->view_unit * s->parent_unit;
    size_t unit_end = unit + s->parent_unit;
    bool is_last_unit = (offset - s->view_from) / s->view_unit == (s->view_len - 1) / s->view_unit;
    if (is_last_unit) {
        unit_end = s->parent_len;
    }
    *from = s->parent_from + (s->is_backward ? s->parent_len - unit_end : unit);
    *to = s->parent_from + (s->is_backward ? s->parent_len - unit : unit_end);
}

void view_to_raw(const struct view *v, size_t from, size_t to, size_t *raw_from, size_t *raw_to)
{
    while (v->parent != NULL) {
        const struct view_piece *piece = view_piece_at(v, from);
        size_t first_from;
        size_t first_to;
        size_t last_from;
        size_t last_to;

        assert(piece != NULL && from < to && to <= piece->to);
        byte_to_parent(v, piece, from, &first_from, &first_to);
        byte_to_parent(v, piece, to - 1, &last_from, &last_to);
        from = first_from < last_from ? first_from : last_from;
        to = first_to > last_to ? first_to : last_to;
        v = v->parent;
    }
    *raw_from = from;
    *raw_to = to;
}
