#include "record/manifest_note.h"

#include <stdio.h>

#include "record/note_text.h"

static const char prefix[] = "manifest ";

bool manifest_note_text(const char *sha256, struct buf *out, struct error *err)
{
    return buf_appendf(out, err, "filterd export v1\n%s\n", sha256);
}

bool manifest_request_format(const struct manifest_request *request, struct buf *out, struct error *err)
{
    return buf_appendf(out, err, "%s%s\n" SPAN_FMT "\n", prefix, request->sha256, SPAN_ARG(request->origin));
}

bool manifest_request_is(struct span bytes)
{
    return span_starts_with(bytes, span_str(prefix));
}

static bool is_sha256(struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (memchr("0123456789abcdef", text.ptr[i], 16) == NULL) {
            return false;
        }
    }
    return text.len == DIGEST_SHA256_HEX;
}

bool manifest_request_parse(struct span bytes, struct manifest_request *out, struct error *err)
{
    struct span rest = bytes, line, origin;

    if (!manifest_request_is(bytes) || !note_take_line(&rest, &line) || !note_take_line(&rest, &origin) || rest.len > 0) {
        return error_set(err, ERROR_MALFORMED, "request: \"manifest <SHA-256>\" and the origin of a log expected");
    }
    line = span_slice(line, sizeof(prefix) - 1, line.len);
    if (!is_sha256(line) || !note_name_is_valid(origin)) {
        return error_set(err, ERROR_MALFORMED, "request: the SHA-256 of a manifest and the origin of a log expected");
    }
    (void)snprintf(out->sha256, sizeof(out->sha256), SPAN_FMT, SPAN_ARG(line));
    out->origin = origin;
    return true;
}
