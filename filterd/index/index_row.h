/* index_row.h - what the index keeps of one line, as 56 bytes; for index_*.c alone.
 *
 * The rows of 64 lines with successive numbers are one value of the table `chunk`, in the order of their numbers: writing and reading a row
 * by itself would cost SQLite more than all else. Zeroed bytes: the log does not have that line. Pure. */
#ifndef FILTERD_INDEX_INDEX_ROW_H
#define FILTERD_INDEX_INDEX_ROW_H

#include "index/index_line.h"

enum {
    INDEX_ROW = 56, /* bytes: two chunks fill a page of the file */
    INDEX_CHUNK_LINES = 64,
    INDEX_CHUNK = INDEX_CHUNK_LINES * INDEX_ROW,
    INDEX_ROW_KEYS = 2, /* keys of a line by which its row can be excluded */
};

struct index_row {
    uint64_t seq;
    int64_t ts_ms;
    unsigned type, severity;
    int action;
    int64_t words[INDEX_WORDS]; /* 0: none */
    bool has_req;
    int64_t req;
    int64_t file;
    uint64_t offset, len;
};

/* `keys` are those of the line. LIMIT: a number does not fit. */
MUST_CHECK bool index_row_pack(const struct index_row *row, const uint64_t *keys, size_t n_keys, uint8_t out[INDEX_ROW],
                               struct error *err);
/* False: the log does not have line `seq`. */
bool index_row_unpack(const uint8_t packed[INDEX_ROW], uint64_t seq, struct index_row *row);

/* What a scan asks of a packed row, which it unpacks only then. A key may be that of another line. */
bool index_row_has_word(const uint8_t packed[INDEX_ROW], enum index_word word, int64_t number);
bool index_row_has_req(const uint8_t packed[INDEX_ROW], int64_t req);
bool index_row_may_have_key(const uint8_t packed[INDEX_ROW], uint64_t key);
int64_t index_row_word(const uint8_t packed[INDEX_ROW], enum index_word word);

#endif
