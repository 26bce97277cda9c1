/* index_filter.h - a Bloom filter over the keys of a block of lines: which blocks cannot have a value.
 *
 * Values that nearly every line has another one of, as the token of a whole text, would double the index; sixteen bits a value
 * say of each block whether it has to be read. Pure. */
#ifndef FILTERD_INDEX_INDEX_FILTER_H
#define FILTERD_INDEX_INDEX_FILTER_H

#include "index/index_store.h"

void index_filter_add(uint8_t filter[INDEX_FILTER], uint64_t key);
/* False: no line of the block has it. */
bool index_filter_may_have(const uint8_t filter[INDEX_FILTER], uint64_t key);

#endif
