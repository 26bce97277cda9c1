#include "policy/pattern_source.h"

#include <ctype.h>
#include "regex/pattern.h"

enum { NAME_MAX_BYTES = 32 };

static const char extended[] = "(?x)";

bool fragment_is_name(struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (!(c >= 'a' && c <= 'z') && (i == 0 || (c != '-' && !isdigit((unsigned char)c)))) {
            return false;
        }
    }
    return text.len > 0 && text.len <= NAME_MAX_BYTES;
}

/* The name in "{name}" at `at`; empty when none is there. A repeat has a digit or a comma behind its brace. */
static struct span name_at(struct span p, size_t at)
{
    const char *close = at < p.len && p.ptr[at] == '{' ? memchr(p.ptr + at, '}', p.len - at) : NULL;
    struct span name = close != NULL ? span_slice(p, at + 1, (size_t)(close - p.ptr)) : (struct span){0};

    return fragment_is_name(name) ? name : (struct span){0};
}

static char char_at(struct span p, size_t at)
{
    return (char)(at < p.len ? p.ptr[at] : '\0');
}

static bool is_repeat_at(struct span p, size_t at)
{
    char c = char_at(p, at);

    return c == '?' || c == '*' || c == '+' || (c == '{' && isdigit((unsigned char)char_at(p, at + 1)));
}

/* --- layout ----------------------------------------------------------------- */

/* The characters that PCRE2 passes over: Unicode's Pattern_White_Space. */
static size_t space_len(struct span rest)
{
    static const char *const wide[] = {"\xc2\x85", "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xa8", "\xe2\x80\xa9"};

    if (rest.len == 0 || (unsigned char)rest.ptr[0] < 0x80) {
        return rest.len > 0 && isspace((unsigned char)rest.ptr[0]) ? 1 : 0;
    }
    for (size_t i = 0; i < COUNT(wide); i++) {
        if (span_starts_with(rest, span_str(wide[i]))) {
            return strlen(wide[i]);
        }
    }
    return 0;
}

static size_t layout_end(struct span p, size_t at)
{
    while (at < p.len) {
        struct span rest = span_slice(p, at, p.len);
        size_t len = space_len(rest);
        if (len == 0 && rest.ptr[0] == '#') {
            const char *end = memchr(rest.ptr, '\n', rest.len);
            len = end != NULL ? (size_t)(end - rest.ptr) + 1 : rest.len;
        }
        if (len == 0) {
            break;
        }
        at += len;
    }
    return at;
}

static const char *layout_problem(const struct pattern_source *s, size_t end)
{
    char next = char_at(s->text, end);

    if (is_repeat_at(s->text, end)) {
        return "a repeat right behind what it repeats expected, not white space";
    }
    if (s->is_escape_open && (isalnum((unsigned char)next) || next == '{' || next == '<')) {
        return "white space inside or right behind an escape that may go on: write it in braces";
    }
    return NULL;
}

/* --- text ------------------------------------------------------------------- */

/* Behind "(", "(?:", "(?<name>", "(?i)", or a comment in whole. */
static size_t opening_end(struct pattern_source *s, size_t at)
{
    struct span p = s->text;
    size_t i = at + 2;

    if (char_at(p, at + 1) != '?') {
        return at + 1;
    }
    if (char_at(p, i) == '#') {
        const char *close = memchr(p.ptr + i, ')', p.len - i);
        return close != NULL ? (size_t)(close - p.ptr) + 1 : p.len;
    }
    bool is_options = isalpha((unsigned char)char_at(p, i)) || char_at(p, i) == '-' || char_at(p, i) == '^';
    for (; i < p.len && (isalnum((unsigned char)p.ptr[i]) || strchr("_<'&+-^", p.ptr[i]) != NULL); i++) {
        bool is_option = is_options && p.ptr[at + 2] != 'P';
        if (is_option && (p.ptr[i] == 'x' || (p.ptr[i] == '^' && s->is_extended))) {
            s->problem = "(?x) stands in front of a pattern, alone, and covers all of it";
        }
    }
    if (s->is_extended && (char_at(p, i) == '\\' || space_len(span_slice(p, i, p.len)) > 0)) {
        s->problem = "white space inside the opening of a group";
    }
    return i < p.len && strchr(":=!>|)", p.ptr[i]) != NULL ? i + 1 : i;
}

