/* table_build.h - makes a dataset file from values in any order, in bounded memory.
 *
 *   b = table_build_new(path, &key, &err);
 *   table_build_add(b, hash, row, column, &err);     (any number of times)
 *   table_build_allow(b, filter, hash, &err);        (what the filter is to have; of documents the first: dataset_permute of a gram)
 *   table_build_finish(b, &header, &err);            (writes `path`, atomically, mode 0600)
 *
 * Temporary files have no name, are in the folder of `path` and hold keyed hashes alone. */
#ifndef FILTERD_DATASET_TABLE_BUILD_H
#define FILTERD_DATASET_TABLE_BUILD_H

#include "dataset/table.h"

struct table_build;

struct table_build *table_build_new(const char *path, const struct dataset_key *key, struct error *err);
void table_build_free(struct table_build *b);
MUST_CHECK bool table_build_add(struct table_build *b, uint64_t hash, uint32_t row, unsigned column, struct error *err);
MUST_CHECK bool table_build_allow(struct table_build *b, unsigned filter, uint64_t hash, struct error *err);
/* `header` has kind, columns, rows, lengths, country and made; the rest is set. Values in more than `rows_max` rows are
 * left out and counted in header->common. */
MUST_CHECK bool table_build_finish(struct table_build *b, struct table_header *header, uint32_t rows_max, struct error *err);

#endif
