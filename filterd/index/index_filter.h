/* index_filter.h - a Bloom filter over the keys of a block of lines: which blocks cannot have a value.
 *
 * Values that differ in nearly every line, such as the token of a whole text, would double the size of the index; a filter of
 * sixteen bits a value tells which blocks have to be read. Pure. */
#ifndef FILTERD_INDEX_INDEX_FILTER_H
#define FILTERD_INDEX_INDEX_FILTER_H

#include "index/index_store.h"

void index_filter_add(uint8_t filter[INDEX_FILTER], uint64_t key);
/* False: no line of the block has it. */
bool index_filter_may_have(const uint8_t filter[INDEX_FILTER], uint64_t key);

#endif
