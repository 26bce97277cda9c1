/* classifier.h - what judges a stretch of text as a whole and says how sure it is; an interface, no idea of rules.
 *
 * A classifier knows one or several heads by name ("toxicity"). It is given a unit of text (a sentence, a paragraph, all)
 * and tells places in it whose score reaches what was asked for; places of one head do not touch one another. What it
 * tells depends on the unit's bytes alone. Classifiers are immutable and thread-safe; they live as long as the program. */
#ifndef FILTERD_SCAN_CLASSIFIER_H
#define FILTERD_SCAN_CLASSIFIER_H

#include "base/error.h"
#include "base/span.h"

enum { CLASSIFIER_HEADS_MAX = 16 };

struct classifier_place {
    unsigned head;
    size_t from, to; /* bytes of the unit, half-open; empty: only its parts are reported, behind it */
    size_t whole_from, whole_to; /* what exceptions of a rule read, when it is more than from..to; empty: it is not */
    bool is_part;    /* of the place reported before, and nothing where a rule's exceptions leave that out */
    double score;    /* in [0, 1] */
};

typedef bool classifier_found_fn(void *context, const struct classifier_place *place, struct error *err);

/* What spoke for a head in a stretch of text: bytes of it, and how much in the head's own units. */
struct classifier_reason {
    size_t from, to;
    double weight;
};

struct classifier {
    const void *self;
    /* The head of that name; CLASSIFIER_HEADS_MAX: none. */
    unsigned (*head)(const void *self, struct span name);
    /* wanted[head]: the least score to tell; above 1: nothing of it. False when found() failed, or memory ran out. */
    bool (*judge)(const void *self, struct span unit, const double wanted[CLASSIFIER_HEADS_MAX], classifier_found_fn *found,
                  void *context, struct error *err);
    /* Strongest first; returns how many. */
    size_t (*explain)(const void *self, unsigned head, struct span text, struct classifier_reason *reasons, size_t max);
    struct span (*digest)(const void *self);
    /* Whether the head is too unreliable on texts that it has not seen to act on; NULL: none is. */
    bool (*only_reports)(const void *self, unsigned head);
    /* Whether it was measured on texts as a whole, and is reliable on these alone; NULL: no head is. */
    bool (*needs_all)(const void *self, unsigned head);
};

#endif
