#include "dataset/table.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "dataset/table_parts.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the file is used as it is read");
_Static_assert(sizeof(struct table_header) % 8 == 0, "the index and the filters are aligned");

const char *const cell_kind_names[] = {"name", "phone", "id", "email", "free", NULL};

static bool is_sane(const struct table_header *h)
{
    bool is_good = h->bucket_bits <= TABLE_BUCKET_BITS_MAX && h->entries < UINT32_MAX && h->n_columns <= TABLE_COLUMNS_MAX;

    for (size_t i = 0; is_good && i < TABLE_FILTERS; i++) {
        is_good = h->filter_bits[i] <= TABLE_BUCKET_BITS_MAX;
    }
    for (size_t i = 0; is_good && i < h->n_columns; i++) {
        is_good = h->columns[i].kind < CELL_KINDS && memchr(h->columns[i].name, '\0', sizeof(h->columns[i].name)) != NULL;
    }
    return is_good;
}

struct table_layout table_layout(const struct table_header *h)
{
    struct table_layout l = {.index = sizeof(*h)};

    l.entries = l.index + ((UINT64_C(1) << h->bucket_bits) + 1) * sizeof(uint32_t);
    uint64_t end = l.entries + h->entries * TABLE_ENTRY;
    for (size_t i = 0; i < TABLE_FILTERS; i++) {
        l.filters[i] = (end + 7) / 8 * 8;
        end = l.filters[i] + (sizeof(uint64_t) << h->filter_bits[i]);
    }
    l.size = end;
    return l;
}

void table_authenticate(const struct dataset_key *key, const uint8_t *file, size_t size, uint8_t mac[DATASET_KEY])
{
    struct table_header header;
    crypto_generichash_state state;

    memcpy(&header, file, sizeof(header));
    memset(header.mac, 0, sizeof(header.mac));
    (void)crypto_generichash_init(&state, key->mac, sizeof(key->mac), DATASET_KEY);
    (void)crypto_generichash_update(&state, (const uint8_t *)&header, sizeof(header));
    (void)crypto_generichash_update(&state, file + sizeof(header), size - sizeof(header));
    (void)crypto_generichash_final(&state, mac, DATASET_KEY);
}

static bool check(const char *path, const struct table *t, enum table_kind kind, struct error *err)
{
    const struct table_header *h = t->header;
    const char *command = kind == TABLE_CELLS ? "edm" : "idm";
    const bool is_wanted = h->kind == kind || (kind == TABLE_DOCUMENTS && h->kind == TABLE_DOCUMENTS_2);
    uint8_t mac[DATASET_KEY];

    if (memcmp(h->magic, TABLE_MAGIC_1, sizeof(h->magic)) == 0 || (kind == TABLE_DOCUMENTS && h->kind == TABLE_DOCUMENTS_1) ||
        (kind == TABLE_CELLS && h->kind == TABLE_CELLS_1)) {
        return error_set(err, ERROR_MALFORMED, "%s: made by filterctl %s build of an earlier version; build it again", path, command);
    }
    if (memcmp(h->magic, TABLE_MAGIC, sizeof(h->magic)) != 0 || !is_wanted) {
        return error_set(err, ERROR_MALFORMED, "%s: a file of filterctl %s build expected", path, command);
    }
    if (!is_sane(h) || table_layout(h).size != t->size) {
        return error_set(err, ERROR_MALFORMED, "%s: sizes in the header do not match the file", path);
    }
    if (sodium_memcmp(h->check, t->key.check, sizeof(h->check)) != 0) {
        return error_set(err, ERROR_DENIED, "%s: made with another key", path);
    }
    table_authenticate(&t->key, (const uint8_t *)h, t->size, mac);
    return sodium_memcmp(mac, h->mac, sizeof(mac)) == 0 ||
           error_set(err, ERROR_MALFORMED, "%s: damaged: it is not what was built with this key", path);
}

static bool read_whole(int fd, uint8_t *to, size_t size, const char *path, struct error *err)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = read(fd, to + at, size - at);
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return n < 0 ? error_errno(err, "%s", path)
                         : error_set(err, ERROR_MALFORMED, "%s: it became shorter while it was read", path);
        }
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* A copy: a program that writes into the file after it was authenticated, as cp does, changes nothing here. */
static bool load(const char *path, struct table *t, struct error *err)
{
    int fd CLEANUP(cleanup_fd) = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;

    if (fd < 0 || fstat(fd, &info) != 0) {
        return error_errno(err, "%s", path);
    }
    if (!S_ISREG(info.st_mode) || (size_t)info.st_size < sizeof(struct table_header)) {
        return error_set(err, ERROR_MALFORMED, "%s: a file of at least %zu bytes expected", path, sizeof(struct table_header));
    }
    void *copy = mmap(NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED) {
        return error_errno(err, "%s: no memory for its %zu bytes", path, (size_t)info.st_size);
    }
    t->header = copy;
    t->size = (size_t)info.st_size;
    return read_whole(fd, copy, t->size, path, err);
}

