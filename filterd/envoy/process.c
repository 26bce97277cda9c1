#include "envoy/process.h"

/* Fields of the messages, by their published numbers. */
enum {
    REQUEST_OBSERVABILITY = 10,
    REQUEST_PROTOCOL_CONFIG = 11,
    CONFIG_REQUEST_MODE = 1,
    CONFIG_RESPONSE_MODE = 2,
    HEADERS_MAP = 1,
    HEADERS_LAST = 3,
    BODY_BYTES = 1,
    BODY_LAST = 2,
    BODY_LAST_EMPTY = 3, /* end_of_stream_without_message */
    BODY_COMPRESSED = 4,
    TRAILERS_MAP = 1,
    MAP_HEADER = 1,
    HEADER_NAME = 1,
    HEADER_VALUE = 2,
    HEADER_RAW_VALUE = 3,

    RESPONSE_IMMEDIATE = 7,
    PART_COMMON = 1, /* of HeadersResponse and BodyResponse */
    COMMON_HEADERS = 2,
    COMMON_BODY = 3,
    TRAILERS_HEADERS = 1,
    BODY_REPLACED = 1,
    BODY_STREAMED_PIECE = 3,
    PIECE_BYTES = 1,
    PIECE_LAST = 2,
    MUTATION_SET = 1,
    MUTATION_REMOVE = 2,
    OPTION_HEADER = 1,
    OPTION_ACTION = 3,
    ACTION_OVERWRITE_OR_ADD = 2,
    IMMEDIATE_STATUS = 1,
    IMMEDIATE_HEADERS = 2,
    IMMEDIATE_BODY = 3,
    STATUS_CODE = 1,
};

/* A field of one message that is read: where its value goes. */
struct field {
    uint32_t number;
    struct span *bytes; /* of WIRE_BYTES, else NULL */
    uint64_t *value;    /* of WIRE_VARINT, else NULL */
};

static const struct field *find_field(const struct field *fields, size_t n, uint32_t number)
{
    for (size_t i = 0; i < n; i++) {
        if (fields[i].number == number) {
            return &fields[i];
        }
    }
    return NULL;
}

/* *seen: a bit for each field that was there. */
static bool read_fields(struct span message, const struct field *fields, size_t n, uint32_t *seen)
{
    struct wire_field got;
    enum wire_step step = WIRE_END;

    *seen = 0;
    while ((step = wire_next(&message, &got)) == WIRE_FIELD) {
        const struct field *f = find_field(fields, n, got.number);
        if (f == NULL) {
            continue;
        }
        uint32_t bit = 1U << got.number;
        if ((*seen & bit) != 0 || got.type != (f->bytes != NULL ? WIRE_BYTES : WIRE_VARINT)) {
            return false;
        }
        *seen |= bit;
        if (f->bytes != NULL) {
            *f->bytes = got.bytes;
        } else {
            *f->value = got.value;
        }
    }
    return step == WIRE_END;
}

static bool read_config(struct span config, struct process_message *out)
{
    const struct field fields[] = {{CONFIG_REQUEST_MODE, NULL, &out->request_mode},
                                   {CONFIG_RESPONSE_MODE, NULL, &out->response_mode}};
    uint32_t seen = 0;

    return read_fields(config, fields, COUNT(fields), &seen);
}

static bool read_headers(struct span part, struct process_message *out)
{
    uint64_t is_last = 0;
    const struct field fields[] = {{HEADERS_MAP, &out->headers, NULL}, {HEADERS_LAST, NULL, &is_last}};
    uint32_t seen = 0;

    bool is_read = read_fields(part, fields, COUNT(fields), &seen);
    out->is_last = is_last != 0;
    return is_read;
}

static bool read_body(struct span part, struct process_message *out)
{
    uint64_t is_last = 0, is_last_empty = 0, is_compressed = 0;
    const struct field fields[] = {{BODY_BYTES, &out->body, NULL},
                                   {BODY_LAST, NULL, &is_last},
                                   {BODY_LAST_EMPTY, NULL, &is_last_empty},
                                   {BODY_COMPRESSED, NULL, &is_compressed}};
    uint32_t seen = 0;

    bool is_read = read_fields(part, fields, COUNT(fields), &seen);
    out->is_last = is_last != 0 || is_last_empty != 0;
    out->is_compressed = is_compressed != 0;
    return is_read;
}

