/* index_blocks.h - the rows of lines, chunk by chunk, and what is kept of each block and region of lines; for index_fold.c alone.
 *
 * The open chunk and block are in memory and written at the end of a transaction, or when a line of the next one comes. When a region
 * is complete, the agents in it are noted from its rows. One thread; all within the transaction of the caller. */
#ifndef FILTERD_INDEX_INDEX_BLOCKS_H
#define FILTERD_INDEX_INDEX_BLOCKS_H

#include "index/index_row.h"
#include "index/index_store.h"

struct index_blocks;

/* `last`: the number of the last line that the store has, 0: none. NULL on failure; db is borrowed. */
struct index_blocks *index_blocks_new(sqlite3 *db, uint64_t last, struct error *err);
void index_blocks_free(struct index_blocks *b); /* accepts NULL */

/* The row of a line, whose number is the next one. */
MUST_CHECK bool index_blocks_add(struct index_blocks *b, const struct index_row *row, const struct index_line *line, struct error *err);
MUST_CHECK bool index_blocks_save(struct index_blocks *b, struct error *err);

#endif
