/* survey.h - one pass over a text that says, for every 64 bytes, which obfuscations could start there.
 *
 * The tests are coarse: a mark means "look closely", no mark means "nothing of the kind starts
 * here". Transforms pass over unmarked blocks without touching the text. */
#ifndef FILTERD_VIEW_SURVEY_H
#define FILTERD_VIEW_SURVEY_H

#include <stdint.h>

#include "base/arena.h"

enum { SURVEY_BLOCK = 64 };

enum survey_mark {
    SURVEY_HIGH = 1 << 0,    /* a byte of a non-ASCII character, or the repair byte */
    SURVEY_ESCAPE = 1 << 1,  /* % & or \ */
    SURVEY_RUN = 1 << 2,     /* sixteen characters of the base64 alphabets in a row, not all small
                                letters; the run may begin up to fifteen before the block */
    SURVEY_SPACED = 1 << 3,  /* the last of four letters, digits or _ that spaced_are_close */
    SURVEY_LIST = 1 << 4,    /* twelve characters that lists of numbers are made of */
    SURVEY_WRAP = 1 << 5,    /* a newline behind eight base64 characters, likewise */
    SURVEY_QUOTE = 1 << 6,   /* what may glue strings behind a quote: any sign behind a token */
    SURVEY_ENCODED = 1 << 7, /* = before two digits or capitals, or at the end of a line */
    SURVEY_MARKUP = 1 << 8,  /* signs of markup behind a letter and before another or a tag, escape, backspace, a
                                backslash before a newline */
    SURVEY_GROUPED = 1 << 9, /* a word of letters and digits, with a capital or _ inside, or a number beside a sign of a token,
                                that is long, ends its line or has one of its length behind it; or four characters alone, two
                                or more apart */
    SURVEY_PARTS = 1 << 10,  /* a quote behind a token with a sign of code or white space behind it */
    SURVEY_CODES = 1 << 11,  /* digits at three closing brackets */
};

struct survey {
    const uint16_t *marks; /* one per block */
    size_t n_blocks;
    unsigned all; /* the marks of all blocks together */
};

MUST_CHECK bool survey_make(struct arena *a, struct span text, struct survey *out,
                            struct error *err);

/* The start of the first block that carries one of the marks and ends behind `at`, or `at` itself
 * when that lies in it; SIZE_MAX when there is none. */
size_t survey_next(const struct survey *s, size_t at, unsigned marks);

#endif
