#include "envoy/wire.h"

enum {
    VARINT_MAX = 10,
    VARINT_BITS = 7,
    VARINT_MORE = 0x80,
    TYPE_BITS = 3,
    LAST_BYTE_MAX = 1, /* the tenth byte has the 64th bit alone */
};

static bool take_varint(struct span *rest, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < rest->len && i < VARINT_MAX; i++) {
        uint8_t byte = (uint8_t)rest->ptr[i];
        if (i == VARINT_MAX - 1 && byte > LAST_BYTE_MAX) {
            return false;
        }
        *value |= (uint64_t)(byte & ~VARINT_MORE) << (VARINT_BITS * i);
        if ((byte & VARINT_MORE) == 0) {
            *rest = span_slice(*rest, i + 1, rest->len);
            return true;
        }
    }
    return false;
}

static bool take_bytes(struct span *rest, uint64_t n, struct span *bytes)
{
    if (n > rest->len) {
        return false;
    }
    *bytes = span_slice(*rest, 0, (size_t)n);
    *rest = span_slice(*rest, (size_t)n, rest->len);
    return true;
}

enum wire_step wire_next(struct span *rest, struct wire_field *out)
{
    uint64_t tag = 0, n = 0;
    bool is_read = false;

    if (rest->len == 0) {
        return WIRE_END;
    }
    if (!take_varint(rest, &tag) || tag >> TYPE_BITS == 0 || tag > UINT32_MAX) {
        return WIRE_MALFORMED;
    }
    *out = (struct wire_field){.number = (uint32_t)(tag >> TYPE_BITS), .type = (enum wire_type)(tag & 7)};
    if (out->type == WIRE_VARINT) {
        is_read = take_varint(rest, &out->value);
    } else if (out->type == WIRE_BYTES) {
        is_read = take_varint(rest, &n) && take_bytes(rest, n, &out->bytes);
    } else if (out->type == WIRE_FIXED64 || out->type == WIRE_FIXED32) {
        is_read = take_bytes(rest, out->type == WIRE_FIXED64 ? sizeof(uint64_t) : sizeof(uint32_t), &out->bytes);
    }
    return is_read ? WIRE_FIELD : WIRE_MALFORMED;
}

static size_t write_varint(char out[VARINT_MAX], uint64_t value)
{
    size_t n = 0;

    for (; value >= VARINT_MORE; value >>= VARINT_BITS) {
        out[n++] = (char)((value & (VARINT_MORE - 1)) | VARINT_MORE);
    }
    out[n++] = (char)value;
    return n;
}

static bool put_varint(struct buf *out, uint64_t value, struct error *err)
{
    char bytes[VARINT_MAX];

    return buf_append(out, span_of(bytes, write_varint(bytes, value)), err);
}

static bool put_tag(struct buf *out, uint32_t number, enum wire_type type, struct error *err)
{
    return put_varint(out, (uint64_t)number << TYPE_BITS | type, err);
}

bool wire_put_number(struct buf *out, uint32_t number, uint64_t value, struct error *err)
{
    return put_tag(out, number, WIRE_VARINT, err) && put_varint(out, value, err);
}

bool wire_put_bytes(struct buf *out, uint32_t number, struct span bytes, struct error *err)
{
    return put_tag(out, number, WIRE_BYTES, err) && put_varint(out, bytes.len, err) && buf_append(out, bytes, err);
}

bool wire_begin(struct buf *out, uint32_t number, size_t *start, struct error *err)
{
    if (!put_tag(out, number, WIRE_BYTES, err)) {
        return false;
    }
    *start = out->len;
    return true;
}

/* The length precedes what is known only now. */
bool wire_end(struct buf *out, size_t start, struct error *err)
{
    char bytes[VARINT_MAX];
    size_t len = out->len - start, n = write_varint(bytes, len);

    if (!buf_reserve(out, n, err)) {
        return false;
    }
    if (len > 0) {
        memmove(out->data + start + n, out->data + start, len);
    }
    memcpy(out->data + start, bytes, n);
    out->len += n;
    return true;
}