static void locate(struct table *t)
{
    const uint8_t *file = (const uint8_t *)t->header;
    const struct table_layout l = table_layout(t->header);

    t->index = (const uint32_t *)(const void *)(file + l.index);
    t->entries = file + l.entries;
    for (size_t i = 0; i < TABLE_FILTERS; i++) {
        t->filters[i] = (const uint64_t *)(const void *)(file + l.filters[i]);
    }
}

void table_crypt_filter(const struct dataset_key *key, const struct table_header *h, uint64_t *words, size_t size)
{
    _Static_assert(TABLE_NONCE == crypto_stream_xchacha20_NONCEBYTES && DATASET_KEY == crypto_stream_xchacha20_KEYBYTES, "as the cipher's");
    (void)crypto_stream_xchacha20_xor((uint8_t *)words, (const uint8_t *)words, size, h->nonce, key->filter);
}

static bool decrypt_first(const char *path, struct table *t, struct error *err)
{
    const size_t size = sizeof(uint64_t) << t->header->filter_bits[0];

    t->first = malloc(size);
    if (t->first == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "%s: no memory for its filter of %zu bytes", path, size);
    }
    memcpy(t->first, t->filters[0], size);
    table_crypt_filter(&t->key, t->header, t->first, size);
    t->filters[0] = t->first;
    return true;
}

bool table_adopt(const char *path, struct table *t, enum table_kind kind, struct error *err)
{
    if (!check(path, t, kind, err)) {
        return false;
    }
    locate(t);
    return decrypt_first(path, t, err);
}

struct table *table_open(const char *path, const char *key_path, enum table_kind kind, struct error *err)
{
    struct table *t = calloc(1, sizeof(*t));

    if (t == NULL) {
        error_set(err, ERROR_NO_MEMORY, "%s: no memory", path);
        return NULL;
    }
    if (!dataset_key_read(key_path, &t->key, err) || !load(path, t, err) || !table_adopt(path, t, kind, err)) {
        table_close(t);
        return NULL;
    }
    return t;
}

void table_close(struct table *t)
{
    if (t == NULL) {
        return;
    }
    if (t->header != NULL) {
        (void)munmap((void *)(uintptr_t)t->header, t->size);
    }
    dataset_key_wipe(&t->key);
    free(t->first);
    free(t);
}

static uint64_t entry_hash(const struct table *t, uint32_t entry)
{
    const uint8_t *e = t->entries + (size_t)entry * TABLE_ENTRY;

    return (uint64_t)e[0] << 32 | (uint64_t)e[1] << 24 | (uint64_t)e[2] << 16 | (uint64_t)e[3] << 8 | e[4];
}

struct table_range table_find(const struct table *t, uint64_t hash)
{
    const unsigned bits = t->header->bucket_bits;
    const uint64_t bucket = bits == 0 ? 0 : hash >> (64 - bits);
    const uint64_t wanted = table_stored(hash, bits);
    uint32_t from = t->index[bucket], to = t->index[bucket + 1];
    struct table_range range = {0};

    if (from > to || to > t->header->entries) {
        return range;
    }
    while (from < to && entry_hash(t, from) < wanted) {
        from++;
    }
    range.first = from;
    while (from < to && entry_hash(t, from) == wanted) {
        from++;
    }
    range.n = from - range.first;
    return range;
}

uint32_t table_row(const struct table *t, uint32_t entry)
{
    const uint8_t *e = t->entries + (size_t)entry * TABLE_ENTRY;

    return (uint32_t)e[5] << 24 | (uint32_t)e[6] << 16 | (uint32_t)e[7] << 8 | e[8];
}

bool table_has_row(const struct table *t, struct table_range range, uint32_t row, uint32_t *entry)
{
    uint32_t low = range.first, end = range.first + range.n;

    for (uint32_t high = end; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (table_row(t, middle) < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *entry = low;
    return low < end && table_row(t, low) == row;
}

unsigned table_find_column(const struct table *t, struct span name)
{
    unsigned i = 0;

    while (i < t->header->n_columns && !span_is(name, t->header->columns[i].name)) {
        i++;
    }
    return i;
}
