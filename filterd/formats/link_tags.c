/* link_tags.c - URLs in HTML and SVG tags, and in the CSS within. Tags are read as the HTML Standard's tokenizer does. */
#include "base/ascii.h"
#include "formats/link_parts.h"

enum { HTML_DEPTH_MAX = 3 };

/* What an attribute holds. */
enum syntax { SYNTAX_URL, SYNTAX_VALUE, SYNTAX_URLS, SYNTAX_SET, SYNTAX_REFRESH, SYNTAX_HTML };

/* Attributes whose URLs are fetched or followed. Of the others only url() counts. */
static const struct {
    const char *name;
    enum syntax syntax;
    enum link_use use;
} attributes[] = {
    {"src", SYNTAX_URL, LINK_LOADS},         {"srcset", SYNTAX_SET, LINK_LOADS},
    {"imagesrcset", SYNTAX_SET, LINK_LOADS}, {"poster", SYNTAX_URL, LINK_LOADS},
    {"background", SYNTAX_URL, LINK_LOADS},  {"data", SYNTAX_URL, LINK_LOADS},
    {"lowsrc", SYNTAX_URL, LINK_LOADS},      {"dynsrc", SYNTAX_URL, LINK_LOADS},
    {"manifest", SYNTAX_URL, LINK_LOADS},    {"codebase", SYNTAX_URL, LINK_LOADS},
    {"archive", SYNTAX_URLS, LINK_LOADS},    {"classid", SYNTAX_VALUE, LINK_LOADS},
    {"code", SYNTAX_VALUE, LINK_LOADS},      {"object", SYNTAX_VALUE, LINK_LOADS},
    {"icon", SYNTAX_VALUE, LINK_LOADS},      {"profile", SYNTAX_VALUE, LINK_LOADS},
    {"movie", SYNTAX_VALUE, LINK_LOADS},     {"attributionsrc", SYNTAX_URLS, LINK_LOADS},
    {"value", SYNTAX_VALUE, LINK_LOADS},     {"values", SYNTAX_URLS, LINK_LOADS},
    {"from", SYNTAX_VALUE, LINK_LOADS},      {"to", SYNTAX_VALUE, LINK_LOADS},
    {"by", SYNTAX_VALUE, LINK_LOADS},        {"content", SYNTAX_REFRESH, LINK_LOADS},
    {"srcdoc", SYNTAX_HTML, LINK_LOADS},     {"cite", SYNTAX_VALUE, LINK_LEADS},
    {"longdesc", SYNTAX_VALUE, LINK_LEADS},  {"ping", SYNTAX_URLS, LINK_LEADS},
    {"action", SYNTAX_URL, LINK_LEADS},      {"formaction", SYNTAX_URL, LINK_LEADS},
};

struct attribute {
    struct span name, value;
};

static size_t skip_spaces(struct span text, size_t at)
{
    while (at < text.len && (ascii_is_space(text.ptr[at]) || text.ptr[at] == '\f')) {
        at++;
    }
    return at;
}

/* To the first of the characters, all of ASCII; NUL is none of them. */
static size_t find_any(struct span text, size_t at, const char *characters)
{
    while (at < text.len && (text.ptr[at] == '\0' || strchr(characters, text.ptr[at]) == NULL)) {
        at++;
    }
    return at;
}

/* The value behind =; quotes may have a backslash before them, from the string that held the HTML. */
static size_t read_value(struct span tag, size_t at, struct span *value)
{
    at = skip_spaces(tag, at);
    bool is_escaped = at + 1 < tag.len && tag.ptr[at] == '\\' && (tag.ptr[at + 1] == '"' || tag.ptr[at + 1] == '\'');
    at += is_escaped;
    if (at == tag.len || (tag.ptr[at] != '"' && tag.ptr[at] != '\'')) {
        size_t end = find_any(tag, at, " \t\r\n\f>");
        *value = span_slice(tag, at, end);
        return end;
    }
    const char *quote = memchr(tag.ptr + at + 1, tag.ptr[at], tag.len - at - 1);
    size_t end = quote == NULL ? tag.len : (size_t)(quote - tag.ptr);
    *value = span_slice(tag, at + 1, end - (is_escaped && end > at + 1 && tag.ptr[end - 1] == '\\'));
    return end < tag.len ? end + 1 : end;
}

/* The next attribute at or behind *at, which moves behind it; false at the tag's end. */
static bool next_attribute(struct span tag, size_t *at, struct attribute *out)
{
    size_t from = *at;

    while (from < tag.len && (ascii_is_space(tag.ptr[from]) || tag.ptr[from] == '/' || tag.ptr[from] == '\f')) {
        from++;
    }
    *at = from;
    if (from == tag.len || tag.ptr[from] == '>') {
        return false;
    }
    size_t end = find_any(tag, from + 1, " \t\r\n\f/>=");
    *out = (struct attribute){.name = span_slice(tag, from, end), .value = span_str("")};
    *at = end;
    end = skip_spaces(tag, end);
    if (end < tag.len && tag.ptr[end] == '=') {
        *at = read_value(tag, end + 1, &out->value);
    }
    return true;
}

