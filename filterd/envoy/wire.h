/* wire.h - the wire format of protocol buffers: fields of one message, read in place and appended.
 *
 * Reading allocates and copies nothing; nested messages are spans that are read the same way. Groups, which proto3 lacks, are
 * malformed. Pure. */
#ifndef FILTERD_ENVOY_WIRE_H
#define FILTERD_ENVOY_WIRE_H

#include <stdint.h>

#include "base/buf.h"

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

struct wire_field {
    uint32_t number;
    enum wire_type type;
    uint64_t value;    /* of WIRE_VARINT */
    struct span bytes; /* of WIRE_BYTES; borrowed */
};

enum wire_step { WIRE_MALFORMED, WIRE_FIELD, WIRE_END };

/* Takes the next field from the front of *rest. After WIRE_MALFORMED, *rest is not to be used. */
enum wire_step wire_next(struct span *rest, struct wire_field *out);

MUST_CHECK bool wire_put_number(struct buf *out, uint32_t number, uint64_t value, struct error *err);
MUST_CHECK bool wire_put_bytes(struct buf *out, uint32_t number, struct span bytes, struct error *err);

/* A nested message: what is appended between begin and end. *start is for wire_end. */
MUST_CHECK bool wire_begin(struct buf *out, uint32_t number, size_t *start, struct error *err);
MUST_CHECK bool wire_end(struct buf *out, size_t start, struct error *err);

#endif
