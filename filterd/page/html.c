#include "page/html.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "text/utf8.h"
#include "text/visible.h"

enum { GROUP = 3, NUMBER_TEXT = 32 };

void html_init(struct html *h, struct buf *out, enum language language, struct error *err)
{
    *h = (struct html){.out = out, .language = language, .err = err, .begin = out->len};
}

void html_markup(struct html *h, struct span literal)
{
    if (h->has_failed) {
        return;
    }
    if (literal.len > HTML_PAGE_MAX - (h->out->len - h->begin)) {
        h->has_failed = true;
        error_set(h->err, ERROR_LIMIT, "page: more than %d bytes", HTML_PAGE_MAX);
        return;
    }
    h->has_failed = !buf_append(h->out, literal, h->err);
}

static struct span entity_of(char c)
{
    switch (c) {
    case '&':
        return span_str("&amp;");
    case '<':
        return span_str("&lt;");
    case '>':
        return span_str("&gt;");
    case '"':
        return span_str("&quot;");
    case '\'':
        return span_str("&#39;");
    default:
        return span_of(NULL, 0);
    }
}

static void put_code_point(struct html *h, uint32_t code)
{
    char text[16];

    (void)snprintf(text, sizeof(text), "[U+%04" PRIX32 "]", code);
    html_markup(h, span_str(text));
}

static void put_byte(struct html *h, char byte)
{
    char text[8];

    (void)snprintf(text, sizeof(text), "[x%02X]", (unsigned char)byte);
    html_markup(h, span_str(text));
}

/* One character, of `len` bytes. */
static void put_character(struct html *h, struct span bytes, unsigned *marks)
{
    size_t len = 0;
    uint32_t code = utf8_decode(bytes, &len);
    enum text_visibility kind = text_visibility(code);
    struct span entity = code < 0x80 ? entity_of((char)code) : span_of(NULL, 0);

    *marks = kind == TEXT_MARK ? *marks + 1 : 0;
    if (kind == TEXT_INVISIBLE || *marks > HTML_MARKS) {
        put_code_point(h, code);
    } else {
        html_markup(h, entity.ptr != NULL ? entity : span_slice(bytes, 0, len));
    }
}

void html_text(struct html *h, struct span text)
{
    unsigned marks = 0;
    size_t len;

    while (text.len > 0 && !h->has_failed) {
        size_t valid = utf8_valid_prefix(text);
        struct span part = span_slice(text, 0, valid);
        for (; part.len > 0; part = span_slice(part, len, part.len)) {
            (void)utf8_decode(part, &len);
            put_character(h, part, &marks);
        }
        text = span_slice(text, valid, text.len);
        if (text.len > 0) {
            put_byte(h, text.ptr[0]);
            text = span_slice(text, 1, text.len);
        }
    }
}

void html_lines(struct html *h, struct span text)
{
    HTML(h, "<pre>");
    while (text.len > 0) {
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t len = end == NULL ? text.len : (size_t)(end - text.ptr);
        html_text(h, span_slice(text, 0, len));
        HTML(h, "\n");
        text = span_slice(text, end == NULL ? len : len + 1, text.len);
    }
    HTML(h, "</pre>");
}

void html_name(struct html *h, struct span name)
{
    HTML(h, "<bdi>");
    html_text(h, name);
    HTML(h, "</bdi>");
}

/* Escaped text is safe within double quotes, too. */
void html_attribute(struct html *h, struct span value)
{
    html_text(h, value);
}

void html_url(struct html *h, struct span part)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
    char text[4];

    for (size_t i = 0; i < part.len; i++) {
        bool is_plain = part.ptr[i] != '\0' && strchr(plain, part.ptr[i]) != NULL;
        (void)snprintf(text, sizeof(text), "%%%02X", (unsigned char)part.ptr[i]);
        html_markup(h, is_plain ? span_slice(part, i, i + 1) : span_str(text));
    }
}

void html_id(struct html *h, uint64_t n)
{
    char text[NUMBER_TEXT];

    (void)snprintf(text, sizeof(text), "%" PRIu64, n);
    html_markup(h, span_str(text));
}

void html_number(struct html *h, uint64_t n)
{
    char digits[NUMBER_TEXT], text[2 * NUMBER_TEXT];
    size_t len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, n), out = 0;

    for (size_t i = 0; i < len; i++) {
        if (i > 0 && (len - i) % GROUP == 0) {
            text[out++] = language_group(h->language);
        }
        text[out++] = digits[i];
    }
    html_markup(h, span_of(text, out));
}

void html_time(struct html *h, int64_t utc_ns)
{
    time_t seconds = (time_t)(utc_ns / 1000000000);
    char machine[NUMBER_TEXT] = "", shown[NUMBER_TEXT] = "";
    struct tm t;

    if (utc_ns == 0 || gmtime_r(&seconds, &t) == NULL) {
        HTML(h, "–");
        return;
    }
    (void)strftime(machine, sizeof(machine), "%Y-%m-%dT%H:%M:%SZ", &t);
    (void)strftime(shown, sizeof(shown), "%Y-%m-%d %H:%M:%S", &t);
    HTML(h, "<time datetime=\"");
    html_attribute(h, span_str(machine));
    HTML(h, "\">");
    html_text(h, span_str(shown));
    HTML(h, "</time>");
}

void html_word(struct html *h, enum text text)
{
    html_text(h, word_of(h->language, text));
}

/* False: the text has no %s. */
static bool split(struct span text, struct span *before, struct span *after)
{
    const char *place = memmem(text.ptr, text.len, "%s", 2);

    if (place == NULL) {
        *before = text;
        return false;
    }
    *before = span_of(text.ptr, (size_t)(place - text.ptr));
    *after = span_slice(text, before->len + 2, text.len);
    return true;
}

void html_phrase(struct html *h, enum text text, struct span value)
{
    struct span before, after;
    bool has_place = split(word_of(h->language, text), &before, &after);

    html_text(h, before);
    if (has_place) {
        html_text(h, value);
        html_text(h, after);
    }
}

void html_count(struct html *h, enum text text, uint64_t n)
{
    struct span before, after;
    bool has_place = split(word_of(h->language, text), &before, &after);

    html_text(h, before);
    if (has_place) {
        html_number(h, n);
        html_text(h, after);
    }
}
