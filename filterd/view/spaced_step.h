/* spaced_step.h - from one single character to the next and to the one before, with the same separator between.
 *
 * What reads such runs and what tells that one may go on agree by asking the same. */
#ifndef FILTERD_VIEW_SPACED_STEP_H
#define FILTERD_VIEW_SPACED_STEP_H

#include "base/ascii.h"

/* White space one after another that counts as characters of the run. */
enum { SPACED_BLANKS_MAX = 8 };

/* Four letters, digits or _ alone, an even number of bytes apart, within 31 bytes, are what the survey marks, and each run has them:
 * bit i is set when one stands i bytes before or behind the first of those looked at. */
static inline bool spaced_are_close(uint64_t places)
{
    return __builtin_popcountll(places & 0x55555555) >= 4;
}

static inline bool spaced_is_word(struct span text, size_t at)
{
    return at < text.len && (ascii_is(text.ptr[at], ASCII_ALNUM) || text.ptr[at] == '_');
}

/* Whether a run may begin with the character: not with white space, nor with what ends a word of another alphabet. */
static inline bool spaced_may_be_first(char c)
{
    return c > ' ' && c <= '~';
}

/* The bytes of the character at `at` when it may be alone, else 0. */
static inline size_t spaced_single_at(struct span text, size_t at)
{
    if (at >= text.len) {
        return 0;
    }
    unsigned char c = (unsigned char)text.ptr[at];
    if (c < 0x80) {
        return (c >= ' ' && c <= '~') || c == '\n';
    }
    size_t len = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    return c >= 0xc0 && text.len - at >= len ? len : 0;
}

/* The single character behind the separator at `end`, where the one before ends; 0 when there is none. */
static inline size_t spaced_next(struct span text, size_t end, char separator)
{
    if (end + 1 >= text.len || text.ptr[end] != separator) {
        return 0;
    }
    size_t len = spaced_single_at(text, end + 1);
    return len == 0 || spaced_is_word(text, end + 1 + len) ? 0 : end + 1;
}

/* The single character before the separator in front of `at`; SIZE_MAX when there is none at or behind `first`. */
static inline size_t spaced_before(struct span text, size_t first, size_t at, char separator)
{
    if (at < first + 2 || text.ptr[at - 1] != separator) {
        return SIZE_MAX;
    }
    size_t from = at - 2;
    while (from > first && ((unsigned char)text.ptr[from] & 0xc0) == 0x80) {
        from--;
    }
    bool is_single = spaced_single_at(text, from) == at - 1 - from;
    return is_single && (from == 0 || !spaced_is_word(text, from - 1)) ? from : SIZE_MAX;
}

#endif
