#include "support/obfuscations.h"

#include <assert.h>
#include <ctype.h>
#include <sodium.h>

enum { BASE64_MAX = 2048, WRAP = 20 };

static void add(struct buf *out, struct span text)
{
    struct error err;
    bool is_added = buf_append(out, text, &err);

    assert(is_added);
}

static void add_str(struct buf *out, const char *text)
{
    add(out, span_str(text));
}

static void put_plain(struct buf *out, struct span t)
{
    add(out, t);
}

/* --- cut ----------------------------------------------------------------------- */

static void put_lines(struct buf *out, struct span t, const char *joint)
{
    for (size_t at = 0; at < t.len; at += WRAP) {
        add_str(out, at > 0 ? joint : "");
        add(out, span_slice(t, at, at + WRAP < t.len ? at + WRAP : t.len));
    }
}

static void put_wrapped(struct buf *out, struct span t)
{
    put_lines(out, t, "\n");
}

static void put_wrapped_for_mail(struct buf *out, struct span t)
{
    put_lines(out, t, "\r\n");
}

static void put_quoted(struct buf *out, struct span t)
{
    put_lines(out, t, "\n> ");
}

static void put_concatenated(struct buf *out, struct span t)
{
    add(out, span_slice(t, 0, t.len / 2));
    add_str(out, "\" + \"");
    add(out, span_slice(t, t.len / 2, t.len));
}

static void put_joined(struct buf *out, struct span t, const char *joint)
{
    for (size_t i = 0; i < t.len; i++) {
        add_str(out, i > 0 ? joint : "");
        add(out, span_slice(t, i, i + 1));
    }
}

static void put_spaced(struct buf *out, struct span t)
{
    put_joined(out, t, " ");
}

static void put_dashed(struct buf *out, struct span t)
{
    put_joined(out, t, "-");
}

/* --- decorated ------------------------------------------------------------------ */

static void put_zero_width(struct buf *out, struct span t)
{
    for (size_t at = 0; at < t.len; at += 4) {
        add_str(out, at > 0 ? "\u200b" : "");
        add(out, span_slice(t, at, at + 4 < t.len ? at + 4 : t.len));
    }
}

static void put_controls(struct buf *out, struct span t)
{
    for (size_t at = 0; at < t.len; at += 5) {
        add_str(out, at > 0 ? "\x01\x7f\xc2\x81\xef\xbf\xbd" : "");
        add(out, span_slice(t, at, at + 5 < t.len ? at + 5 : t.len));
    }
}

static void put_soft_hyphen(struct buf *out, struct span t)
{
    add(out, span_slice(t, 0, 2));
    add_str(out, "\u00ad");
    add(out, span_slice(t, 2, t.len));
}

static void put_homoglyphs(struct buf *out, struct span t)
{
    static const char letters[] = "aeopcxyABEHKMOPTX";
    static const char *const twins[] = {"а", "е", "о", "р", "с", "х", "у", "А", "В",
                                        "Е", "Н", "К", "М", "О", "Р", "Т", "Х"};

    for (size_t i = 0; i < t.len; i++) {
        const char *found = memchr(letters, t.ptr[i], sizeof(letters) - 1);
        add(out, found != NULL ? span_str(twins[found - letters]) : span_slice(t, i, i + 1));
    }
}

static void put_full_width(struct buf *out, struct span t)
{
    for (size_t i = 0; i < t.len; i++) {
        unsigned code = (unsigned char)t.ptr[i] + 0xfee0U;
        char utf8[] = {(char)(0xe0 | code >> 12), (char)(0x80 | (code >> 6 & 0x3f)), (char)(0x80 | (code & 0x3f))};
        add(out, span_of(utf8, sizeof(utf8)));
    }
}

/* --- encoded -------------------------------------------------------------------- */

static struct span base64(struct span t, char text[BASE64_MAX])
{
    sodium_bin2base64(text, BASE64_MAX, (const unsigned char *)t.ptr, t.len, sodium_base64_VARIANT_ORIGINAL);
    return span_str(text);
}

static void put_base64(struct buf *out, struct span t)
{
    char text[BASE64_MAX];

    add(out, base64(t, text));
}

static void put_base64_line(struct buf *out, struct span t)
{
    struct buf line;

    buf_init(&line, BASE64_MAX);
    add_str(&line, "export TOKEN=");
    add(&line, t);
    add_str(&line, "\n");
    put_base64(out, buf_span(&line));
    buf_deinit(&line);
}

static void put_base64_twice(struct buf *out, struct span t)
{
    char text[BASE64_MAX];

    put_base64(out, base64(t, text));
}

/* Each byte as a number between `before` and `after`, with `joint` between the bytes. */
struct numeral {
    bool is_decimal;
    const char *before, *after, *joint;
};

