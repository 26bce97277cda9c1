/* turned.c - an encoding that was written backwards, in ROT13 or both: it holds no letters of a token that would give
 * a hint, but what it is an encoding of shows when it is turned.
 *
 * Three kinds: runs that decode to text from their first character on (base64, hex), lists of numbers, and escapes one
 * behind another (76%86%, \k67\k68). What is written is the turned text; the other transforms read it from there. */
#include "view/turned_units.h"

#include "base/ascii.h"
#include "view/escape.h"
#include "view/transform.h"
#include "text/utf8.h"

enum { TURNED_MARKS = SURVEY_ESCAPE | SURVEY_ENCODED | SURVEY_LIST };
enum { RUN_MIN = 20, HEAD = 24, HEAD_BYTES = HEAD / 4 * 3, PART = 4096, LOOK_BACK = 24 };

/* The characters of a region as they are when it is turned. */
static char turned_at(struct span region, size_t i, unsigned turns)
{
    char c = region.ptr[(turns & TURNED_BACKWARDS) != 0 ? region.len - 1 - i : i];

    return (turns & TURNED_ROT13) != 0 ? ascii_rot13(c) : c;
}

/* Whether the bytes are text, but for a character at their end that may be cut off. */
static bool is_text(struct span bytes)
{
    for (size_t at = 0; at < bytes.len;) {
        size_t left = bytes.len - at;
        size_t len = 1;
        uint32_t code_point = (unsigned char)bytes.ptr[at];
        if (code_point >= 0x80) {
            struct span character = span_of(bytes.ptr + at, left < 4 ? left : 4);
            if (utf8_valid_prefix(character) == 0) {
                return left < 4 && code_point >= 0xc2 && code_point < 0xf5;
            }
            code_point = utf8_decode(character, &len);
        }
        if (!escape_is_text(code_point)) {
            return false;
        }
        at += len;
    }
    return true;
}

/* --- runs ------------------------------------------------------------------- */

static unsigned sextet(struct span run, size_t i, unsigned turns)
{
    return ascii_base64_values[(unsigned char)turned_at(run, i, turns)];
}

/* The first bytes are enough to refuse most runs. */
static bool may_begin_with_text(struct span run, unsigned turns)
{
    unsigned second = sextet(run, 1, turns);
    unsigned char first = (unsigned char)(sextet(run, 0, turns) << 2 | second >> 4);
    unsigned char next = (unsigned char)(second << 4 | sextet(run, 2, turns) >> 2);

    return first < 0x80 ? ascii_is((char)first, ASCII_PRINT) : first >= 0xc2 && first < 0xf5 && (next & 0xc0) == 0x80;
}

static bool begins_with_text_in_base64(struct span run, unsigned turns)
{
    char bytes[HEAD_BYTES];
    size_t n = 0;

    if (!may_begin_with_text(run, turns)) {
        return false;
    }
    for (size_t i = 0; i + 4 <= run.len && i < HEAD; i += 4) {
        uint32_t quantum = 0;
        for (size_t k = 0; k < 4; k++) {
            quantum = quantum << 6 | sextet(run, i + k, turns);
        }
        bytes[n++] = (char)(quantum >> 16);
        bytes[n++] = (char)(quantum >> 8);
        bytes[n++] = (char)quantum;
        if ((quantum & 0x808080) == 0 && !is_text(span_of(bytes + n - 3, 3))) {
            return false;
        }
    }
    return is_text(span_of(bytes, n));
}

static bool begins_with_text_in_hex(struct span run, unsigned turns)
{
    char bytes[HEAD / 2];
    size_t n = 0;

    for (size_t i = 0; i + 2 <= run.len && i < HEAD; i += 2) {
        unsigned high = ascii_hex_value(turned_at(run, i, turns));
        unsigned low = ascii_hex_value(turned_at(run, i + 1, turns));
        if (high == ASCII_NOT_HEX || low == ASCII_NOT_HEX) {
            return false;
        }
        bytes[n++] = (char)(high << 4 | low);
        if (!is_text(span_of(bytes, n))) {
            return false;
        }
    }
    return n > 0;
}

/* Digits alone are the same in ROT13. */
static bool has_letter(struct span run)
{
    return ascii_run_end(run, 0, ASCII_DIGIT) < run.len;
}

