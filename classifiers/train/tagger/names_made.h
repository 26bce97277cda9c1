/* names_made.h - texts with names that are made, not found: templates filled from the lists, and
 * marked sentences with other names in the place of theirs.
 *
 * The data's sentences are of few kinds of text and hold famous names, which a tagger would learn
 * by heart. For the training programs; the same seed gives the same texts. */
#ifndef FILTERD_CLASSIFIERS_TRAIN_TAGGER_NAMES_MADE_H
#define FILTERD_CLASSIFIERS_TRAIN_TAGGER_NAMES_MADE_H

#include "classifiers/train/tagger/tagger_texts.h"

struct words {
    struct span *items;
    size_t n, cap;
};

/* The names that go together: a country's, or a locale's. */
struct people {
    char key[12];
    struct words given, surnames;
};

struct name_pool {
    struct people census, sets[512];
    size_t n_sets;
    struct words cities, titles;
};

void name_pool_read(struct name_pool *pool, const char *folder);

/* A text while it is made. */
struct writer {
    const struct name_pool *pool;
    uint64_t *random;
    char text[1024];
    size_t len;
    struct mark marks[32];
    uint32_t n_marks;
};

void made_write_span(struct writer *w, struct span s);
void made_write_str(struct writer *w, const char *s);
/* Of these people, or in one of a few more. */
void made_write_full_name(struct writer *w, const struct people *p);
void made_write_surname(struct writer *w, const struct people *p);
/* What a slot of a template stands for; p: whose names. */
void made_write_slot(struct writer *w, char slot, const struct people *p);
/* The text from there on is of this label. */
void made_add_mark(struct writer *w, size_t from, uint32_t label);
/* Writes a word for a placeholder of the lines that name nobody (names_negatives_table.c), never a person's name; false for any other
 * placeholder. *label: its class when it is another kind of name, else 0. */
bool made_write_not_name(struct writer *w, char slot, uint32_t *label);
bool made_by_chance(struct writer *w, uint32_t percent);
const struct people *made_choose_people(struct writer *w);
void made_change_case(char *text, size_t from, size_t to, bool upper);
struct example made_take_example(const struct writer *w, uint32_t group);

struct span made_one_of(const struct words *w, uint64_t *random);
void made_words_add(struct words *w, struct span word);
struct span made_column_of(struct span line, char separator, size_t number);

/* n filled templates, in turn. */
void make_sentences(const struct name_pool *pool, size_t n, uint64_t seed, struct examples *all);
/* n lines that name nobody, of this weight each. */
void make_negatives(const struct name_pool *pool, size_t n, float weight, uint64_t seed, struct examples *all);

/* The example with other names; false when it has no mark of a person. */
bool with_other_names(const struct name_pool *pool, const struct example *e, uint64_t *random,
                      struct example *changed);

/* Now and then, the example all in small letters, or its names, or all in capitals; false
 * otherwise.
 */
bool in_other_case(const struct example *e, uint64_t *random, struct example *changed);

/* names_templates_table.c: $N full name, $G given name, $S surname, $C city, $O company, $D date,
 * $I number, $E e-mail address, $P telephone number, $T title, $H title and surname,
 * $R party of a contract, $W other word that contracts define, $A street or building, $U state,
 * $F firm of partners. */
extern const char *const name_templates[];
extern const size_t n_name_templates;

/* names_negatives_table.c, beside these: $K program, $J person of a method, $Q typeface, $M dish, $Y word of headings, $B German noun,
 * $Z part of the name of a character, $L given name in small letters, $X invented name of a program, $V company or museum. */
extern const char *const name_negatives[];
extern const size_t n_name_negatives;

#endif
