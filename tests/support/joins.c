#include "support/joins.h"

#include <assert.h>
#include <sodium.h>
#include <zlib.h>

enum { PART = 8, LINE = 16, ENCODED_MAX = 4096 };

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

static void add_number(struct buf *out, const char *format, unsigned number)
{
    struct error err;
    bool is_added = buf_appendf(out, &err, format, number);

    assert(is_added);
}

/* --- parts with the same between ---------------------------------------------------- */

static void put_parts(struct buf *out, struct span t, size_t size, const char *joint)
{
    for (size_t at = 0; at < t.len; at += size) {
        add_str(out, at > 0 ? joint : "");
        add(out, span_slice(t, at, at + size < t.len ? at + size : t.len));
    }
}

static void put_halves(struct buf *out, struct span t, const char *joint)
{
    put_parts(out, t, (t.len + 1) / 2, joint);
}

/* `name` puts the token in parts of `size` with `joint` between; HALF for two parts. */
#define HALF 0
#define JOINED(name, size, joint)                                                                                      \
    static void put_##name(struct buf *out, struct span t)                                                             \
    {                                                                                                                  \
        if ((size) == HALF) {                                                                                          \
            put_halves(out, t, joint);                                                                                 \
        } else {                                                                                                       \
            put_parts(out, t, (size) + !(size), joint);                                                                \
        }                                                                                                              \
    }

JOINED(bold_end, HALF, "**")
JOINED(star_end, HALF, "*")
JOINED(tag_end, HALF, "</b>")
JOINED(span_between, HALF, "</span><span>")
JOINED(styled_span, HALF, "</span><span style=\"color: red\">")
JOINED(wbr, HALF, "<wbr>")
JOINED(comment, HALF, "<!-- -->")
JOINED(link_end, HALF, "](#)")
JOINED(link_far, HALF, "](https://example.com/page)")
JOINED(code_end, HALF, "`")
JOINED(sgr, HALF, "\x1b[0m")
JOINED(sgr_each, 1, "\x1b[32m")
JOINED(sgr_end, HALF, "\x1b(B\x1b[m")
JOINED(shift_out, HALF, "\x0e")
JOINED(empty_quotes, HALF, "''")
JOINED(empty_double_quotes, PART, "\"\"")
JOINED(backslash, HALF, "\\\n")
JOINED(backslash_each, PART, "\\\n")
JOINED(sql, HALF, "' || '")
JOINED(concat_sql, HALF, "', '")
JOINED(join_list, PART, "', '")
JOINED(append, PART, "\");\ns.append(\"")
JOINED(add_assign, PART, "\";\ns += \"")
JOINED(concat, HALF, "\".concat(\"")
JOINED(stream, PART, "\" << \"")
JOINED(short_literals, 6, "\" \"")
JOINED(no_break, 1, "\u00a0")
JOINED(thin, 1, "\u2009")
JOINED(two_spaces, 1, "  ")
JOINED(comma, 1, ", ")
JOINED(underscore, 1, "_")
JOINED(letters, 1, "\", \"")
JOINED(letters_single, 1, "','")
JOINED(bullets, 1, "\n- ")
JOINED(cells, 1, " | ")
JOINED(groups, 4, " ")
JOINED(yaml, PART, "\n  ")
JOINED(diff, LINE, "\n+")

static void put_overstrike(struct buf *out, struct span t)
{
    for (size_t i = 0; i < t.len; i++) {
        add(out, span_slice(t, i, i + 1));
        add_str(out, "\b");
        add(out, span_slice(t, i, i + 1));
    }
}

static void put_numbered(struct buf *out, struct span t)
{
    for (size_t at = 0, n = 1; at < t.len; at += PART, n++) {
        if (at > 0) {
            add_number(out, "\n%u. ", (unsigned)n);
        }
        add(out, span_slice(t, at, at + PART < t.len ? at + PART : t.len));
    }
}

