/* item_priority.h - how urgent an item is, as a sum of terms that can be shown one by one.
 *
 * Integers of what the lines say; no clock. Pure. */
#ifndef FILTERD_REVIEW_ITEM_PRIORITY_H
#define FILTERD_REVIEW_ITEM_PRIORITY_H

#include <stdbool.h>
#include <stdint.h>

struct item_priority {
    unsigned severity;    /* 100 a grade: low 100 to critical 400 */
    unsigned agent;       /* 40: the agent's violations are at its first threshold; in proportion below */
    unsigned novelty;     /* 30: the first of its group */
    unsigned uncertainty; /* 20: a confidence of 0.5; 0 at both ends */
    unsigned precision;   /* 20 less what is certain of the rule's precision; 20: nothing is known */
    unsigned total;
};

struct item_circumstances {
    unsigned severity;   /* 0 none, 1 low to 4 critical */
    unsigned confidence; /* in ten-thousandths */
    unsigned agent;      /* of the first threshold, in ten-thousandths, 10000 at most */
    bool is_new;
    bool has_rule;       /* a precision applies */
    uint64_t true_positives, false_positives; /* of the rule so far, in the tenant */
};
struct item_priority item_priority_of(const struct item_circumstances *c);

/* Wilson's lower bound of 95 % for hits of n, in ten-thousandths, rounded down; 0 for n = 0. */
unsigned item_lower_bound(uint64_t hits, uint64_t n);

#endif
