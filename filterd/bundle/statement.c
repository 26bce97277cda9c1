#include "bundle/statement.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "bundle/lines.h"
#include "query/timestamp.h"

enum { TIME_TEXT = 32, ENGINE_PARTS = 3 };

/* Clocks of machines that make and take bundles differ. */
#define SKEW_NS (INT64_C(300) * 1000000000)

/* --- reading ------------------------------------------------------------------ */

/* The value on the next line, behind its name and a space. */
static bool take(struct lines *l, const char *name, struct span *value, struct error *err)
{
    if (!lines_take(l, name, value) || value->len < 2 || value->ptr[0] != ' ') {
        return lines_expected(l, name, err);
    }
    *value = span_slice(*value, 1, value->len);
    return true;
}

static bool take_name(struct lines *l, struct span *out, struct error *err)
{
    l->number++;
    return (note_take_line(&l->rest, out) && note_name_is_valid(*out)) || lines_expected(l, "the name of the bundles", err);
}

static bool take_number(struct lines *l, const char *name, uint64_t *out, struct error *err)
{
    struct span value;

    return take(l, name, &value, err) &&
           ((note_read_number(value, out) && *out > 0) || lines_expected(l, "a number from 1", err));
}

static bool take_digest(struct lines *l, char hex[DIGEST_SHA256_HEX + 1], struct error *err)
{
    static const char prefix[] = "sha256:";
    struct span value;

    if (!take(l, "digest", &value, err)) {
        return false;
    }
    bool is_right = span_starts_with(value, span_str(prefix)) && value.len == sizeof(prefix) - 1 + DIGEST_SHA256_HEX &&
                    strspn(value.ptr + sizeof(prefix) - 1, "0123456789abcdef") == DIGEST_SHA256_HEX;
    if (!is_right) {
        return lines_expected(l, "sha256: and 64 lower-case hexadecimal digits", err);
    }
    (void)snprintf(hex, DIGEST_SHA256_HEX + 1, "%.*s", DIGEST_SHA256_HEX, value.ptr + sizeof(prefix) - 1);
    return true;
}

static void format_time(int64_t ns, char text[TIME_TEXT])
{
    time_t seconds = (time_t)(ns / 1000000000);
    struct tm t;

    (void)strftime(text, TIME_TEXT, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &t));
}

/* In the one form that policy_bundle_format writes. */
static bool take_time(struct lines *l, const char *name, int64_t *ns, struct error *err)
{
    char again[TIME_TEXT];
    struct span value;

    if (!take(l, name, &value, err)) {
        return false;
    }
    bool is_right = timestamp_parse(value, 0, ns) && *ns >= 0;
    if (is_right) {
        format_time(*ns, again);
    }
    return (is_right && span_is(value, again)) || lines_expected(l, "a time as 2026-11-22T17:00:00Z", err);
}

/* The numbers of "1.2.3"; missing ones are 0. */
static bool read_engine(struct span text, unsigned parts[ENGINE_PARTS])
{
    size_t n = 0;

    memset(parts, 0, ENGINE_PARTS * sizeof(*parts));
    while (n < ENGINE_PARTS) {
        const char *dot = memchr(text.ptr, '.', text.len);
        size_t len = dot == NULL ? text.len : (size_t)(dot - text.ptr);
        uint64_t number;
        if (!note_read_number(span_slice(text, 0, len), &number) || number > 1000000) {
            return false;
        }
        parts[n++] = (unsigned)number;
        if (dot == NULL) {
            return true;
        }
        text = span_slice(text, len + 1, text.len);
    }
    return false;
}

static bool take_engine(struct lines *l, struct span *out, struct error *err)
{
    unsigned parts[ENGINE_PARTS];
    struct span value;

    if (!take(l, "engine", &value, err)) {
        return false;
    }
    bool is_right = span_starts_with(value, span_str(">="));
    *out = is_right ? span_slice(value, 2, value.len) : value;
    return (is_right && read_engine(*out, parts)) || lines_expected(l, ">= and a version", err);
}

bool policy_bundle_parse(struct span text, struct policy_bundle *out, struct error *err)
{
    struct lines l = {.rest = text};
    struct policy_bundle b;

    if (!take_name(&l, &b.name, err) || !take_number(&l, "version", &b.version, err) || !take_digest(&l, b.sha256, err) ||
        !take_time(&l, "created", &b.created_ns, err) || !take_time(&l, "expires", &b.expires_ns, err) ||
        !take_engine(&l, &b.engine, err) || !take_number(&l, "keys", &b.keys, err)) {
        return false;
    }
    l.number++;
    if (l.rest.len > 0) {
        return lines_expected(&l, "the end of the text", err);
    }
    if (b.created_ns >= b.expires_ns) {
        return error_set(err, ERROR_MALFORMED, "expires: a time after created expected");
    }
    *out = b;
    return true;
}

/* --- writing, checking ---------------------------------------------------------- */

bool policy_bundle_format(const struct policy_bundle *b, struct buf *out, struct error *err)
{
    char created[TIME_TEXT], expires[TIME_TEXT];

    format_time(b->created_ns, created);
    format_time(b->expires_ns, expires);
    return buf_appendf(out, err,
                       SPAN_FMT "\nversion %" PRIu64 "\ndigest sha256:%s\ncreated %s\nexpires %s\nengine >=" SPAN_FMT
                                "\nkeys %" PRIu64 "\n",
                       SPAN_ARG(b->name), b->version, b->sha256, created, expires, SPAN_ARG(b->engine), b->keys);
}

static bool is_older(const unsigned a[ENGINE_PARTS], const unsigned b[ENGINE_PARTS])
{
    for (size_t i = 0; i < ENGINE_PARTS; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i];
        }
    }
    return false;
}

bool policy_bundle_check(const struct policy_bundle *b, int64_t now_ns, const char *version, struct error *err)
{
    unsigned needed[ENGINE_PARTS], own[ENGINE_PARTS];
    char text[TIME_TEXT];

    if (b->expires_ns <= now_ns) {
        format_time(b->expires_ns, text);
        return error_set(err, ERROR_INVALID, "version %" PRIu64 " expired at %s", b->version, text);
    }
    if (b->created_ns > now_ns + SKEW_NS) {
        format_time(b->created_ns, text);
        return error_set(err, ERROR_INVALID, "version %" PRIu64 " was created at %s, which is in the future", b->version, text);
    }
    if (!read_engine(b->engine, needed) || !read_engine(span_str(version), own) || is_older(own, needed)) {
        return error_set(err, ERROR_INVALID, "version %" PRIu64 " needs filterd " SPAN_FMT " or later; this is %s", b->version,
                         SPAN_ARG(b->engine), version);
    }
    return true;
}
