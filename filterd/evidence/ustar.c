#include "evidence/ustar.h"

#include <inttypes.h>
#include <stdio.h>

/* Offsets and lengths of a header's fields. */
enum {
    NAME_AT = 0,
    MODE_AT = 100,
    UID_AT = 108,
    GID_AT = 116,
    SIZE_AT = 124,
    SIZE_LEN = 12,
    TIME_AT = 136,
    SUM_AT = 148,
    SUM_LEN = 8,
    TYPE_AT = 156,
    MAGIC_AT = 257,
    MAGIC_LEN = 8,
};

static const char magic[] = "ustar\00000";

/* Of all bytes, those of the sum itself as spaces. */
static unsigned sum_of(const char block[USTAR_BLOCK])
{
    unsigned sum = 0;

    for (int i = 0; i < USTAR_BLOCK; i++) {
        sum += i >= SUM_AT && i < SUM_AT + SUM_LEN ? ' ' : (unsigned char)block[i];
    }
    return sum;
}

static bool is_name(struct span name)
{
    bool is_start = true;

    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("-_.", c) != NULL;
        bool is_slash = c == '/' && !is_start;
        if (c == '\0' || (!is_word && !is_slash) || (c == '.' && is_start)) {
            return false;
        }
        is_start = c == '/';
    }
    return name.len > 0 && name.len < USTAR_NAME_MAX && !is_start;
}

bool ustar_header(const char *name, uint64_t size, char block[USTAR_BLOCK], struct error *err)
{
    if (!is_name(span_str(name)) || size > USTAR_SIZE_MAX) {
        return error_set(err, ERROR_INVALID, "%s: a name and a size that a tar archive may have expected", name);
    }
    memset(block, 0, USTAR_BLOCK);
    (void)snprintf(block + NAME_AT, USTAR_NAME_MAX, "%s", name);
    memcpy(block + MODE_AT, "0000644", 8);
    memcpy(block + UID_AT, "0000000", 8);
    memcpy(block + GID_AT, "0000000", 8);
    (void)snprintf(block + SIZE_AT, SIZE_LEN, "%011" PRIo64, size);
    memcpy(block + TIME_AT, "00000000000", SIZE_LEN);
    block[TYPE_AT] = '0';
    memcpy(block + MAGIC_AT, magic, MAGIC_LEN);
    (void)snprintf(block + SUM_AT, SUM_LEN, "%06o", sum_of(block));
    block[SUM_AT + SUM_LEN - 1] = ' ';
    return true;
}

static bool read_octal(const char *field, size_t digits, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < digits; i++) {
        if (field[i] < '0' || field[i] > '7') {
            return false;
        }
        *out = *out * 8 + (uint64_t)(field[i] - '0');
    }
    return true;
}

static bool is_zero(struct span bytes)
{
    for (size_t i = 0; i < bytes.len; i++) {
        if (bytes.ptr[i] != '\0') {
            return false;
        }
    }
    return true;
}

static int compare(struct span a, struct span b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len == 0 ? 0 : memcmp(a.ptr, b.ptr, len);

    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static bool malformed(struct error *err, const char *expected)
{
    return error_set(err, ERROR_MALFORMED, "%s expected", expected);
}

static bool read_header(struct ustar_reader *r, const char *block, struct ustar_entry *out, struct error *err)
{
    const struct span name = span_of(block + NAME_AT, strnlen(block + NAME_AT, USTAR_NAME_MAX));
    uint64_t sum, size;

    if (memcmp(block + MAGIC_AT, magic, MAGIC_LEN) != 0 || block[TYPE_AT] != '0') {
        return malformed(err, "a regular file of a ustar archive");
    }
    if (!read_octal(block + SUM_AT, 6, &sum) || sum != sum_of(block) || !read_octal(block + SIZE_AT, SIZE_LEN - 1, &size)) {
        return malformed(err, "a header whose checksum holds");
    }
    if (!is_name(name) || compare(r->last, name) >= 0) {
        return malformed(err, "plain names in order, each once,");
    }
    uint64_t padded = (size + USTAR_BLOCK - 1) / USTAR_BLOCK * USTAR_BLOCK;
    if (padded > r->rest.len - USTAR_BLOCK) {
        return malformed(err, "the whole of the last file");
    }
    *out = (struct ustar_entry){name, span_of(block + USTAR_BLOCK, size)};
    if (!is_zero(span_of(out->content.ptr + size, padded - size))) {
        return malformed(err, "nothing behind the end of a file");
    }
    r->last = name;
    r->rest = span_slice(r->rest, USTAR_BLOCK + padded, r->rest.len);
    return true;
}

bool ustar_next(struct ustar_reader *r, struct ustar_entry *out, struct error *err)
{
    if (r->rest.len < USTAR_BLOCK) {
        return malformed(err, "two empty blocks at the end of the archive");
    }
    if (!is_zero(span_of(r->rest.ptr, USTAR_BLOCK))) {
        return read_header(r, r->rest.ptr, out, err);
    }
    *out = (struct ustar_entry){.name = {0}};
    return (r->rest.len == (size_t)2 * USTAR_BLOCK && is_zero(r->rest)) || malformed(err, "two empty blocks at the end of the archive, and nothing else,");
}
