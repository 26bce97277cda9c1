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
    char next = text.ptr[at + 1];
    *out = (struct escape){.code_point = (unsigned char)next, .len = 2};
    return is_punctuation(next) || (escapes == LINK_ESCAPES_CSS && ascii_is_letter(next) && !ascii_is(next, ASCII_HEX));
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
    bool is_image, is_definition, is_reference;
    struct span text;        /* between the brackets */
    struct span label;       /* of a reference or a definition */
    struct span destination;
};

/* Whether the text is the elements of an array or a class of a regular expression, which code has behind a !, and no label that
 * is given to a link. An image with such a label is none; what a definition with one leads to may be an image, then. */
static bool is_code(struct span label)
{
    static const char signs[] = ",;*+?$=({|\"&\\";
    bool has_sign = false, is_ranges = true;
    size_t from = label.len > 0 && label.ptr[0] == '^';

    for (size_t i = from; i < label.len; i++) {
        char c = label.ptr[i];
        if (c == '`' || c == '<') { /* a bracket may be in the code or the tag that begins here */
            return false;
        }
        has_sign = has_sign || (c != '\0' && strchr(signs, c) != NULL);
        is_ranges = is_ranges && ((i - from) % 3 == 1 ? c == '-' : ascii_is_alnum(c));
    }
    return has_sign || (is_ranges && (label.len - from) % 3 == 0);
}

static bool read_markdown(struct span construct, struct markdown *out)
{
    size_t from = construct.len > 0 && construct.ptr[0] == '!';

    const struct span none = span_str("");

    *out = (struct markdown){.is_image = from == 1, .text = none, .label = none, .destination = none};
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
    out->is_definition = end < construct.len && construct.ptr[end] == ':';
    out->is_reference = end == construct.len || construct.ptr[end] == '[';
    out->label = out->text;
    if (!out->is_reference) {
        out->destination = destination(span_slice(construct, end + 1, construct.len));
    } else if (construct.len > end + 2) {
        out->label = span_slice(construct, end + 1, construct.len - 1);
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

/* Whether slashes and a name of letters are a path: no host that is reached from elsewhere has such a name. */
static bool is_path(struct span url)
{
    size_t at = 0;

    while (at < url.len && (url.ptr[at] == '/' || url.ptr[at] == '\\')) {
        at++;
    }
    size_t from = at;
    while (at < url.len && (ascii_is_letter(url.ptr[at]) || url.ptr[at] == '_' || url.ptr[at] == '-')) {
        at++;
    }
    return from > 0 && (at == url.len || url.ptr[at] == '/');
}

/* ="//host…" of an attribute whose tag is not clear. */
static bool read_assigned(const struct link_reading *r, struct span text, struct error *err)
{
    size_t from = 1;

    while (from < text.len && (ascii_is_space(text.ptr[from]) || strchr("\"'\\", text.ptr[from]) != NULL)) {
        from++;
    }
    from -= from > 1 && text.ptr[from - 1] == '\\' && from < text.len && text.ptr[from] == '\\';
    struct span url = span_slice(text, from, text.len);
    return is_path(url) || link_give(r, url, LINK_ESCAPES_HTML, LINK_LOADS, true, err);
}

static bool give_destination(const struct link_reading *r, struct span destination, enum link_use use, bool is_value,
                             struct error *err)
{
    return link_give(r, destination, LINK_ESCAPES_MARKDOWN, use, is_value, err) &&
           link_give(r, destination, LINK_ESCAPES_HTML, use, is_value, err); /* some renderers keep a backslash */
}

static bool give_markdown(const struct link_reading *r, const struct markdown *m, struct error *err)
{
    if (m->is_reference && is_code(m->label)) {
        return true;
    }
    return give_destination(r, m->destination, m->is_image ? LINK_LOADS : LINK_LEADS, false, err) &&
           (!m->is_definition || !is_code(m->label) || give_destination(r, m->destination, LINK_LOADS, true, err));
}

/* Whether <…> is an autolink. XML has names with a colon, too, which lead nowhere. */
static bool is_autolink(struct span construct)
{
    static const char *const without_slashes[] = {
        "http",  "https",  "ftp",      "ws",     "wss",  "javascript", "vbscript", "data", "file",   "blob",        "mailto", "tel",
        "sms",   "callto", "facetime", "magnet", "xmpp", "sip",        "sips",     "news", "intent", "view-source", "skype",
    };
    size_t end = 1;

    while (end < construct.len && (ascii_is_alnum(construct.ptr[end]) || strchr("+.-", construct.ptr[end]) != NULL)) {
        end++;
    }
    if (end + 1 >= construct.len || construct.ptr[end] != ':') {
        return false;
    }
    struct span scheme = span_slice(construct, 1, end);
    bool is_known = ascii_starts_with(scheme, "ms-");
    for (size_t i = 0; i < COUNT(without_slashes); i++) {
        is_known = is_known || ascii_equals(scheme, without_slashes[i]);
    }
    return is_known || construct.ptr[end + 1] == '/' || construct.ptr[end + 1] == '\\';
}

static bool read_angle(const struct link_reading *r, struct span construct, struct error *err)
{
    if (construct.ptr[construct.len - 1] != '>') { /* the beginning of a tag without an end: whatever it loads */
        return link_give(r, span_str("data:,"), LINK_ESCAPES_HTML, LINK_LOADS, false, err);
    }
    return (!is_autolink(construct) ||
            link_give(r, span_slice(construct, 1, construct.len - 1), LINK_ESCAPES_HTML, LINK_LEADS, false, err)) &&
           link_read_tags(r, construct, err);
}

bool link_each_url(struct arena *a, struct span construct, link_take_fn *take, void *context, struct error *err)
{
    const struct link_reading r = {.arena = a, .take = take, .context = context};
    struct markdown markdown;

    if (read_markdown(construct, &markdown)) {
        return give_markdown(&r, &markdown, err);
    }
    switch (construct.len > 0 ? construct.ptr[0] : '\0') {
    case '<': return read_angle(&r, construct, err);
    case '=': return read_assigned(&r, construct, err);
    case '@': case '\\': case 'u': case 'U': case 's': case 'S': case 'i': case 'I':
        return link_read_css(&r, construct, err); /* @import, url(), src(), image() */
    default: return read_bare(&r, construct, err);
    }
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
