/* document_length.h - how many letters a document of a table has.
 *
 * That is an entry of the table: under a keyed hash of the document's number, a row that is the length under a keyed mask. So the file says
 * nothing of lengths without the key. */
#ifndef FILTERD_DATASET_DOCUMENT_LENGTH_H
#define FILTERD_DATASET_DOCUMENT_LENGTH_H

#include "dataset/table_build.h"

MUST_CHECK bool document_length_add(struct table_build *b, const struct dataset_key *key, uint32_t document, uint32_t letters,
                                    struct error *err);
/* 0: it has none, or the table has no lengths. */
uint32_t document_length(const struct table *t, uint32_t document);

#endif