/* The zero bytes of characters of four bytes. */
static void put_wide(struct buf *out, struct span t)
{
    for (size_t i = 0; i < t.len; i++) {
        add(out, span_of(i > 0 ? "\0\0\0" : "", i > 0 ? 3 : 0));
        add(out, span_slice(t, i, i + 1));
    }
}

/* --- each byte as a number ----------------------------------------------------------- */

static void put_numbers(struct buf *out, struct span t, const char *format, const char *joint)
{
    for (size_t i = 0; i < t.len; i++) {
        add_str(out, i > 0 ? joint : "");
        add_number(out, format, (unsigned char)t.ptr[i]);
    }
}

#define NUMBERS(name, format, joint)                                                                                   \
    static void put_##name(struct buf *out, struct span t)                                                             \
    {                                                                                                                  \
        put_numbers(out, t, format, joint);                                                                            \
    }

NUMBERS(chr_sum, "%u", ")+chr(")
NUMBERS(chr_sum_spaced, "%u", ") + chr(")
NUMBERS(char_cast, "%u", "+[char]")
NUMBERS(chr_basic, "%u", ") & Chr(")
NUMBERS(chr_php, "%u", ").chr(")
NUMBERS(chr_sql, "%u", ")||CHR(")
NUMBERS(hex_dots, "%02x", ".")
NUMBERS(hex_x, "%02x", "x")
NUMBERS(hex_strings, "%02x", "\", \"")
NUMBERS(code_strings, "%u", "\", \"")
NUMBERS(code_point_strings, "U+%04X", "', '")

/* --- dumps ---------------------------------------------------------------------------- */

struct dump {
    const char *offset; /* format of the offset */
    size_t group;       /* bytes without a space between */
    bool is_split;      /* two spaces in the middle */
    const char *before, *after; /* of the text column; NULL: none */
};

static void put_dump(struct buf *out, struct span t, const struct dump *d)
{
    for (size_t at = 0; at < t.len; at += LINE) {
        size_t n = t.len - at < LINE ? t.len - at : LINE, column = 0;
        add_number(out, d->offset, (unsigned)at);
        for (size_t i = 0; i < n; i++) {
            bool is_space = i > 0 && i % d->group == 0;
            add_str(out, is_space ? " " : "");
            add_str(out, d->is_split && i == LINE / 2 ? " " : "");
            add_number(out, "%02x", (unsigned char)t.ptr[at + i]);
            column += 2 + is_space;
        }
        for (; d->before != NULL && column < LINE * 2 + LINE / d->group - 1; column++) {
            add_str(out, " ");
        }
        if (d->before != NULL) {
            add_str(out, d->before);
            add(out, span_slice(t, at, at + n));
            add_str(out, d->after);
        }
        add_str(out, at + n < t.len ? "\n" : "");
    }
}

#define DUMP(name, ...)                                                                                                \
    static void put_##name(struct buf *out, struct span t)                                                             \
    {                                                                                                                  \
        put_dump(out, t, &(struct dump){__VA_ARGS__});                                                                 \
    }

DUMP(xxd, "%08x: ", 2, false, "  ", "")
DUMP(xxd_bare, "%08x: ", 2, false, NULL, NULL)
DUMP(xxd_bytes, "%08x: ", 1, false, "  ", "")
DUMP(hexdump, "%08x  ", 1, true, "  |", "|")
DUMP(hexdump_bare, "%08x  ", 1, true, NULL, NULL)
DUMP(od, "%07o ", 1, false, NULL, NULL)

/* --- encodings -------------------------------------------------------------------------- */

static struct span base64_of(const void *bytes, size_t len, char text[ENCODED_MAX])
{
    sodium_bin2base64(text, ENCODED_MAX, bytes, len, sodium_base64_VARIANT_ORIGINAL);
    return span_str(text);
}

static void put_base64_parts(struct buf *out, struct span t, size_t size, const char *joint)
{
    char text[ENCODED_MAX];

    put_parts(out, base64_of(t.ptr, t.len, text), size, joint);
}

