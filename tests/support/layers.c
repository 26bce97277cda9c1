#include "support/layers.h"

#include <assert.h>
#include <ctype.h>
#include <sodium.h>
#include <stdlib.h>

#include "text/utf8.h"

enum { LINE = 76, LITERAL = 16, ZERO_WIDTH_EVERY = 4 };

static void add(struct buf *out, struct span text)
{
    struct error err;
    bool is_added = text.len == 0 || buf_append(out, text, &err);

    assert(is_added);
}

static void add_str(struct buf *out, const char *text)
{
    add(out, span_str(text));
}

static void add_code_point(struct buf *out, uint32_t code_point)
{
    char bytes[4];

    add(out, span_of(bytes, utf8_encode(code_point, bytes)));
}

static void add_number(struct buf *out, const char *format, unsigned number)
{
    char text[16];
    int n = snprintf(text, sizeof(text), format, number);

    add(out, span_of(text, (size_t)n));
}

/* The character at `at`; *len is its bytes. */
static struct span character_at(struct span text, size_t at)
{
    size_t len;

    (void)utf8_decode(span_slice(text, at, text.len), &len);
    return span_slice(text, at, at + len);
}

static uint32_t code_point_of(struct span character)
{
    size_t len;

    return utf8_decode(character, &len);
}

/* --- each byte, each UTF-16 unit ----------------------------------------------- */

static void put_bytes(struct buf *out, struct span text, const char *format, const char *joint)
{
    for (size_t i = 0; i < text.len; i++) {
        add_str(out, i > 0 ? joint : "");
        add_number(out, format, (unsigned char)text.ptr[i]);
    }
}

static void put_hex(struct buf *out, struct span text)
{
    put_bytes(out, text, "%02x", "");
}

static void put_hex_spaced(struct buf *out, struct span text)
{
    put_bytes(out, text, "%02x", " ");
}

static void put_decimal(struct buf *out, struct span text)
{
    put_bytes(out, text, "%u", ", ");
}

static void put_percent(struct buf *out, struct span text)
{
    put_bytes(out, text, "%%%02X", "");
}

static void put_hex_escaped(struct buf *out, struct span text)
{
    put_bytes(out, text, "\\x%02x", "");
}

static void put_entities(struct buf *out, struct span text)
{
    for (size_t at = 0; at < text.len;) {
        struct span c = character_at(text, at);
        add_number(out, "&#%u;", code_point_of(c));
        at += c.len;
    }
}

static void add_unicode_escape(struct buf *out, uint32_t code_point)
{
    if (code_point >= 0x10000) {
        add_number(out, "\\u%04x", 0xd800 + ((code_point - 0x10000) >> 10));
        code_point = 0xdc00 + ((code_point - 0x10000) & 0x3ff);
    }
    add_number(out, "\\u%04x", code_point);
}

static void put_unicode(struct buf *out, struct span text)
{
    for (size_t at = 0; at < text.len;) {
        struct span c = character_at(text, at);
        add_unicode_escape(out, code_point_of(c));
        at += c.len;
    }
}

/* --- base64 ---------------------------------------------------------------------- */

static char *base64(struct span text, int variant)
{
    size_t size = sodium_base64_ENCODED_LEN(text.len, (unsigned)variant);
    char *encoded = malloc(size);

    assert(encoded != NULL);
    sodium_bin2base64(encoded, size, (const unsigned char *)text.ptr, text.len, variant);
    return encoded;
}

static void put_base64_as(struct buf *out, struct span text, int variant, size_t width)
{
    char *encoded = base64(text, variant);
    struct span all = span_str(encoded);

    for (size_t at = 0; at < all.len && width > 0; at += width) {
        add(out, span_slice(all, at, at + width < all.len ? at + width : all.len));
        add_str(out, "\n");
    }
    add(out, width > 0 ? span_of(all.ptr, 0) : all);
    free(encoded);
}

void layer_put_base64_wrapped(struct buf *out, struct span text, size_t width)
{
    put_base64_as(out, text, sodium_base64_VARIANT_ORIGINAL, width);
}

static void put_base64(struct buf *out, struct span text)
{
    put_base64_as(out, text, sodium_base64_VARIANT_ORIGINAL, 0);
}

static void put_base64_wrapped(struct buf *out, struct span text)
{
    layer_put_base64_wrapped(out, text, LINE);
}

static void put_base64_for_links(struct buf *out, struct span text)
{
    put_base64_as(out, text, sodium_base64_VARIANT_URLSAFE_NO_PADDING, 0);
}

/* --- quoted-printable -------------------------------------------------------------- */

