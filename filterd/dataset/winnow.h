/* winnow.h - fingerprints of a text by winnowing (Schleimer, Wilkerson, Aiken: Local Algorithms for Document
 * Fingerprinting, SIGMOD 2003), with a keyed rolling hash (a cyclic polynomial: Cohen, Recursive hashing functions for n-grams,
 * ACM TOIS 1997).
 *
 * A gram is WINNOW_GRAM letters (letters.h) one after another, whatever stands between them; of each WINNOW_WINDOW grams
 * the one with the least hash is a fingerprint, the first of equals. So two texts that share WINNOW_LETTERS letters share a fingerprint,
 * and which grams are fingerprints depends on what is near alone. More than WINNOW_GAP_MAX bytes without a letter end a
 * segment: no gram and no window goes over them. Of a segment with fewer grams than a window, the least is one.
 *
 * Letters and grams are numbered over the text; a gram has the number of its first letter. Text is valid UTF-8, of less than
 * 4 GiB. Not shared between threads. */
#ifndef FILTERD_DATASET_WINNOW_H
#define FILTERD_DATASET_WINNOW_H

#include "dataset/key.h"
#include "dataset/letters.h"

enum {
    WINNOW_GRAM = 32,
    WINNOW_WINDOW = 16,
    WINNOW_LETTERS = WINNOW_GRAM + WINNOW_WINDOW - 1,
    WINNOW_GAP_MAX = 128,
    WINNOW_BLOCK = 128,                  /* bytes that are read at a time: at most 2 * WINNOW_BLOCK letters */
    WINNOW_RING = 8 * WINNOW_BLOCK,      /* letters that are remembered */
    WINNOW_CHOSEN_MAX = 3 * WINNOW_BLOCK,
};

struct winnow {
    const struct dataset_key *key;
    struct span text;
    size_t at;        /* next byte */
    size_t n_letters; /* read */
    size_t n_hashed;  /* letters whose grams have a hash */
    size_t n_looked;  /* grams whose windows are known: of those that end with them */
    size_t first;     /* letter of the segment */
    bool is_over;     /* the segment has ended */
    uint64_t rolling;
    uint64_t suffixes[WINNOW_WINDOW + 1]; /* the least of the group of grams before, from each on */
    size_t least;                         /* gram of the last window; SIZE_MAX: none */
    size_t n_chosen;
    size_t chosen[WINNOW_CHOSEN_MAX];   /* grams that are fingerprints, since the call before */
    size_t last_of[WINNOW_CHOSEN_MAX];  /* the last gram of the first window of which they are */
    uint32_t from[WINNOW_RING];       /* byte of the text, by letter */
    uint64_t value[WINNOW_RING];      /* of the letter */
    uint64_t gram[WINNOW_RING];       /* hash of the gram */
};

enum winnow_event {
    WINNOW_READ,    /* WINNOW_BLOCK bytes, or up to the end of a segment */
    WINNOW_SEGMENT, /* a segment has ended, with letter n_hashed - 1; what is known of it is there until the next call */
    WINNOW_END,     /* of the text; of its last segment the grams after n_looked - WINNOW_WINDOW may be fingerprints in a longer one */
};

/* `at` is where a character of the text begins: a letter there is number 0, and windows begin with it. */
void winnow_begin(struct winnow *w, const struct dataset_key *key, struct span text, size_t at);
enum winnow_event winnow_next(struct winnow *w);
/* Chooses the fingerprint of a last segment that is short, when the text ends. */
void winnow_finish(struct winnow *w);

/* Behind the last gram of the segment that has a hash. */
size_t winnow_grams_end(const struct winnow *w);

/* The hash of the fingerprint of the window that begins at `at`, where a character does, and ends before `end`; false when there are
 * fewer letters. end - at <= WINNOW_GAP_MAX: it is of one segment. */
bool winnow_window(const struct dataset_key *key, struct span text, size_t at, size_t end, uint64_t *gram);

/* What is stored of a gram's hash, and of its being in a document. */
uint64_t winnow_hash(const struct dataset_key *key, uint64_t gram);
uint64_t winnow_hash_in(const struct dataset_key *key, uint64_t gram, uint32_t document);

static inline size_t winnow_from(const struct winnow *w, size_t letter)
{
    return w->from[letter % WINNOW_RING];
}

/* Behind the letter. */
static inline size_t winnow_to(const struct winnow *w, size_t letter)
{
    const size_t from = winnow_from(w, letter);
    const unsigned char c = (unsigned char)w->text.ptr[from];

    return from + (c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4);
}

#endif