static void put_base64_groups(struct buf *out, struct span t)
{
    put_base64_parts(out, t, 4, " ");
}

static void put_base64_dashes(struct buf *out, struct span t)
{
    put_base64_parts(out, t, 4, "-");
}

static void put_base64_lines(struct buf *out, struct span t)
{
    put_base64_parts(out, t, 8, "\n");
}

static void put_hex_groups(struct buf *out, struct span t)
{
    char text[ENCODED_MAX];

    sodium_bin2hex(text, sizeof(text), (const unsigned char *)t.ptr, t.len);
    put_parts(out, span_str(text), 4, " ");
}

static void put_base32(struct buf *out, struct span t)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    char text[ENCODED_MAX];
    uint64_t bits = 0;
    size_t n_bits = 0, n = 0;

    for (size_t i = 0; i < t.len; i++) {
        bits = bits << 8 | (unsigned char)t.ptr[i];
        for (n_bits += 8; n_bits >= 5; n_bits -= 5) {
            text[n++] = digits[bits >> (n_bits - 5) & 31];
        }
    }
    if (n_bits > 0) {
        text[n++] = digits[bits << (5 - n_bits) & 31];
    }
    while (n % 8 != 0) {
        text[n++] = '=';
    }
    add(out, span_of(text, n));
}

/* `window` is zlib's: 15 for its own format, 31 for gzip's. */
static size_t compress_text(struct span t, int window, unsigned char out[ENCODED_MAX])
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)t.ptr, .avail_in = (uInt)t.len, .next_out = out, .avail_out = ENCODED_MAX};
    int is_ready = deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY);

    assert(is_ready == Z_OK);
    int is_done = deflate(&z, Z_FINISH);
    assert(is_done == Z_STREAM_END);
    (void)deflateEnd(&z);
    return z.total_out;
}

static void put_gzip(struct buf *out, struct span t)
{
    unsigned char bytes[ENCODED_MAX];
    char text[ENCODED_MAX];

    add(out, base64_of(bytes, compress_text(t, 31, bytes), text));
}

static void put_zlib(struct buf *out, struct span t)
{
    unsigned char bytes[ENCODED_MAX];
    char text[ENCODED_MAX];

    add(out, base64_of(bytes, compress_text(t, 15, bytes), text));
}

static void put_zlib_hex(struct buf *out, struct span t)
{
    unsigned char bytes[ENCODED_MAX];
    char text[2 * ENCODED_MAX + 1];

    sodium_bin2hex(text, sizeof(text), bytes, compress_text(t, 15, bytes));
    add_str(out, text);
}

/* Lines of 76 characters that end in a soft break. */
static void put_soft_break(struct buf *out, struct span t)
{
    size_t at = t.len / 2;

    add(out, span_slice(t, 0, at));
    add_str(out, "=\n");
    add(out, span_slice(t, at, t.len));
}

