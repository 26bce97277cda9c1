/* sketch.h - how many different values there were, estimated: HyperLogLog.
 *
 * P. Flajolet, E. Fusy, O. Gandouet, F. Meunier: HyperLogLog: the analysis of a near-optimal cardinality estimation
 * algorithm (2007), with the estimator of O. Ertl: New cardinality estimation algorithms for HyperLogLog sketches (2017),
 * which needs no correction for small numbers. The standard error is 2.3 %. Hashes are keyed, so that a caller cannot choose
 * values that share registers. Pure; zeroed memory is an empty sketch. */
#ifndef FILTERD_BUDGET_SKETCH_H
#define FILTERD_BUDGET_SKETCH_H

#include <stdbool.h>
#include <stdint.h>

enum { SKETCH_BITS = 11, SKETCH_REGISTERS = 1 << SKETCH_BITS };

struct sketch {
    uint8_t registers[SKETCH_REGISTERS];
};

void sketch_add(struct sketch *s, uint64_t hash);
/* Adding it would change nothing: it was added before, or cannot be distinguished from others that were. */
bool sketch_has(const struct sketch *s, uint64_t hash);
/* `to` becomes the sketch of the values of both. */
void sketch_merge(struct sketch *to, const struct sketch *from);
double sketch_estimate(const struct sketch *s);

#endif
