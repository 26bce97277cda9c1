#include "ctl/source/pack_delta.h"

#include <limits.h>

enum { COPY = 0x80, OFFSET_BYTES = 4, SIZE_BYTES = 3, SIZE_OF_NONE = 0x10000 };

static bool malformed(struct error *err)
{
    return error_set(err, ERROR_MALFORMED, "pack: an intact delta expected");
}

/* Seven bits a byte, the lowest first. */
static bool take_size(struct span *delta, size_t *size)
{
    *size = 0;
    for (unsigned shift = 0; shift < sizeof(*size) * CHAR_BIT - 7 && delta->len > 0; shift += 7) {
        unsigned char c = (unsigned char)delta->ptr[0];
        *delta = span_slice(*delta, 1, delta->len);
        *size |= (size_t)(c & 0x7f) << shift;
        if (c < 0x80) {
            return true;
        }
    }
    return false;
}

bool pack_delta_begin(struct span *delta, size_t base_len, size_t *len, struct error *err)
{
    size_t base;

    return (take_size(delta, &base) && base == base_len && take_size(delta, len)) || malformed(err);
}

/* A number of which only the bytes are there that `present` has a bit for, the lowest first. */
static bool take_bytes(struct span *delta, unsigned present, unsigned n, size_t *number)
{
    *number = 0;
    for (unsigned i = 0; i < n; i++) {
        if ((present >> i & 1) == 0) {
            continue;
        }
        if (delta->len == 0) {
            return false;
        }
        *number |= (size_t)(unsigned char)delta->ptr[0] << (CHAR_BIT * i);
        *delta = span_slice(*delta, 1, delta->len);
    }
    return true;
}

/* The bytes that the next instruction yields: of the base, or of the delta. */
static bool take_piece(struct span *delta, struct span base, struct span *piece)
{
    unsigned code = (unsigned char)delta->ptr[0];
    size_t from, size;

    *delta = span_slice(*delta, 1, delta->len);
    if (code < COPY) {
        if (code == 0 || code > delta->len) {
            return false;
        }
        *piece = span_of(delta->ptr, code);
        *delta = span_slice(*delta, code, delta->len);
        return true;
    }
    if (!take_bytes(delta, code, OFFSET_BYTES, &from) || !take_bytes(delta, code >> OFFSET_BYTES, SIZE_BYTES, &size)) {
        return false;
    }
    size = size != 0 ? size : SIZE_OF_NONE;
    if (from > base.len || size > base.len - from) {
        return false;
    }
    *piece = span_slice(base, from, from + size);
    return true;
}

bool pack_delta_apply(struct span delta, struct span base, char *to, size_t len, struct error *err)
{
    struct span piece;
    size_t at = 0;

    while (delta.len > 0) {
        if (!take_piece(&delta, base, &piece) || piece.len > len - at) {
            return malformed(err);
        }
        memcpy(to + at, piece.ptr, piece.len);
        at += piece.len;
    }
    return at == len || malformed(err);
}
