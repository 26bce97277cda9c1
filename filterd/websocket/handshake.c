#include "websocket/handshake.h"

#include <gnutls/crypto.h>
#include <sodium.h>

#include "formats/header_text.h"

enum { SHA1_BYTES = 20, KEY_BYTES = 16 };

static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/* --- lists and names ------------------------------------------------------------------- */

/* The next item of a list with commas; false at its end. */
static bool next_item(struct span *rest, struct span *item)
{
    if (rest->len == 0) {
        return false;
    }
    const char *comma = memchr(rest->ptr, ',', rest->len);
    size_t len = comma == NULL ? rest->len : (size_t)(comma - rest->ptr);
    *item = header_trim(span_slice(*rest, 0, len));
    *rest = span_slice(*rest, len + (comma != NULL), rest->len);
    return true;
}

static bool has_item(struct span list, const char *name)
{
    struct span item;

    while (next_item(&list, &item)) {
        if (header_is(item, name)) {
            return true;
        }
    }
    return false;
}

static bool offers(struct span list, struct span name)
{
    struct span item;

    while (next_item(&list, &item)) {
        if (span_equal(item, name)) {
            return true;
        }
    }
    return false;
}

/* --- the server's side ------------------------------------------------------------------ */

static bool is_key(struct span key)
{
    unsigned char bytes[KEY_BYTES];
    size_t n = 0;

    return key.len == HANDSHAKE_KEY &&
           sodium_base642bin(bytes, sizeof(bytes), key.ptr, key.len, NULL, &n, NULL, sodium_base64_VARIANT_ORIGINAL) == 0 &&
           n == KEY_BYTES;
}

bool handshake_is_request(struct span upgrade, struct span connection, struct span version, struct span key)
{
    return header_is(header_trim(upgrade), "websocket") && has_item(connection, "upgrade") && span_is(header_trim(version), "13") && is_key(header_trim(key));
}

void handshake_accept(struct span key, char out[HANDSHAKE_ACCEPT + 1])
{
    char text[HANDSHAKE_KEY + sizeof(guid)] = "";
    unsigned char hash[SHA1_BYTES] = {0};
    size_t len = key.len <= HANDSHAKE_KEY ? key.len : HANDSHAKE_KEY;

    memcpy(text, key.ptr, len);
    memcpy(text + len, guid, sizeof(guid));
    (void)gnutls_hash_fast(GNUTLS_DIG_SHA1, text, strlen(text), hash);
    (void)sodium_bin2base64(out, HANDSHAKE_ACCEPT + 1, hash, sizeof(hash), sodium_base64_VARIANT_ORIGINAL);
}

/* --- the client's side -------------------------------------------------------------------- */

void handshake_make_key(char out[HANDSHAKE_KEY + 1])
{
    unsigned char bytes[KEY_BYTES];

    randombytes_buf(bytes, sizeof(bytes));
    (void)sodium_bin2base64(out, HANDSHAKE_KEY + 1, bytes, sizeof(bytes), sodium_base64_VARIANT_ORIGINAL);
}

