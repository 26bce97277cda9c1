/* windows.h - documents as the model sees them: their features, and the windows that are scored. */
#ifndef FILTERD_CLASSIFIERS_TRAIN_WINDOWS_H
#define FILTERD_CLASSIFIERS_TRAIN_WINDOWS_H

#include "classifiers/train/corpus.h"

/* A run of rows of the pool. A document's windows are those of its paragraphs, which is what a policy judges unless it says
 * otherwise, and, to learn from, those of all of it as one. Those of a harmless document are also its sentences, each alone:
 * a policy may hold sentences, and what is short in no paragraph's window stands by itself. */
struct window {
    size_t first;
    uint32_t n, document;
    uint32_t bytes;
    float other_script; /* share of its bytes */
    bool is_scored; /* of a paragraph */
    bool is_of_all; /* of all of the document as one */
    bool is_sentence;
};

struct windows {
    uint32_t *rows;
    size_t n_rows, cap_rows;
    struct window *items;
    size_t n, cap;
    size_t *of_document; /* windows of document i: of_document[i] .. of_document[i + 1] */
    size_t n_documents;
    unsigned bits;
};

/* The windows that a head with halves of that many bytes scores. */
MUST_CHECK bool windows_make(struct windows *w, const struct corpus *c, size_t half, unsigned bits, struct error *err);
void windows_deinit(struct windows *w);

#endif
