#include "dataset/table_build.h"

#include <fcntl.h>
#include <limits.h>
#include <sodium.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "dataset/spill.h"
#include "dataset/table_parts.h"

enum {
    ITEM = 13,             /* hash, row, column: as they sort */
    ENTRIES_PER_BUCKET = 8,
    FILTER_ITEMS = 4,      /* of one word of 64 bits */
    FILTER_BITS_MIN = 6,   /* in one or two words, values would often have the bits of others */
    RECENT = 1 << 16,      /* hashes that were put in a filter lately */
    OUT_BUFFER = 1 << 20,
};

struct table_build {
    const struct dataset_key *key;
    char path[PATH_MAX], folder[PATH_MAX];
    struct spill *entries, *filters[TABLE_FILTERS];
    uint64_t *recent[TABLE_FILTERS];
    int fd;
    uint32_t *index;
    uint8_t *out; /* OUT_BUFFER bytes */
    size_t n_out;
    uint32_t rows_max;
    struct table_header *header;
    uint64_t *words;      /* of the filter that is made */
    bool is_permuted;     /* so are its items */
    uint32_t filter_bits;
    uint64_t n_distinct, last; /* hashes of the filter; the last one */
};

static void put_number(uint8_t *to, uint64_t number, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        to[i] = (uint8_t)(number >> 8 * (n - 1 - i));
    }
}

static uint64_t take_number(const uint8_t *from, unsigned n)
{
    uint64_t number = 0;

    for (unsigned i = 0; i < n; i++) {
        number = number << 8 | from[i];
    }
    return number;
}

static bool split_path(struct table_build *b, const char *path, struct error *err)
{
    const char *slash = strrchr(path, '/');
    int len = snprintf(b->path, sizeof(b->path), "%s", path);
    int folder = slash == NULL ? snprintf(b->folder, sizeof(b->folder), ".")
                               : snprintf(b->folder, sizeof(b->folder), "%.*s/", (int)(slash - path), path);

    return (len > 0 && (size_t)len < sizeof(b->path) && (size_t)folder < sizeof(b->folder)) ||
           error_set(err, ERROR_INVALID, "%s: path too long", path);
}

struct table_build *table_build_new(const char *path, const struct dataset_key *key, struct error *err)
{
    struct table_build *b = calloc(1, sizeof(*b));

    if (b == NULL) {
        error_set(err, ERROR_NO_MEMORY, "%s: no memory", path);
        return NULL;
    }
    b->key = key;
    b->fd = -1;
    b->out = malloc(OUT_BUFFER);
    bool is_made = b->out != NULL || error_set(err, ERROR_NO_MEMORY, "%s: no memory", path);
    is_made = is_made && split_path(b, path, err) && (b->entries = spill_new(b->folder, ITEM, err)) != NULL;
    for (size_t i = 0; is_made && i < TABLE_FILTERS; i++) {
        b->filters[i] = spill_new(b->folder, sizeof(uint64_t), err);
        is_made = b->filters[i] != NULL;
        b->recent[i] = calloc(RECENT, sizeof(uint64_t));
        if (is_made && b->recent[i] == NULL) {
            is_made = error_set(err, ERROR_NO_MEMORY, "%s: no memory", path);
        }
    }
    if (!is_made) {
        table_build_free(b);
        return NULL;
    }
    return b;
}

void table_build_free(struct table_build *b)
{
    if (b == NULL) {
        return;
    }
    spill_free(b->entries);
    for (size_t i = 0; i < TABLE_FILTERS; i++) {
        spill_free(b->filters[i]);
        free(b->recent[i]);
    }
    if (b->fd >= 0) {
        close(b->fd);
    }
    free(b->index);
    free(b->words);
    free(b->out);
    free(b);
}

bool table_build_add(struct table_build *b, uint64_t hash, uint32_t row, unsigned column, struct error *err)
{
    uint8_t item[ITEM];

    put_number(item, hash, 8);
    put_number(item + 8, row, 4);
    item[12] = (uint8_t)column;
    return spill_add(b->entries, item, err);
}

bool table_build_allow(struct table_build *b, unsigned filter, uint64_t hash, struct error *err)
{
    uint64_t *recent = &b->recent[filter][hash % RECENT];
    uint8_t item[8];

    if (*recent == hash) {
        return true;
    }
    *recent = hash;
    put_number(item, hash, 8);
    return spill_add(b->filters[filter], item, err);
}

