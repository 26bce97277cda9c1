#include "view/inflated.h"

#define ZLIB_CONST
#include <zlib.h>

#include "view/decoded_text.h"

enum { HEAD_MIN = 8, PART = 4096, ANY_FORMAT = 32 + MAX_WBITS, ORIGIN_MAX = UINT16_MAX };

/* The first bytes of both formats, with zlib's check of them. */
static bool may_be_compressed(struct span bytes)
{
    const unsigned char *at = (const unsigned char *)bytes.ptr;

    if (bytes.len < HEAD_MIN) {
        return false;
    }
    bool is_gzip = at[0] == 0x1f && at[1] == 0x8b && at[2] == Z_DEFLATED;
    bool is_zlib = (at[0] & 0xf) == Z_DEFLATED && at[0] >> 4 <= MAX_WBITS - 8 && (at[0] << 8 | at[1]) % 31 == 0;
    return is_gzip || is_zlib;
}

/* Inflates into `out`, or only counts when it is NULL. Returns the length, 0 when the bytes are not compressed. */
static size_t inflate_into(z_stream *z, struct span bytes, char *out)
{
    unsigned char part[PART];
    size_t n = 0;
    int state = Z_OK;

    z->next_in = (const Bytef *)bytes.ptr;
    z->avail_in = (uInt)bytes.len;
    while (state == Z_OK && n < INFLATED_MAX) {
        size_t room = INFLATED_MAX - n < PART ? INFLATED_MAX - n : PART;
        z->next_out = part;
        z->avail_out = (uInt)room;
        state = inflate(z, Z_NO_FLUSH);
        size_t made = room - z->avail_out;
        if (out != NULL) {
            memcpy(out + n, part, made);
        }
        n += made;
        if (made == 0) {
            break;
        }
    }
    return state == Z_OK || state == Z_STREAM_END || state == Z_BUF_ERROR ? n : 0;
}

static void write_text(const struct transform *t, struct span text, const struct region *encoded, struct builder *b)
{
    struct stretch stretch = {0};

    while (!builder_has_failed(b) && stretch_next(text, stretch.to, &stretch)) {
        size_t len = stretch.to - stretch.from;
        struct origin origin = {.from = encoded->from,
                                .len = encoded->to - encoded->from,
                                .view_unit = (uint16_t)(len < ORIGIN_MAX ? len : ORIGIN_MAX),
                                .parent_unit = (uint16_t)(encoded->to - encoded->from)};
        builder_begin(b, t->name, t->kind);
        for (size_t at = 0; stretch.stride == 1 && at < len; at += ORIGIN_MAX) {
            size_t n = len - at < ORIGIN_MAX ? len - at : ORIGIN_MAX;
            builder_put(b, span_of(text.ptr + stretch.from + at, n), &origin);
        }
        builder_end(b);
    }
}

bool inflated_write(const struct transform *t, struct span bytes, const struct region *encoded, struct builder *b)
{
    z_stream z = {0};
    char *text = NULL;
    size_t n = 0;

    if (!may_be_compressed(bytes) || encoded->to - encoded->from > ORIGIN_MAX) {
        return false;
    }
    if (inflateInit2(&z, ANY_FORMAT) != Z_OK) {
        builder_fail(b, "no memory to inflate");
        return false;
    }
    n = inflate_into(&z, bytes, NULL);
    if (n > 0) {
        text = arena_alloc(b->arena, n, b->err);
        if (text == NULL) {
            b->has_failed = true;
        } else if (inflateReset(&z) == Z_OK && inflate_into(&z, bytes, text) == n) {
            write_text(t, span_of(text, n), encoded, b);
        }
    }
    (void)inflateEnd(&z);
    return n > 0;
}