/* From the < of a tag to behind its name. */
static size_t name_end(struct span tag)
{
    return find_any(tag, 1, " \t\r\n\f/>");
}

bool link_attribute(struct span tag, const char *name, struct span *value)
{
    struct attribute attribute;

    for (size_t at = name_end(tag); next_attribute(tag, &at, &attribute);) {
        if (ascii_equals(attribute.name, name)) {
            *value = attribute.value;
            return true;
        }
    }
    return false;
}

/* Texts apart by any of the characters. */
static bool give_each(const struct link_reading *r, struct span text, const char *between, struct error *err)
{
    size_t end;

    for (size_t at = 0; at < text.len; at = end + 1) {
        end = find_any(text, at, between);
        if (end > at && !link_give(r, span_slice(text, at, end), LINK_ESCAPES_HTML, LINK_LOADS, true, err)) {
            return false;
        }
    }
    return true;
}

/* "a.png 1x, b.png 2x": a URL may hold a comma, but neither begins nor ends with one. */
static bool read_set(const struct link_reading *r, struct span set, struct error *err)
{
    size_t end;

    for (size_t at = 0; at < set.len; at = end) {
        while (at < set.len && (ascii_is_space(set.ptr[at]) || set.ptr[at] == ',')) {
            at++;
        }
        end = find_any(set, at, " \t\r\n\f");
        struct span url = span_slice(set, at, end);
        bool is_alone = url.len > 0 && url.ptr[url.len - 1] == ',';
        while (url.len > 0 && url.ptr[url.len - 1] == ',') {
            url.len--;
        }
        if (url.len > 0 && !link_give(r, url, LINK_ESCAPES_HTML, LINK_LOADS, false, err)) {
            return false;
        }
        end = is_alone ? end : find_any(set, end, ",");
    }
    return true;
}

/* "0; url=…" of a meta element. */
static bool read_refresh(const struct link_reading *r, struct span escaped, struct error *err)
{
    struct span content;
    size_t at = 0;

    if (!link_unescape(r->arena, escaped, LINK_ESCAPES_HTML, &content, err)) {
        return false;
    }
    while (at < content.len && (ascii_is_digit(content.ptr[at]) || content.ptr[at] == '.' || ascii_is_space(content.ptr[at]))) {
        at++;
    }
    size_t from = at;
    while (at < content.len && (ascii_is_space(content.ptr[at]) || content.ptr[at] == ';' || content.ptr[at] == ',')) {
        at++;
    }
    if (from == 0 || at == from) {
        return link_give(r, content, LINK_ESCAPES_HTML, LINK_LOADS, true, err);
    }
    struct span rest = span_slice(content, at, content.len);
    if (ascii_starts_with(rest, "url")) {
        at = skip_spaces(rest, 3);
        rest = at < rest.len && rest.ptr[at] == '=' ? span_slice(rest, skip_spaces(rest, at + 1), rest.len) : rest;
    }
    bool is_quoted = rest.len > 0 && (rest.ptr[0] == '"' || rest.ptr[0] == '\'');
    return link_give(r, span_slice(rest, is_quoted, rest.len), LINK_ESCAPES_HTML, LINK_LOADS, false, err);
}

static bool read_html(const struct link_reading *r, struct span escaped, struct error *err)
{
    struct link_reading inner = *r;
    struct span html;

    if (inner.depth++ == HTML_DEPTH_MAX) {
        return link_give(r, span_str("data:,"), LINK_ESCAPES_HTML, LINK_LOADS, false, err);
    }
    return link_unescape(r->arena, escaped, LINK_ESCAPES_HTML, &html, err) && link_read_tags(&inner, html, err);
}

static bool read_known(const struct link_reading *r, struct span value, size_t i, struct error *err)
{
    switch (attributes[i].syntax) {
    case SYNTAX_URL:
    case SYNTAX_VALUE:
        return link_give(r, value, LINK_ESCAPES_HTML, attributes[i].use, attributes[i].syntax == SYNTAX_VALUE, err);
    case SYNTAX_URLS: return give_each(r, value, " \t\r\n\f,;", err);
    case SYNTAX_SET: return read_set(r, value, err);
    case SYNTAX_REFRESH: return read_refresh(r, value, err);
    case SYNTAX_HTML:
    default: return read_html(r, value, err);
    }
}

/* Each text between quotes: one that names a host counts. */
static bool give_strings(const struct link_reading *r, struct span script, struct error *err)
{
    size_t at = 0;

    while ((at = find_any(script, at, "\"'`")) < script.len) {
        size_t end = find_any(script, at + 1, (char[]){script.ptr[at], '\0'});
        if (!link_give(r, span_slice(script, at + 1, end), LINK_ESCAPES_HTML, LINK_LOADS, true, err)) {
            return false;
        }
        at = end < script.len ? end + 1 : end;
    }
    return true;
}

