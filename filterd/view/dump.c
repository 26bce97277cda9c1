/* dump.c - 00000000: 6768 705f  ghp_: what xxd, hexdump -C and od print, read as the bytes that were dumped.
 *
 * A line is an offset, bytes in groups of one length, and perhaps the same as text behind two spaces. All of its bytes come from
 * all of the line, so that the text beside them is redacted with them. Lines are read in one while both bytes where they
 * meet are text. */
#include "base/ascii.h"
#include "text/vector.h"
#include "view/decoded_text.h"

enum {
    BYTES_MIN = 6,
    LINE_BYTES_MAX = 64,
    LINE_MAX_LEN = 250,
    INDENT_MAX = 8,
    LOOK_BACK = 64, /* of a line that begins in a block with too little of it to be marked (survey.c) */
    OFFSET_MIN = 4,       /* digits with a colon behind */
    OFFSET_PLAIN_MIN = 6, /* without */
    OFFSET_MAX = 16,
    GROUP_MAX = 16,
    HALF = 8, /* bytes, behind which two spaces may stand */
    PENDING_LINES_MAX = 4096, /* more are not waited for as a whole */
};

enum line_kind { LINE_NONE, LINE_OPEN, LINE_WHOLE };

/* The bytes of one line. */
struct line {
    size_t from, to; /* without the new line */
    size_t n;
    char bytes[LINE_BYTES_MAX];
};

/* Behind the offset and the white space behind it; 0 when there is none, SIZE_MAX when the text ends in it. */
static size_t skip_offset(struct span text, size_t at)
{
    size_t digits = at;

    while (digits < text.len && digits - at < INDENT_MAX && (text.ptr[digits] == ' ' || text.ptr[digits] == '\t')) {
        digits++;
    }
    size_t end = digits;
    while (end < text.len && end - digits <= OFFSET_MAX && ascii_is(text.ptr[end], ASCII_HEX)) {
        end++;
    }
    if (end == text.len) {
        return end - digits <= OFFSET_MAX ? SIZE_MAX : 0;
    }
    bool has_colon = text.ptr[end] == ':';
    size_t least = has_colon ? OFFSET_MIN : OFFSET_PLAIN_MIN;
    if (end - digits < least || end - digits > OFFSET_MAX) {
        return 0;
    }
    size_t behind = end + has_colon;
    end = behind;
    while (end < text.len && end - behind < 2 && text.ptr[end] == ' ') {
        end++;
    }
    return end == text.len ? SIZE_MAX : end > behind ? end : 0;
}

/* The digits of one group at `at`, an even number of them; 0 when something else is there. */
static size_t group_len(struct span text, size_t at)
{
    size_t end = at;

    while (end < text.len && end - at <= GROUP_MAX && ascii_is(text.ptr[end], ASCII_HEX)) {
        end++;
    }
    bool is_end = end == text.len || text.ptr[end] == ' ' || text.ptr[end] == '\n' || text.ptr[end] == '\r';
    return is_end && end - at <= GROUP_MAX && (end - at) % 2 == 0 ? end - at : 0;
}

/* Reads the groups from `at` on and returns where they end. */
static size_t read_bytes(struct span text, size_t at, struct line *l)
{
    size_t first = 0, end = at;

    for (size_t next = at; next < text.len;) {
        size_t len = group_len(text, next);
        if (len == 0 || (first != 0 && len > first) || l->n + len / 2 > LINE_BYTES_MAX) {
            break;
        }
        for (size_t i = next; i < next + len; i += 2) {
            l->bytes[l->n++] = (char)(ascii_hex_value(text.ptr[i]) << 4 | ascii_hex_value(text.ptr[i + 1]));
        }
        end = next + len;
        if (first != 0 && len < first) {
            break;
        }
        first = len;
        next = end + (end < text.len && text.ptr[end] == ' ');
        bool is_half = len == 2 && l->n == HALF && next < text.len && text.ptr[next] == ' ';
        next += is_half;
        if (next == end) {
            break;
        }
    }
    return end;
}

