/* pseudonym.h - candidates for the pseudonym of a value, each of its form. Pure: the same digest gives the same ones. */
#ifndef FILTERD_MASK_PSEUDONYM_H
#define FILTERD_MASK_PSEUDONYM_H

#include "mask/masking.h"

enum { PSEUDONYM_DIGEST = 32, PSEUDONYM_LABELS = 15 };

/* Room for a candidate. */
struct pseudonym {
    char text[MASKING_PSEUDONYM_MAX];
    size_t len;
    size_t stem; /* the length of what comes before the digits of a label; 0: not a label */
};

/* The n-th label, from 0 to PSEUDONYM_LABELS - 1, each with two more of the digest's hexadecimal digits: the first has four. */
void pseudonym_label(const struct masked_value *v, const uint8_t digest[PSEUDONYM_DIGEST], unsigned n, struct pseudonym *out);
/* A candidate of the value's form from a digest; false when the form cannot be kept, or is LABEL. */
MUST_CHECK bool pseudonym_form(const struct masked_value *v, const uint8_t digest[PSEUDONYM_DIGEST], struct pseudonym *out);

#endif
