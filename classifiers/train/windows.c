#include "classifiers/train/windows.h"

#include "classifiers/features.h"
#include "text/script.h"
#include "view/segment.h"

#include <stdlib.h>

static bool grow(void **items, size_t *cap, size_t needed, size_t size, struct error *err)
{
    if (needed <= *cap) {
        return true;
    }
    size_t more = needed * 2;
    void *grown = realloc(*items, more * size);
    if (grown == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "windows: no memory");
    }
    *items = grown;
    *cap = more;
    return true;
}

/* What stays the same while a document is cut. */
struct cutting {
    uint32_t document;
    size_t half;
    unsigned bits;
    bool is_scored, is_of_all, is_sentence;
};

static bool add_window(struct windows *w, size_t first, struct span text, const struct cutting *c, struct error *err)
{
    if (w->n_rows == first || !features_has_letters(text)) {
        return true;
    }
    if (!grow((void **)&w->items, &w->cap, w->n + 1, sizeof(*w->items), err)) {
        return false;
    }
    w->items[w->n++] = (struct window){.first = first,
                                         .n = (uint32_t)(w->n_rows - first),
                                         .document = c->document,
                                         .bytes = (uint32_t)text.len,
                                         .is_scored = c->is_scored,
                                         .is_of_all = c->is_of_all,
                                         .is_sentence = c->is_sentence,
                                         .other_script = (float)script_other(text) / (float)text.len};
    return true;
}

static bool add_piece(struct windows *w, struct span piece, unsigned bits, struct error *err)
{
    if (!grow((void **)&w->rows, &w->cap_rows, w->n_rows + FEATURES_MAX, sizeof(*w->rows), err)) {
        return false;
    }
    w->n_rows += features_of(piece, bits, w->rows + w->n_rows);
    return true;
}

/* As linear_scan does. */
static bool add_unit(struct windows *w, struct span text, const struct cutting *c, struct error *err)
{
    size_t from = 0, from_before = 0, current = w->n_rows, before = w->n_rows;

    for (size_t at = 0; at < text.len;) {
        size_t len = segment_first(SEGMENT_SENTENCE, span_slice(text, at, text.len), true);
        if (!add_piece(w, span_slice(text, at, at + len), c->bits, err)) {
            return false;
        }
        at += len;
        if (at - from < c->half && at < text.len) {
            continue;
        }
        if ((before != current && !add_window(w, before, span_slice(text, from_before, at), c, err)) ||
            !add_window(w, current, span_slice(text, from, at), c, err)) {
            return false;
        }
        before = current;
        current = w->n_rows;
        from_before = from;
        from = at;
    }
    return true;
}

/* Longer ones are windows anyway. */
static bool add_sentences(struct windows *w, struct span text, struct cutting *c, struct error *err)
{
    bool is_added = true;

    c->is_sentence = true;
    for (size_t at = 0; is_added && at < text.len;) {
        struct span rest = span_slice(text, at, text.len);
        struct span sentence = span_slice(rest, 0, segment_first(SEGMENT_SENTENCE, rest, true));
        is_added = sentence.len >= c->half || add_unit(w, sentence, c, err);
        at += sentence.len;
    }
    c->is_sentence = false;
    return is_added;
}

static bool add_document(struct windows *w, const struct document *d, struct cutting *c, struct error *err)
{
    struct span text = d->text;
    size_t n_units = 0, first = w->n;

    c->is_scored = true;
    for (size_t at = 0; at < text.len; n_units++) {
        struct span rest = span_slice(text, at, text.len);
        size_t len = segment_first(SEGMENT_PARAGRAPH, rest, true);
        if (!add_unit(w, span_slice(rest, 0, len), c, err)) {
            return false;
        }
        at += len;
    }
    c->is_scored = false;
    for (size_t i = first; n_units == 1 && i < w->n; i++) {
        w->items[i].is_of_all = true; /* its only paragraph is all of it */
    }
    c->is_of_all = true;
    bool is_added = n_units < 2 || add_unit(w, text, c, err);
    c->is_of_all = false;
    return is_added && (d->recipe->role != ROLE_BENIGN || add_sentences(w, text, c, err));
}

bool windows_make(struct windows *w, const struct corpus *c, size_t half, unsigned bits, struct error *err)
{
    *w = (struct windows){.n_documents = c->n, .bits = bits};
    w->of_document = calloc(c->n + 1, sizeof(*w->of_document));
    if (w->of_document == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "windows: no memory");
    }
    for (size_t i = 0; i < c->n; i++) {
        w->of_document[i] = w->n;
        struct cutting cutting = {.document = (uint32_t)i, .half = half, .bits = bits};
        if (!add_document(w, &c->items[i], &cutting, err)) {
            return false;
        }
    }
    w->of_document[c->n] = w->n;
    return true;
}

void windows_deinit(struct windows *w)
{
    free(w->rows);
    free(w->items);
    free(w->of_document);
}
