/* base32.c - runs of the alphabet of RFC 4648: capitals and 2 to 7. */
#include "base/ascii.h"
#include "view/decoded_text.h"

enum { RUN_MIN = 24, PADDING_MAX = 6, DIGIT_BITS = 5 };

static bool next_run(const struct source_piece *r, size_t at, struct region *out)
{
    while (source_next_run(r, at, ASCII_UPPER | ASCII_DIGIT, RUN_MIN, out)) {
        size_t i = out->from;
        while (i < out->to && strchr("0189", r->text.ptr[i]) == NULL) {
            i++;
        }
        bool is_part = (out->from > 0 && ascii_is(r->text.ptr[out->from - 1], ASCII_BASE64)) ||
                       (out->to < r->text.len && ascii_is(r->text.ptr[out->to], ASCII_BASE64));
        if (i == out->to && !is_part) {
            return true;
        }
        at = out->to;
    }
    return false;
}

static size_t decode(struct span run, char *out)
{
    uint32_t bits = 0;
    size_t n_bits = 0, n = 0;

    for (size_t i = 0; i < run.len; i++) {
        unsigned value = (unsigned)(ascii_is_digit(run.ptr[i]) ? run.ptr[i] - '2' + 26 : run.ptr[i] - 'A');
        bits = bits << DIGIT_BITS | value;
        n_bits += DIGIT_BITS;
        if (n_bits >= 8) {
            n_bits -= 8;
            out[n++] = (char)(bits >> n_bits);
        }
    }
    return n;
}

static void rewrite_run(const struct source_piece *r, const struct region *region, struct builder *b)
{
    size_t padded = region->to;
    char *decoded = source_is_copy(r, region) ? NULL : builder_scratch(b, region->to - region->from);

    while (padded < r->text.len && padded - region->to < PADDING_MAX && r->text.ptr[padded] == '=') {
        padded++;
    }
    if (decoded != NULL) {
        struct encoding encoding = {.from = region->from, .to = padded, .decoded_unit = 5, .encoded_unit = 8};
        size_t len = decode(span_slice(r->text, region->from, region->to), decoded);
        (void)decoded_text_write(&base32_transform, decoded, len, &encoding, b);
    }
}

/* Also what fills up the last eight characters. */
static struct pending run_pending(struct span text, size_t first)
{
    size_t end = text.len;

    while (end > first && text.len - end < PADDING_MAX && text.ptr[end - 1] == '=') {
        end--;
    }
    size_t from = ascii_run_begin(text, first, end, ASCII_UPPER | ASCII_DIGIT);
    return pending_apart(from < end ? from : text.len);
}

TRANSFORM_DEFINE(base32, "base32", VIEW_DECODED, SURVEY_RUN, next_run, rewrite_run, run_pending);
