#include "jail/egress/wire/decode.h"

#include <limits.h>
#define ZLIB_CONST
#include <zlib.h>

#include "jail/egress/wire/head.h"

enum { STEP = 64 * 1024, GZIP_ALONE = 16 + MAX_WBITS };

static bool malformed(struct error *err)
{
    return error_set(err, ERROR_MALFORMED, "bytes as their Content-Encoding says expected");
}

/* Up to STEP bytes more. At the limit one extra byte is tried: a stream that ends there is complete. */
static bool inflate_step(z_stream *z, struct buf *out, int *code, struct error *err)
{
    size_t left = out->max - out->len, room = left < STEP ? left : STEP;
    unsigned char extra = 0;

    if (room > 0 && !buf_reserve(out, room, err)) {
        return false;
    }
    z->next_out = room > 0 ? (unsigned char *)out->data + out->len : &extra;
    z->avail_out = room > 0 ? (unsigned)room : 1;
    unsigned before = z->avail_out;
    *code = inflate(z, Z_NO_FLUSH);
    unsigned made = before - z->avail_out;
    if (room == 0 && made > 0) {
        return error_set(err, ERROR_LIMIT, "a body of at most %zu decoded bytes expected", out->max);
    }
    out->len += made;
    bool is_stuck = *code == Z_OK && made == 0 && z->avail_in == 0; /* it ends too early */
    return (!is_stuck && (*code == Z_OK || *code == Z_STREAM_END)) || malformed(err);
}

/* One stream, from the beginning of z's input. */
static bool inflate_stream(z_stream *z, struct buf *out, struct error *err)
{
    int code = Z_OK;

    while (code != Z_STREAM_END) {
        if (!inflate_step(z, out, &code, err)) {
            return false;
        }
    }
    return true;
}

/* A gzip body may have several members in sequence (RFC 1952, 2.2); readers join them. */
static bool inflate_all(int window_bits, bool may_repeat, struct span bytes, struct buf *out, struct error *err)
{
    z_stream z = {.next_in = (const unsigned char *)bytes.ptr, .avail_in = (unsigned)bytes.len};

    if (bytes.len == 0 || bytes.len > UINT_MAX) {
        return malformed(err);
    }
    if (inflateInit2(&z, window_bits) != Z_OK) {
        return error_set(err, ERROR_NO_MEMORY, "zlib: no memory");
    }
    bool is_good = inflate_stream(&z, out, err);
    while (is_good && may_repeat && z.avail_in > 0) {
        is_good = inflateReset(&z) == Z_OK ? inflate_stream(&z, out, err) : malformed(err);
    }
    bool has_rest = z.avail_in > 0;
    (void)inflateEnd(&z);
    return is_good && (!has_rest || malformed(err));
}

/* "deflate" is zlib's format by the standard (RFC 9110, 8.4.1.2) and bare deflate by custom. */
static bool inflate_deflate(struct span bytes, struct buf *out, struct error *err)
{
    size_t len = out->len;

    if (inflate_all(MAX_WBITS, false, bytes, out, err)) {
        return true;
    }
    if (err->kind != ERROR_MALFORMED) {
        return false;
    }
    out->len = len;
    return inflate_all(-MAX_WBITS, false, bytes, out, err);
}

bool egress_decode(struct span coding, struct span bytes, struct buf *out, struct error *err)
{
    if (coding.len == 0 || egress_name_equal(coding, "identity")) {
        return buf_append(out, bytes, err);
    }
    if (egress_name_equal(coding, "gzip") || egress_name_equal(coding, "x-gzip")) {
        return inflate_all(GZIP_ALONE, true, bytes, out, err);
    }
    if (egress_name_equal(coding, "deflate")) {
        return inflate_deflate(bytes, out, err);
    }
    return error_set(err, ERROR_INVALID, "Content-Encoding gzip or deflate expected, or none");
}