static bool read_trailers(struct span part, struct process_message *out)
{
    const struct field fields[] = {{TRAILERS_MAP, &out->headers, NULL}};
    uint32_t seen = 0;

    out->is_last = true;
    return read_fields(part, fields, COUNT(fields), &seen);
}

static bool (*const part_readers[])(struct span part, struct process_message *out) = {
    [PROCESS_REQUEST_HEADERS] = read_headers,   [PROCESS_RESPONSE_HEADERS] = read_headers,
    [PROCESS_REQUEST_BODY] = read_body,         [PROCESS_RESPONSE_BODY] = read_body,
    [PROCESS_REQUEST_TRAILERS] = read_trailers, [PROCESS_RESPONSE_TRAILERS] = read_trailers,
};

bool process_read(struct span message, struct process_message *out, struct error *err)
{
    struct process_message m = {0};
    struct span part = {0}, config = {0};
    uint64_t is_observed = 0;
    struct field fields[COUNT(part_readers) + 2] = {{REQUEST_OBSERVABILITY, NULL, &is_observed},
                                                    {REQUEST_PROTOCOL_CONFIG, &config, NULL}};
    size_t n = 2;
    uint32_t seen = 0;

    for (uint32_t i = PROCESS_REQUEST_HEADERS; i < COUNT(part_readers); i++) {
        fields[n++] = (struct field){i, &part, NULL};
    }
    if (!read_fields(message, fields, n, &seen)) {
        return error_set(err, ERROR_MALFORMED, "ext_proc: a ProcessingRequest expected");
    }
    m.is_observed = is_observed != 0;
    m.has_modes = (seen & 1U << REQUEST_PROTOCOL_CONFIG) != 0;
    uint32_t parts = seen & ((1U << COUNT(part_readers)) - 1);
    if (parts == 0 || (parts & (parts - 1)) != 0) {
        return error_set(err, ERROR_MALFORMED, "ext_proc: one part of an exchange expected");
    }
    m.part = (enum process_part)__builtin_ctz(parts);
    if (!read_config(config, &m) || !part_readers[m.part](part, &m)) {
        return error_set(err, ERROR_MALFORMED, "ext_proc: a readable part of an exchange expected");
    }
    *out = m;
    return true;
}

enum wire_step process_next_header(struct span *rest, struct process_header *out)
{
    struct span header = {0}, value = {.ptr = ""}, raw = {0};
    struct wire_field got;
    uint32_t seen = 0;
    enum wire_step step = wire_next(rest, &got);

    if (step != WIRE_FIELD) {
        return step;
    }
    if (got.number != MAP_HEADER || got.type != WIRE_BYTES) {
        return WIRE_MALFORMED;
    }
    *out = (struct process_header){.name = {.ptr = ""}, .value = {.ptr = ""}};
    const struct field fields[] = {
        {HEADER_NAME, &out->name, NULL}, {HEADER_VALUE, &value, NULL}, {HEADER_RAW_VALUE, &raw, NULL}};
    header = got.bytes;
    if (!read_fields(header, fields, COUNT(fields), &seen)) {
        return WIRE_MALFORMED;
    }
    out->value = raw.len > 0 ? raw : value;
    /* Two values would be two headers to two readers. */
    return raw.len > 0 && value.len > 0 && !span_equal(raw, value) ? WIRE_MALFORMED : WIRE_FIELD;
}

/* --- responses ---------------------------------------------------------------- */

static bool put_option(struct buf *out, const struct process_header *h, struct error *err)
{
    size_t option = 0, header = 0;

    return wire_begin(out, MUTATION_SET, &option, err) && wire_begin(out, OPTION_HEADER, &header, err) &&
           wire_put_bytes(out, HEADER_NAME, h->name, err) && wire_put_bytes(out, HEADER_RAW_VALUE, h->value, err) &&
           wire_end(out, header, err) && wire_put_number(out, OPTION_ACTION, ACTION_OVERWRITE_OR_ADD, err) &&
           wire_end(out, option, err);
}

