#include "jail/egress/wire/host.h"

#include <arpa/inet.h>

static bool refuse(struct error *err)
{
    return error_set(err, ERROR_INVALID, "a host expected: labels of letters, digits and '-', or an IP address");
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_alphanumeric(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char lower(char c)
{
    if (c >= 'A' && c <= 'Z') {
        c = (char)(c - 'A' + 'a');
    }
    return c;
}

static bool is_label(struct span label)
{
    if (label.len == 0 || label.len > EGRESS_LABEL_MAX || !is_alphanumeric(label.ptr[0]) ||
        !is_alphanumeric(label.ptr[label.len - 1])) {
        return false;
    }
    for (size_t i = 0; i < label.len; i++) {
        if (!is_alphanumeric(label.ptr[i]) && label.ptr[i] != '-') {
            return false;
        }
    }
    return true;
}

/* What resolvers and libraries may take for (a part of) an IPv4 address: digits, or 0x and hexadecimal. */
static bool is_number(struct span label)
{
    bool is_hex = label.len > 1 && label.ptr[0] == '0' && lower(label.ptr[1]) == 'x';

    for (size_t i = is_hex ? 2 : 0; i < label.len; i++) {
        char c = lower(label.ptr[i]);
        if (!is_digit(c) && !(is_hex && c >= 'a' && c <= 'f')) {
            return false;
        }
    }
    return true;
}

static bool read_name(struct span text, struct egress_host *out, struct error *err)
{
    struct span label = {0};
    struct egress_host host = {.kind = EGRESS_HOST_NAME};

    if (text.len == 0 || text.len > EGRESS_HOST_MAX) {
        return refuse(err);
    }
    for (size_t from = 0, at = 0; at <= text.len; at++) {
        if (at == text.len || text.ptr[at] == '.') {
            label = span_slice(text, from, at);
            from = at + 1;
            if (!is_label(label)) {
                return refuse(err);
            }
        }
    }
    if (is_number(label)) {
        return refuse(err);
    }
    for (size_t i = 0; i < text.len; i++) {
        host.text[i] = lower(text.ptr[i]);
    }
    *out = host;
    return true;
}

/* Only the form that inet_ntop gives back: one address has one text. */
static bool read_v4(struct span text, struct egress_host *out)
{
    struct egress_host host = {.kind = EGRESS_HOST_V4};
    char copy[INET_ADDRSTRLEN];
    struct in_addr address;

    if (text.len >= sizeof(copy) || memchr(text.ptr, '\0', text.len) != NULL) {
        return false;
    }
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    if (inet_pton(AF_INET, copy, &address) != 1 ||
        inet_ntop(AF_INET, &address, host.text, sizeof(host.text)) == NULL || strcmp(copy, host.text) != 0) {
        return false;
    }
    *out = host;
    return true;
}

/* IPv6 has many spellings, which all mean the same address: this one is made canonical. */
static bool read_v6(struct span text, struct egress_host *out)
{
    struct egress_host host = {.kind = EGRESS_HOST_V6};
    char copy[INET6_ADDRSTRLEN];
    struct in6_addr address;

    if (text.len >= sizeof(copy) || memchr(text.ptr, '\0', text.len) != NULL) {
        return false;
    }
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    if (inet_pton(AF_INET6, copy, &address) != 1 ||
        inet_ntop(AF_INET6, &address, host.text, sizeof(host.text)) == NULL) {
        return false;
    }
    *out = host;
    return true;
}

bool egress_host_read(struct span text, struct egress_host *out, struct error *err)
{
    if (text.len > 2 && text.ptr[0] == '[' && text.ptr[text.len - 1] == ']') {
        return read_v6(span_slice(text, 1, text.len - 1), out) || refuse(err);
    }
    return (text.len > 0 && read_v4(text, out)) || read_name(text, out, err);
}

bool egress_host_pattern_read(struct span text, struct egress_host_pattern *out, struct error *err)
{
    struct egress_host_pattern pattern = {.is_suffix = span_starts_with(text, span_str("*."))};

    if (!egress_host_read(pattern.is_suffix ? span_slice(text, 2, text.len) : text, &pattern.host, err)) {
        return false;
    }
    if (pattern.is_suffix && (pattern.host.kind != EGRESS_HOST_NAME || strchr(pattern.host.text, '.') == NULL)) {
        return error_set(err, ERROR_INVALID, "two labels or more expected behind '*.'");
    }
    *out = pattern;
    return true;
}

bool egress_host_equal(const struct egress_host *a, const struct egress_host *b)
{
    return a->kind == b->kind && strcmp(a->text, b->text) == 0;
}

bool egress_host_matches(const struct egress_host_pattern *pattern, const struct egress_host *host)
{
    if (!pattern->is_suffix) {
        return egress_host_equal(&pattern->host, host);
    }
    size_t suffix = strlen(pattern->host.text);
    size_t len = strlen(host->text);
    return host->kind == EGRESS_HOST_NAME && len > suffix + 1 && host->text[len - suffix - 1] == '.' &&
           strcmp(host->text + len - suffix, pattern->host.text) == 0;
}