/* The line that begins at `at`. LINE_OPEN: the text ends before it is known, or it may go on. */
static enum line_kind read_line(struct span text, size_t at, struct line *l)
{
    size_t bytes = skip_offset(text, at);

    if (bytes == 0) {
        return LINE_NONE;
    }
    *l = (struct line){.from = at, .to = text.len};
    if (bytes == SIZE_MAX) {
        return LINE_OPEN;
    }
    size_t end = read_bytes(text, bytes, l);
    size_t limit = text.len - at < LINE_MAX_LEN ? text.len : at + LINE_MAX_LEN;
    const char *newline = end < limit ? memchr(text.ptr + end, '\n', limit - end) : NULL;
    if (newline == NULL && limit < text.len) {
        return LINE_NONE;
    }
    l->to = newline != NULL ? (size_t)(newline - text.ptr) : text.len;
    bool has_column = l->to - end >= 2 && text.ptr[end] == ' ' && text.ptr[end + 1] == ' ';
    bool is_end = end == l->to || has_column || (l->to - end == 1 && ascii_is(text.ptr[end], ASCII_SPACE));
    if (newline == NULL) {
        /* Half of a group, or of what is before the text. */
        size_t half = end + (end < text.len && text.ptr[end] == ' ');
        bool is_half = text.len - half <= GROUP_MAX && ascii_run_end(text, half, ASCII_HEX) == text.len;
        return is_end && l->n > 0 ? LINE_WHOLE : is_half ? LINE_OPEN : LINE_NONE;
    }
    return is_end && l->n > 0 ? LINE_WHOLE : LINE_NONE;
}

/* Behind any white space, as a label may stand before, and a stream's text may begin there. */
static bool may_begin(struct span text, size_t at)
{
    return ascii_is(text.ptr[at], ASCII_HEX) && (at == 0 || ascii_is(text.ptr[at - 1], ASCII_SPACE));
}

static vector_bytes hex_of(vector_bytes v)
{
    return vector_in_range(v, '0', '9') | vector_in_range(v | vector_of(0x20), 'a', 'f');
}

/* The first place in [at, end) where a line may begin, or `end`; sixteen at once. */
static size_t next_begin(struct span text, size_t at, size_t end)
{
    at += at == 0 && end > 0 && !may_begin(text, at);
    for (; at > 0 && at + VECTOR_SIZE <= end; at += VECTOR_SIZE) {
        vector_bytes before = vector_load(text.ptr + at - 1);
        vector_bytes space = vector_is(before, ' ') | vector_in_range(before, '\t', '\r');
        unsigned found = vector_top_bits(space & hex_of(vector_load(text.ptr + at)));
        if (found != 0) {
            return at + (size_t)__builtin_ctz(found);
        }
    }
    while (at < end && !may_begin(text, at)) {
        at++;
    }
    return at;
}

static bool is_text_byte(char c)
{
    return ascii_is(c, ASCII_PRINT) || (unsigned char)c >= 0x80;
}

/* Whether the line behind `l` is read in one with it. */
static bool next_line(struct span text, struct line *l)
{
    struct line next;

    if (l->to >= text.len || !is_text_byte(l->bytes[l->n - 1]) || read_line(text, l->to + 1, &next) != LINE_WHOLE ||
        !is_text_byte(next.bytes[0])) {
        return false;
    }
    *l = next;
    return true;
}

/* The dump whose first line is at `at`; *l is room for a line. */
static bool read_dump(struct span text, size_t at, struct line *l, struct region *out)
{
    if (read_line(text, at, l) != LINE_WHOLE || l->n < BYTES_MIN) {
        return false;
    }
    *out = (struct region){.from = at};
    while (next_line(text, l)) {
    }
    out->to = l->to;
    return true;
}

static bool next_dump(const struct source_piece *r, size_t at, struct region *out)
{
    struct span text = r->text;
    size_t first = at;
    struct line l; /* once: what is on the stack is zeroed each time */

    while ((at = survey_next(&r->survey, at, SURVEY_LIST)) < text.len) {
        size_t block_end = (at / SURVEY_BLOCK + 1) * SURVEY_BLOCK;
        size_t end = block_end < text.len ? block_end : text.len;
        for (at = at - first > LOOK_BACK ? at - LOOK_BACK : first; (at = next_begin(text, at, end)) < end; at++) {
            if (read_dump(text, at, &l, out)) {
                return true;
            }
        }
    }
    return false;
}

