/* trigger_width.c - an upper bound of what an expression matches. */
#include "regex/trigger.h"

#include <ctype.h>

#include "regex/pattern.h"

enum { GROUP_DEPTH_MAX = 32 };

static uint64_t saturated(uint64_t width)
{
    return width > TRIGGER_WIDTH_UNBOUNDED ? TRIGGER_WIDTH_UNBOUNDED : width;
}

/* Without regard to case, "k" has the Kelvin sign (3 bytes) and "s" the long s (2 bytes) as partners; no other
 * ASCII letter has one outside ASCII. */
static uint64_t letter_width(char c, bool is_caseless)
{
    char lower = (char)tolower((unsigned char)c);

    return !is_caseless ? 1 : lower == 'k' ? 3 : lower == 's' ? 2 : 1;
}

/* Escapes of classes whose characters are all ASCII; PCRE2 has no Unicode properties in them here. */
static bool is_ascii_escape(char c)
{
    return strchr("dswntrfveab", c) != NULL || ispunct((unsigned char)c);
}

/* Whether an escape of a class, given from behind its backslash, may mean a character outside ASCII. */
static bool is_wide_escape(const char *escape)
{
    return escape[0] == 'x' ? escape[1] == '{' : !is_ascii_escape(escape[0]);
}

static uint64_t class_width(struct span text, bool is_caseless)
{
    const uint64_t any = 4;
    uint64_t widest = 1;

    for (size_t i = 1; i + 1 < text.len; i++) {
        char c = text.ptr[i];
        bool is_negated = c == '^' && i == 1;
        if (c == '\\') {
            i++;
            if (is_wide_escape(text.ptr + i)) {
                return any;
            }
        } else if (is_negated || (unsigned char)c >= 0x80 || c == '[') {
            return any;
        }
        /* A range may hold k or s unseen. */
        uint64_t width = is_caseless && (c == '-' || isalpha((unsigned char)c)) ? 3 : 1;
        widest = width > widest ? width : widest;
    }
    return widest;
}

/* Bytes of the longest character that an atom matches. */
static uint64_t atom_width(struct span core, const struct token *t, bool is_caseless)
{
    struct span text = span_slice(core, t->from, t->to);
    const uint64_t any = 4;
    char c;

    if (pattern_literal(core, t, &c)) {
        return letter_width(c, is_caseless);
    }
    if (text.ptr[0] == '[') {
        return class_width(text, is_caseless);
    }
    return text.len == 2 && text.ptr[0] == '\\' && is_ascii_escape(text.ptr[1]) ? 1 : any;
}

static uint64_t repeat_maximum(struct span repeat)
{
    uint64_t n = 0;
    const char *comma = memchr(repeat.ptr, ',', repeat.len);
    const char *at = comma != NULL ? comma + 1 : repeat.ptr + 1;

    if (repeat.ptr[0] == '?') {
        return 1;
    }
    if (repeat.ptr[0] != '{' || *at == '}') {
        return TRIGGER_WIDTH_UNBOUNDED;
    }
    for (; *at != '}'; at++) {
        n = saturated(n * 10 + (uint64_t)(*at - '0'));
    }
    return n;
}

static uint64_t width_of(struct span core, bool is_caseless, unsigned depth);

/* A group from its parenthesis to behind the closing one; look-around and the like have no width.
 * Recursion ends at GROUP_DEPTH_MAX, in width_of. NOLINTNEXTLINE(misc-no-recursion) */
static uint64_t group_width(struct span group, bool is_caseless, unsigned depth)
{
    const char *colon = memchr(group.ptr, ':', group.len);
    bool has_body = colon != NULL && group.ptr[1] == '?' && group.len > 4;

    return has_body ? width_of(span_slice(group, (size_t)(colon - group.ptr) + 1, group.len - 1), is_caseless, depth + 1)
                    : 0;
}

/* Past GROUP_DEPTH_MAX a group counts as unbounded, so the recursion ends. NOLINTNEXTLINE(misc-no-recursion) */
static uint64_t width_of(struct span core, bool is_caseless, unsigned depth)
{
    uint64_t widest = 0, sum = 0, last = 0;

    if (depth == GROUP_DEPTH_MAX) {
        return TRIGGER_WIDTH_UNBOUNDED;
    }
    for (size_t at = 0; at < core.len;) {
        struct token t = pattern_token(core, at);
        if (t.kind == TOKEN_REPEAT) {
            uint64_t max = repeat_maximum(span_slice(core, t.from, t.to));
            sum = saturated(sum - last + saturated(last * max));
            last = 0; /* the second of "+?" only says how greedy */
        } else if (t.kind == TOKEN_BAR) {
            widest = sum > widest ? sum : widest;
            sum = last = 0;
        } else if (t.kind == TOKEN_OPEN) {
            t.to = pattern_group_end(core, at);
            last = group_width(span_slice(core, at, t.to), is_caseless, depth);
            sum = saturated(sum + last);
        } else {
            last = t.kind == TOKEN_ATOM ? atom_width(core, &t, is_caseless) : 0;
            sum = saturated(sum + last);
        }
        at = t.to;
    }
    return sum > widest ? sum : widest;
}

uint32_t trigger_max_width(struct span core)
{
    bool is_caseless = core.len > 0 && memmem(core.ptr, core.len, "(?i", 3) != NULL;

    return (uint32_t)width_of(core, is_caseless, 0);
}