/* What must be encoded, or everything; lines of 76 with a soft break. */
static void put_mail(struct buf *out, struct span text, bool is_all)
{
    size_t column = 0;

    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        bool is_encoded = (is_all && c != '\n') || c == '=' || (c != '\n' && c < ' ') || c > '~';
        size_t width = is_encoded ? 3 : 1;
        if (c != '\n' && column + width > LINE - 1) {
            add_str(out, "=\n");
            column = 0;
        }
        if (is_encoded) {
            add_number(out, "=%02X", c);
        } else {
            add(out, span_slice(text, i, i + 1));
        }
        column = c == '\n' ? 0 : column + width;
    }
}

static void put_quoted_printable(struct buf *out, struct span text)
{
    put_mail(out, text, false);
}

static void put_quoted_printable_all(struct buf *out, struct span text)
{
    put_mail(out, text, true);
}

/* --- strings ------------------------------------------------------------------------ */

static void add_string_character(struct buf *out, struct span c)
{
    char first = c.ptr[0];

    if (first == '"' || first == '\\') {
        add_str(out, "\\");
        add(out, c);
    } else if (first == '\n') {
        add_str(out, "\\n");
    } else if ((unsigned char)first >= 0x80) {
        add_unicode_escape(out, code_point_of(c));
    } else {
        add(out, c);
    }
}

static void put_json(struct buf *out, struct span text)
{
    add_str(out, "{\"text\": \"");
    for (size_t at = 0; at < text.len;) {
        struct span c = character_at(text, at);
        add_string_character(out, c);
        at += c.len;
    }
    add_str(out, "\"}");
}

static void put_concatenated(struct buf *out, struct span text)
{
    size_t n = 0;

    add_str(out, "\"");
    for (size_t at = 0; at < text.len;) {
        struct span c = character_at(text, at);
        add_str(out, n > 0 && n % LITERAL == 0 ? "\" + \"" : "");
        add_string_character(out, c);
        at += c.len;
        n++;
    }
    add_str(out, "\"");
}

/* --- letters -------------------------------------------------------------------------- */

static void put_full_width(struct buf *out, struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c > ' ' && c <= '~') {
            add_code_point(out, c + 0xfee0U);
        } else if (c == ' ') {
            add_code_point(out, 0x3000);
        } else {
            add(out, span_slice(text, i, i + 1));
        }
    }
}

static void put_tags(struct buf *out, struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c < 0x80) {
            add_code_point(out, 0xe0000U + c);
        } else {
            add(out, span_slice(text, i, i + 1));
        }
    }
}

static void put_apart(struct buf *out, struct span text, size_t every, const char *joint)
{
    size_t n = 0;

    for (size_t at = 0; at < text.len; n++) {
        struct span c = character_at(text, at);
        add_str(out, n > 0 && n % every == 0 ? joint : "");
        add(out, c);
        at += c.len;
    }
}

static void put_zero_width(struct buf *out, struct span text)
{
    put_apart(out, text, ZERO_WIDTH_EVERY, "\u200b");
}

static void put_spaced(struct buf *out, struct span text)
{
    put_apart(out, text, 1, " ");
}

static void put_rot13(struct buf *out, struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        int c = (unsigned char)text.ptr[i];
        int base = c >= 'a' && c <= 'z' ? 'a' : c >= 'A' && c <= 'Z' ? 'A' : 0;
        char turned = (char)(base != 0 ? base + (c - base + 13) % 26 : c);
        add(out, span_of(&turned, 1));
    }
}

static void put_reversed(struct buf *out, struct span text)
{
    for (size_t end = text.len; end > 0;) {
        size_t from = end - 1;
        while (from > 0 && ((unsigned char)text.ptr[from] & 0xc0) == 0x80) {
            from--;
        }
        add(out, span_slice(text, from, end));
        end = from;
    }
}

const struct layer layers[LAYERS] = {
    {"base64", put_base64},
    {"base64-wrapped", put_base64_wrapped},
    {"base64-url", put_base64_for_links},
    {"hex", put_hex},
    {"hex-spaced", put_hex_spaced},
    {"decimal", put_decimal},
    {"percent", put_percent},
    {"entities", put_entities},
    {"u-escapes", put_unicode},
    {"x-escapes", put_hex_escaped},
    {"quoted-printable", put_quoted_printable},
    {"quoted-printable-all", put_quoted_printable_all},
    {"json", put_json},
    {"full-width", put_full_width},
    {"zero-width", put_zero_width},
    {"tags", put_tags},
    {"spaced", put_spaced},
    {"concatenated", put_concatenated},
    {"rot13", put_rot13},
    {"reversed", put_reversed},
};
