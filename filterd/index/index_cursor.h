/* index_cursor.h - the rows of lines that one key has, downwards by line number; for index_*.c alone.
 *
 * A way is a table with the numbers of the lines, or with ranges of numbers whose rows are looked through. One thread. */
#ifndef FILTERD_INDEX_INDEX_CURSOR_H
#define FILTERD_INDEX_INDEX_CURSOR_H

#include "index/index_row.h"
#include "index/index_store.h"

/* The key is a number of a word, an action, an agent and an action, a req, a token, or index_filter_key. */
enum index_way {
    INDEX_WAY_ALL,
    INDEX_WAY_REQ,
    INDEX_WAY_RULE,
    INDEX_WAY_AGENT,
    INDEX_WAY_HELD,
    INDEX_WAY_AGENT_HELD,
    INDEX_WAY_TOKEN,
    INDEX_WAY_FILTER,
    INDEX_WAYS
};
/* The statements of all ways, for tests of their plans; NULL behind the last. */
const char *index_cursor_sql(size_t i);

struct index_key {
    int64_t number;
    int action; /* of INDEX_WAY_AGENT_HELD */
    uint8_t token[INDEX_TOKEN];
};

/* Microseconds, about. */
enum {
    INDEX_COST_CHUNK = 2,
    INDEX_COST_ROWS = 6,   /* of a chunk, in addition, where each is given out */
    INDEX_COST_BLOCK = 1,  /* its bounds */
    INDEX_COST_FILTER = 20,
    INDEX_COST_LINE = 10,
};

struct index_cursor {
    sqlite3 *db;
    sqlite3_stmt *keys; /* numbers of lines, or of ranges; NULL: INDEX_WAY_ALL */
    sqlite3_stmt *rows; /* of chunks */
    enum index_way way;
    struct index_key key;
    uint64_t first, end;      /* of line numbers */
    const uint8_t *chunk;     /* of INDEX_CHUNK bytes, `rows` has it; NULL: none */
    uint64_t chunk_id;
    uint64_t from, at;        /* rows of the chunk still to be looked at: at - 1 down to from */
    uint64_t range;           /* where the range in `rows` begins */
    uint64_t region, parts;   /* of INDEX_WAY_AGENT: parts still to be looked through */
    bool has_range;           /* `rows` has more chunks, maybe */
    bool has_row, is_end;
    bool is_paused;       /* the cost was used up: nothing from row.seq on is left */
    struct index_row row; /* of has_row */
};

/* Lines in [first, end). */
MUST_CHECK bool index_cursor_open(struct index_cursor *c, sqlite3 *db, enum index_way way, const struct index_key *key,
                                  uint64_t first, uint64_t end, struct error *err);
void index_cursor_close(struct index_cursor *c); /* of zeroed memory, too */
/* Takes what it costs off *cost, and stops when that is used up, but not before it has looked at something. */
MUST_CHECK bool index_cursor_next(struct index_cursor *c, int64_t *cost, struct error *err);

#endif
