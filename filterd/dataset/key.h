/* key.h - the key of a dataset: without it the file says nothing of what is in it.
 *
 * A key file has 64 hexadecimal digits, belongs to root or the caller, and nobody else may read it. */
#ifndef FILTERD_DATASET_KEY_H
#define FILTERD_DATASET_KEY_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum { DATASET_KEY = 32, DATASET_CHECK = 16, DATASET_HASH_KEY = 16 };

/* Keys for each use, derived from the one in the file. */
struct dataset_key {
    uint8_t check[DATASET_CHECK];   /* in the file, to tell a wrong key from a damaged file */
    uint8_t mac[DATASET_KEY];       /* of the file */
    uint8_t hash[DATASET_HASH_KEY]; /* SipHash-2-4 */
    uint8_t filter[DATASET_KEY];    /* XChaCha20, of the first filter (table.h) */
    uint64_t words[2];              /* of dataset_hash_word */
    uint64_t letters[256];          /* of the rolling hash, by byte of a folded letter */
    uint64_t ascii[128];            /* the same by byte of a text; 0: no letter */
};

void dataset_key_derive(const uint8_t key[DATASET_KEY], struct dataset_key *out);
/* DENIED when others may read the file. */
MUST_CHECK bool dataset_key_read(const char *path, struct dataset_key *out, struct error *err);
/* The same; makes the file with a random key first where there is none, and sets *is_new. */
MUST_CHECK bool dataset_key_make(const char *path, struct dataset_key *out, bool *is_new, struct error *err);
void dataset_key_wipe(struct dataset_key *key);

/* The keyed hash of a value; `kind` keeps hashes of different kinds apart. value.len <= DATASET_VALUE_MAX. */
enum { DATASET_VALUE_MAX = 255 };
uint64_t dataset_hash(const struct dataset_key *key, char kind, struct span value);

/* A keyed hash of sixteen bytes by one multiplication, which every key gives another. Who sees hashes can solve for the key. */
static inline uint64_t dataset_hash_word(const struct dataset_key *key, uint64_t first, uint64_t second)
{
    __extension__ typedef unsigned __int128 product_of_two;
    const product_of_two product = (product_of_two)(first ^ key->words[0]) * (second ^ key->words[1]);

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* A keyed permutation of 64 bits, for what must be read again by who has the key: a Feistel network of SipHash (Luby, Rackoff: How
 * to construct pseudorandom permutations from pseudorandom functions, 1988), of six rounds. */
uint64_t dataset_permute(const struct dataset_key *key, uint64_t x);
uint64_t dataset_permute_back(const struct dataset_key *key, uint64_t x);

#endif
