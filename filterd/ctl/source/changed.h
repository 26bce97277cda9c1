/* changed.h - which parts of a file's new version are to be judged, given the version before.
 *
 * A line is unchanged where it and the line in front of it are adjacent in the old version, too; of two lines that were not,
 * both may be old. A part is what is changed with context on each side: at least CHANGED_NEAR bytes, enough for a match to
 * be seen, or CHANGED_CONTEXT bytes, more than any shipped rule looks for words. Context goes on through lines of encoded
 * data, up to CHANGED_DATA bytes, and the line beyond, so that a key in base64 is not cut and has its first and last line.
 * What is found in the outer half of the wide context is of the old version: its own context may be cut. */
#ifndef FILTERD_CTL_SOURCE_CHANGED_H
#define FILTERD_CTL_SOURCE_CHANGED_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum { CHANGED_NEAR = 128, CHANGED_CONTEXT = 1024, CHANGED_REPORTED = 512, CHANGED_DATA = 16 * 1024 };

/* Bytes of the new version, half-open, both ends at beginnings of lines. */
struct changed_part {
    size_t changed_from, changed_to;   /* the changed lines and what is between; both the same where lines only went.
                                          With wide context, a line more on each side */
    size_t from, to;                   /* judged */
    size_t reported_from, reported_to; /* what is found here is reported */
    size_t first_line;                 /* of `from`, from 1; set by changed_number */
};

struct changed {
    struct changed_part *parts;
    size_t n, max;
};

/* Of the hashes of lines, so that nobody can prepare many with the same one. */
struct changed_key {
    uint64_t words[2];
};

/* At random; for any number of versions. */
struct changed_key changed_key_new(void);
/* The parts with near context, all of it reported. */
MUST_CHECK bool changed_find(struct changed *c, const struct changed_key *key, struct span old, struct span text, struct error *err);
/* Adds a part of changed_find, with wide context. In order; parts that overlap become one. `wide` zeroed at first. */
MUST_CHECK bool changed_widen(struct changed *wide, struct span text, const struct changed_part *near, struct error *err);
/* Adds what is near text[from, to), with near context, as changed_find does. In order. `near` zeroed at first. */
MUST_CHECK bool changed_near(struct changed *near, struct span text, size_t from, size_t to, struct error *err);
/* Counts the lines. */
void changed_number(struct changed *c, struct span text);
void changed_deinit(struct changed *c);

#endif
