/* hex.c - runs of hex digits. */
#include "base/ascii.h"
#include "view/decoded_text.h"
#include "view/inflated.h"

enum { DIGITS_MIN = 16 };

static bool next_digits(const struct source_piece *r, size_t at, struct region *out)
{
    return source_next_run(r, at, ASCII_HEX, DIGITS_MIN, out);
}

static size_t decode(struct span digits, char *out)
{
    size_t n = digits.len / 2;

    for (size_t i = 0; i < n; i++) {
        out[i] = (char)(ascii_hex_value(digits.ptr[2 * i]) << 4 |
                        ascii_hex_value(digits.ptr[2 * i + 1]));
    }
    return n;
}

/* Of an odd number of digits the first may belong to something else, or the last. */
static void rewrite_digits(const struct source_piece *r, const struct region *region, struct builder *b)
{
    size_t len = region->to - region->from;
    char *decoded = source_is_copy(r, region) ? NULL : builder_scratch(b, len);

    for (size_t skipped = 0; skipped <= len % 2 && decoded != NULL; skipped++) {
        struct span digits = span_slice(r->text, region->from + skipped, region->to);
        struct encoding encoding = {
            .from = region->from + skipped,
            .to = region->to,
            .decoded_unit = 1,
            .encoded_unit = 2,
        };
        struct span bytes = span_of(decoded, decode(digits, decoded));
        const struct region encoded = {.from = encoding.from, .to = encoding.to};
        if (inflated_write(&hex_transform, bytes, &encoded, b) ||
            decoded_text_write(&hex_transform, decoded, bytes.len, &encoding, b) > 0) {
            return;
        }
    }
}

static struct pending digits_pending(struct span text, size_t first)
{
    return pending_in_run(text, first, ASCII_HEX);
}

TRANSFORM_DEFINE(hex, "hex", VIEW_DECODED, SURVEY_RUN, next_digits, rewrite_digits, digits_pending);
