#include "jail/egress/dns_message.h"

enum {
    HEADER = 12,
    QUESTION_TAIL = 4, /* type and class */
    CLASS_IN = 1,
    TYPE_OPT = 41,
    OPT_HEAD = 11, /* an empty name, type, size, flags, length */
    FLAG_RESPONSE = 0x8000,
    FLAG_OPCODE = 0x7800,
    FLAG_RECURSION_DESIRED = 0x0100,
    FLAG_RECURSION_AVAILABLE = 0x0080,
    POINTER_TO_QUESTION = 0xc000 | HEADER,
    LABEL_MAX = 63,
    NAME_MAX_BYTES = 255,
};

static unsigned number_at(struct span s, size_t at)
{
    return (unsigned)((unsigned char)s.ptr[at] << 8 | (unsigned char)s.ptr[at + 1]);
}

/* The length of the name at the beginning with its empty label; 0: it is invalid. Compression has no use in a question. */
static size_t name_length(struct span s)
{
    size_t at = 0;

    while (at < s.len && at < NAME_MAX_BYTES) {
        size_t label = (unsigned char)s.ptr[at];
        if (label == 0) {
            return at + 1;
        }
        if (label > LABEL_MAX) {
            return 0;
        }
        at += label + 1;
    }
    return 0;
}

/* Dots between the labels; a label that has one itself is no host's. */
static bool read_host(struct span name, struct egress_host *out)
{
    char text[NAME_MAX_BYTES];
    size_t len = 0;
    struct error err;

    for (size_t at = 0; name.ptr[at] != '\0'; at += (unsigned char)name.ptr[at] + 1U) {
        size_t n = (unsigned char)name.ptr[at];
        if (memchr(name.ptr + at + 1, '.', n) != NULL) {
            return false;
        }
        if (len > 0) {
            text[len++] = '.';
        }
        memcpy(text + len, name.ptr + at + 1, n);
        len += n;
    }
    return egress_host_read(span_of(text, len), out, &err) && out->kind == EGRESS_HOST_NAME;
}

/* The rest after the question: nothing, or only an OPT record. */
static bool is_rest_plain(struct span rest, unsigned additional)
{
    return additional == 0 ? rest.len == 0
                           : additional == 1 && rest.len >= OPT_HEAD && rest.ptr[0] == '\0' &&
                                 number_at(rest, 1) == TYPE_OPT && number_at(rest, 9) == rest.len - OPT_HEAD;
}

bool egress_dns_read(struct span packet, struct egress_dns_query *out, struct error *err)
{
    if (packet.len < HEADER || (number_at(packet, 2) & FLAG_RESPONSE) != 0) {
        return error_set(err, ERROR_MALFORMED, "a query expected");
    }
    unsigned flags = number_at(packet, 2);
    *out = (struct egress_dns_query){.id = (uint16_t)number_at(packet, 0),
                                     .wants_recursion = (flags & FLAG_RECURSION_DESIRED) != 0};
    struct span rest = span_slice(packet, HEADER, packet.len);
    size_t name = name_length(rest);
    if ((flags & FLAG_OPCODE) != 0 || number_at(packet, 4) != 1 || number_at(packet, 6) != 0 ||
        number_at(packet, 8) != 0 || name == 0 || rest.len < name + QUESTION_TAIL ||
        number_at(rest, name + 2) != CLASS_IN ||
        !is_rest_plain(span_slice(rest, name + QUESTION_TAIL, rest.len), number_at(packet, 10))) {
        return true;
    }
    out->question = span_slice(rest, 0, name + QUESTION_TAIL);
    out->type = (uint16_t)number_at(rest, name);
    out->has_host = read_host(span_slice(rest, 0, name), &out->host);
    return true;
}

static bool put(struct buf *out, unsigned value, struct error *err)
{
    return buf_append_char(out, (char)(value >> 8), err) && buf_append_char(out, (char)value, err);
}

/* The address' bytes when it is of that type. */
static struct span bytes_of(const struct sockaddr_storage *a, unsigned type)
{
    if (type == EGRESS_DNS_A && a->ss_family == AF_INET) {
        return span_of((const char *)&((const struct sockaddr_in *)a)->sin_addr, sizeof(struct in_addr));
    }
    if (type == EGRESS_DNS_AAAA && a->ss_family == AF_INET6) {
        return span_of((const char *)&((const struct sockaddr_in6 *)a)->sin6_addr, sizeof(struct in6_addr));
    }
    return (struct span){0};
}

static bool put_answer(struct buf *out, unsigned type, struct span address, struct error *err)
{
    return put(out, POINTER_TO_QUESTION, err) && put(out, type, err) && put(out, CLASS_IN, err) && put(out, 0, err) &&
           put(out, EGRESS_DNS_TTL, err) && put(out, (unsigned)address.len, err) && buf_append(out, address, err);
}

bool egress_dns_write(const struct egress_dns_query *q, enum egress_dns_code code,
                      const struct egress_addresses *addresses, struct buf *out, struct error *err)
{
    enum { ANSWER_HEAD = 12, COUNT_AT = 6 };
    size_t from = out->len;
    unsigned flags = FLAG_RESPONSE | FLAG_RECURSION_AVAILABLE | (unsigned)code |
                     (q->wants_recursion ? (unsigned)FLAG_RECURSION_DESIRED : 0);
    unsigned n = 0;

    if (!put(out, q->id, err) || !put(out, flags, err) || !put(out, q->question.len > 0, err) || !put(out, 0, err) ||
        !put(out, 0, err) || !put(out, 0, err) || !buf_append(out, q->question, err)) {
        return false;
    }
    for (size_t i = 0; addresses != NULL && i < addresses->n; i++) {
        struct span bytes = bytes_of(&addresses->items[i], q->type);
        if (bytes.len == 0 || out->len - from + ANSWER_HEAD + bytes.len > EGRESS_DNS_MAX) {
            continue;
        }
        if (!put_answer(out, q->type, bytes, err)) {
            return false;
        }
        n++;
    }
    out->data[from + COUNT_AT] = (char)(n >> 8);
    out->data[from + COUNT_AT + 1] = (char)n;
    return true;
}