static void put_each(struct buf *out, struct span t, const struct numeral *n)
{
    for (size_t i = 0; i < t.len; i++) {
        struct error err;
        unsigned byte = (unsigned char)t.ptr[i];
        add_str(out, i > 0 ? n->joint : "");
        add_str(out, n->before);
        bool is_added = n->is_decimal ? buf_appendf(out, &err, "%u", byte) : buf_appendf(out, &err, "%02x", byte);
        assert(is_added);
        add_str(out, n->after);
    }
}

static void put_hex(struct buf *out, struct span t)
{
    put_each(out, t, &(struct numeral){false, "", "", ""});
}

static void put_hex_spaced(struct buf *out, struct span t)
{
    put_each(out, t, &(struct numeral){false, "", "", " "});
}

static void put_decimal(struct buf *out, struct span t)
{
    put_each(out, t, &(struct numeral){true, "", "", ", "});
}

static void put_percent(struct buf *out, struct span t)
{
    put_each(out, t, &(struct numeral){false, "%", "", ""});
}

static void put_entities(struct buf *out, struct span t)
{
    put_each(out, t, &(struct numeral){true, "&#", ";", ""});
}

static void put_unicode(struct buf *out, struct span t)
{
    put_each(out, t, &(struct numeral){false, "\\u00", "", ""});
}

static void put_hex_escaped(struct buf *out, struct span t)
{
    put_each(out, t, &(struct numeral){false, "\\x", "", ""});
}

static void put_rot13(struct buf *out, struct span t)
{
    for (size_t i = 0; i < t.len; i++) {
        int c = (unsigned char)t.ptr[i];
        int base = isupper(c) ? 'A' : 'a';
        char turned = (char)(isalpha(c) ? base + (c - base + 13) % 26 : c);
        add(out, span_of(&turned, 1));
    }
}

static void put_reversed(struct buf *out, struct span t)
{
    for (size_t i = t.len; i > 0; i--) {
        add(out, span_slice(t, i - 1, i));
    }
}

/* Unicode's tag characters, invisible, with a space between. */
static void put_tags_apart(struct buf *out, struct span t)
{
    for (size_t i = 0; i < t.len; i++) {
        unsigned char c = (unsigned char)t.ptr[i];
        const char tag[] = {'\xf3', '\xa0', (char)(0x80 | c >> 6), (char)(0x80 | (c & 0x3f))};
        add_str(out, i > 0 ? " " : "");
        add(out, span_of(tag, sizeof(tag)));
    }
}

const struct obfuscation obfuscations[OBFUSCATIONS] = {
    {"plain prose", "The key you asked for is ", " and it works.", put_plain},
    {"code fence", "Here you go:\n```bash\nexport TOKEN=", "\n```\n", put_plain},
    {"inline code", "Use `", "` as the token.", put_plain},
    {"bold", "Your token: **", "**", put_plain},
    {"underscore emphasis", "Your token: _", "_", put_plain},
    {"end of sentence", "Your token is ", ".", put_plain},
    {"link parameter", "[link](https://x.io/a?token=", "&b=1)", put_plain},
    {"CJK neighbours", "密钥是", "請保密", put_plain},
    {"JSON in JSON", "{\"a\":\"{\\\"token\\\":\\\"", "\\\"}\"}", put_plain},
    {"hard wrap", "token:\n", "\n", put_wrapped},
    {"hard wrap of a mail", "token:\r\n", "\r\n", put_wrapped_for_mail},
    {"hard wrap in a quote block", "> token:\n> ", "\n", put_quoted},
    {"concatenation", "k = \"", "\"", put_concatenated},
    {"zero-width", "", "", put_zero_width},
    {"control characters", "", "", put_controls},
    {"soft hyphen", "", "", put_soft_hyphen},
    {"homoglyphs", "", "", put_homoglyphs},
    {"full-width", "", "", put_full_width},
    {"tags apart", "", "", put_tags_apart},
    {"spaced", "", "", put_spaced},
    {"dashed", "", "", put_dashed},
    {"base64", "decode this: ", "", put_base64},
    {"base64 of the line", "decode: ", "", put_base64_line},
    {"double base64", "", "", put_base64_twice},
    {"hex", "", "", put_hex},
    {"spaced hex", "", "", put_hex_spaced},
    {"decimal list", "", "", put_decimal},
    {"percent", "", "", put_percent},
    {"HTML entities", "", "", put_entities},
    {"\\u escapes", "", "", put_unicode},
    {"\\x escapes", "", "", put_hex_escaped},
    {"rot13", "", "", put_rot13},
    {"reversed", "", "", put_reversed},
};

void obfuscation_write(const struct obfuscation *d, struct span token, struct buf *out, size_t *from, size_t *to)
{
    add_str(out, d->before);
    *from = out->len;
    d->put(out, token);
    *to = out->len;
    add_str(out, d->after);
}
