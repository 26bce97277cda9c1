/* view_invariants.h - what holds of every view, whatever the text was. */
#ifndef FILTERD_TESTS_UNIT_VIEW_VIEW_INVARIANTS_H
#define FILTERD_TESTS_UNIT_VIEW_VIEW_INVARIANTS_H

#include "text/utf8.h"
#include "view/view.h"

/* NULL, or what is wrong with a segment: it must go on at view_from, lie in one piece of the
 * parent, and hold the parent's bytes when it says so. */
static inline const char *segment_flaw(const struct view *v, const struct view_segment *s,
                                       size_t view_from)
{
    const struct view *parent = v->parent;
    const struct view_piece *origin = view_piece_at(parent, s->parent_from);

    if (s->view_from != view_from || s->view_len == 0 || s->parent_len == 0) {
        return "segments do not cover the piece in order";
    }
    if (s->view_unit == 0 || s->parent_unit == 0) {
        return "a unit of nothing";
    }
    if (origin == NULL || s->parent_from + s->parent_len > origin->to) {
        return "an origin outside of the parent's pieces";
    }
    size_t n_units = (s->view_len + s->view_unit - 1u) / s->view_unit;
    if (s->parent_len > n_units * s->parent_unit ||
        s->parent_len + s->parent_unit <= n_units * s->parent_unit) {
        return "units that do not add up";
    }
    if (s->is_copy &&
        !span_equal(span_slice(v->text, view_from, view_from + s->view_len),
                    span_slice(parent->text, s->parent_from, s->parent_from + s->parent_len))) {
        return "a copy that is none";
    }
    return NULL;
}

static inline const char *piece_flaw(const struct view *v, const struct view_piece *piece,
                                     size_t raw_len)
{
    size_t at = piece->from;

    for (size_t i = 0; i < piece->n_segments; i++) {
        const struct view_segment *s = &v->segments[piece->first_segment + i];
        const char *flaw = segment_flaw(v, s, at);
        if (flaw != NULL) {
            return flaw;
        }
        at += s->view_len;
    }
    if (at != piece->to || piece->from >= piece->to) {
        return "segments do not cover the piece";
    }
    for (size_t i = piece->from; i < piece->to; i++) {
        size_t from;
        size_t to;
        view_to_raw(v, i, i + 1, &from, &to);
        if (from >= to || to > raw_len || view_piece_at(v, i) != piece) {
            return "a byte without an origin";
        }
    }
    return NULL;
}

/* NULL, or what is wrong with a child. */
static inline const char *view_flaw(const struct view *v, size_t raw_len)
{
    size_t at = 0;

    if (utf8_valid_prefix(v->text) != v->text.len) {
        return "not UTF-8";
    }
    for (size_t i = 0; i < v->n_pieces; i++) {
        const struct view_piece *piece = &v->pieces[i];
        const char *flaw = piece_flaw(v, piece, raw_len);
        if (flaw != NULL) {
            return flaw;
        }
        if (piece->from != at || piece->to >= v->text.len || v->text.ptr[piece->to] != '\n') {
            return "pieces that are not one behind another";
        }
        at = piece->to + 1u;
    }
    return at == v->text.len ? NULL : "text outside of the pieces";
}

#endif
