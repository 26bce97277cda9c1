#include "formats/base64.h"
#include "checks/check_argument.h"
#include "checks/checks_table.h"
#include "lexical/placeholder.h"

enum { STARTS, CONTAINS, SKIP, GENUINE };

/* How many bytes the character at the front has: 1 for printable ASCII and white space, 2 to 4 for
 * UTF-8, 0 when it is not printable. */
static size_t printable_length(const uint8_t *bytes, size_t n)
{
    uint8_t first = bytes[0];
    size_t len = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;

    if (first < 0x80) {
        bool is_space = first == '\t' || first == '\n' || first == '\r';
        return is_space || (first >= 0x20 && first < 0x7f) ? 1 : 0;
    }
    if (first < 0xc2 || first > 0xf4 || n < len) {
        return 0;
    }
    for (size_t i = 1; i < len; i++) {
        if ((bytes[i] & 0xc0u) != 0x80u) {
            return 0;
        }
    }
    return len;
}

static bool is_printable(const uint8_t *bytes, size_t n)
{
    size_t at = 0;

    while (at < n) {
        size_t len = printable_length(bytes + at, n - at);
        if (len == 0) {
            return false;
        }
        at += len;
    }
    return n > 0;
}

/* The password of user:password, or the user when there is none behind it, is no stand-in. */
static bool is_genuine(struct span text, struct span mark)
{
    const char *at = memmem(text.ptr, text.len, mark.ptr, mark.len);

    if (at == NULL) {
        return false;
    }
    size_t front = (size_t)(at - text.ptr);
    struct span rest = span_slice(text, front + mark.len, text.len);
    return !placeholder_is(rest.len > 0 ? rest : span_slice(text, 0, front));
}

static bool base64_text_passes(struct span value, const struct check_args *args)
{
    uint8_t bytes[BASE64_DECODED_MAX];
    size_t len = 0;
    size_t skip = argument_count(args, SKIP, 0);

    if (value.len <= skip || !base64_decode(span_slice(value, skip, value.len), BASE64_EITHER,
                                            bytes, sizeof(bytes), &len)) {
        return false;
    }
    struct span text = span_of((const char *)bytes, len);
    struct span wanted = argument_text(args, CONTAINS);
    return is_printable(bytes, len) && span_starts_with(text, argument_text(args, STARTS)) &&
           memmem(text.ptr, text.len, wanted.ptr, wanted.len) != NULL &&
           (!argument_flag(args, GENUINE) || is_genuine(text, wanted));
}

static bool base64_text_accepts(const struct check_args *args, struct error *err)
{
    return argument_accept_whole(args, SKIP, 0, CHECK_SPAN_MAX, err);
}

const struct check_type check_base64_text = {
    .name = "base64_text",
    .summary = "passes when base64 decodes to printable text that starts and contains as stated",
    .parameters =
        {
            {"starts", CHECK_TEXT, false},
            {"contains", CHECK_TEXT, false},
            {"skip", CHECK_NUMBER, false},
            {"genuine", CHECK_FLAG, false},
        },
    .passes = base64_text_passes,
    .accepts = base64_text_accepts,
};