const struct obfuscation joins[JOINS] = {
    {"bold", "Your key: **", " is new.", put_bold_end},
    {"bold behind", "Your key: ", "** is new.", put_bold_end},
    {"emphasis", "Your key: *", " is new.", put_star_end},
    {"b", "<p>The key is <b>", "</p>", put_tag_end},
    {"spans", "<p>The key is <span>", "</span></p>", put_span_between},
    {"styled spans", "<span>", "</span>", put_styled_span},
    {"wbr", "The key is ", " now", put_wbr},
    {"comment", "The key is ", " now", put_comment},
    {"link", "See [", " now", put_link_end},
    {"link with an address", "See [", " now", put_link_far},
    {"code span", "The key is `", " now", put_code_end},
    {"colour", "\x1b[1m", "\x1b[0m\n", put_sgr},
    {"colour of each letter", "", "\n", put_sgr_each},
    {"end of attributes", "\x1b[1m", "\n", put_sgr_end},
    {"shift out", "The key is ", " now", put_shift_out},
    {"overstrike", "NAME\n", "\n", put_overstrike},
    {"empty quotes", "export KEY=", "\n", put_empty_quotes},
    {"empty double quotes", "export KEY=", "\n", put_empty_double_quotes},
    {"backslash", "export KEY=", "\n", put_backslash},
    {"backslashes", "run --key ", "\n", put_backslash_each},
    {"SQL's ||", "SELECT '", "';", put_sql},
    {"CONCAT", "SELECT CONCAT('", "');", put_concat_sql},
    {"join", "key = ''.join(['", "'])\n", put_join_list},
    {"append", "s.append(\"", "\");\n", put_append},
    {"+=", "s += \"", "\";\n", put_add_assign},
    {"concat", "k = \"", "\");\n", put_concat},
    {"stream", "out << \"", "\";\n", put_stream},
    {"adjacent literals", "k = \"", "\";\n", put_short_literals},
    {"no-break spaces", "the key: ", "\n", put_no_break},
    {"thin spaces", "the key: ", "\n", put_thin},
    {"two spaces", "the key: ", "\n", put_two_spaces},
    {"commas", "spelt: ", "\n", put_comma},
    {"underscores", "spelt: ", "\n", put_underscore},
    {"letters as strings", "key = [\"", "\"]", put_letters},
    {"letters in single quotes", "char k[] = {'", "'};", put_letters_single},
    {"bullets", "- ", "\n", put_bullets},
    {"cells", "| ", " |\n", put_cells},
    {"groups of four", "the key: ", "\n", put_groups},
    {"numbered list", "1. ", "\n", put_numbered},
    {"folded YAML", "key: >-\n  ", "\n", put_yaml},
    {"diff", "+", "\n", put_diff},
    {"UTF-32", "", "", put_wide},
    {"chr sum", "key = chr(", ")\n", put_chr_sum},
    {"chr sum with spaces", "key = chr(", ")\n", put_chr_sum_spaced},
    {"casts to char", "$key = [char]", "\n", put_char_cast},
    {"Chr &", "key = Chr(", ")\n", put_chr_basic},
    {"chr with dots", "$key = chr(", ");\n", put_chr_php},
    {"CHR ||", "SELECT CHR(", ");\n", put_chr_sql},
    {"hex with dots", "bytes ", "\n", put_hex_dots},
    {"x41x42", "x", "\n", put_hex_x},
    {"hex strings", "[\"", "\"]\n", put_hex_strings},
    {"codes as strings", "chr(int(c)) for c in [\"", "\", \"10\"]\n", put_code_strings},
    {"code points as strings", "['a', '", "', 'b']\n", put_code_point_strings},
    {"xxd", "$ xxd key\n", "\n", put_xxd},
    {"xxd without text", "", "\n", put_xxd_bare},
    {"xxd -g 1", "$ xxd -g 1 key\n", "\n", put_xxd_bytes},
    {"hexdump -C", "$ hexdump -C key\n", "\n", put_hexdump},
    {"hexdump -C without text", "", "\n", put_hexdump_bare},
    {"od", "$ od -A o -t x1 key\n", "\n", put_od},
    {"base64 in groups", "key ", "\n", put_base64_groups},
    {"base64 with dashes", "key ", "\n", put_base64_dashes},
    {"base64 in short lines", "key:\n", "\n", put_base64_lines},
    {"hex in groups", "key ", "\n", put_hex_groups},
    {"base32", "key ", "\n", put_base32},
    {"gzip in base64", "key ", "\n", put_gzip},
    {"zlib in base64", "key ", "\n", put_zlib},
    {"zlib in hex", "key ", "\n", put_zlib_hex},
    {"soft break", "The key that you asked for some time ago is this one here: ", " and it works.\n", put_soft_break},
};

