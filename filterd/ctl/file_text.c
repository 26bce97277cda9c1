#include "ctl/file_text.h"

#define ZLIB_CONST
#include <zlib.h>

#include "base/cleanup.h"
#include "view/encoding.h"
#include "text/utf8.h"

enum { BINARY_PROBE = 8 * 1024, PIECE = 64 * 1024, GZIP_WINDOW = 15 + 16 /* 16: with gzip's header */ };

static const struct span gzip_magic = {.ptr = "\x1f\x8b\x08", .len = 3};

static const struct packed {
    struct span magic;
    const char *reason;
} packed_forms[] = {
    {{.ptr = "\xfd" "7zXZ\0", .len = 6}, "packed by xz, which is not read"},
    {{.ptr = "BZh", .len = 3}, "packed by bzip2, which is not read"},
    {{.ptr = "\x28\xb5\x2f\xfd", .len = 4}, "packed by zstd, which is not read"},
    {{.ptr = "PK\3\4", .len = 4}, "a zip archive, which is not read"},
    {{.ptr = "7z\xbc\xaf\x27\x1c", .len = 6}, "a 7z archive, which is not read"},
};

static bool begins_with(struct span text, struct span start)
{
    return text.len >= start.len && memcmp(text.ptr, start.ptr, start.len) == 0;
}

static void end_inflate(z_stream *z)
{
    (void)inflateEnd(z);
}

/* Into room that is there before anything is written to it: the ceiling holds whatever the data claims. */
static bool inflate_piece(z_stream *z, struct buf *out, int *status, struct error *err)
{
    size_t left = out->max - out->len;

    if (left == 0) {
        return error_set(err, ERROR_LIMIT, "at most %zu MiB expected, unpacked", out->max / (1024 * 1024));
    }
    size_t room = left < PIECE ? left : PIECE;
    if (!buf_reserve(out, room, err)) {
        return false;
    }
    z->next_out = (unsigned char *)out->data + out->len;
    z->avail_out = (unsigned)room;
    *status = inflate(z, Z_NO_FLUSH);
    out->len += room - z->avail_out;
    return *status == Z_OK || *status == Z_STREAM_END ||
           error_set(err, ERROR_MALFORMED, *status == Z_BUF_ERROR ? "whole gzip data expected" : "intact gzip data expected");
}

/* Zeroes, as tapes have them, or nothing. */
static bool is_padding(struct span rest)
{
    while (rest.len > 0 && rest.ptr[0] == '\0') {
        rest = span_slice(rest, 1, rest.len);
    }
    return rest.len == 0;
}

/* All members of the file, one behind the other. */
static bool unpack(struct span bytes, struct buf *out, struct error *err)
{
    z_stream z CLEANUP(end_inflate) = {.next_in = (const unsigned char *)bytes.ptr, .avail_in = (unsigned)bytes.len};
    int status = Z_OK;

    if (inflateInit2(&z, GZIP_WINDOW) != Z_OK) {
        return error_set(err, ERROR_NO_MEMORY, "no memory");
    }
    for (;;) {
        if (!inflate_piece(&z, out, &status, err)) {
            return false;
        }
        if (status != Z_STREAM_END) {
            continue;
        }
        struct span rest = span_of((const char *)z.next_in, z.avail_in);
        if (is_padding(rest)) {
            return true;
        }
        if (!begins_with(rest, gzip_magic) || inflateReset(&z) != Z_OK) {
            return error_set(err, ERROR_MALFORMED, "nothing behind the gzip data expected");
        }
    }
}

static bool decode(struct buf *bytes, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);
    struct encoding encoding;
    size_t mark = encoding_detect(buf_span(bytes), &encoding);
    struct span rest = span_slice(buf_span(bytes), mark, bytes->len);

    buf_init(&text, bytes->max);
    if (mark == 0) {
        return true;
    }
    bool is_decoded = encoding.unit == 1 ? buf_append(&text, rest, err)
                                         : encoding_append(&encoding, rest, &text, err) && encoding_end(&encoding, &text, err);
    if (is_decoded) {
        struct buf old = *bytes;
        *bytes = text;
        text = old;
    }
    return is_decoded;
}

/* What begins as packed data and goes on as text is text: else three letters in front would hide it. */
static const char *reason_to_skip(struct span start)
{
    bool has_nul = start.len > 0 && memchr(start.ptr, '\0', start.len) != NULL;
    bool is_text = !has_nul && start.len - utf8_valid_prefix(start) < 4; /* the last character may be cut */

    for (size_t i = 0; i < COUNT(packed_forms) && !is_text; i++) {
        if (begins_with(start, packed_forms[i].magic)) {
            return packed_forms[i].reason;
        }
    }
    return has_nul ? "binary file" : NULL;
}

bool file_text_is_plain(struct span bytes)
{
    struct encoding encoding;

    return !begins_with(bytes, gzip_magic) && encoding_detect(bytes, &encoding) == 0 &&
           reason_to_skip(span_slice(bytes, 0, bytes.len < BINARY_PROBE ? bytes.len : BINARY_PROBE)) == NULL;
}

bool file_text_decode(struct buf *bytes, const char **skipped, struct error *err)
{
    struct buf unpacked CLEANUP(buf_deinit);

    *skipped = NULL;
    buf_init(&unpacked, bytes->max);
    if (begins_with(buf_span(bytes), gzip_magic)) {
        if (!unpack(buf_span(bytes), &unpacked, err)) {
            return false;
        }
        struct buf old = *bytes;
        *bytes = unpacked;
        unpacked = old;
    }
    if (!decode(bytes, err)) {
        return false;
    }
    *skipped = reason_to_skip(span_slice(buf_span(bytes), 0, bytes->len < BINARY_PROBE ? bytes->len : BINARY_PROBE));
    return true;
}