/* Those that this module writes, and those that only a request with a body has. */
static bool is_own(const char *line)
{
    static const char *const prefixes[] = {"Sec-WebSocket-", "Accept-Encoding:", "Accept:", "Content-", "Expect:", "Host:"};

    for (size_t i = 0; i < COUNT(prefixes); i++) {
        if (strncasecmp(line, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* A header without a value is written with a semicolon, which libcurl reads so (proxy_run.c). */
static bool write_header(const char *line, struct buf *out, struct error *err)
{
    size_t len = strlen(line);
    bool is_empty = len > 0 && line[len - 1] == ';' && strchr(line, ':') == NULL;

    return is_own(line) || (buf_append(out, span_of(line, is_empty ? len - 1 : len), err) &&
                            buf_append_str(out, is_empty ? ":\r\n" : "\r\n", err));
}

bool handshake_write_request(const struct handshake_request *q, struct buf *out, struct error *err)
{
    bool is_written = buf_append_str(out, "GET ", err) && buf_append(out, q->target, err) &&
                      buf_append_str(out, " HTTP/1.1\r\nHost: ", err) && buf_append(out, q->host, err) &&
                      buf_append_str(out, "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ", err) &&
                      buf_append_str(out, q->key, err) && buf_append_str(out, "\r\n", err);

    if (is_written && q->subprotocols.len > 0) {
        is_written = buf_append_str(out, "Sec-WebSocket-Protocol: ", err) && buf_append(out, q->subprotocols, err) &&
                     buf_append_str(out, "\r\n", err);
    }
    for (size_t i = 0; i < q->n_headers && is_written; i++) {
        is_written = write_header(q->headers[i], out, err);
    }
    return is_written && buf_append_str(out, "\r\n", err);
}

/* "HTTP/1.1 101 …"; 0: another line. */
static unsigned read_status(struct span line)
{
    static const char version[] = "HTTP/1.1 ";
    size_t at = sizeof(version) - 1;
    unsigned status = 0;

    if (!span_starts_with(line, span_str(version)) || line.len < at + 3 || (line.len > at + 3 && line.ptr[at + 3] != ' ')) {
        return 0;
    }
    for (size_t i = at; i < at + 3; i++) {
        if (line.ptr[i] < '0' || line.ptr[i] > '9') {
            return 0;
        }
        status = 10 * status + (unsigned)(line.ptr[i] - '0');
    }
    return status >= 101 && status <= 599 ? status : 0;
}

struct seen {
    bool upgrade, connection, accept, is_bad;
};

static void read_header(struct span line, const char *accept, struct span offered, struct seen *seen, struct handshake_answer *out)
{
    const char *colon = memchr(line.ptr, ':', line.len);
    struct span name = span_of(line.ptr, colon == NULL ? 0 : (size_t)(colon - line.ptr));
    struct span value = colon == NULL ? span_of("", 0) : header_trim(span_slice(line, name.len + 1, line.len));

    if (name.len == 0 || memchr(line.ptr, '\0', line.len) != NULL) {
        seen->is_bad = true;
    } else if (header_is(name, "Upgrade")) {
        seen->upgrade = header_is(value, "websocket");
    } else if (header_is(name, "Connection")) {
        seen->connection = seen->connection || has_item(value, "upgrade");
    } else if (header_is(name, "Sec-WebSocket-Accept")) {
        seen->is_bad = seen->is_bad || seen->accept || !span_is(value, accept);
        seen->accept = true;
    } else if (header_is(name, "Sec-WebSocket-Extensions")) {
        seen->is_bad = true;
    } else if (header_is(name, "Sec-WebSocket-Protocol")) {
        bool fits = value.len <= HANDSHAKE_PROTOCOL_MAX && out->subprotocol[0] == '\0' && offers(offered, value);
        seen->is_bad = seen->is_bad || !fits;
        memcpy(out->subprotocol, value.ptr, fits ? value.len : 0);
    }
}

enum handshake_state handshake_read_answer(struct span bytes, const char *accept, struct span subprotocols,
                                           struct handshake_answer *out)
{
    static const char blank[] = "\r\n\r\n";
    const char *end = bytes.len == 0 ? NULL : memmem(bytes.ptr, bytes.len, blank, sizeof(blank) - 1);
    struct seen seen = {0};

    *out = (struct handshake_answer){0};
    if (end == NULL) {
        return bytes.len < HANDSHAKE_HEAD_MAX ? HANDSHAKE_MORE : HANDSHAKE_BROKEN;
    }
    struct span head = span_of(bytes.ptr, (size_t)(end - bytes.ptr));
    out->len = head.len + sizeof(blank) - 1;
    for (bool is_first = true; head.len > 0 || is_first; is_first = false) {
        const char *line_end = memmem(head.ptr, head.len, "\r\n", 2);
        struct span line = span_of(head.ptr, line_end == NULL ? head.len : (size_t)(line_end - head.ptr));
        head = span_slice(head, line_end == NULL ? head.len : line.len + 2, head.len);
        if (is_first) {
            out->status = read_status(line);
        } else {
            read_header(line, accept, subprotocols, &seen, out);
        }
    }
    if (out->status == 0 || out->len > HANDSHAKE_HEAD_MAX || (out->status == 101 && seen.is_bad)) {
        return HANDSHAKE_BROKEN;
    }
    return out->status != 101 || (seen.upgrade && seen.connection && seen.accept) ? HANDSHAKE_OK : HANDSHAKE_BROKEN;
}
