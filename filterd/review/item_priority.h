/* item_priority.h - the priority of an item: a sum of terms, each of which is shown.
 *
 * Computed from the lines in integers, without a clock. Pure. */
#ifndef FILTERD_REVIEW_ITEM_PRIORITY_H
#define FILTERD_REVIEW_ITEM_PRIORITY_H

#include <stdbool.h>
#include <stdint.h>

struct item_priority {
    unsigned severity;    /* 100 per grade: low 100 to critical 400 */
    unsigned agent;       /* 40 at the agent's first threshold of violations; in proportion below */
    unsigned novelty;     /* 30 for the first item of a group */
    unsigned uncertainty; /* 20 at a confidence of 0.5; 0 at 0 and 1 */
    unsigned precision;   /* 20 minus 20 times the lower bound of the rule's precision */
    unsigned total;
};

struct item_circumstances {
    unsigned severity;   /* 0 none, 1 low to 4 critical */
    unsigned confidence; /* in ten-thousandths */
    unsigned agent;      /* violations as a share of the first threshold, in ten-thousandths, at most 10000 */
    bool is_new;
    bool has_rule;       /* a precision applies */
    uint64_t true_positives, false_positives; /* of the rule so far, in the tenant */
};
struct item_priority item_priority_of(const struct item_circumstances *c);

/* Lower bound of the 95 % Wilson interval of hits / n, in ten-thousandths, rounded down; 0 for n = 0. */
unsigned item_lower_bound(uint64_t hits, uint64_t n);

#endif