static unsigned turns_of_run(struct span run)
{
    unsigned found = 0;

    if (run.len < RUN_MIN) {
        return 0;
    }
    for (unsigned turns = TURNED_BACKWARDS; turns <= TURNED_BOTH; turns++) {
        bool is_encoded = begins_with_text_in_base64(run, turns) ||
                          (begins_with_text_in_hex(run, turns) && (turns == TURNED_BACKWARDS || has_letter(run)));
        found |= is_encoded ? 1U << turns : 0;
    }
    return found != 0 && !begins_with_text_in_base64(run, 0) ? found : 0;
}

static void write_turned(const struct transform *t, const struct source_piece *r, const struct region *region, unsigned turns,
                         struct builder *b)
{
    struct span text = span_slice(r->text, region->from, region->to);
    char part[PART];

    builder_begin(b, t->name, t->kind);
    for (size_t done = 0; done < text.len && !builder_has_failed(b);) {
        size_t n = text.len - done < PART ? text.len - done : PART;
        bool is_backward = (turns & TURNED_BACKWARDS) != 0;
        struct origin origin = {.from = is_backward ? region->to - done - n : region->from + done,
                                .len = n,
                                .view_unit = 1,
                                .parent_unit = 1,
                                .is_backward = is_backward};
        for (size_t i = 0; i < n; i++) {
            part[i] = turned_at(text, done + i, turns);
        }
        builder_put(b, span_of(part, n), &origin);
        done += n;
    }
    builder_end(b);
}

/* What was turned has been read as it was. */
static bool is_turned(const struct source_piece *r)
{
    return r->piece->transform == turned_transform.name;
}

void turned_run_write(const struct source_piece *r, const struct region *region, struct builder *b)
{
    unsigned found = is_turned(r) ? 0 : turns_of_run(span_slice(r->text, region->from, region->to));

    for (unsigned turns = TURNED_BACKWARDS; found != 0 && turns <= TURNED_BOTH; turns++) {
        if ((found >> turns & 1) != 0) {
            write_turned(&turned_transform, r, region, turns, b);
        }
    }
}

/* --- units -------------------------------------------------------------------- */

/* The units or the list in [at, end) that begins first; the list may begin at `list_from`. */
static bool find_first(struct span text, unsigned marks, size_t at, size_t list_from, size_t end, struct turned_units *out)
{
    struct turned_units list;
    bool has_units = (marks & (SURVEY_ESCAPE | SURVEY_ENCODED)) != 0 && turned_units_find(text, at, end, out);
    bool has_list = (marks & SURVEY_LIST) != 0 && turned_units_find_list(text, list_from, end, &list);

    if (has_list && (!has_units || list.from < out->from)) {
        *out = list;
    }
    return has_units || has_list;
}

static bool next_turned_units(const struct source_piece *r, size_t at, struct region *out)
{
    size_t first = at;

    while (!is_turned(r) && (at = survey_next(&r->survey, at, turned_transform.marks)) < r->text.len) {
        size_t block_end = (at / SURVEY_BLOCK + 1) * SURVEY_BLOCK;
        size_t end = block_end < r->text.len ? block_end : r->text.len;
        unsigned marks = r->survey.marks[at / SURVEY_BLOCK];
        /* The list may begin in the block before, with too little to be marked. */
        size_t list_from = at % SURVEY_BLOCK == 0 && at - first > LOOK_BACK ? at - LOOK_BACK : at % SURVEY_BLOCK == 0 ? first : at;
        struct turned_units units;
        if (find_first(r->text, marks, at, list_from, end, &units)) {
            *out = (struct region){.from = units.from, .to = units.to};
            return true;
        }
        at = end;
        first = (marks & SURVEY_LIST) != 0 ? end : first;
    }
    return false;
}

static void rewrite_turned_units(const struct source_piece *r, const struct region *region, struct builder *b)
{
    struct turned_units units;

    if (!source_is_copy(r, region) && turned_units_read(span_of(r->text.ptr, region->to), region->from, &units)) {
        write_turned(&turned_transform, r, region, units.turns, b);
    }
}

TRANSFORM_DEFINE(turned, "turned", VIEW_DECODED, TURNED_MARKS,
                 next_turned_units, rewrite_turned_units, turned_units_pending);