/* The bytes of a stretch: those of each line are one unit. */
static void write_stretch(struct span text, const struct region *region, const struct stretch *s, struct builder *b)
{
    size_t done = 0; /* bytes of the lines before */

    builder_begin(b, dump_transform.name, dump_transform.kind);
    for (size_t at = region->from; at < region->to && done < s->to && !builder_has_failed(b);) {
        struct line l;
        (void)read_line(text, at, &l);
        size_t from = s->from > done ? s->from - done : 0;
        size_t to = s->to - done < l.n ? s->to - done : l.n;
        struct origin origin = {
            .from = at, .len = l.to - at, .view_unit = (uint8_t)(to - from), .parent_unit = (uint8_t)(l.to - at)};
        if (from < to) {
            builder_put(b, span_of(l.bytes + from, to - from), &origin);
        }
        done += l.n;
        at = l.to + 1;
    }
    builder_end(b);
}

static void rewrite_dump(const struct source_piece *r, const struct region *region, struct builder *b)
{
    struct span text = span_slice(r->text, 0, region->to);
    char *decoded = source_is_copy(r, region) ? NULL : builder_scratch(b, region->to - region->from);
    struct stretch stretch = {0};
    size_t n = 0;

    for (size_t at = region->from; decoded != NULL && at < region->to;) {
        struct line l;
        (void)read_line(text, at, &l);
        memcpy(decoded + n, l.bytes, l.n);
        n += l.n;
        at = l.to + 1;
    }
    while (n > 0 && !builder_has_failed(b) && stretch_next(span_of(decoded, n), stretch.to, &stretch)) {
        if (stretch.stride == 1) {
            write_stretch(text, region, &stretch, b);
        }
    }
}

/* --- what may go on --- */

static size_t line_begin(struct span text, size_t first, size_t at)
{
    size_t near = at - first < LINE_MAX_LEN ? first : at - LINE_MAX_LEN;
    const char *newline = memrchr(text.ptr + near, '\n', at - near);

    return newline != NULL ? (size_t)(newline - text.ptr) + 1 : near;
}

/* The first line of a dump that begins in [from, end). */
static enum line_kind find_line(struct span text, size_t from, size_t end, struct line *l)
{
    for (size_t at = from; at < end; at++) {
        enum line_kind kind = may_begin(text, at) ? read_line(text, at, l) : LINE_NONE;
        if (kind != LINE_NONE) {
            return kind;
        }
    }
    *l = (struct line){.from = end, .to = end};
    return LINE_NONE;
}

/* The last line, if it may be one of a dump, and those before that it may be read in one with. */
static struct pending dump_pending(struct span text, size_t first)
{
    size_t at = line_begin(text, first, text.len);
    struct line l;
    size_t blank = at;

    while (blank < text.len && blank - at < INDENT_MAX && (text.ptr[blank] == ' ' || text.ptr[blank] == '\t')) {
        blank++;
    }
    if (find_line(text, at, text.len, &l) == LINE_NONE && blank < text.len) {
        return pending_apart(text.len);
    }
    size_t from = l.from;
    for (unsigned i = 0; i < PENDING_LINES_MAX && from <= blank && at > first + 1 && (l.n == 0 || is_text_byte(l.bytes[0])); i++) {
        size_t before = line_begin(text, first, at - 1);
        if (find_line(text, before, at - 1, &l) != LINE_WHOLE || l.to + 1 != at || !is_text_byte(l.bytes[l.n - 1])) {
            break;
        }
        at = before;
        from = blank = l.from;
    }
    return pending_apart(from);
}

TRANSFORM_DEFINE(dump, "dump", VIEW_DECODED, SURVEY_LIST, next_dump, rewrite_dump, dump_pending);
