/* block.h - which of 64 bytes are of which class, as bits: bit i tells about byte i. */
#ifndef FILTERD_TEXT_BLOCK_H
#define FILTERD_TEXT_BLOCK_H

#include <stdint.h>

enum { BLOCK_SIZE = 64 };

struct block_masks {
    uint64_t alnum;  /* letters, digits, _ */
    uint64_t base64; /* these and + / - */
    uint64_t digit;
    uint64_t list; /* hex digits, x, u, white space, + , - : ; */
    uint64_t newline;
    uint64_t quote;  /* " and ' */
    uint64_t glue;   /* what stands behind a closing quote of a part: white space + . & \ and quotes */
    uint64_t escape; /* % & \ = */
    uint64_t high;   /* of a non-ASCII character, or the repair byte */
};

typedef void (*block_classify_fn)(const char bytes[BLOCK_SIZE], struct block_masks *out);

/* The fastest that this processor runs. */
block_classify_fn block_classifier(void);
/* The one that every processor runs; the others agree with it. */
void block_classify_plainly(const char bytes[BLOCK_SIZE], struct block_masks *out);

#endif
