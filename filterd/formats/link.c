#include "formats/link.h"

#include "base/ascii.h"
#include "formats/link_parts.h"
#include "text/utf8.h"
#include "view/escape.h"

/* --- escapes -------------------------------------------------------------- */

/* A reference to a character that no text holds: what it stands for is left out of a URL, as a control character is. */
static bool is_control_reference(struct span text, size_t at, size_t *len)
{
    size_t end = at + 2;

    if (at + 2 >= text.len || text.ptr[at + 1] != '#') {
        return false;
    }
    end += text.ptr[end] == 'x' || text.ptr[end] == 'X';
    while (end < text.len && ascii_is(text.ptr[end], ASCII_HEX)) {
        end++;
    }
    *len = end - at + (end < text.len && text.ptr[end] == ';');
    return end > at + 2;
}

/* \68 or \000068 and a space behind, as CSS writes a character by its number. */
static bool read_css_escape(struct span text, size_t at, struct escape *out)
{
    size_t end = at + 1;

    if (!escape_hex_number(text, &end, 1, 6, &out->code_point)) {
        return false;
    }
    end += end < text.len && ascii_is_space(text.ptr[end]);
    out->len = end - at;
    return escape_is_text(out->code_point);
}

static bool is_punctuation(char c)
{
    return c > ' ' && c < 0x7f && !ascii_is_alnum(c);
}

/* Reads what stands for another character at `at`. */
static bool read_escape(struct span text, size_t at, enum link_escapes escapes, struct escape *out)
{
    size_t len = 0;

    if (text.ptr[at] == '&') {
        if (escape_html(text, at, out)) {
            return true;
        }
        *out = (struct escape){.code_point = '\n'};
        bool is_control = is_control_reference(text, at, &len);
        out->len = len;
        return is_control;
    }
    if (text.ptr[at] != '\\' || at + 1 == text.len || escapes == LINK_ESCAPES_HTML) {
        return false;
    }
    if (escapes == LINK_ESCAPES_CSS && read_css_escape(text, at, out)) {
        return true;
    }
    *out = (struct escape){.code_point = (unsigned char)text.ptr[at + 1], .len = 2};
    return is_punctuation(text.ptr[at + 1]);
}

bool link_unescape(struct arena *a, struct span text, enum link_escapes escapes, struct span *out, struct error *err)
{
    size_t n = 0;
    char *bytes;

    if (text.len == 0 ||
        (memchr(text.ptr, '&', text.len) == NULL && memchr(text.ptr, '\\', text.len) == NULL)) {
        *out = text;
        return true;
    }
    bytes = arena_alloc(a, text.len + 4, err); /* an escape is no shorter than what it stands for */
    if (bytes == NULL) {
        return false;
    }
    for (size_t at = 0; at < text.len;) {
        struct escape escape;
        if (read_escape(text, at, escapes, &escape)) {
            n += utf8_encode(escape.code_point, bytes + n);
            at += escape.len;
        } else {
            bytes[n++] = text.ptr[at++];
        }
    }
    *out = span_of(bytes, n);
    return true;
}

bool link_give(const struct link_reading *r, struct span text, enum link_escapes escapes, enum link_use use, bool is_value,
               struct error *err)
{
    struct link_url url = {.use = use, .is_value = is_value};

    return link_unescape(r->arena, text, escapes, &url.text, err) && r->take(r->context, &url, err);
}

/* --- Markdown --------------------------------------------------------------- */

/* Behind the ] that belongs to the [ at `at`; 0: there is none. */
static size_t bracket_end(struct span text, size_t at)
{
    size_t depth = 0;

    for (; at < text.len; at++) {
        if (text.ptr[at] == '\\') {
            at++;
        } else if (text.ptr[at] == '[') {
            depth++;
        } else if (text.ptr[at] == ']' && --depth == 0) {
            return at + 1;
        }
    }
    return 0;
}

/* The destination at the start: <…>, or up to white space or a ) too many. */
static struct span destination(struct span text)
{
    size_t at = 0, depth = 0;

    while (text.len > 0 && ascii_is_space(text.ptr[0])) {
        text = span_slice(text, 1, text.len);
    }
    if (text.len > 0 && text.ptr[0] == '<') {
        const char *end = memchr(text.ptr, '>', text.len);
        return span_slice(text, 1, end == NULL ? text.len : (size_t)(end - text.ptr));
    }
    for (; at < text.len && !ascii_is_space(text.ptr[at]); at++) {
        depth += text.ptr[at] == '(';
        if (text.ptr[at] == ')' && depth-- == 0) {
            break;
        }
        at += text.ptr[at] == '\\' && at + 1 < text.len;
    }
    return span_slice(text, 0, at);
}