static bool put_changes(struct buf *out, uint32_t number, const struct process_changes *c, struct error *err)
{
    size_t start = 0;
    bool is_put = wire_begin(out, number, &start, err);

    for (size_t i = 0; i < c->n_set && is_put; i++) {
        is_put = put_option(out, &c->set[i], err);
    }
    for (size_t i = 0; i < c->n_removed && is_put; i++) {
        is_put = wire_put_bytes(out, MUTATION_REMOVE, c->removed[i], err);
    }
    return is_put && wire_end(out, start, err);
}

/* The field of the response that answers a part. */
static uint32_t response_of(enum process_part part)
{
    static const uint32_t fields[] = {
        [PROCESS_REQUEST_HEADERS] = 1,  [PROCESS_RESPONSE_HEADERS] = 2,  [PROCESS_REQUEST_BODY] = 3,
        [PROCESS_RESPONSE_BODY] = 4,    [PROCESS_REQUEST_TRAILERS] = 5,  [PROCESS_RESPONSE_TRAILERS] = 6,
    };

    return fields[part];
}

bool process_put_headers(struct buf *out, enum process_part part, const struct process_changes *c, struct error *err)
{
    size_t response = 0, common = 0;

    return wire_begin(out, response_of(part), &response, err) && wire_begin(out, PART_COMMON, &common, err) &&
           put_changes(out, COMMON_HEADERS, c, err) && wire_end(out, common, err) && wire_end(out, response, err);
}

static bool put_piece(struct buf *out, struct span body, bool is_last, struct error *err)
{
    size_t piece = 0;

    return wire_begin(out, BODY_STREAMED_PIECE, &piece, err) && wire_put_bytes(out, PIECE_BYTES, body, err) &&
           (!is_last || wire_put_number(out, PIECE_LAST, 1, err)) && wire_end(out, piece, err);
}

bool process_put_body(struct buf *out, enum process_part part, enum body_change change, struct span body, bool is_last,
                      struct error *err)
{
    size_t response = 0, common = 0, mutation = 0;

    if (!wire_begin(out, response_of(part), &response, err) || !wire_begin(out, PART_COMMON, &common, err)) {
        return false;
    }
    bool is_put = change == CHANGE_NONE ||
                  (wire_begin(out, COMMON_BODY, &mutation, err) &&
                   (change == CHANGE_STREAMED ? put_piece(out, body, is_last, err)
                                              : wire_put_bytes(out, BODY_REPLACED, body, err)) &&
                   wire_end(out, mutation, err));
    return is_put && wire_end(out, common, err) && wire_end(out, response, err);
}

bool process_put_trailers(struct buf *out, enum process_part part, struct span trailers, struct error *err)
{
    size_t response = 0, changes = 0;
    struct process_header h;

    bool is_put = wire_begin(out, response_of(part), &response, err) && wire_begin(out, TRAILERS_HEADERS, &changes, err);
    while (is_put && process_next_header(&trailers, &h) == WIRE_FIELD) {
        is_put = wire_put_bytes(out, MUTATION_REMOVE, h.name, err);
    }
    return is_put && wire_end(out, changes, err) && wire_end(out, response, err);
}

bool process_put_immediate(struct buf *out, unsigned status, const struct process_changes *c, struct span body,
                           struct error *err)
{
    size_t response = 0, code = 0;

    return wire_begin(out, RESPONSE_IMMEDIATE, &response, err) && wire_begin(out, IMMEDIATE_STATUS, &code, err) &&
           wire_put_number(out, STATUS_CODE, status, err) && wire_end(out, code, err) &&
           put_changes(out, IMMEDIATE_HEADERS, c, err) && wire_put_bytes(out, IMMEDIATE_BODY, body, err) &&
           wire_end(out, response, err);
}
