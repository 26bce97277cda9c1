#include "formats/uri.h"

#include "base/ascii.h"


static size_t find_any(struct span text, size_t from, const char *characters)
{
    size_t at = from;

    while (at < text.len && (text.ptr[at] == '\0' || strchr(characters, text.ptr[at]) == NULL)) {
        at++;
    }
    return at;
}

/* The last @ before white space or a quote; a query may hold one, too, so it ends there unless no
 * @ was before it. */
static size_t find_host(struct span text, size_t from)
{
    size_t end = find_any(text, from, " \t\r\n\"'<>`");
    size_t host = text.len;

    for (size_t at = from; at < end; at++) {
        if (text.ptr[at] == '@') {
            host = at + 1;
        }
        if ((text.ptr[at] == '/' || text.ptr[at] == '?') && host < text.len) {
            break;
        }
    }
    return host;
}

static struct span host_of(struct span text, size_t from)
{
    if (from < text.len && text.ptr[from] == '[') {
        return span_slice(text, from + 1, find_any(text, from + 1, "]"));
    }
    return span_slice(text, from, find_any(text, from, ":/?#, \t\r\n\"'<>`"));
}

/* host:5432/path@more has a port, no password. */
static bool is_port(struct span password)
{
    size_t n = 0;

    while (n < password.len && ascii_is_digit(password.ptr[n])) {
        n++;
    }
    return n > 0 && n < password.len && password.ptr[n] == '/';
}

bool uri_parse(struct span text, struct uri *out)
{
    size_t authority = ascii_find(text, 0, "://");

    if (authority == text.len) {
        return false;
    }
    authority += 3;
    size_t host = find_host(text, authority);
    size_t colon = find_any(text, authority, ":");
    if (host == text.len || colon + 1 >= host - 1) {
        return false;
    }
    if (is_port(span_slice(text, colon + 1, host - 1))) {
        return false;
    }
    out->user = span_slice(text, authority, colon);
    out->password = span_slice(text, colon + 1, host - 1);
    out->host = host_of(text, host);
    return true;
}