/* What a construct of Markdown is made of. */
struct markdown {
    bool is_image, is_definition;
    struct span text;        /* between the brackets */
    struct span destination; /* empty: by reference */
};

static bool read_markdown(struct span construct, struct markdown *out)
{
    size_t from = construct.len > 0 && construct.ptr[0] == '!';

    *out = (struct markdown){.is_image = from == 1, .text = span_str(""), .destination = span_str("")};
    if (construct.len > 1 && construct.ptr[0] == ']') { /* the end of a link whose beginning is not clear */
        out->text = span_slice(construct, 0, 1);
        out->destination = destination(span_slice(construct, 2, construct.len));
        return true;
    }
    if (from == construct.len || construct.ptr[from] != '[') {
        return false;
    }
    size_t end = bracket_end(construct, from);
    if (end == 0) {
        return true;
    }
    out->text = span_slice(construct, from + 1, end - 1);
    if (end < construct.len && construct.ptr[end] != '[') {
        out->is_definition = construct.ptr[end] == ':';
        out->destination = destination(span_slice(construct, end + 1, construct.len));
    }
    return true;
}

/* --- constructs ---------------------------------------------------------------- */

/* Without what ends a sentence, or emphasis, behind the URL. */
static struct span without_punctuation(struct span url)
{
    while (url.len > 0 && strchr(".,:;!?*_~'", url.ptr[url.len - 1]) != NULL && url.ptr[url.len - 1] != '\0') {
        url.len--;
    }
    return url;
}

static bool read_bare(const struct link_reading *r, struct span text, struct error *err)
{
    struct span url = without_punctuation(text);
    char *bytes;

    if (!ascii_starts_with(url, "www.")) {
        return link_give(r, url, LINK_ESCAPES_HTML, LINK_LEADS, false, err);
    }
    bytes = arena_alloc(r->arena, url.len + 2, err);
    if (bytes == NULL) {
        return false;
    }
    memcpy(bytes, "//", 2);
    memcpy(bytes + 2, url.ptr, url.len);
    return link_give(r, span_of(bytes, url.len + 2), LINK_ESCAPES_HTML, LINK_LEADS, false, err);
}

/* ="//host…" of an attribute whose tag is not clear. */
static bool read_assigned(const struct link_reading *r, struct span text, struct error *err)
{
    size_t from = 1;

    while (from < text.len && (ascii_is_space(text.ptr[from]) || strchr("\"'\\", text.ptr[from]) != NULL)) {
        from++;
    }
    from -= from > 1 && text.ptr[from - 1] == '\\' && from < text.len && text.ptr[from] == '\\';
    return link_give(r, span_slice(text, from, text.len), LINK_ESCAPES_HTML, LINK_LOADS, true, err);
}

bool link_each_url(struct arena *a, struct span construct, link_take_fn *take, void *context, struct error *err)
{
    const struct link_reading r = {.arena = a, .take = take, .context = context};
    struct markdown markdown;

    if (read_markdown(construct, &markdown)) {
        enum link_use use = markdown.is_image ? LINK_LOADS : LINK_LEADS;
        return link_give(&r, markdown.destination, LINK_ESCAPES_MARKDOWN, use, false, err) &&
               link_give(&r, markdown.destination, LINK_ESCAPES_HTML, use, false, err); /* some renderers keep a backslash */
    }
    if (construct.len > 0 && construct.ptr[0] == '<') {
        return link_read_tags(&r, construct, err);
    }
    if (construct.len > 0 && construct.ptr[0] == '=') {
        return read_assigned(&r, construct, err);
    }
    const char *const css[] = {"url(", "src(", "@import", "image-set(", "image("};
    for (size_t i = 0; i < COUNT(css); i++) {
        if (ascii_starts_with(construct, css[i])) {
            return link_read_css(&r, construct, err);
        }
    }
    return read_bare(&r, construct, err);
}

/* Whether the text, alone or with what is around it, may be read as a link. */
static bool is_plain(struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        bool is_path = text.ptr[i] == ':' && i + 1 < text.len && (text.ptr[i + 1] == '/' || text.ptr[i + 1] == '\\');
        if (strchr("[]<>\\&`@", text.ptr[i]) != NULL || is_path) { /* NUL, too */
            return false;
        }
    }
    return ascii_find(text, 0, "www.") == text.len;
}

bool link_text(struct span construct, struct span *text)
{
    struct markdown markdown;

    *text = span_str("");
    if (read_markdown(construct, &markdown)) {
        *text = markdown.is_definition ? span_str("") : markdown.text;
        return construct.ptr[0] != ']' && is_plain(*text);
    }
    if (construct.len == 0 || construct.ptr[0] != '<') {
        return false;
    }
    return !link_attribute(construct, "alt", text) || is_plain(*text);
}
