#include "view/decoded_text.h"

#include "base/ascii.h"
#include "view/escape.h"
#include "text/utf8.h"
#include "text/vector.h"

enum { WINDOW = 64 };

/* The length of the character at `at` when it is text, else 0. */
static size_t character_at(struct span bytes, size_t at)
{
    if ((unsigned char)bytes.ptr[at] < 0xc2) {
        return ascii_is(bytes.ptr[at], ASCII_PRINT);
    }
    size_t left = bytes.len - at;
    struct span character = span_of(bytes.ptr + at, left < 4 ? left : 4);
    if (utf8_valid_prefix(character) == 0) {
        return 0;
    }
    size_t len;
    return escape_is_text(utf8_decode(character, &len)) ? len : 0;
}

static size_t read_utf8(struct span bytes, size_t at, size_t *n)
{
    size_t len;

    *n = 0;
    while (at < bytes.len && (len = character_at(bytes, at)) != 0) {
        at += len;
        *n += 1;
    }
    return at;
}

/* ASCII in UTF-16: every second byte is zero. */
static size_t read_utf16(struct span bytes, size_t at, size_t *n)
{
    *n = 0;
    while (bytes.len - at >= 2 && bytes.ptr[at + 1] == 0 && ascii_is(bytes.ptr[at], ASCII_PRINT)) {
        at += 2;
        *n += 1;
    }
    return at;
}

/* Bit i: the byte at `at` + i is printable ASCII; is zero. */
static void classify(struct span bytes, size_t at, uint64_t *printable, uint64_t *zero)
{
    char part[WINDOW];
    const char *from = bytes.ptr + at;

    if (bytes.len - at < WINDOW) {
        memset(part, 0x7f, sizeof(part));
        memcpy(part, from, bytes.len - at);
        from = part;
    }
    *printable = 0;
    *zero = 0;
    for (unsigned i = 0; i < WINDOW; i += VECTOR_SIZE) {
        vector_bytes v = vector_load(from + i);
        vector_bytes is_printable =
            vector_in_range(v, ' ', '~') | vector_in_range(v, '\t', '\n') | vector_is(v, '\r');
        *printable |= (uint64_t)vector_top_bits(is_printable) << i;
        *zero |= (uint64_t)vector_top_bits(vector_is(v, 0)) << i;
    }
}

/* Bit i: TEXT_PART_MIN characters start there, `stride` bytes apart. */
static uint64_t runs(uint64_t characters, unsigned stride)
{
    uint64_t two = characters & characters >> stride;
    uint64_t four = two & two >> 2 * stride;
    uint64_t eight = four & four >> 4 * stride;
    return eight & two >> 8 * stride;
}

/* Where TEXT_PART_MIN characters of ASCII in a row start, in UTF-8 or UTF-16. */
static size_t find_part(struct span bytes, size_t at)
{
    while (at < bytes.len && bytes.len - at >= TEXT_PART_MIN) {
        uint64_t printable;
        uint64_t zero;
        classify(bytes, at, &printable, &zero);
        uint64_t found = runs(printable, 1);
        if (zero != 0) {
            found |= runs(printable & zero >> 1, 2);
        }
        if (found != 0) {
            return at + (size_t)__builtin_ctzll(found);
        }
        at += WINDOW - 2 * TEXT_PART_MIN;
    }
    return bytes.len;
}

static bool read_stretch(struct span decoded, size_t at, size_t min, struct stretch *out)
{
    size_t n;
    size_t end = read_utf8(decoded, at, &n);
    size_t stride = 1;

    if (n == 1 && end < decoded.len && decoded.ptr[end] == 0) {
        end = read_utf16(decoded, at, &n);
        stride = 2;
    }
    *out = (struct stretch){.from = at, .to = end, .stride = stride};
    return n >= (at == 0 && end == decoded.len ? TEXT_WHOLE_MIN : min);
}

bool stretch_next(struct span decoded, size_t at, struct stretch *out)
{
    if (at == 0 && read_stretch(decoded, at, TEXT_PART_MIN, out)) {
        return true;
    }
    while ((at = find_part(decoded, at)) < decoded.len) {
        if (read_stretch(decoded, at, TEXT_PART_MIN, out)) {
            return true;
        }
        at = out->to > at ? out->to : at + 1;
    }
    return false;
}

/* The characters that the decoded bytes [from, to) come from. */
static struct region encoded_range(const struct encoding *e, size_t from, size_t to)
{
    size_t n_units = (to + e->decoded_unit - 1) / e->decoded_unit;
    size_t end = e->from + n_units * e->encoded_unit;
    return (struct region){
        .from = e->from + from / e->decoded_unit * e->encoded_unit,
        .to = end < e->to ? end : e->to,
    };
}

/* The characters of a part of a stretch; every `unit` of them are one unit of the encoding, or all
 * of them come from all of the range. */
static void put(const struct encoding *e, const char *bytes, const struct stretch *part,
                size_t unit, struct builder *b)
{
    struct region range = encoded_range(e, part->from, part->to);
    size_t parent_unit =
        unit == e->decoded_unit ? e->encoded_unit * part->stride : range.to - range.from;
    struct origin origin = {
        .from = range.from,
        .len = range.to - range.from,
        .view_unit = (uint8_t)unit,
        .parent_unit = (uint8_t)parent_unit,
    };
    builder_put(b, span_of(bytes, (part->to - part->from) / part->stride), &origin);
}

static void write_stretch(const struct transform *t, char *decoded, const struct encoding *e,
                          const struct stretch *s, struct builder *b)
{
    size_t n = (s->to - s->from) / s->stride;
    char *bytes = decoded + s->from;
    /* Characters before the first that starts a unit. */
    size_t offset = s->from % e->decoded_unit;
    size_t before = offset == 0 ? 0 : s->stride == 2 ? offset : e->decoded_unit - offset;
    struct stretch head = *s;
    struct stretch rest = *s;

    for (size_t i = 0; s->stride == 2 && i < n; i++) {
        bytes[i] = bytes[2 * i];
    }
    before = before < n ? before : n;
    head.to = rest.from = s->from + before * s->stride;
    builder_begin(b, t->name, t->kind);
    if (before > 0) {
        put(e, bytes, &head, before, b);
    }
    if (n > before) {
        put(e, bytes + before, &rest, e->decoded_unit, b);
    }
    builder_end(b);
}

size_t decoded_text_write(const struct transform *t, char *decoded, size_t len,
                          const struct encoding *e, struct builder *b)
{
    struct stretch stretch = {0};
    size_t n = 0;

    while (!builder_has_failed(b) && stretch_next(span_of(decoded, len), stretch.to, &stretch)) {
        write_stretch(t, decoded, e, &stretch, b);
        n++;
    }
    return n;
}
