/* nh.h - NH, the fast first part of a keyed hash (Black et al., "UMAC: Fast and Secure Message Authentication", 1999).
 *
 * A text is cut into blocks of NH_BLOCK bytes, the last padded with zeros, and each becomes a sum of NH_SUM bytes: four sums of products of
 * words that were added to the key, each with the key moved on by a group (Toeplitz). On processors that multiply without carries two
 * vectors at once they are two sums of twice the length, of such products of words of 64 bits (CLNH: Lemire and Kaser, "Faster 64-bit
 * universal hashing using carry-less multiplications", 2016).
 *
 * For any two texts of the same length that differ the share of keys under which all their sums are equal is at most 2^-128, in either way.
 * So a hash of the sums and of the length (history.c) is a hash of the text. Only as long as the sums are secret. Which way and which
 * order of bytes is the machine's: sums are of one process. */
#ifndef FILTERD_PROMPT_NH_H
#define FILTERD_PROMPT_NH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

enum {
    NH_BLOCK = 1024,
    NH_GROUP = 32,     /* bytes that are read at once */
    NH_SUMS = 4,       /* of a block, with 8 bytes each, or two with 16 */
    NH_SUM = NH_SUMS * 8,
    NH_WORDS = (NH_BLOCK + (NH_SUMS - 1) * NH_GROUP) / 4, /* of the key */
};

struct nh_key {
    uint32_t words[NH_WORDS]; /* random */
};

/* How many sums a text has. */
static inline size_t nh_n_sums(struct span text)
{
    return (text.len + NH_BLOCK - 1) / NH_BLOCK * NH_SUMS;
}

/* All sums of a text, in the quickest way that this processor can. */
void nh_sums(const struct nh_key *key, struct span text, uint64_t *sums);

/* NH_WIDE gives the sums of NH_PLAIN; those of NH_CARRYLESS are others. For the test. */
enum nh_way { NH_PLAIN, NH_WIDE, NH_CARRYLESS };

bool nh_can(enum nh_way way);
void nh_sums_by(enum nh_way way, const struct nh_key *key, struct span text, uint64_t *sums);

#endif
