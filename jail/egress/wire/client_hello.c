#include "jail/egress/wire/client_hello.h"

#include <stdint.h>

enum {
    RECORD_MAX = 16384,
    CONTENT_HANDSHAKE = 22,
    HANDSHAKE_HEAD = 4,
    HANDSHAKE_CLIENT_HELLO = 1,
    RANDOM = 32,
    SESSION_MAX = 32,
    EXTENSION_SERVER_NAME = 0,
    EXTENSION_ENCRYPTED_HELLO = 0xfe0d,
    NAME_HOST = 0,
};

/* Takes from the beginning of `rest`. */
struct cursor {
    struct span rest;
};

static bool take(struct cursor *c, size_t n, struct span *out)
{
    if (c->rest.len < n) {
        return false;
    }
    *out = span_slice(c->rest, 0, n);
    c->rest = span_slice(c->rest, n, c->rest.len);
    return true;
}

static bool take_number(struct cursor *c, size_t bytes, size_t *out)
{
    struct span text;
    size_t value = 0;

    if (!take(c, bytes, &text)) {
        return false;
    }
    for (size_t i = 0; i < bytes; i++) {
        value = value << 8 | (unsigned char)text.ptr[i];
    }
    *out = value;
    return true;
}

/* Bytes behind their length, which takes `bytes` itself. */
static bool take_vector(struct cursor *c, size_t bytes, struct cursor *out)
{
    size_t n = 0;

    return take_number(c, bytes, &n) && take(c, n, &out->rest);
}

static bool refuse(struct error *err)
{
    return error_set(err, ERROR_MALFORMED, "a TLS client hello expected");
}

/* --- records -------------------------------------------------------------- */

struct message {
    char bytes[EGRESS_HELLO_MAX];
    size_t len;
};

static size_t message_length(const struct message *m)
{
    struct cursor c = {span_of(m->bytes, m->len)};
    size_t type = 0, len = 0;

    return take_number(&c, 1, &type) && take_number(&c, 3, &len) ? HANDSHAKE_HEAD + len : 0;
}

/* What of a record is there; a head that is cut off so far as it goes. */
static bool take_record(struct cursor *c, struct span *piece, bool *is_whole, struct error *err)
{
    size_t type = CONTENT_HANDSHAKE, major = 3, minor = 0, len = 1;
    bool has_head = take_number(c, 1, &type) && take_number(c, 1, &major) && take_number(c, 1, &minor) &&
                    take_number(c, 2, &len);

    if (type != CONTENT_HANDSHAKE || major != 3 || len == 0 || len > RECORD_MAX) {
        return refuse(err);
    }
    size_t n = !has_head ? 0 : len < c->rest.len ? len : c->rest.len;
    *is_whole = has_head && n == len;
    return take(c, n, piece) || refuse(err);
}

/* *is_message: the hello is whole. It is alone in its records. */
static bool add_piece(struct message *m, struct span piece, bool *is_message, struct error *err)
{
    if (piece.len > sizeof(m->bytes) - m->len) {
        return error_set(err, ERROR_LIMIT, "a TLS client hello of at most %d bytes expected", EGRESS_HELLO_MAX);
    }
    if (piece.len > 0) {
        memcpy(m->bytes + m->len, piece.ptr, piece.len);
        m->len += piece.len;
    }
    size_t wanted = message_length(m);
    *is_message = wanted > 0 && m->len == wanted;
    bool is_hello = m->len == 0 || m->bytes[0] == HANDSHAKE_CLIENT_HELLO;
    return (is_hello && wanted <= sizeof(m->bytes) && (wanted == 0 || m->len <= wanted)) || refuse(err);
}

/* Joins records until the message is whole; records that come behind it are none of ours. */
static bool join_records(struct span bytes, struct message *m, bool *is_whole, struct error *err)
{
    struct cursor c = {bytes};

    m->len = 0;
    *is_whole = false;
    for (size_t i = 0; i < EGRESS_HELLO_RECORDS_MAX; i++) {
        struct span piece = {0};
        bool is_record = false, is_message = false;
        if (!take_record(&c, &piece, &is_record, err) || !add_piece(m, piece, &is_message, err)) {
            return false;
        }
        *is_whole = is_message && is_record;
        if (*is_whole || !is_record) {
            return true;
        }
    }
    return error_set(err, ERROR_LIMIT, "a TLS client hello in at most %d records expected", EGRESS_HELLO_RECORDS_MAX);
}

/* --- the message ---------------------------------------------------------- */

static bool read_server_name(struct cursor c, struct egress_host *host, struct error *err)
{
    struct cursor list, name;
    size_t type = 0;

    if (!take_vector(&c, 2, &list) || c.rest.len != 0 || !take_number(&list, 1, &type) ||
        !take_vector(&list, 2, &name) || list.rest.len != 0 || type != NAME_HOST) {
        return error_set(err, ERROR_MALFORMED, "one server name expected");
    }
    /* An address is no server name, and has no place to be one. */
    return egress_host_read(name.rest, host, err) &&
           (host->kind == EGRESS_HOST_NAME || error_set(err, ERROR_DENIED, "a server name expected, not an address"));
}

static bool read_extensions(struct cursor c, struct egress_host *host, struct error *err)
{
    bool has_name = false;

    while (c.rest.len > 0) {
        struct cursor content;
        size_t type = 0;
        if (!take_number(&c, 2, &type) || !take_vector(&c, 2, &content)) {
            return refuse(err);
        }
        if (type == EXTENSION_ENCRYPTED_HELLO) {
            return error_set(err, ERROR_DENIED, "no encrypted client hello expected");
        }
        if (type == EXTENSION_SERVER_NAME) {
            if (has_name) {
                return error_set(err, ERROR_MALFORMED, "one server name expected");
            }
            if (!read_server_name(content, host, err)) {
                return false;
            }
            has_name = true;
        }
    }
    return has_name || error_set(err, ERROR_DENIED, "a server name expected");
}

static bool read_message(const struct message *m, struct egress_host *host, struct error *err)
{
    struct cursor c = {span_of(m->bytes + HANDSHAKE_HEAD, m->len - HANDSHAKE_HEAD)};
    struct cursor session, ciphers, compressions, extensions;
    struct span random;
    size_t version = 0;

    if (!take_number(&c, 2, &version) || version >> 8 != 3 || !take(&c, RANDOM, &random) ||
        !take_vector(&c, 1, &session) || session.rest.len > SESSION_MAX || !take_vector(&c, 2, &ciphers) ||
        ciphers.rest.len == 0 || ciphers.rest.len % 2 != 0 || !take_vector(&c, 1, &compressions) ||
        compressions.rest.len == 0) {
        return refuse(err);
    }
    if (c.rest.len == 0) {
        return error_set(err, ERROR_DENIED, "a server name expected");
    }
    if (!take_vector(&c, 2, &extensions) || c.rest.len != 0) {
        return refuse(err);
    }
    return read_extensions(extensions, host, err);
}

bool egress_client_hello_read(struct span bytes, bool *is_whole, struct egress_host *host, struct error *err)
{
    struct message m;
    struct egress_host found;

    if (!join_records(bytes, &m, is_whole, err)) {
        return false;
    }
    if (!*is_whole) {
        return true;
    }
    if (!read_message(&m, &found, err)) {
        return false;
    }
    *host = found;
    return true;
}
