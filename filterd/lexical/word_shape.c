#include "lexical/word_shape.h"

#include "base/ascii.h"
#include "lexical/english.h"

enum { WORD_MIN = 3, PRONOUNCED_MIN = 4, LONE_DIGITS_MAX = 2, CHANGES_MAX = 2 };

/* Counted over a name: letters in words, letters in anything but words and initials, initials. */
struct census {
    size_t words;
    size_t others;
    size_t initials;
    size_t parts;
    size_t segments;
    size_t digits;
    bool has_mixture; /* a segment like 8f3k2l */
};

static bool is_joint(char c)
{
    return c == '_' || c == '-' || c == '.' || c == '/' || c == '\\';
}

static bool is_word(struct span part)
{
    return english_covered(part) * 4 >= part.len * 3 ||
           (part.len >= PRONOUNCED_MIN && english_is_pronounceable(part));
}

static void count_parts(struct span segment, struct census *c)
{
    struct span part;

    for (size_t at = 0; english_next_part(segment, &at, &part);) {
        c->parts++;
        if (part.len < WORD_MIN) {
            c->initials += part.len;
        } else if (is_word(part)) {
            c->words += part.len;
        } else {
            c->others += part.len;
        }
    }
}

/* How often letters and digits take turns. */
static size_t count_changes(struct span segment)
{
    size_t changes = 0;

    for (size_t i = 1; i < segment.len; i++) {
        changes += ascii_is_digit(segment.ptr[i]) != ascii_is_digit(segment.ptr[i - 1]) ? 1 : 0;
    }
    return changes;
}

static void count_segment(struct span segment, struct census *c)
{
    size_t words = c->words;

    count_parts(segment, c);
    for (size_t i = 0; i < segment.len; i++) {
        c->digits += ascii_is_digit(segment.ptr[i]) ? 1 : 0;
    }
    if (count_changes(segment) > CHANGES_MAX && c->words - words < PRONOUNCED_MIN) {
        c->has_mixture = true;
    }
    c->segments++;
}

/* Names of algorithms carry the size of their keys or digests. */
static bool is_algorithm(struct span name)
{
    static const char *const algorithms[] = {"sha", "aes", "rsa", "secp", "hmac", "iso", "rs",
                                             "es",  "hs",  "ps",  "utf",  "crc",  "ec",  "md"};

    for (size_t i = 0; i < COUNT(algorithms); i++) {
        if (ascii_starts_with(name, algorithms[i])) {
            size_t len = strlen(algorithms[i]);
            if (name.len > len && !ascii_is_letter(name.ptr[len])) {
                return true;
            }
        }
    }
    return false;
}

/* False when the name holds anything but segments and joints. */
static bool count_name(struct span name, struct census *c)
{
    for (size_t from = 0, at = 0; at <= name.len; at++) {
        bool ends = at == name.len || is_joint(name.ptr[at]);
        if (!ends && !ascii_is_alnum(name.ptr[at])) {
            return false;
        }
        if (ends && at > from) {
            count_segment(span_slice(name, from, at), c);
        }
        from = ends ? at + 1 : from;
    }
    return true;
}

bool word_shape_is(struct span name)
{
    struct census c = {0};

    if (!count_name(name, &c)) {
        return false;
    }
    if (c.others == 0 && !c.has_mixture && is_algorithm(name)) {
        return true;
    }
    if (c.has_mixture || (c.segments == 1 && c.digits > LONE_DIGITS_MAX)) {
        return false;
    }
    if (c.words == 0) { /* i, db, x1 */
        return c.others == 0 && c.parts == 1 && c.initials + c.digits <= WORD_MIN;
    }
    return c.words >= 3 * c.others && c.words >= c.initials;
}