/* Of an attribute that is not known by name. What handlers of events and scripts of the page do with theirs is not known. */
static bool read_unknown(const struct link_reading *r, const struct attribute *a, struct error *err)
{
    struct span value;

    if (!link_unescape(r->arena, a->value, LINK_ESCAPES_HTML, &value, err) || !link_read_css(r, value, err)) {
        return false;
    }
    if (!ascii_starts_with(a->name, "on") && !ascii_starts_with(a->name, "data-")) {
        return true;
    }
    return link_give(r, value, LINK_ESCAPES_HTML, LINK_LOADS, true, err) && give_strings(r, value, err);
}

/* href is followed in <a> and <area>, and fetched elsewhere: <link>, <base>, <image>, <use>. */
static bool read_attribute(const struct link_reading *r, struct span tag_name, const struct attribute *a, struct error *err)
{
    bool leads = ascii_equals(tag_name, "a") || ascii_equals(tag_name, "area");

    if (ascii_equals(a->name, "href") || ascii_equals(a->name, "xlink:href")) {
        return link_give(r, a->value, LINK_ESCAPES_HTML, leads ? LINK_LEADS : LINK_LOADS, false, err);
    }
    for (size_t i = 0; i < COUNT(attributes); i++) {
        if (ascii_equals(a->name, attributes[i].name)) {
            return read_known(r, a->value, i, err);
        }
    }
    return read_unknown(r, a, err);
}

bool link_read_tags(const struct link_reading *r, struct span html, struct error *err)
{
    struct attribute attribute;

    for (size_t at = find_any(html, 0, "<"); at < html.len; at = find_any(html, at, "<")) {
        struct span tag = span_slice(html, at, html.len);
        size_t end = name_end(tag);
        struct span name = span_slice(tag, 1, end);
        if (name.len == 0 || !ascii_is_letter(name.ptr[0])) {
            at++;
            continue;
        }
        while (next_attribute(tag, &end, &attribute)) {
            if (!read_attribute(r, name, &attribute, err)) {
                return false;
            }
        }
        at += end;
    }
    return true;
}

/* The quoted or bare argument at `at`. */
static bool give_argument(const struct link_reading *r, struct span css, size_t at, size_t *end, struct error *err)
{
    at = skip_spaces(css, at);
    bool is_quoted = at < css.len && (css.ptr[at] == '"' || css.ptr[at] == '\'');
    char quote[2] = {is_quoted ? css.ptr[at] : ')', '\0'};

    at += is_quoted;
    *end = find_any(css, at, quote);
    return link_give(r, span_slice(css, at, *end), LINK_ESCAPES_HTML, LINK_LOADS, true, err);
}

static bool read_strings(const struct link_reading *r, struct span css, size_t at, size_t *end, struct error *err)
{
    while ((at = find_any(css, at, "\"')")) < css.len && css.ptr[at] != ')') {
        if (!give_argument(r, css, at, end, err)) {
            return false;
        }
        at = *end < css.len ? *end + 1 : css.len;
    }
    *end = at;
    return true;
}

/* White space and comments. */
static size_t skip_gap(struct span css, size_t at)
{
    const struct span comment = span_str("/*");

    while (at < css.len && (ascii_is_space(css.ptr[at]) || css.ptr[at] == '\f' ||
                            span_starts_with(span_slice(css, at, css.len), comment))) {
        if (css.ptr[at] != '/') {
            at++;
            continue;
        }
        const char *end = memmem(css.ptr + at + 2, css.len - at - 2, "*/", 2);
        at = end == NULL ? css.len : (size_t)(end - css.ptr) + 2;
    }
    return at;
}

bool link_read_css(const struct link_reading *r, struct span text, struct error *err)
{
    struct span css;

    if (!link_unescape(r->arena, text, LINK_ESCAPES_CSS, &css, err)) {
        return false;
    }
    for (size_t at = 0, end; at < css.len; at = end) {
        struct span rest = span_slice(css, at, css.len);
        bool is_read = true;
        end = at + 1;
        if (ascii_starts_with(rest, "url(") || ascii_starts_with(rest, "src(")) {
            is_read = give_argument(r, css, at + 4, &end, err);
        } else if (ascii_starts_with(rest, "@import")) {
            size_t from = skip_gap(css, at + 7);
            bool is_string = from < css.len && (css.ptr[from] == '"' || css.ptr[from] == '\'');
            is_read = !is_string || give_argument(r, css, from, &end, err);
        } else if (ascii_starts_with(rest, "image-set(") || ascii_starts_with(rest, "image(")) {
            is_read = read_strings(r, css, at + 6, &end, err);
        }
        if (!is_read) {
            return false;
        }
    }
    return true;
}
