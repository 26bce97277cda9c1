#include "pipeline/document.h"
#include "protocol/dialect.h"

/* Answers that carry no text of a model: lists of models, embeddings, an error in any shape. Every string and member name
 * of the JSON is judged; numbers, of which embeddings consist, are not. No tree is made of it, as it may be long. */

bool passed_judge(struct translation *t, struct span json, struct error *err)
{
    struct document d;

    if (!document_read_texts(&t->memory, json, span_str(""), &d, err) ||
        (d.n > 0 && !aside_judge(t, d.channels, d.n, err))) {
        return false;
    }
    for (size_t i = 0; i < d.n; i++) {
        struct channel *c = &d.channels[i];
        c->output = span_equal(c->output, c->text) ? c->text : c->output; /* as it was written */
    }
    return document_write(&d, t->down.out, err);
}
