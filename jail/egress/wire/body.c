#include "jail/egress/wire/body.h"

void egress_body_init(struct egress_body *b, const struct egress_head *head, bool is_response)
{
    *b = (struct egress_body){
        .framing = head->framing,
        .is_lenient = is_response,
        .left = head->framing == EGRESS_BODY_LENGTH ? head->length : 0,
    };
    b->is_done = b->framing == EGRESS_BODY_NONE || (b->framing == EGRESS_BODY_LENGTH && b->left == 0);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool is_text(char c)
{
    return (unsigned char)c >= ' ' || c == '\t';
}

/* One byte each; false when it may not be there. */
static bool take_size(struct egress_body *b, char c)
{
    int digit = hex_digit(c);

    if (digit >= 0) {
        b->left = b->left * 16 + digit;
        return ++b->digits <= EGRESS_CHUNK_DIGITS;
    }
    bool is_extension = b->is_lenient && (c == ';' || c == ' ' || c == '\t');
    b->state = is_extension ? EGRESS_CHUNK_EXTENSION : EGRESS_CHUNK_SIZE_END;
    return b->digits > 0 && (c == '\r' || is_extension);
}

static bool take_extension(struct egress_body *b, char c)
{
    b->lines++;
    if (c == '\r') {
        b->state = EGRESS_CHUNK_SIZE_END;
    }
    return c == '\r' || is_text(c);
}

static bool take_size_end(struct egress_body *b, char c)
{
    b->state = b->left > 0 ? EGRESS_CHUNK_DATA : EGRESS_CHUNK_TRAILER;
    b->digits = 0;
    return c == '\n';
}

static bool take_nothing(struct egress_body *b, char c)
{
    (void)b;
    (void)c;
    return false;
}

static bool take_data_cr(struct egress_body *b, char c)
{
    b->state = EGRESS_CHUNK_DATA_LF;
    return c == '\r';
}

static bool take_data_lf(struct egress_body *b, char c)
{
    b->state = EGRESS_CHUNK_SIZE;
    return c == '\n';
}

static bool take_trailer(struct egress_body *b, char c)
{
    b->lines++;
    b->state = c == '\r' ? EGRESS_CHUNK_LAST_LF : EGRESS_CHUNK_TRAILER_LINE;
    return c == '\r' || (b->is_lenient && is_text(c));
}

static bool take_trailer_line(struct egress_body *b, char c)
{
    b->lines++;
    if (c == '\r') {
        b->state = EGRESS_CHUNK_TRAILER_LF;
    }
    return c == '\r' || is_text(c);
}

static bool take_trailer_lf(struct egress_body *b, char c)
{
    b->state = EGRESS_CHUNK_TRAILER;
    return c == '\n';
}

static bool take_last_lf(struct egress_body *b, char c)
{
    b->is_done = true;
    return c == '\n';
}

static bool take_framing_byte(struct egress_body *b, char c)
{
    static bool (*const takers[])(struct egress_body *, char) = {
        [EGRESS_CHUNK_SIZE] = take_size,
        [EGRESS_CHUNK_EXTENSION] = take_extension,
        [EGRESS_CHUNK_SIZE_END] = take_size_end,
        [EGRESS_CHUNK_DATA] = take_nothing,
        [EGRESS_CHUNK_DATA_CR] = take_data_cr,
        [EGRESS_CHUNK_DATA_LF] = take_data_lf,
        [EGRESS_CHUNK_TRAILER] = take_trailer,
        [EGRESS_CHUNK_TRAILER_LINE] = take_trailer_line,
        [EGRESS_CHUNK_TRAILER_LF] = take_trailer_lf,
        [EGRESS_CHUNK_LAST_LF] = take_last_lf,
    };

    return takers[b->state](b, c) && b->lines <= EGRESS_CHUNK_LINES_MAX;
}

static struct span take_counted(struct egress_body *b, struct span in)
{
    size_t n = (int64_t)in.len < b->left ? in.len : (size_t)b->left;

    b->left -= (int64_t)n;
    return span_slice(in, 0, n);
}

static bool take_chunked(struct egress_body *b, struct span in, size_t *used, struct span *data, struct error *err)
{
    size_t at = 0;

    while (at < in.len && !b->is_done) {
        if (b->state == EGRESS_CHUNK_DATA) {
            *data = take_counted(b, span_slice(in, at, in.len));
            b->state = b->left == 0 ? EGRESS_CHUNK_DATA_CR : b->state;
            at += data->len;
            break;
        }
        if (!take_framing_byte(b, in.ptr[at++])) {
            return error_set(err, ERROR_MALFORMED, "a chunk's size or end expected");
        }
    }
    *used = at;
    return true;
}

bool egress_body_take(struct egress_body *b, struct span in, size_t *used, struct span *data, struct error *err)
{
    *data = span_of(in.ptr, 0);
    *used = 0;
    if (b->is_done) {
        return true;
    }
    if (b->framing == EGRESS_BODY_CHUNKED) {
        return take_chunked(b, in, used, data, err);
    }
    *data = b->framing == EGRESS_BODY_LENGTH ? take_counted(b, in) : in;
    *used = data->len;
    b->is_done = b->framing == EGRESS_BODY_LENGTH && b->left == 0;
    return true;
}
