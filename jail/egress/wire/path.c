#include "jail/egress/wire/path.h"

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte encoded by "%xy" at `at`; -1 when it is not an escape. */
static int encoded_byte(struct span text, size_t at)
{
    if (text.len - at < 3 || text.ptr[at] != '%') {
        return -1;
    }
    int high = hex_digit(text.ptr[at + 1]), low = hex_digit(text.ptr[at + 2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/* Bytes whose encoding some server undoes before it looks for slashes and dots. '%' is among them, as "%252e" is a
 * dot to one that decodes twice. */
static bool is_treacherous(int byte)
{
    return byte < 0x20 || byte == 0x7f || byte == '/' || byte == '\\' || byte == '.' || byte == '%' || byte == ';';
}

struct span egress_path_only(struct span target)
{
    const char *query = target.len > 0 ? memchr(target.ptr, '?', target.len) : NULL;

    return query == NULL ? target : span_of(target.ptr, (size_t)(query - target.ptr));
}

static bool check_bytes(struct span target, struct error *err)
{
    for (size_t i = 0; i < target.len; i++) {
        char c = target.ptr[i];
        if (c <= ' ' || c >= 0x7f || strchr("#\\\"<>^`{|}", c) != NULL) {
            return error_set(err, ERROR_INVALID, "a path of printable characters of URLs expected");
        }
        if (c == '%' && encoded_byte(target, i) < 0) {
            return error_set(err, ERROR_INVALID, "two hexadecimal digits expected behind '%%'");
        }
    }
    return true;
}

/* `segment` ends before its parameters: "..;x" is ".." to some. */
static bool is_dots(struct span segment)
{
    const char *parameters = segment.len > 0 ? memchr(segment.ptr, ';', segment.len) : NULL;
    size_t len = parameters == NULL ? segment.len : (size_t)(parameters - segment.ptr);

    return len > 0 && len <= 2 && segment.ptr[0] == '.' && segment.ptr[len - 1] == '.';
}

static bool check_segments(struct span path, struct error *err)
{
    for (size_t from = 1, at = 1; at <= path.len; at++) {
        if (at < path.len && path.ptr[at] != '/') {
            continue;
        }
        if (is_dots(span_slice(path, from, at))) {
            return error_set(err, ERROR_INVALID, "a path without '.' and '..' expected");
        }
        if (at == from && at < path.len) {
            return error_set(err, ERROR_INVALID, "a path without '//' expected");
        }
        from = at + 1;
    }
    return true;
}

bool egress_path_check(struct span target, struct error *err)
{
    struct span path = egress_path_only(target);

    if (path.len == 0 || path.ptr[0] != '/') {
        return error_set(err, ERROR_INVALID, "a path expected that begins with '/'");
    }
    if (target.len > EGRESS_PATH_MAX) {
        return error_set(err, ERROR_LIMIT, "a path of at most %d bytes expected", EGRESS_PATH_MAX);
    }
    if (!check_bytes(target, err) || !check_segments(path, err)) {
        return false;
    }
    for (size_t i = 0; i < path.len; i++) {
        if (path.ptr[i] == '%' && is_treacherous(encoded_byte(path, i))) {
            return error_set(err, ERROR_INVALID, "a path without encoded dots, slashes and control bytes expected");
        }
    }
    return true;
}

/* The segment at *at, without slashes; moves *at past the slash that ends it, or past the end. */
static struct span next_segment(struct span path, size_t *at)
{
    const char *slash = *at < path.len ? memchr(path.ptr + *at, '/', path.len - *at) : NULL;
    size_t end = slash == NULL ? path.len : (size_t)(slash - path.ptr);
    struct span segment = span_slice(path, *at, end);

    *at = end + 1;
    return segment;
}

bool egress_path_pattern_check(struct span pattern, struct error *err)
{
    if (!egress_path_check(pattern, err)) {
        return false;
    }
    if (egress_path_only(pattern).len != pattern.len) {
        return error_set(err, ERROR_INVALID, "a pattern without a query expected");
    }
    for (size_t at = 1; at <= pattern.len;) {
        struct span segment = next_segment(pattern, &at);
        bool has_star = segment.len > 0 && memchr(segment.ptr, '*', segment.len) != NULL;
        bool is_rest = span_is(segment, "**") && at > pattern.len;
        if (has_star && !span_is(segment, "*") && !is_rest) {
            return error_set(err, ERROR_INVALID, "'*' as a whole segment or '**' as the last expected");
        }
    }
    return true;
}

bool egress_path_matches(struct span pattern, struct span path)
{
    size_t p = 1, at = 1;

    while (p <= pattern.len && at <= path.len) {
        struct span wanted = next_segment(pattern, &p);
        if (span_is(wanted, "**")) {
            return true;
        }
        struct span segment = next_segment(path, &at);
        if (!span_equal(wanted, segment) && !(span_is(wanted, "*") && segment.len > 0)) {
            return false;
        }
    }
    return p > pattern.len && at > path.len;
}