/* Of an escape: behind it, \Q to \E and \cX included. */
static size_t escape_end(struct pattern_source *s, size_t at)
{
    struct span p = s->text;
    size_t end = pattern_token(p, at).to;
    char c = char_at(p, at + 1);

    if (c == 'Q') {
        const char *close = memmem(p.ptr + end, p.len - end, "\\E", 2);
        return close != NULL ? (size_t)(close - p.ptr) + 2 : p.len;
    }
    if (c == 'c' && end < p.len) {
        return end + 1;
    }
    bool is_short = end - at == 2 || (c == 'x' && end - at == 3);
    s->is_escape_open = is_short && c != '\0' && strchr("0123456789xopPgkN", c) != NULL;
    return end;
}

/* The end of the token at `at`. */
static size_t token_end(struct pattern_source *s, size_t at)
{
    struct span p = s->text;
    bool was_open = s->is_escape_open;

    s->is_escape_open = false;
    switch (p.ptr[at]) {
    case '\\': return escape_end(s, at);
    case '(': return opening_end(s, at);
    case '[': return pattern_token(p, at).to;
    case '{': {
        size_t end = at + 1;
        while (isdigit((unsigned char)char_at(p, end)) || char_at(p, end) == ',') {
            end++;
        }
        if (s->is_extended && end > at + 1 && (char_at(p, end) == '\\' || layout_end(p, end) > end)) {
            s->problem = "white space inside a repeat";
        }
        return at + 1;
    }
    default: s->is_escape_open = was_open && isdigit((unsigned char)p.ptr[at]); return at + 1;
    }
}

static bool is_escaped_layout(const struct pattern_source *s, size_t at)
{
    char c = char_at(s->text, at + 1);

    return s->is_extended && s->text.ptr[at] == '\\' && at + 1 < s->text.len && (c == '#' || isspace((unsigned char)c));
}

/* Whether the piece of text ends in front of `at`. */
static bool is_other_piece(const struct pattern_source *s, size_t at)
{
    char c = s->text.ptr[at];

    if (s->is_extended && (c == '#' || is_escaped_layout(s, at) || space_len(span_slice(s->text, at, s->text.len)) > 0)) {
        return true;
    }
    return c == '{' && name_at(s->text, at).len > 0;
}

/* --- pieces ------------------------------------------------------------------- */

static bool next_text(struct pattern_source *s, struct piece *out)
{
    size_t from = s->at, end = from;

    if (is_escaped_layout(s, from)) {
        s->is_escape_open = false;
        s->at = from + 2;
        *out = (struct piece){PIECE_TEXT, from, s->at, span_slice(s->text, from + 1, s->at), false};
        return true;
    }
    do {
        size_t at = end;
        end = token_end(s, at);
        if (s->problem != NULL) {
            s->at = at;
            return false;
        }
    } while (end < s->text.len && !is_other_piece(s, end));
    s->at = end;
    *out = (struct piece){PIECE_TEXT, from, end, span_slice(s->text, from, end), false};
    return true;
}

bool pattern_source_next(struct pattern_source *s, struct piece *out)
{
    size_t from = s->at, end;

    if (s->problem != NULL || from >= s->text.len) {
        return false;
    }
    struct span name = name_at(s->text, from);
    if (name.len > 0) {
        s->at = from + name.len + 2;
        s->is_escape_open = false;
        *out = (struct piece){PIECE_FRAGMENT, from, s->at, name, is_repeat_at(s->text, s->at)};
        return true;
    }
    if (s->is_extended && (end = layout_end(s->text, from)) > from) {
        s->problem = layout_problem(s, end);
        s->is_escape_open = false;
        s->at = s->problem != NULL ? from : end;
        *out = (struct piece){PIECE_LAYOUT, from, end, {0}, false};
        return s->problem == NULL;
    }
    return next_text(s, out);
}

/* x among the options at `at`. */
static bool has_extended(struct span p, size_t at)
{
    while (isalpha((unsigned char)char_at(p, at)) || char_at(p, at) == '-') {
        if (p.ptr[at++] == 'x') {
            return true;
        }
    }
    return false;
}

bool pattern_source_needed(struct span text)
{
    for (size_t i = 0; i + 2 < text.len; i++) {
        bool is_fragment = text.ptr[i] == '{' && text.ptr[i + 1] >= 'a' && text.ptr[i + 1] <= 'z';
        if (is_fragment || (text.ptr[i] == '(' && text.ptr[i + 1] == '?' && has_extended(text, i + 2))) {
            return true;
        }
    }
    return false;
}

void pattern_source_init(struct pattern_source *s, struct span text)
{
    *s = (struct pattern_source){.text = text};
    s->is_extended = span_starts_with(text, span_str(extended));
    s->at = s->is_extended ? strlen(extended) : 0;
}