/* --- writing ------------------------------------------------------------------ */

static bool flush(struct table_build *b, struct error *err)
{
    if (!file_write_all(b->fd, span_of((const char *)b->out, b->n_out))) {
        return error_errno(err, "%s", b->path);
    }
    b->n_out = 0;
    return true;
}

static bool put(struct table_build *b, const void *bytes, size_t n, struct error *err)
{
    for (size_t at = 0; at < n;) {
        size_t part = n - at < OUT_BUFFER - b->n_out ? n - at : OUT_BUFFER - b->n_out;
        memcpy(b->out + b->n_out, (const uint8_t *)bytes + at, part);
        b->n_out += part;
        at += part;
        if (b->n_out == OUT_BUFFER && !flush(b, err)) {
            return false;
        }
    }
    return true;
}

static bool put_padding(struct table_build *b, uint64_t at, struct error *err)
{
    static const uint8_t zeros[8];

    return put(b, zeros, (8 - at % 8) % 8, err);
}

/* Items of one hash, which are of one part. */
static bool put_value(struct table_build *b, const uint8_t *items, size_t n, struct error *err)
{
    const unsigned bits = b->header->bucket_bits;
    uint64_t hash = take_number(items, 8);
    uint8_t entry[TABLE_ENTRY];

    if (n > b->rows_max) {
        b->header->common++;
        return true;
    }
    put_number(entry, table_stored(hash, bits), 5);
    for (size_t i = 0; i < n; i++) {
        memcpy(entry + 5, items + i * ITEM + 8, 5);
        if (!put(b, entry, sizeof(entry), err)) {
            return false;
        }
    }
    b->header->entries += n;
    b->index[(bits == 0 ? 0 : hash >> (64 - bits)) + 1] += (uint32_t)n;
    return b->header->entries < UINT32_MAX || error_set(err, ERROR_LIMIT, "%s: fewer than 2^32 cells expected", b->path);
}

static bool put_entries(void *context, const uint8_t *items, size_t n, struct error *err)
{
    size_t kept = 1;

    /* What one row says twice is one entry. */
    uint8_t *own = (uint8_t *)(uintptr_t)items;
    for (size_t i = 1; i < n; i++) {
        if (memcmp(own + (kept - 1) * ITEM, own + i * ITEM, ITEM) != 0) {
            memmove(own + kept++ * ITEM, own + i * ITEM, ITEM);
        }
    }
    for (size_t i = 0, end; i < kept; i = end) {
        for (end = i + 1; end < kept && memcmp(items + i * ITEM, items + end * ITEM, 8) == 0; end++) {
        }
        if (!put_value(context, items + i * ITEM, end - i, err)) {
            return false;
        }
    }
    return true;
}

static bool count_distinct(void *context, const uint8_t *items, size_t n, struct error *err)
{
    struct table_build *b = context;

    (void)err;
    for (size_t i = 0; i < n; i++) {
        b->n_distinct += i == 0 || memcmp(items + 8 * i, items + 8 * (i - 1), 8) != 0;
    }
    return true;
}

static bool set_bits(void *context, const uint8_t *items, size_t n, struct error *err)
{
    struct table_build *b = context;

    (void)err;
    for (size_t i = 0; i < n; i++) {
        uint64_t hash = take_number(items + 8 * i, 8);
        if (b->is_permuted) {
            hash = dataset_permute_back(b->key, hash);
        }
        b->words[hash >> 18 & ((UINT64_C(1) << b->filter_bits) - 1)] |= table_filter_mask(hash);
    }
    return true;
}

static uint32_t log2_of(uint64_t n)
{
    uint32_t bits = 0;

    while (bits < TABLE_BUCKET_BITS_MAX && UINT64_C(1) << (bits + 1) <= n) {
        bits++;
    }
    return bits;
}