const char *const join_controls[JOIN_CONTROLS] = {
    "\x1b[32mPASS\x1b[0m test_token_parser (0.02s)\n\x1b[31mFAIL\x1b[0m test_key_reader (1.40s)\n",
    "Call get**User**Name2 with `read_`first_line`_4` and config**_value_1**.\n",
    "<table><tr><td>A</td><td>B</td><td>C</td></tr><tr><td>D</td><td>E</td><td>F</td></tr></table>\n",
    "00000000: 8950 4e47 0d0a 1a0a 0000 000d 4948 4452  .PNG........IHDR\n"
    "00000010: 0000 0100 0000 0100 0806 0000 005c 72a8  .............\\r.\n",
    "00000000  7f 45 4c 46 02 01 01 00  00 00 00 00 00 00 00 00  |.ELF............|\n"
    "00000010  03 00 3e 00 01 00 00 00  50 1d 00 00 00 00 00 00  |..>.....P.......|\n",
    "SELECT first_name || ' ' || last_name || ', ' || city FROM users WHERE CONCAT('a', 'b') = 'ab';\n",
    "print(', '.join(['apple', 'banana', 'cherry', 'grape', 'melon', 'plum', 'quince']))\n",
    "echo 'it'\\''s done' && grep -rn 'don'\"'\"'t' src/\n",
    "docker run \\\n  --rm -it \\\n  -v /srv/data:/data \\\n  -p 8080:80 \\\n  registry.example.com/team/app:1.4.2\n",
    "- A\n- B\n- C\n- D\n- E\n- F\n- G\n- H\n- I\n- J\n",
    "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ is the secret of the test vectors of RFC 6238.\n",
    "H4sIAAAAAAAAA/NIzcnJVyjPL8pJUQQAlRmFGwwAAAA= is a greeting, compressed.\n",
    "--- a/x.c\n+++ b/x.c\n@@ -1,4 +1,5 @@\n int x;\n+static size_t token_length(const char *text)\n+{\n+    return 0;\n+}\n",
    "The sum is 12\u2009345\u2009678\u2009901\u2009234 in all, and 1\u00a0250\u00a0000 of them.\n",
    "codes = [72, 101, 108, 108, 111, 44, 32, 119, 111, 114, 108, 100]\n",
    "Dear all,=20\nthe invoice for October is attached. Please let me know whether anything is =\nmissing from it.=20\n",
    "print(chr(72)+chr(101)+chr(108)+chr(108)+chr(111)+chr(44)+chr(32)+chr(119)+chr(111)+chr(114)+chr(108)+chr(100))\n",
    "The board: a, b, c, d, e, f, g, h and 1, 2, 3, 4, 5, 6, 7, 8.\n",
    "| x | o | x |\n|---|---|---|\n| o | x | o |\n| x | x | o |\n",
    "sizes = ['10', '12', '14', '16', '18', '20', '22', '24', '26', '28', '32', '36', '40', '48', '56', '64', '72', '96', '128']\n",
    "const names = [\"Anna\", \"Bert\", \"Carl\", \"Dora\", \"Emil\", \"Fred\", \"Gina\"];\n",
    "1. apples\n2. oranges\n3. melons\n4. grapes\n5. quinces\n",
    "Serial numbers: A1B2-C3D4-E5F6-0718 and 1F2E-3D4C-5B6A-7988.\n",
    "int m[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}; x[i] = a*b*c; y = f(x)*g(y)*h(z);\n",
    "<p>H<sub>2</sub>O and x<sup>2</sup> are <b>bold</b>ly <i>ital</i>ic, C<sub>6</sub>H<sub>12</sub>O<sub>6</sub></p>\n",
    "NAME\n     l\bls\bs - list directory contents\n\nS\bSY\bYN\bNO\bOP\bPS\bSI\bIS\bS\n     _\bf_\bi_\bl_\be ...\n",
    "    result += \"abc\";\n    result += \"def\";\n    list.append(\"one\");\n    list.append(\"two\");\n    a = \"x\".concat(\"y\");\n",
};
