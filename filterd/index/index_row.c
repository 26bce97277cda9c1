#include "index/index_row.h"

#include <endian.h>

/* Numbers are little-endian. */
enum place {
    TIME = 0,
    REQ = TIME + 6,
    OFFSET = REQ + 8,
    LEN = OFFSET + 6, /* of a line it is not 0 */
    FILE_ID = LEN + 2,
    WORDS = FILE_ID + 4,
    KEYS = WORDS + 4 * INDEX_WORDS,
    TYPE = KEYS + 3 * INDEX_ROW_KEYS,
    ACTION,
    SEVERITY,
    FLAGS,
    END,
};
enum flag { HAS_REQ = 1, HAS_MORE_KEYS = 2 };

_Static_assert((int)END == (int)INDEX_ROW, "a row is as long as its parts");

static void put(uint8_t *at, size_t n, uint64_t value)
{
    uint64_t bytes = htole64(value);

    memcpy(at, &bytes, n);
}

static uint64_t get(const uint8_t *at, size_t n)
{
    uint64_t bytes = 0;

    memcpy(&bytes, at, n);
    return le64toh(bytes);
}

/* Not 0, which is none. */
static uint32_t short_key(uint64_t key)
{
    uint32_t bits = (uint32_t)key & 0xffffff;

    return bits == 0 ? 1 : bits;
}

static bool fits(const struct index_row *row)
{
    uint64_t numbers = (uint64_t)row->file;

    for (unsigned i = 0; i < INDEX_WORDS; i++) {
        numbers |= (uint64_t)row->words[i];
    }
    return numbers <= UINT32_MAX && row->len <= UINT16_MAX && row->offset >> 48 == 0;
}

bool index_row_pack(const struct index_row *row, const uint64_t *keys, size_t n_keys, uint8_t out[INDEX_ROW], struct error *err)
{
    if (!fits(row)) {
        return error_set(err, ERROR_LIMIT, "index: fewer files and names, shorter lines and files expected");
    }
    put(out + TIME, 6, (uint64_t)row->ts_ms);
    put(out + REQ, 8, (uint64_t)row->req);
    put(out + OFFSET, 6, row->offset);
    put(out + LEN, 2, row->len);
    put(out + FILE_ID, 4, (uint64_t)row->file);
    for (unsigned i = 0; i < INDEX_WORDS; i++) {
        put(out + WORDS + 4 * i, 4, (uint64_t)row->words[i]);
    }
    for (unsigned i = 0; i < INDEX_ROW_KEYS; i++) {
        put(out + KEYS + 3 * i, 3, i < n_keys ? short_key(keys[i]) : 0);
    }
    out[TYPE] = (uint8_t)row->type;
    out[ACTION] = (uint8_t)(int8_t)row->action;
    out[SEVERITY] = (uint8_t)row->severity;
    out[FLAGS] = (uint8_t)((row->has_req ? HAS_REQ : 0) | (n_keys > INDEX_ROW_KEYS ? HAS_MORE_KEYS : 0));
    return true;
}

bool index_row_unpack(const uint8_t packed[INDEX_ROW], uint64_t seq, struct index_row *row)
{
    if (get(packed + LEN, 2) == 0) {
        return false;
    }
    *row = (struct index_row){
        .seq = seq,
        .ts_ms = (int64_t)(get(packed + TIME, 6) << 16) >> 16,
        .type = packed[TYPE],
        .severity = packed[SEVERITY],
        .action = (int8_t)packed[ACTION],
        .has_req = (packed[FLAGS] & HAS_REQ) != 0,
        .req = (int64_t)get(packed + REQ, 8),
        .file = (int64_t)get(packed + FILE_ID, 4),
        .offset = get(packed + OFFSET, 6),
        .len = get(packed + LEN, 2),
    };
    for (unsigned i = 0; i < INDEX_WORDS; i++) {
        row->words[i] = (int64_t)get(packed + WORDS + 4 * i, 4);
    }
    return true;
}

int64_t index_row_word(const uint8_t packed[INDEX_ROW], enum index_word word)
{
    return (int64_t)get(packed + WORDS + 4 * (unsigned)word, 4);
}

bool index_row_has_word(const uint8_t packed[INDEX_ROW], enum index_word word, int64_t number)
{
    return index_row_word(packed, word) == number;
}

bool index_row_has_req(const uint8_t packed[INDEX_ROW], int64_t req)
{
    return (packed[FLAGS] & HAS_REQ) != 0 && (int64_t)get(packed + REQ, 8) == req;
}

bool index_row_may_have_key(const uint8_t packed[INDEX_ROW], uint64_t key)
{
    bool has = (packed[FLAGS] & HAS_MORE_KEYS) != 0;

    for (unsigned i = 0; i < INDEX_ROW_KEYS; i++) {
        has |= get(packed + KEYS + 3 * i, 3) == short_key(key);
    }
    return has;
}
