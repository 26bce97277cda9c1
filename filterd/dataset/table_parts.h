/* table_parts.h - the file's layout; for table.c and table_build.c alone. */
#ifndef FILTERD_DATASET_TABLE_PARTS_H
#define FILTERD_DATASET_TABLE_PARTS_H

#include "dataset/table.h"

#define TABLE_MAGIC "FILTERD2"
#define TABLE_MAGIC_1 "FILTERDS" /* letters were folded in another way, and documents had no filter of grams */

struct table_layout {
    uint64_t index, entries, filters[TABLE_FILTERS], size; /* offsets in the file */
};

/* Of a header whose numbers are in bounds. */
struct table_layout table_layout(const struct table_header *h);
/* Checks the file that t->header and t->size are under t->key, then sets the rest. */
MUST_CHECK bool table_adopt(const char *path, struct table *t, enum table_kind kind, struct error *err);
/* Encrypts or decrypts the first filter. */
void table_crypt_filter(const struct dataset_key *key, const struct table_header *h, uint64_t *words, size_t size);
void table_authenticate(const struct dataset_key *key, const uint8_t *file, size_t size, uint8_t mac[DATASET_KEY]);

/* The 40 bits behind those that are the bucket. */
static inline uint64_t table_stored(uint64_t hash, unsigned bucket_bits)
{
    return hash << bucket_bits >> 24;
}

#endif