static bool put_filter(struct table_build *b, unsigned filter, struct error *err)
{
    b->n_distinct = 0;
    b->is_permuted = filter == 0;
    if (!spill_each(b->filters[filter], count_distinct, b, err)) {
        return false;
    }
    b->filter_bits = log2_of(b->n_distinct / FILTER_ITEMS + 1) + (b->header->kind == TABLE_CELLS);
    b->filter_bits = b->filter_bits < FILTER_BITS_MIN ? FILTER_BITS_MIN : b->filter_bits;
    b->words = calloc(UINT64_C(1) << b->filter_bits, sizeof(uint64_t));
    if (b->words == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "%s: no memory", b->path);
    }
    b->header->filter_bits[filter] = b->filter_bits;
    const size_t size = sizeof(uint64_t) << b->filter_bits;
    bool is_made = spill_each(b->filters[filter], set_bits, b, err);
    if (b->is_permuted) {
        randombytes_buf(b->header->nonce, sizeof(b->header->nonce));
        table_crypt_filter(b->key, b->header, b->words, size);
    }
    bool is_put = is_made && put(b, b->words, size, err);
    free(b->words);
    b->words = NULL;
    return is_put;
}

/* The header and the index are written over zeros when all is known. */
static bool put_all(struct table_build *b, struct error *err)
{
    struct table_header *h = b->header;

    h->bucket_bits = log2_of(spill_count(b->entries) / ENTRIES_PER_BUCKET);
    size_t n_index = ((size_t)1 << h->bucket_bits) + 1;
    b->index = calloc(n_index, sizeof(*b->index));
    if (b->index == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "%s: no memory", b->path);
    }
    if (!put(b, h, sizeof(*h), err) || !put(b, b->index, n_index * sizeof(*b->index), err) ||
        !spill_each(b->entries, put_entries, b, err)) {
        return false;
    }
    for (unsigned i = 0; i < TABLE_FILTERS; i++) {
        uint64_t at = i == 0 ? table_layout(h).entries + h->entries * TABLE_ENTRY : 0;
        if (!put_padding(b, at, err) || !put_filter(b, i, err)) {
            return false;
        }
    }
    for (size_t i = 1; i < n_index; i++) {
        b->index[i] += b->index[i - 1];
    }
    return flush(b, err) && (pwrite(b->fd, b->index, n_index * sizeof(*b->index), sizeof(*h)) >= 0 || error_errno(err, "%s", b->path));
}

static bool write_all_at(int fd, const void *bytes, size_t n, off_t at)
{
    return pwrite(fd, bytes, n, at) == (ssize_t)n;
}

/* Reads the file once more, as loading does. */
static bool authenticate(struct table_build *b, struct error *err)
{
    struct table_header *h = b->header;
    size_t size = (size_t)table_layout(h).size;

    if (!write_all_at(b->fd, h, sizeof(*h), 0) || (size_t)lseek(b->fd, 0, SEEK_END) != size) {
        return error_errno(err, "%s", b->path);
    }
    void *file = mmap(NULL, size, PROT_READ, MAP_SHARED, b->fd, 0);
    if (file == MAP_FAILED) {
        return error_errno(err, "%s", b->path);
    }
    table_authenticate(b->key, file, size, h->mac);
    (void)munmap(file, size);
    return write_all_at(b->fd, h, sizeof(*h), 0) || error_errno(err, "%s", b->path);
}

bool table_build_finish(struct table_build *b, struct table_header *header, uint32_t rows_max, struct error *err)
{
    char temporary[PATH_MAX];
    int len = snprintf(temporary, sizeof(temporary), "%s.XXXXXX", b->path);

    if (len < 0 || (size_t)len >= sizeof(temporary)) {
        return error_set(err, ERROR_INVALID, "%s: path too long", b->path);
    }
    b->fd = mkostemp(temporary, O_CLOEXEC); /* mode 0600 */
    if (b->fd < 0) {
        return error_errno(err, "%s", temporary);
    }
    b->header = header;
    b->rows_max = rows_max;
    memcpy(header->magic, TABLE_MAGIC, sizeof(header->magic));
    memcpy(header->check, b->key->check, sizeof(header->check));
    bool is_made = put_all(b, err) && authenticate(b, err) && (fsync(b->fd) == 0 || error_errno(err, "%s", b->path)) &&
                   (rename(temporary, b->path) == 0 || error_errno(err, "%s", b->path));
    if (!is_made) {
        (void)unlink(temporary);
    }
    return is_made;
}
