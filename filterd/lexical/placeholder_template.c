#include "base/ascii.h"
#include "lexical/placeholder.h"

static bool is_name_character(char c)
{
    return ascii_is_alnum(c) || c == '_' || c == '-' || c == '.' || c == ' ';
}

static bool is_name(struct span text)
{
    size_t n = 0;

    while (n < text.len && is_name_character(text.ptr[n])) {
        n++;
    }
    return n == text.len && n > 0 && (ascii_is_letter(text.ptr[0]) || text.ptr[0] == '_');
}

/* The whole text is between the two, and is a name there. */
static bool is_enclosed(struct span text, const char *open, const char *close)
{
    size_t n = strlen(open);
    size_t m = strlen(close);

    return text.len > n + m && span_starts_with(text, span_str(open)) &&
           span_is(span_slice(text, text.len - m, text.len), close) &&
           is_name(span_slice(text, n, text.len - m));
}

/* {name} or <name> somewhere inside. */
static bool has_enclosed_name(struct span text, char open, char close)
{
    for (size_t at = 0; at < text.len; at++) {
        if (text.ptr[at] != open) {
            continue;
        }
        size_t to = at + 1;
        while (to < text.len && is_name_character(text.ptr[to])) {
            to++;
        }
        if (to < text.len && text.ptr[to] == close && is_name(span_slice(text, at + 1, to))) {
            return true;
        }
        at = to - 1;
    }
    return false;
}

/* %s and %d, unless letters follow: then it is chance, or an escape of URLs. */
static bool has_conversion(struct span text)
{
    for (size_t at = 0; at + 1 < text.len; at++) {
        bool ends = at + 2 == text.len || !ascii_is_alnum(text.ptr[at + 2]);
        if (text.ptr[at] == '%' && (text.ptr[at + 1] == 's' || text.ptr[at + 1] == 'd') && ends) {
            return true;
        }
    }
    return false;
}

/* $NAME and $name, but not $2b$12$…, and not a password that happens to begin with a dollar. */
static bool is_variable(struct span text)
{
    bool has_upper = false;
    bool has_lower = false;

    if (text.len < 3 || text.ptr[0] != '$' || !is_name(span_slice(text, 1, text.len))) {
        return false;
    }
    for (size_t i = 1; i < text.len; i++) {
        has_upper = has_upper || ascii_is_upper(text.ptr[i]);
        has_lower = has_lower || ascii_is_lower(text.ptr[i]);
        if (ascii_is_digit(text.ptr[i]) && i + 1 < text.len && text.ptr[i - 1] != '_') {
            return false;
        }
    }
    return has_upper != has_lower || memchr(text.ptr, '_', text.len) != NULL;
}

/* ${ {{ $( <% %( #{ %{ {% [[ */
static bool has_opening(struct span text)
{
    static const char pairs[][3] = {"${", "{{", "$(", "<%", "%(", "#{", "%{", "{%", "[["};

    for (size_t at = 0; at + 1 < text.len; at++) {
        for (size_t i = 0; !ascii_is_alnum(text.ptr[at]) && i < COUNT(pairs); i++) {
            if (memcmp(text.ptr + at, pairs[i], 2) == 0) {
                return true;
            }
        }
    }
    return false;
}

bool placeholder_is_template(struct span text)
{
    if (ascii_run_end(text, 0, ASCII_ALNUM) == text.len) { /* each form has a sign */
        return false;
    }
    if (text.len >= 2 && text.ptr[0] == '<' && text.ptr[text.len - 1] == '>') {
        return true;
    }
    return has_opening(text) || has_conversion(text) || has_enclosed_name(text, '{', '}') ||
           has_enclosed_name(text, '<', '>') || is_variable(text) || is_enclosed(text, "[", "]") ||
           is_enclosed(text, "%", "%") || is_enclosed(text, "__", "__") ||
           is_enclosed(text, "@", "@");
}
