#include "http/head.h"

#include <ctype.h>
#include <stddef.h>
#include <strings.h>

#include "base/span.h"

enum { LINE_END = 2, HEAD_END = 4 }; /* CRLF, and that of an empty line after it */

/* Headers that mean nothing, or two things, when they come twice. */
enum single { HOST, CONTENT_LENGTH, TRANSFER_ENCODING, CONTENT_TYPE, CONTENT_ENCODING, EXPECT, ORIGIN, FETCH_SITE, SINGLES };

struct parser {
    const char *end; /* of the line before */
    struct span singles[SINGLES];
    unsigned seen; /* bits of the singles */
    const struct head_fault *fault;
};

static const struct head_fault line_fault = {
    400, "header lines of a name, a colon and a value, each ended by CRLF and none folded, expected"};
static const struct head_fault twice_fault = {
    400, "Host, Content-Length, Transfer-Encoding, Content-Type, Content-Encoding, Expect and Origin once expected"};
static const struct head_fault version_fault = {400, "a method, a target and HTTP/1.1 or HTTP/1.0 expected"};
static const struct head_fault host_fault = {400, "one Host, a name or an address, perhaps with a port, expected"};
static const struct head_fault length_fault = {400, "either Content-Length, of digits alone, or Transfer-Encoding expected"};
static const struct head_fault coding_fault = {501, "no Transfer-Encoding but chunked expected"};
static const struct head_fault old_fault = {400, "no Transfer-Encoding in HTTP/1.0 expected"};
static const struct head_fault expect_fault = {417, "no expectation but 100-continue expected"};

static bool is_token(struct span name)
{
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        if (!isalnum(c) && (c == '\0' || strchr("!#$%&'*+-.^_`|~", c) == NULL)) {
            return false;
        }
    }
    return name.len > 0;
}

static bool is_value(struct span value)
{
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.ptr[i];
        if ((c < ' ' && c != '\t') || c == 0x7f) {
            return false;
        }
    }
    return true;
}

static void keep_single(struct parser *r, struct span name, struct span value)
{
    static const char *const names[SINGLES] = {"Host",         "Content-Length",   "Transfer-Encoding",
                                               "Content-Type", "Content-Encoding", "Expect",
                                               "Origin",       "Sec-Fetch-Site"};

    for (unsigned i = 0; i < SINGLES; i++) {
        if (name.len != strlen(names[i]) || strncasecmp(name.ptr, names[i], name.len) != 0) {
            continue;
        }
        r->fault = (r->seen >> i & 1U) != 0 ? &twice_fault : r->fault;
        r->seen |= 1U << i;
        r->singles[i] = value;
    }
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Past the blanks that do not count as the value's; libmicrohttpd 1.0 ends the value with a NUL in place of the first. */
static const char *end_of_blanks(const char *end)
{
    if (*end == '\0' && is_blank(end[1])) {
        end++;
    }
    while (is_blank(*end)) {
        end++;
    }
    return end;
}

/* NOLINTNEXTLINE(readability-function-size): libmicrohttpd dictates the parameters */
static enum MHD_Result take_line(void *context, enum MHD_ValueKind kind, const char *name, size_t name_len,
                                 const char *value, size_t value_len)
{
    struct parser *r = context;
    bool is_next = name == r->end + LINE_END;

    (void)kind;
    if (!is_next || value == NULL || value <= name || !is_token(span_of(name, name_len)) ||
        !is_value(span_of(value, value_len))) {
        r->fault = &line_fault;
        return MHD_NO;
    }
    r->end = end_of_blanks(value + value_len);
    keep_single(r, span_of(name, name_len), span_of(value, value_len));
    return r->fault == NULL ? MHD_YES : MHD_NO;
}

static struct span trim(struct span value)
{
    while (value.len > 0 && is_blank(value.ptr[value.len - 1])) {
        value.len--;
    }
    return value;
}

static bool is_same(struct span value, const char *word)
{
    value = trim(value);
    return value.len == strlen(word) && strncasecmp(value.ptr, word, value.len) == 0;
}

/* uri-host [":" port] of RFC 3986, without the forms that no host name has. */
static bool is_host(struct span host)
{
    host = trim(host);
    for (size_t i = 0; i < host.len; i++) {
        unsigned char c = (unsigned char)host.ptr[i];
        if (!isalnum(c) && (c == '\0' || strchr("-._~%:[]", c) == NULL)) {
            return false;
        }
    }
    return host.len > 0;
}

static bool is_digits(struct span text)
{
    text = trim(text);
    for (size_t i = 0; i < text.len; i++) {
        if (!isdigit((unsigned char)text.ptr[i])) {
            return false;
        }
    }
    return text.len > 0;
}

static const struct head_fault *check_singles(const struct parser *r, bool is_old)
{
    bool has_length = (r->seen >> CONTENT_LENGTH & 1U) != 0, has_coding = (r->seen >> TRANSFER_ENCODING & 1U) != 0;
    bool has_expect = (r->seen >> EXPECT & 1U) != 0;

    if (!is_host(r->singles[HOST])) {
        return &host_fault;
    }
    if ((has_length && has_coding) || (has_length && !is_digits(r->singles[CONTENT_LENGTH]))) {
        return &length_fault;
    }
    if (has_coding && is_old) {
        return &old_fault;
    }
    if (has_coding && !is_same(r->singles[TRANSFER_ENCODING], "chunked")) {
        return &coding_fault;
    }
    return has_expect && !is_same(r->singles[EXPECT], "100-continue") ? &expect_fault : NULL;
}

const struct head_fault *head_check(struct MHD_Connection *connection, const char *method, const char *target,
                                    const char *version)
{
    bool is_old = strcmp(version, "HTTP/1.0") == 0;
    struct parser r = {.end = version + strlen(version)};
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);

    if ((!is_old && strcmp(version, "HTTP/1.1") != 0) || target != method + strlen(method) + 1) {
        return &version_fault;
    }
    (void)MHD_get_connection_values_n(connection, MHD_HEADER_KIND, take_line, &r);
    if (r.fault != NULL) {
        return r.fault;
    }
    if (info == NULL || info->header_size != (size_t)(r.end - method) + HEAD_END) {
        return &line_fault;
    }
    return check_singles(&r, is_old);
}
