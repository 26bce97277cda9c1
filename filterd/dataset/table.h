/* table.h - a dataset file: keyed hashes of values, and for each the rows and columns that have it.
 *
 * The file is read whole into memory. It begins with struct table_header; behind it are the index (for each bucket the number of
 * its first entry, 32 bits), the entries (5 bytes of the hash, column, row: 10 bytes), and two filters. Of cells these are of first words,
 * with letters that ids begin with (first_word.h), and of beginnings of values; of documents, of the rolling hashes of fingerprints, and of all
 * grams, each hashed with its document. What the first one hashes by would say something of what was hashed: it is encrypted, and a loaded
 * table has it in memory. Numbers are little-endian. A bucket is the first `bucket_bits` bits of the hash, so an entry holds
 * bucket_bits + 40 bits of it: a lookup of a value that is not in the table finds one with a probability below 2^-35, whatever the table's size.
 *
 * All of the file is authenticated under the key once it is in memory: later changes to the file have no effect until it is
 * opened again. Without the key, nothing is learned from it but the header: names and
 * kinds of columns, counts, and the lengths of codes. A loaded table is immutable; any thread may use it. */
#ifndef FILTERD_DATASET_TABLE_H
#define FILTERD_DATASET_TABLE_H

#include "dataset/key.h"

enum {
    TABLE_COLUMNS_MAX = 64,
    TABLE_COLUMN_NAME = 48,
    TABLE_ENTRY = 10,
    TABLE_STRONG = 0x80,    /* in an entry's column: the value says enough alone */
    TABLE_COLUMN = 0x3f,    /* the column itself */
    TABLE_VALUE_ROWS = 256, /* a value in more rows is common, and left out */
    TABLE_BUCKET_BITS_MAX = 30,
    TABLE_FILTERS = 2,
    TABLE_NONCE = 24,
};

enum table_kind {
    TABLE_CELLS_1 = 1, /* whose first filter was of dataset_hash, in clear */
    TABLE_DOCUMENTS_1, /* whose second filter was empty */
    TABLE_DOCUMENTS_2, /* without lengths of documents (document_length.h); still read */
    TABLE_CELLS,
    TABLE_DOCUMENTS,
};
enum cell_kind { CELL_NAME, CELL_PHONE, CELL_ID, CELL_EMAIL, CELL_FREE, CELL_KINDS };
extern const char *const cell_kind_names[]; /* NULL-terminated */

struct table_column {
    char name[TABLE_COLUMN_NAME - 1]; /* NUL-terminated */
    uint8_t kind;                     /* enum cell_kind */
};

struct table_header {
    char magic[8];
    uint8_t check[DATASET_CHECK];
    uint8_t mac[DATASET_KEY]; /* of the file, with zeros here */
    uint32_t kind, bucket_bits;
    int64_t made; /* UTC seconds */
    uint64_t rows, entries, common;
    uint8_t nonce[TABLE_NONCE];     /* of the first filter */
    uint64_t phone_lengths, id_lengths; /* of cells: bit per length */
    uint64_t letters;             /* bit per length of the letters that ids begin with */
    uint32_t filter_bits[TABLE_FILTERS]; /* a filter has 2^bits words of 64 bits */
    uint32_t country; /* calling code of phone numbers without one; 0: none */
    uint32_t n_columns;
    struct table_column columns[TABLE_COLUMNS_MAX];
};

struct table {
    const struct table_header *header; /* of the copy, `size` bytes */
    size_t size;
    const uint32_t *index;
    const uint8_t *entries;
    const uint64_t *filters[TABLE_FILTERS];
    uint64_t *first; /* the first filter, decrypted */
    struct dataset_key key;
};

/* Checks size, header and authentication before anything of the file is used. NULL with err. */
struct table *table_open(const char *path, const char *key_path, enum table_kind kind, struct error *err);
void table_close(struct table *t);

/* Entries [first, first + n) have the hash; in order of row, then column. */
struct table_range {
    uint32_t first, n;
};
struct table_range table_find(const struct table *t, uint64_t hash);

static inline unsigned table_column(const struct table *t, uint32_t entry)
{
    return t->entries[(size_t)entry * TABLE_ENTRY + 9];
}
uint32_t table_row(const struct table *t, uint32_t entry);
/* Whether an entry of the range has the row; *entry is the first. */
bool table_has_row(const struct table *t, struct table_range range, uint32_t row, uint32_t *entry);

/* False: the filter was made without the hash. */
static inline uint64_t table_filter_mask(uint64_t hash)
{
    return UINT64_C(1) << (hash & 63) | UINT64_C(1) << (hash >> 6 & 63) | UINT64_C(1) << (hash >> 12 & 63);
}
static inline const uint64_t *table_filter_word(const struct table *t, unsigned filter, uint64_t hash)
{
    return &t->filters[filter][hash >> 18 & ((UINT64_C(1) << t->header->filter_bits[filter]) - 1)];
}
static inline bool table_may_have(const struct table *t, unsigned filter, uint64_t hash)
{
    uint64_t mask = table_filter_mask(hash);

    return (*table_filter_word(t, filter, hash) & mask) == mask;
}
/* For table_may_have some instructions later: the filter is larger than the processor's caches. */
static inline void table_prefetch(const struct table *t, unsigned filter, uint64_t hash)
{
    __builtin_prefetch(table_filter_word(t, filter, hash));
}

/* How many entries are of cells or of fingerprints. */
static inline uint64_t table_values(const struct table_header *h)
{
    return h->kind == TABLE_DOCUMENTS && h->entries >= h->rows ? h->entries - h->rows : h->entries;
}

/* The column of that name; n_columns: none. */
unsigned table_find_column(const struct table *t, struct span name);

#endif
