/* names_recipe.h - how the model of person names is made, and what it does on what it was not made
 * from.
 *
 * For the training programs. One seed; the same data gives the same bytes. */
#ifndef FILTERD_CLASSIFIERS_TRAIN_TAGGER_NAMES_RECIPE_H
#define FILTERD_CLASSIFIERS_TRAIN_TAGGER_NAMES_RECIPE_H

#include "classifiers/train/tagger/names_made.h"
#include "classifiers/train/tagger/tagger_lists.h"
#include "classifiers/train/tagger/tagger_train.h"

/* The corpora that are held back in turn; HELD_NONE: all are learnt from. */
enum names_held { HELD_WNUT, HELD_BTC, HELD_CROSSNER, HELD_SEC, HELD_NONE };
enum { NAMES_WORDS_BITS = 18 };

struct names_data {
    struct tagger_words words;
    struct name_pool pool;
    struct examples sentences; /* READ_MENDED */
    struct examples labelled;  /* the same, READ_LABELLED */
    struct examples names;     /* the same, READ_NAMES */
    struct examples plain;     /* lines of ordinary text without marks */
    struct examples posts;     /* lines that people wrote, some of plain */
    struct examples answers;   /* lines of benign answers, to learn from */
    struct examples chats;     /* others, to measure on */
    size_t n_arena; /* so many of chats are of llm-arena-hard, the rest of llm-fastchat */
};

void names_read(struct names_data *d, const char *folder);
void names_read_chats(struct names_data *d, const char *folder); /* chats alone */
struct tagger names_train(const struct names_data *d, enum names_held held);
extern const char *const name_classes[TAGGER_CLASSES]; /* for people: "names", "places" */

enum names_held names_corpus_of(const struct example *e);
/* What was measured of a class on the corpora held back. */
struct class_figures {
    struct judged_list judged; /* findings */
    double worst;              /* F1 by overlap, of the corpora that mark enough of the class; 0: none does */
};
/* What the tagger does on the sentences of the corpus; adds to the figures of each class. */
void names_measure(const struct names_data *d, const struct tagger *t, enum names_held held,
                   struct class_figures figures[TAGGER_CLASSES]);
/* Calibrates the class by its figures; it acts if the worst of them says that it is good enough. */
void names_settle(struct tagger *t, unsigned class, const struct class_figures *figures);
/* How much it finds of a class in chats; with every, prints each so many-th sure finding for a person to
 * judge. */
void names_measure_chats(const struct names_data *d, const struct tagger *t, unsigned class, size_t every);

#endif
