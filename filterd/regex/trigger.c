/* trigger.c - rewrites a PCRE2 pattern as one that Hyperscan accepts and that matches at least where the pattern does.
 *
 * Invariants:
 *   - Nothing is narrowed. A construct is copied, dropped when it only restricts (look-around, possessive, atomic), or
 *     replaced by one that matches more (a back-reference by the expression of its group). A construct without such a form is
 *     an error of the rule: a trigger that misses a match would be a leak.
 *   - A core is closed like its pattern: each class, group and escape in it is closed. Other patterns are refused.
 *   - trigger_prefix cuts only at the end and outside groups, so that every match of the core begins with a match of
 *     the prefix, at the same place.
 *   - Recursion occurs only through back-references and ends at REFERENCE_DEPTH_MAX; the caller's buffer limits the length
 *     of the result. After an error the buffer may have a partial result.
 *   - Threads: there is no state; any thread may call. */
#include "regex/trigger.h"

#include <ctype.h>

#include "regex/pattern.h"

enum { REFERENCE_DEPTH_MAX = 4 };

enum group_kind { GROUP_PLAIN, GROUP_CAPTURE, GROUP_DROP, GROUP_REFUSE, GROUP_VERBATIM };

/* The text after "(", and how many bytes of it the plain form replaces. */
static enum group_kind group_kind(struct span rest, size_t *skip)
{
    static const struct {
        const char *opening;
        enum group_kind kind;
    } kinds[] = {
        {"(?=", GROUP_DROP},  {"(?!", GROUP_DROP},   {"(?<=", GROUP_DROP},  {"(?<!", GROUP_DROP},
        {"(?#", GROUP_DROP},  {"(?:", GROUP_PLAIN},  {"(?>", GROUP_PLAIN},  {"(?|", GROUP_PLAIN},
        {"(*", GROUP_REFUSE}, {"(?(", GROUP_REFUSE}, {"(?R", GROUP_REFUSE}, {"(?&", GROUP_REFUSE},
        {"(?C", GROUP_REFUSE}, {"(?P>", GROUP_REFUSE}, {"(?P=", GROUP_REFUSE},
    };

    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (span_starts_with(rest, span_str(kinds[i].opening))) {
            *skip = strlen(kinds[i].opening);
            return kinds[i].kind;
        }
    }
    if (span_starts_with(rest, span_str("(?<")) || span_starts_with(rest, span_str("(?P<"))) {
        const char *close = memchr(rest.ptr, '>', rest.len);
        *skip = close != NULL ? (size_t)(close - rest.ptr) + 1 : rest.len;
        return GROUP_CAPTURE;
    }
    if (span_starts_with(rest, span_str("(?"))) {
        bool is_recursion = rest.len > 2 && (isdigit((unsigned char)rest.ptr[2]) || rest.ptr[2] == '+' ||
                                             (rest.ptr[2] == '-' && rest.len > 3 && isdigit((unsigned char)rest.ptr[3])));
        *skip = 0;
        return is_recursion || (rest.len > 2 && rest.ptr[2] == '\'') ? GROUP_REFUSE : GROUP_VERBATIM;
    }
    *skip = 1;
    return GROUP_CAPTURE;
}

static bool refuse_escape(struct span pattern, const struct token *t, struct error *err)
{
    char c = (char)(t->to - t->from >= 2 ? pattern.ptr[t->from + 1] : '\0');

    if (pattern.ptr[t->from] == '\\' && c != '\0' && strchr("AzZGKCQEX", c) != NULL) {
        return error_set(err, ERROR_INVALID, "pattern: \\%c may not be used in a rule", c);
    }
    return true;
}

/* Behind a look-around and its repeat: once or a thousand times it matches the same, and without it more. The repeat behind a
 * comment is that of what is before. */
static size_t dropped_end(struct span rest)
{
    size_t end = pattern_group_end(rest, 0);
    bool is_comment = span_starts_with(rest, span_str("(?#"));

    while (!is_comment && end < rest.len && pattern_token(rest, end).kind == TOKEN_REPEAT) {
        end = pattern_token(rest, end).to;
    }
    return end;
}

