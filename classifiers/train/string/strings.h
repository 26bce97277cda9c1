/* strings.h - strings that are known to be random or not, to learn from and to measure by.
 *
 * Made ones come from a fixed seed: random strings over the alphabets that formats of keys use, and what looks like
 * them and is none. Found ones are the candidates in a text: runs of at least STRINGS_MIN characters that keys are
 * written with. */
#ifndef FILTERD_CLASSIFIERS_TRAIN_STRING_STRINGS_H
#define FILTERD_CLASSIFIERS_TRAIN_STRING_STRINGS_H

#include "base/arena.h"

enum { STRINGS_MIN = 16, STRINGS_MAX = 512 };

struct string {
    struct span text;
    const char *set; /* what it counts to in the figures */
    bool is_random;
    bool is_repeated; /* there was the same before */
};

struct strings {
    struct string *items;
    size_t n, cap;
    struct arena memory;
};

void strings_init(struct strings *s);
void strings_deinit(struct strings *s);

MUST_CHECK bool strings_add(struct strings *s, struct span text, const char *set, bool is_random, struct error *err);

/* n of each kind of random string, and as many of each kind of harmless one. */
MUST_CHECK bool strings_make(struct strings *s, size_t n, struct error *err);

/* Every row of a file of rows with a text: as it is, where the row says "whole": true, or its candidates. The row may say
 * "random": true, and its set. */
MUST_CHECK bool strings_read(struct strings *s, const char *path, const char *set, struct error *err);

/* Marks strings that were there before. */
MUST_CHECK bool strings_mark_repeated(struct strings *s, struct error *err);

#endif
