/* tagger_texts.h - the texts that taggers are trained and measured on: each a line with its marked
 * spans.
 *
 * For the training programs: what goes wrong ends the program with a message. Everything read stays
 * until the end of the program. The same files give the same texts in the same order. */
#ifndef FILTERD_CLASSIFIERS_TRAIN_TAGGER_TAGGER_TEXTS_H
#define FILTERD_CLASSIFIERS_TRAIN_TAGGER_TAGGER_TEXTS_H

#include <stdint.h>
#include <stdio.h>

#include "base/span.h"

/* A mark that neither counts for nor against: what a data's makers call a person and others do not.
 */
enum { LABEL_IGNORED = 100 };

struct mark {
    uint32_t from, to; /* bytes, half-open */
    uint32_t
        label; /* the first label of the kind: TAGGER_PERSON_BEGINS, ..., or a part of an address */
};

struct example {
    struct span text;
    struct mark *marks;
    uint32_t n_marks;
    uint32_t group;  /* where it comes from: enum of the program's */
    bool is_partial; /* only what is sought is marked: other tokens may be anything else */
    float weight;    /* how much it counts in training */
};

struct examples {
    struct example *items;
    size_t n, cap;
};

void examples_add(struct examples *all, struct example one);

/* xorshift: the same numbers on every machine. */
uint32_t next_random(uint64_t *state);
/* 0 <= result < n. */
uint32_t random_below(uint64_t *state, uint32_t n);

_Noreturn void give_up(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *need_memory(size_t n, size_t size); /* zeroed */
struct span copy_span(struct span text);
/* The whole file folder/name, ending in a NUL that does not count. */
struct span read_whole(const char *folder, const char *name);
/* The next line without its end; false at the end of rest. */
bool next_line(struct span *rest, struct span *line);

/* The marked sentences of ner/sentences.ndjson, in one of three readings. Handles behind an @ and
 * the parties that loan contracts call Borrower and Lender are marked there as persons; READ_NAMES
 * makes them LABEL_IGNORED. READ_MENDED does, too, takes dashes and the like off the ends of marks,
 * and lets a mark that is cut off at the full stop of an initial, Ann E of Ann E . Doe, reach to
 * the surname's end. */
enum reading { READ_LABELLED, READ_NAMES, READ_MENDED };
enum sentence_source {
    SOURCE_WNUT_TRAIN,
    SOURCE_WNUT_NEW,
    SOURCE_BTC,
    SOURCE_CROSSNER,
    SOURCE_SEC_FIN5,
    SOURCE_SEC_FIN3,
    SOURCES
};
void read_sentences(const char *folder, enum reading reading, struct examples *all);

/* The sentence as people write it, without the spaces that the data's makers put before full stops
 * and the like. */
struct example without_token_spaces(const struct example *e);

/* The texts of a file of benign answers and the like, cut into lines: no marks. */
void read_plain_lines(const char *folder, const char *name, uint32_t group, struct examples *all);

#endif
