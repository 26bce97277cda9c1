/* base64.c - runs of the base64 alphabets, the common one and the one of links, also mixed. */
#include "base/ascii.h"
#include "view/decoded_text.h"
#include "view/inflated.h"

enum { RUN_MIN = 16, PHASES = 4, TAIL_QUANTA = 3, PADDING_MAX = 2 };

static bool next_run(const struct source_piece *r, size_t at, struct region *out)
{
    return source_next_run(r, at, ASCII_BASE64, RUN_MIN, out);
}

/* Whether the run ends in ASCII in this phase: something else was before what was encoded, and
 * was of the alphabet too. Looks at the top bits of some bytes alone. */
static bool ends_as_ascii(struct span run, size_t phase)
{
    size_t at = phase + (run.len - phase) / 4 * 4;

    for (unsigned n = 0; n < TAIL_QUANTA && at >= phase + 4; n++) {
        at -= 4;
        const unsigned char *c = (const unsigned char *)run.ptr + at;
        if (((ascii_base64_values[c[0]] & 0x20) | (ascii_base64_values[c[1]] & 0x08) |
             (ascii_base64_values[c[2]] & 0x02)) != 0) {
            return false;
        }
    }
    return true;
}

/* A rule of dashes, a row of one letter. */
static bool is_one_character(struct span run)
{
    return memcmp(run.ptr, run.ptr + 1, RUN_MIN - 1) == 0;
}

static void decode_run(const struct source_piece *r, const struct region *region, struct builder *b)
{
    struct span run = span_slice(r->text, region->from, region->to);
    size_t padded = region->to;

    while (padded < r->text.len && padded - region->to < PADDING_MAX &&
           r->text.ptr[padded] == '=') {
        padded++;
    }
    char *decoded = builder_scratch(b, run.len);
    for (size_t phase = 0; phase < PHASES && decoded != NULL; phase++) {
        if (phase > 0 && !ends_as_ascii(run, phase)) {
            continue;
        }
        size_t len = ascii_base64_decode(span_slice(run, phase, run.len), decoded);
        struct encoding encoding = {
            .from = region->from + phase,
            .to = padded,
            .decoded_unit = 3,
            .encoded_unit = 4,
        };
        const struct region encoded = {.from = encoding.from, .to = padded};
        if (inflated_write(&base64_transform, span_of(decoded, len), &encoded, b) ||
            decoded_text_write(&base64_transform, decoded, len, &encoding, b) > 0) {
            return;
        }
    }
}

static void rewrite_run(const struct source_piece *r, const struct region *region, struct builder *b)
{
    if (is_one_character(span_slice(r->text, region->from, region->to)) || source_is_copy(r, region)) {
        return;
    }
    decode_run(r, region, b);
    turned_run_write(r, region, b);
}

/* The run at the end, also with padding behind it: what it decodes to comes from that, too. */
static struct pending run_pending(struct span text, size_t first)
{
    size_t end = text.len;

    while (end > first && text.len - end < PADDING_MAX && text.ptr[end - 1] == '=') {
        end--;
    }
    size_t from = ascii_run_begin(text, first, end, ASCII_BASE64);
    return pending_apart(from < end ? from : text.len);
}

TRANSFORM_DEFINE(base64, "base64", VIEW_DECODED, SURVEY_RUN, next_run, rewrite_run, run_pending);
