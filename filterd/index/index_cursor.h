/* index_cursor.h - line numbers from one index, downwards; for index_*.c alone. One thread. */
#ifndef FILTERD_INDEX_INDEX_CURSOR_H
#define FILTERD_INDEX_INDEX_CURSOR_H

#include "index/index_line.h"
#include "index/index_store.h"

struct index_row {
    uint64_t seq;
    int64_t ts_ms;
    unsigned type, severity;
    int action;
    int64_t words[INDEX_WORDS]; /* 0: none */
    int64_t file;
    uint64_t offset, len;
};

/* The index that a cursor goes by; the key is a number of a word, an action, a req, or a token. */
enum index_way { INDEX_WAY_ALL, INDEX_WAY_REQ, INDEX_WAY_RULE, INDEX_WAY_AGENT, INDEX_WAY_HELD, INDEX_WAY_TOKEN, INDEX_WAY_FILTER, INDEX_WAYS };
const char *index_way_sql(enum index_way way); /* for tests of its plan */

struct index_key {
    int64_t number;
    uint8_t token[INDEX_TOKEN];
};

enum {
    INDEX_COST_ROW = 1,
    INDEX_COST_FAR_ROW = 3, /* by an index: each is on another page of the table */
    INDEX_COST_BLOCK = 20,
    INDEX_COST_LINE = 10,
};

struct index_cursor {
    sqlite3 *db;
    sqlite3_stmt *rows, *blocks; /* blocks: of INDEX_WAY_FILTER */
    enum index_way way;
    struct index_key key;
    uint64_t first;       /* no line below */
    uint64_t block_end;   /* of INDEX_WAY_FILTER: the rows below it are still to be looked at */
    bool has_row, is_end;
    bool is_paused;       /* the cost was used up: nothing from row.seq on is left */
    struct index_row row; /* of has_row */
};

/* Lines in [first, end). */
MUST_CHECK bool index_cursor_open(struct index_cursor *c, sqlite3 *db, enum index_way way, const struct index_key *key,
                                  uint64_t first, uint64_t end, struct error *err);
void index_cursor_close(struct index_cursor *c); /* of zeroed memory, too */
/* Takes what it costs off *cost; INDEX_WAY_FILTER stops when that is used up. */
MUST_CHECK bool index_cursor_next(struct index_cursor *c, int64_t *cost, struct error *err);

#endif
