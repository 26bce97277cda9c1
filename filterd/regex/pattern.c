#include "regex/pattern.h"

#include <ctype.h>
#include <limits.h>

/* Behind the name in "[:alpha:]" of a class, or `at` where PCRE2 sees none. */
static size_t posix_name_end(struct span p, size_t at)
{
    for (size_t i = at + 2; i + 1 < p.len && p.ptr[i] != ']'; i++) {
        if (p.ptr[i] == ':' && p.ptr[i + 1] == ']') {
            return i + 2;
        }
        if (p.ptr[i] == '[' && p.ptr[i + 1] == ':') {
            return at;
        }
        i += p.ptr[i] == '\\' && (p.ptr[i + 1] == ']' || p.ptr[i + 1] == '\\');
    }
    return at;
}

/* Where its closing bracket is; the pattern's end when it has none. */
static size_t class_close(struct span p, size_t at)
{
    size_t i = at + 1;

    if (i < p.len && p.ptr[i] == '^') {
        i++;
    }
    if (i < p.len && p.ptr[i] == ']') {
        i++;
    }
    while (i < p.len && p.ptr[i] != ']') {
        size_t name_end = p.ptr[i] == '[' && i + 1 < p.len && p.ptr[i + 1] == ':' ? posix_name_end(p, i) : i;
        if (name_end > i) {
            i = name_end;
        } else {
            i += p.ptr[i] == '\\' && i + 1 < p.len ? 2 : 1;
        }
    }
    return i;
}

static size_t class_end(struct span p, size_t at)
{
    size_t close = class_close(p, at);

    return close < p.len ? close + 1 : p.len;
}

/* \x{…}, \p{…}, \xHH, \cX; everything else is the backslash and one character. */
static size_t escape_end(struct span p, size_t at)
{
    char c = (char)(at + 1 < p.len ? p.ptr[at + 1] : '\0');
    size_t i = at + 2;

    if ((c == 'x' || c == 'p' || c == 'P' || c == 'o' || c == 'N' || c == 'k' || c == 'g') && i < p.len &&
        (p.ptr[i] == '{' || (c == 'k' && p.ptr[i] == '<'))) {
        const char *close = memchr(p.ptr + i, p.ptr[i] == '{' ? '}' : '>', p.len - i);
        return close != NULL ? (size_t)(close - p.ptr) + 1 : p.len;
    }
    if (c == 'x') {
        for (int digits = 0; digits < 2 && i < p.len && isxdigit((unsigned char)p.ptr[i]); digits++) {
            i++;
        }
    }
    return i < p.len ? i : p.len;
}

static bool is_counted_repeat(struct span p, size_t at, size_t *end)
{
    size_t i = at + 1;
    size_t digits = 0;

    for (; i < p.len && (isdigit((unsigned char)p.ptr[i]) || p.ptr[i] == ','); i++) {
        digits += p.ptr[i] != ',';
    }
    if (i >= p.len || p.ptr[i] != '}' || digits == 0 || p.ptr[at + 1] == ',') {
        return false;
    }
    *end = i + 1;
    return true;
}

/* Literal characters, which are not tokens of another kind. Patterns are walked many times at a start. */
static bool is_plain(char c)
{
    static const bool special[UCHAR_MAX + 1] = {['\\'] = true, ['['] = true, ['('] = true, [')'] = true, ['|'] = true,
                                                ['^'] = true,  ['$'] = true, ['*'] = true, ['+'] = true, ['?'] = true,
                                                ['{'] = true};

    return !special[(unsigned char)c];
}

struct token pattern_token(struct span p, size_t at)
{
    struct token t = {.kind = TOKEN_ATOM, .from = at, .to = at + 1};
    size_t end;

    switch (p.ptr[at]) {
    case '\\':
        t.to = escape_end(p, at);
        if (at + 1 < p.len && (p.ptr[at + 1] == 'b' || p.ptr[at + 1] == 'B')) {
            t.kind = TOKEN_ANCHOR;
        }
        break;
    case '[': t.to = class_end(p, at); break;
    case '(': t.kind = TOKEN_OPEN; break;
    case ')': t.kind = TOKEN_CLOSE; break;
    case '|': t.kind = TOKEN_BAR; break;
    case '^':
    case '$': t.kind = TOKEN_ANCHOR; break;
    case '*':
    case '+':
    case '?': t.kind = TOKEN_REPEAT; break;
    case '{':
        if (is_counted_repeat(p, at, &end)) {
            t.kind = TOKEN_REPEAT;
            t.to = end;
        }
        break;
    default: break;
    }
    return t;
}

bool pattern_is_closed(struct span p)
{
    size_t depth = 0;

    for (size_t i = 0; i < p.len;) {
        if (is_plain(p.ptr[i])) {
            i++;
            continue;
        }
        struct token t = pattern_token(p, i);
        bool has_end = p.ptr[i] == '[' ? class_close(p, i) < p.len : p.ptr[i] != '\\' || i + 1 < p.len;
        if (!has_end || (t.kind == TOKEN_CLOSE && depth == 0)) {
            return false;
        }
        depth += t.kind == TOKEN_OPEN;
        depth -= t.kind == TOKEN_CLOSE;
        i = t.to;
    }
    return depth == 0;
}

size_t pattern_group_end(struct span p, size_t at)
{
    unsigned depth = 0;

    for (size_t i = at; i < p.len;) {
        if (is_plain(p.ptr[i])) {
            i++;
            continue;
        }
        struct token t = pattern_token(p, i);
        depth += t.kind == TOKEN_OPEN;
        depth -= t.kind == TOKEN_CLOSE;
        if (depth == 0) {
            return t.to;
        }
        i = t.to;
    }
    return p.len;
}

size_t pattern_branch_end(struct span p, size_t at)
{
    while (at < p.len) {
        if (is_plain(p.ptr[at])) {
            at++;
            continue;
        }
        struct token t = pattern_token(p, at);
        if (t.kind == TOKEN_BAR) {
            return at;
        }
        at = t.kind == TOKEN_OPEN ? pattern_group_end(p, at) : t.to;
    }
    return p.len;
}

bool pattern_literal(struct span p, const struct token *t, char *c)
{
    if (t->kind != TOKEN_ATOM || p.ptr[t->from] == '[' || p.ptr[t->from] == '.') {
        return false;
    }
    if (p.ptr[t->from] != '\\') {
        *c = p.ptr[t->from];
        return true;
    }
    *c = (char)(t->to - t->from == 2 ? p.ptr[t->from + 1] : '\0');
    return *c != '\0' && ispunct((unsigned char)*c);
}
