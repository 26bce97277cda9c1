/* class_runs.h - rows of characters of one class, with single ones around: [A-Za-z0-9+/]{16}, _[0-9A-F]{48}, [0-9a-f]{3}\.[a-z]{16}.
 *
 * Such a trigger has no literal of two characters, so Hyperscan runs an automaton over every byte for it. The row as bits of
 * 64 bytes is a few shifts, and where there is one the rest is compared.
 *
 * Immutable once made; any number of threads may search with it. */
#ifndef FILTERD_REGEX_CLASS_RUNS_H
#define FILTERD_REGEX_CLASS_RUNS_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"
#include "regex/byte_class.h"
#include "regex/byte_lookup.h"
#include "regex/byte_rows.h"

enum { CLASS_RUN_MIN = 6, CLASS_RUN_MAX = 64, CLASS_RUNS_MAX = 32, CLASS_PARTS_MAX = 12, CLASS_GATES = 2 };

/* So many characters in a row of one class. */
struct class_part {
    struct byte_set set;
    unsigned n;
};

/* Parts one behind another; the row that is looked for is the longest. */
struct class_run {
    struct byte_class class;
    struct byte_lookup lookup; /* the same class */
    struct byte_row row;
    struct class_part parts[CLASS_PARTS_MAX];
    unsigned n_parts;
    unsigned n;             /* characters of the row */
    unsigned before, width; /* before the row, of all */
    unsigned row_part, rare_part, before_rare; /* the row; the other part of the fewest characters, and what is before it */
    uint32_t id;            /* the caller's */
};

/* The items [from, to), whose classes are much the same: `class` has all of their characters. Where it has no row of n, the
 * shortest of theirs, none of them has one. */
struct class_gate {
    struct byte_class class;
    struct byte_lookup lookup; /* the same class */
    struct byte_row row;
    unsigned n;
    size_t from, to;
};

struct class_runs {
    struct class_run items[CLASS_RUNS_MAX];
    size_t n;
    struct class_gate gates[CLASS_GATES];
};

/* Takes an expression that is nothing but ASCII characters and classes, each perhaps with {n}; false when it is anything else,
 * its longest row is short or too long, or there is no room. Not one with a literal of two characters, or of three
 * that each are one of few: those are Hyperscan's, and a class of its own would widen the gate of all others. */
bool class_runs_take(struct class_runs *runs, struct span expression, uint32_t id);

/* A match ends at each of `first` to `last`. Stops the search when it returns false. */
typedef bool class_run_found_fn(void *context, uint32_t id, uint32_t first, uint32_t last);
/* Calls `found` for all places where a match ends, in order for each expression. False when it was stopped. */
bool class_runs_scan(const struct class_runs *runs, struct span text, class_run_found_fn *found, void *context);

#endif