/* "(?i)" and the like have no body; "(?i:" has one and is copied as it is. */
static bool append_group_open(struct span rest, struct buf *out, size_t *used, struct error *err)
{
    size_t skip = 0;

    switch (group_kind(rest, &skip)) {
    case GROUP_DROP: *used = dropped_end(rest); return true;
    case GROUP_PLAIN:
    case GROUP_CAPTURE: *used = skip; return buf_append_str(out, "(?:", err);
    case GROUP_VERBATIM: {
        size_t i = 2;
        while (i < rest.len && rest.ptr[i] != ')' && rest.ptr[i] != ':') {
            i++;
        }
        *used = i < rest.len ? i + 1 : rest.len;
        return buf_append(out, span_of(rest.ptr, *used), err);
    }
    case GROUP_REFUSE:
    default: return error_set(err, ERROR_INVALID, "pattern: verbs, conditions, callouts and recursion may not be used in a rule");
    }
}

/* --- back-references ------------------------------------------------------- */

/* A reference to a group: by number, or by name. name.len is 0 for a number. */
struct reference {
    unsigned number;
    struct span name;
};

/* \1 to \9, \k<name>, \k{name}, \g{1}, \g{name}. */
static bool read_reference(struct span token, struct reference *out)
{
    *out = (struct reference){0};
    if (token.len == 2 && token.ptr[0] == '\\' && token.ptr[1] >= '1' && token.ptr[1] <= '9') {
        out->number = (unsigned)(token.ptr[1] - '0');
        return true;
    }
    if (token.len < 4 || token.ptr[0] != '\\' || (token.ptr[1] != 'k' && token.ptr[1] != 'g')) {
        return false;
    }
    out->name = span_slice(token, 3, token.len - 1);
    if (out->name.len == 1 && isdigit((unsigned char)out->name.ptr[0])) {
        *out = (struct reference){.number = (unsigned)(out->name.ptr[0] - '0')};
    }
    return true;
}

static struct span group_name(struct span opening)
{
    const char *from = memchr(opening.ptr, '<', opening.len);

    if (from == NULL) {
        return (struct span){0};
    }
    return span_of(from + 1, (size_t)(opening.ptr + opening.len - 1 - from) - 1);
}

/* The body of the group that a reference means. */
static bool find_group(struct span pattern, const struct reference *reference, struct span *body)
{
    unsigned number = 0;

    for (size_t at = 0; at < pattern.len;) {
        struct token t = pattern_token(pattern, at);
        size_t skip = 0;
        struct span rest = span_slice(pattern, at, pattern.len);
        if (t.kind == TOKEN_OPEN && group_kind(rest, &skip) == GROUP_CAPTURE) {
            struct span name = group_name(span_of(rest.ptr, skip));
            number++;
            if (reference->name.len > 0 ? span_equal(name, reference->name) : number == reference->number) {
                *body = span_slice(rest, skip, pattern_group_end(rest, 0) - 1);
                return true;
            }
        }
        at = t.to;
    }
    return false;
}

static bool append_core(struct span pattern, struct span part, unsigned depth, struct buf *out, struct error *err);

/* A reference matches what its group did, so the group's own expression covers it.
 * Recursion ends at REFERENCE_DEPTH_MAX, which is refused here. NOLINTNEXTLINE(misc-no-recursion) */
static bool append_reference(struct span pattern, const struct reference *reference, unsigned depth, struct buf *out,
                             struct error *err)
{
    struct span body;

    if (depth == REFERENCE_DEPTH_MAX || !find_group(pattern, reference, &body)) {
        return error_set(err, ERROR_INVALID, "pattern: a back-reference to a group before it expected");
    }
    return buf_append_str(out, "(?:", err) && append_core(pattern, body, depth + 1, out, err) &&
           buf_append_char(out, ')', err);
}

