/* winnow.h - fingerprints of a text by winnowing (Schleimer, Wilkerson, Aiken: Local Algorithms for Document
 * Fingerprinting, SIGMOD 2003), with a keyed rolling hash.
 *
 * A gram is WINNOW_GRAM letters (letters.h) one after another, whatever stands between them; of each WINNOW_WINDOW grams
 * the one with the least hash is a fingerprint, the first of equals. So two texts that share WINNOW_LETTERS letters share a fingerprint,
 * and which grams are fingerprints depends on what is near alone. More than WINNOW_GAP_MAX bytes without a letter end a
 * segment: no gram and no window goes over them. */
#ifndef FILTERD_DATASET_WINNOW_H
#define FILTERD_DATASET_WINNOW_H

#include "dataset/key.h"
#include "dataset/letters.h"

enum {
    WINNOW_GRAM = 32,
    WINNOW_WINDOW = 16,
    WINNOW_LETTERS = WINNOW_GRAM + WINNOW_WINDOW - 1,
    WINNOW_GAP_MAX = 32,
    WINNOW_RING = 128, /* letters that are remembered */
};

struct winnow {
    const struct dataset_key *key;
    struct span text;
    size_t at;         /* next byte */
    size_t n_letters;  /* of the segment */
    bool is_over;      /* the segment has ended */
    size_t end;        /* of the last letter in the text */
    uint64_t rolling;
    uint64_t least;    /* of the window, and the gram that has it */
    size_t min_gram;
    size_t chosen;     /* the last fingerprint; SIZE_MAX: none */
    struct {
        uint32_t from, to; /* bytes of the text */
        uint64_t value;    /* of the letter */
        uint64_t gram;     /* hash of the gram that begins here; UINT64_MAX: never chosen */
    } ring[WINNOW_RING];
};

enum winnow_event { WINNOW_END, WINNOW_LETTER, WINNOW_CHOSEN, WINNOW_RESET };

void winnow_begin(struct winnow *w, const struct dataset_key *key, struct span text);
/* Reads a letter. CHOSEN: w->chosen is a new fingerprint, too. RESET: nothing was read, the segment has ended; its letters
 * are there until the next call. */
enum winnow_event winnow_next(struct winnow *w);
/* The same, but reads on until the event is not LETTER. */
enum winnow_event winnow_next_chosen(struct winnow *w);

/* Whether `gram` of the segment, of the last WINNOW_RING letters, has a hash that may be chosen; and what is stored of it. */
bool winnow_hash(const struct winnow *w, size_t gram, uint64_t *hash);

#endif
