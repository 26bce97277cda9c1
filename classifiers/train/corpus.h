/* corpus.h - the labelled texts that the heads are trained on and measured with.
 *
 * Which row of which file speaks for or against which head is in one table, recipe.c. A group is what is left out
 * as a whole when the others are measured on it: one source, or one kind of one. */
#ifndef FILTERD_CLASSIFIERS_TRAIN_CORPUS_H
#define FILTERD_CLASSIFIERS_TRAIN_CORPUS_H

#include <stdint.h>

#include "base/arena.h"
#include "classifiers/heads.h"

/* ROLE_HELD: measured, and never learned from. */
enum role { ROLE_LABELLED, ROLE_BENIGN, ROLE_AUXILIARY, ROLE_HELD };

struct recipe {
    const char *file;   /* under the folder of data; "": none, its texts come from elsewhere */
    const char *field;  /* the row counts when this field begins with value; NULL: always */
    const char *value;
    const char *group;
    enum role role;
    unsigned positive, negative; /* bit per head */
    double weight;
};

extern const struct recipe recipes[];
extern const unsigned n_recipes;

struct document {
    struct span text;
    const struct recipe *recipe;
    uint32_t hash; /* of the text: which part of a split it belongs to */
    bool is_found; /* rules find it without the model */
    uint32_t row;  /* of its file, from 1; 0: none */
    unsigned silent;  /* heads that it says nothing about, though its recipe says that it speaks against them */
    const char *also; /* another group that it is left out with; NULL: none */
};

struct corpus {
    struct document *items;
    size_t n, cap;
    struct arena memory;
};

/* Reads the files of the recipes under `folder`, in the order of the table; a row belongs to the first recipe that takes
 * it. NULL: none. */
MUST_CHECK bool corpus_init(struct corpus *c, const char *folder, struct error *err);
/* Marks the texts that are in that file, one row each, as found by rules. */
MUST_CHECK bool corpus_mark_found(struct corpus *c, const char *path, struct error *err);
/* Whether a list of lines "file TAB row TAB ..." has the document's row. */
bool corpus_lists(struct span list, const struct document *d);
/* The rows of the list say nothing about the heads (a bit each). */
MUST_CHECK bool corpus_silence(struct corpus *c, const char *list, unsigned heads, struct error *err);
MUST_CHECK bool corpus_add(struct corpus *c, struct span text, const struct recipe *recipe, struct error *err);
void corpus_deinit(struct corpus *c);

#endif