/* Recursion ends at REFERENCE_DEPTH_MAX, which append_reference refuses. NOLINTNEXTLINE(misc-no-recursion) */
static bool append_token(struct span pattern, struct span text, unsigned depth, struct buf *out, struct error *err)
{
    struct reference reference;

    return read_reference(text, &reference) ? append_reference(pattern, &reference, depth, out, err)
                                            : buf_append(out, text, err);
}

/* Recursion ends at REFERENCE_DEPTH_MAX, which append_reference refuses. NOLINTNEXTLINE(misc-no-recursion) */
static bool append_core(struct span pattern, struct span part, unsigned depth, struct buf *out, struct error *err)
{
    bool after_repeat = false;

    for (size_t at = 0; at < part.len;) {
        struct token t = pattern_token(part, at);
        size_t used = t.to - t.from;
        struct span text = span_slice(part, t.from, t.to);
        bool is_possessive = after_repeat && text.len == 1 && text.ptr[0] == '+';

        if (!refuse_escape(part, &t, err)) {
            return false;
        }
        if (t.kind == TOKEN_OPEN) {
            if (!append_group_open(span_slice(part, at, part.len), out, &used, err)) {
                return false;
            }
        } else if (!is_possessive && !append_token(pattern, text, depth, out, err)) {
            return false;
        }
        after_repeat = t.kind == TOKEN_REPEAT && !after_repeat;
        at += used;
    }
    return true;
}

bool trigger_core(struct span pattern, struct buf *out, struct error *err)
{
    if (!pattern_is_closed(pattern)) {
        return error_set(err, ERROR_INVALID, "pattern: an end of each class, group and escape expected");
    }
    return append_core(pattern, pattern, 0, out, err);
}

/* The last top-level atom of a pattern without top-level alternatives, and its repeat. */
struct tail {
    size_t atom_from, repeat_from, repeat_to;
    bool has_repeat, has_alternatives;
};

static struct tail find_tail(struct span core)
{
    struct tail tail = {0};

    for (size_t at = 0; at < core.len;) {
        struct token t = pattern_token(core, at);
        if (t.kind == TOKEN_OPEN) {
            t.to = pattern_group_end(core, at);
        }
        if (t.kind == TOKEN_BAR) {
            tail.has_alternatives = true;
        } else if (t.kind == TOKEN_REPEAT) {
            if (!tail.has_repeat) { /* the second of "+?" only says how greedy */
                tail.repeat_from = t.from;
                tail.has_repeat = true;
            }
            tail.repeat_to = t.to;
        } else {
            tail = (struct tail){.atom_from = t.from, .has_alternatives = tail.has_alternatives};
        }
        at = t.to;
    }
    return tail;
}

static bool repeat_minimum(struct span repeat, struct span *minimum)
{
    if (repeat.ptr[0] == '+') {
        *minimum = span_of("1", 1);
        return true;
    }
    if (repeat.ptr[0] != '{') {
        return false; /* * and ?: none at all */
    }
    size_t i = 1;
    while (i < repeat.len && isdigit((unsigned char)repeat.ptr[i])) {
        i++;
    }
    *minimum = span_slice(repeat, 1, i);
    return !(minimum->len == 1 && minimum->ptr[0] == '0');
}

bool trigger_prefix(struct span core, struct buf *out, struct error *err)
{
    for (;;) {
        struct tail tail = find_tail(core);
        struct span minimum;
        if (!tail.has_repeat || tail.has_alternatives || tail.repeat_to != core.len) {
            return buf_append(out, core, err);
        }
        struct span repeat = span_slice(core, tail.repeat_from, tail.repeat_to);
        if (!repeat_minimum(repeat, &minimum)) {
            if (tail.atom_from == 0) {
                return buf_append(out, core, err);
            }
            core = span_slice(core, 0, tail.atom_from);
            continue;
        }
        return buf_append(out, span_slice(core, 0, tail.repeat_from), err) &&
               (span_is(minimum, "1") || buf_appendf(out, err, "{" SPAN_FMT "}", SPAN_ARG(minimum)));
    }
}
