/* test_obfuscations.c - tokens written in ways that hide them, and read all the same. */
#include "views.h"

enum { OBFUSCATED_MAX = 8192 };

/* The obfuscated token is [from, to) of the text. */
struct obfuscated {
    char text[OBFUSCATED_MAX];
    size_t len, from, to;
};

static const char *const tokens[] = {
    "ghp_kR7mXq2Vt9LwZ4bNc8JdYs3HfPa6Eg5UoT1i",
    "glpat-Zx8cVb3nMq1wErT6yUiO",
    "AKIAQ3EGR7KJ2MXW5TZB",
    "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
    "xoxb-263594206564-2343594206574-FGqddMF8t08v8N7Oq4i57vs1",
    "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",
    "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",
};

static void put(struct obfuscated *d, struct span bytes)
{
    assert_true(d->len + bytes.len < OBFUSCATED_MAX);
    memcpy(d->text + d->len, bytes.ptr, bytes.len);
    d->len += bytes.len;
}

static void put_str(struct obfuscated *d, const char *text)
{
    put(d, span_str(text));
}

static void put_code_point(struct obfuscated *d, uint32_t code_point)
{
    char bytes[4];
    put(d, span_of(bytes, utf8_encode(code_point, bytes)));
}

static void open_token(struct obfuscated *d, const char *before)
{
    d->len = 0;
    put_str(d, before);
    d->from = d->len;
}

static void close_token(struct obfuscated *d, const char *behind)
{
    d->to = d->len;
    put_str(d, behind);
}

struct number_format {
    const char *before;
    unsigned base, width;
    const char *behind;
    bool has_capitals;
};

static void put_number(struct obfuscated *d, uint32_t number, const struct number_format *format)
{
    char digits[16];
    size_t at = sizeof(digits);

    while (number > 0 || at + format->width > sizeof(digits)) {
        unsigned digit = number % format->base;
        digits[--at] = format->has_capitals ? "0123456789ABCDEF"[digit] : "0123456789abcdef"[digit];
        number /= format->base;
    }
    put_str(d, format->before);
    put(d, span_of(digits + at, sizeof(digits) - at));
    put_str(d, format->behind);
}

/* Each character by its number. */
static void put_numbers(struct obfuscated *d, const char *token, const struct number_format *format)
{
    for (; *token != '\0'; token++) {
        put_number(d, (uint32_t)*token, format);
    }
}

static void put_separated(struct obfuscated *d, const char *token, size_t every, const char *separator)
{
    for (size_t i = 0; token[i] != '\0'; i++) {
        if (i > 0 && i % every == 0) {
            put_str(d, separator);
        }
        put(d, span_of(token + i, 1));
    }
}

static void put_base64(struct obfuscated *d, struct span bytes, const char *alphabet, bool is_padded)
{
    for (size_t i = 0; i < bytes.len; i += 3) {
        uint32_t quantum = 0;
        size_t n = bytes.len - i < 3 ? bytes.len - i : 3;
        for (size_t k = 0; k < n; k++) {
            quantum |= (uint32_t)(unsigned char)bytes.ptr[i + k] << (16 - 8 * k);
        }
        for (size_t k = 0; k < 4; k++) {
            if (k <= n) {
                put(d, span_of(&alphabet[quantum >> (18 - 6 * k) & 63], 1));
            } else if (is_padded) {
                put_str(d, "=");
            }
        }
    }
}

#define LETTERS_AND_DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
static const char common[] = LETTERS_AND_DIGITS "+/";
static const char for_links[] = LETTERS_AND_DIGITS "-_";

static void json_in_json(const char *token, struct obfuscated *d)
{
    open_token(d, "{\"a\":\"{\\\"token\\\":\\\"");
    put_str(d, token);
    close_token(d, "\\\"}\"}");
}

static void behind_an_escaped_newline(const char *token, struct obfuscated *d)
{
    open_token(d, "print(\"first\\n");
    put_str(d, token);
    close_token(d, "\\n\")");
}

static void concatenation(const char *token, struct obfuscated *d)
{
    open_token(d, "k = \"");
    put_separated(d, token, strlen(token) / 2, "\" + \"");
    close_token(d, "\"");
}

static void soft_hyphen(const char *token, struct obfuscated *d)
{
    open_token(d, "key ");
    put(d, span_of(token, 2));
    put_str(d, "\xc2\xad");
    put_str(d, token + 2);
    close_token(d, " end");
}

static void homoglyphs(const char *token, struct obfuscated *d)
{
    static const char ascii[] = "aeopcxyABEHKMOPTX";
    static const uint16_t twins[] = {0x430, 0x435, 0x43e, 0x440, 0x441, 0x445, 0x443, 0x410, 0x412,
                                     0x415, 0x41d, 0x41a, 0x41c, 0x41e, 0x420, 0x422, 0x425};
    open_token(d, "key ");
    for (; *token != '\0'; token++) {
        const char *twin = strchr(ascii, *token);
        put_code_point(d, twin == NULL ? (uint32_t)*token : twins[twin - ascii]);
    }
    close_token(d, " end");
}

static void full_width(const char *token, struct obfuscated *d)
{
    open_token(d, "密钥是");
    for (; *token != '\0'; token++) {
        put_code_point(d, (uint32_t)*token + 0xfee0);
    }
    close_token(d, "请保密");
}

static void bold_mathematics(const char *token, struct obfuscated *d)
{
    open_token(d, "key ");
    for (; *token != '\0'; token++) {
        uint32_t c = (uint32_t)*token;
        bool is_upper = c >= 'A' && c <= 'Z';
        bool is_lower = c >= 'a' && c <= 'z';
        put_code_point(d, is_upper ? c - 'A' + 0x1d400 : is_lower ? c - 'a' + 0x1d41a : c);
    }
    close_token(d, " end");
}

static void tags(const char *token, struct obfuscated *d)
{
    open_token(d, "Hello");
    for (; *token != '\0'; token++) {
        put_code_point(d, 0xe0000 + (uint32_t)*token);
    }
    close_token(d, " there");
}

static void base64(const char *token, struct obfuscated *d)
{
    open_token(d, "decode this: ");
    put_base64(d, span_str(token), common, true);
    close_token(d, "\n");
}

/* The token is in some of the quanta. */
static void base64_of_the_line(const char *token, struct obfuscated *d)
{
    static const char before[] = "export TOKEN=";
    char line[256];
    int n = snprintf(line, sizeof(line), "%s%s\n", before, token);
    open_token(d, "decode: ");
    size_t start = d->len;
    put_base64(d, span_of(line, (size_t)n), for_links, false);
    close_token(d, " ");
    d->from = start + strlen(before) / 3 * 4;
    d->to = start + (strlen(before) + strlen(token) + 2) / 3 * 4;
}

static void base64_twice(const char *token, struct obfuscated *d)
{
    struct obfuscated once = {0};
    put_base64(&once, span_str(token), common, true);
    open_token(d, "");
    put_base64(d, span_of(once.text, once.len), common, true);
    close_token(d, "");
}

static void base64_in_lines(const char *token, struct obfuscated *d)
{
    struct obfuscated once = {0};
    put_base64(&once, span_str(token), common, false);
    once.text[once.len] = '\0';
    open_token(d, "blob:\n");
    put_separated(d, once.text, 16, "\n");
    close_token(d, "\n");
}

static void base64_behind_something_else(const char *token, struct obfuscated *d)
{
    open_token(d, "/x/Y9/");
    put_base64(d, span_str(token), common, true);
    close_token(d, "");
}

static void base64_of_utf16(const char *token, struct obfuscated *d)
{
    char wide[256];
    size_t len = strlen(token);
    for (size_t i = 0; i < len; i++) {
        wide[2 * i] = token[i];
        wide[2 * i + 1] = '\0';
    }
    open_token(d, "powershell -enc ");
    put_base64(d, span_of(wide, 2 * len), common, true);
    close_token(d, "");
}

static void full_width_in_escapes(const char *token, struct obfuscated *d)
{
    open_token(d, "\"");
    for (; *token != '\0'; token++) {
        put_number(d, (uint32_t)*token + 0xfee0, &(struct number_format){"\\u", 16, 4, "", false});
    }
    close_token(d, "\"");
}

static void percent_in_base64(const char *token, struct obfuscated *d)
{
    struct obfuscated once = {0};
    put_numbers(&once, token, &(struct number_format){"%", 16, 2, "", false});
    open_token(d, "");
    put_base64(d, span_of(once.text, once.len), common, true);
    close_token(d, "");
}

static void zero_width_in_wrapped(const char *token, struct obfuscated *d)
{
    struct obfuscated once = {0};
    put_separated(&once, token, 14, "\n");
    once.text[once.len] = '\0';
    open_token(d, "token:\n");
    put_separated(d, once.text, 2, "\xe2\x80\x8d");
    close_token(d, "\n");
}

/* The token cut into parts. */
static const struct {
    const char *name, *before;
    size_t every;
    const char *separator, *behind;
} separated[] = {
    {"hard wrap", "token:\n", 20, "\n", "\n"},
    {"wrap behind a label", "token: ", 14, "\n", "\nThat is all."},
    {"wrap in a quote block", "> token:\n> ", 16, "\n> ", "\n"},
    {"wrap in comments", "    // ", 17, "\r\n    // ", "\r\n"},
    {"wrap with backslashes", "export TOKEN=", 15, "\\\n", "\n"},
    {"concatenation over lines", "k = ('", 9, "'\n     '", "')"},
    {"concatenation with dots", "$k = 'key ", 12, "' . '", "';"},
    {"zero width", "key ", 4, "\xe2\x80\x8b", " end"},
    {"bytes that are no utf8", "key ", 3, "\xff", " end"},
    {"combining marks", "key ", 2, "\xcc\xb6", " end"},
    {"spaced", "key: ", 1, " ", " and more"},
    {"dashed", "key: ", 1, "-", "\n"},
};

/* The token by its characters' numbers. */
static const struct {
    const char *name, *before;
    struct number_format format;
    const char *behind;
} numbered[] = {
    {"hex", "0x", {"", 16, 2, "", false}, "."},
    {"spaced hex", "bytes: ", {"", 16, 2, " ", true}, "end"},
    {"hex list", "[", {"0x", 16, 2, ", ", false}, "]"},
    {"decimal list", "[", {"", 10, 1, ", ", false}, "]"},
    {"code points", "these: ", {"U+", 16, 4, " ", true}, ""},
    {"percent", "https://x.io/?t=", {"%", 16, 2, "", false}, "&b=1"},
    {"html entities", "<b>", {"&#", 10, 1, ";", false}, "</b>"},
    {"html hex entities", "<b>", {"&#x", 16, 1, ";", false}, "</b>"},
    {"unicode escapes", "\"", {"\\u", 16, 4, "", false}, "\""},
    {"byte escapes", "\"", {"\\x", 16, 2, "", false}, "\""},
    {"braced escapes", "`", {"\\u{", 16, 1, "}", false}, "`"},
    {"octal escapes", "\"", {"\\", 8, 3, "", false}, "\""},
    {"quoted printable", "token=3D", {"=", 16, 2, "", true}, "\n"},
};

#define OBFUSCATION(function)                                                                         \
    {                                                                                              \
#function, function                                                                        \
    }
static const struct {
    const char *name;
    void (*write)(const char *token, struct obfuscated *out);
} written[] = {
    OBFUSCATION(json_in_json),
    OBFUSCATION(behind_an_escaped_newline),
    OBFUSCATION(concatenation),
    OBFUSCATION(soft_hyphen),
    OBFUSCATION(homoglyphs),
    OBFUSCATION(full_width),
    OBFUSCATION(bold_mathematics),
    OBFUSCATION(tags),
    OBFUSCATION(base64),
    OBFUSCATION(base64_of_the_line),
    OBFUSCATION(base64_twice),
    OBFUSCATION(base64_in_lines),
    OBFUSCATION(base64_behind_something_else),
    OBFUSCATION(base64_of_utf16),
    OBFUSCATION(full_width_in_escapes),
    OBFUSCATION(percent_in_base64),
    OBFUSCATION(zero_width_in_wrapped),
};

/* How far the ends of a raw range may lie from the obfuscated token's: the separator that belongs to
 * the last character's unit. */
enum { OFF_MAX = 2, DEPTH_NEEDED = 3 };

static bool is_near(size_t a, size_t b)
{
    return (a > b ? a - b : b - a) <= OFF_MAX;
}

static void assert_undone(const char *name, const char *token, const struct obfuscated *d)
{
    struct views views;
    size_t from = 0;
    size_t to = 0;

    views_make(&views, span_of(d->text, d->len));
    if (!views_find(&views, token, DEPTH_NEEDED, &from, &to)) {
        fail_msg("%s of %s: not found", name, token);
    }
    if (!is_near(from, d->from) || !is_near(to, d->to)) {
        fail_msg("%s of %s: found at [%zu, %zu) instead of [%zu, %zu)", name, token, from, to,
                 d->from, d->to);
    }
    views_release(&views);
}

static void every_obfuscation_is_undone_and_found_in_the_raw_text(void **state)
{
    static struct obfuscated d;

    (void)state;
    for (size_t t = 0; t < COUNT(tokens); t++) {
        for (size_t i = 0; i < COUNT(separated); i++) {
            open_token(&d, separated[i].before);
            put_separated(&d, tokens[t], separated[i].every, separated[i].separator);
            close_token(&d, separated[i].behind);
            assert_undone(separated[i].name, tokens[t], &d);
        }
        for (size_t i = 0; i < COUNT(numbered); i++) {
            open_token(&d, numbered[i].before);
            put_numbers(&d, tokens[t], &numbered[i].format);
            close_token(&d, numbered[i].behind);
            assert_undone(numbered[i].name, tokens[t], &d);
        }
        for (size_t i = 0; i < COUNT(written); i++) {
            written[i].write(tokens[t], &d);
            assert_undone(written[i].name, tokens[t], &d);
        }
    }
}

/* It would be the text as it was. */
static void not_read_twice(struct views *views, enum view_hint_kind kind)
{
    const struct view_limits limits = {
        .depth = VIEW_DEPTH_MAX, .max_bytes = TEST_MAX_BYTES, .max_pieces = TEST_MAX_PIECES};
    const struct view *child = NULL, *undone = views->level[1];
    struct error err;

    const char *at = memmem(undone->text.ptr, undone->text.len, tokens[0], strlen(tokens[0]));
    uint32_t from = (uint32_t)(at - undone->text.ptr);
    const struct view_piece *piece = view_piece_at(undone, from);
    const struct view_hint hint = {.kind = kind, .from = from, .to = from + 4};
    assert_true(view_expand(&views->arena, undone, &hint, 1, &limits, &child, &err));
    for (size_t i = 0; child != NULL && i < child->n_pieces; i++) {
        assert_string_not_equal(child->pieces[i].transform, piece->transform);
    }
}

static void hinted_token(const char *obfuscated, enum view_hint_kind kind)
{
    struct views views;
    char text[256];
    size_t from;
    size_t to;
    int n = snprintf(text, sizeof(text), "a line\nread \xc3\xa9 this: %s now\nanother", obfuscated);
    size_t at = (size_t)(strstr(text, obfuscated) - text);
    struct view_hint hint = {.kind = kind, .from = (uint32_t)at, .to = (uint32_t)at + 4};

    views_make_hinted(&views, span_of(text, (size_t)n), &hint, 1);
    assert_true(views_find(&views, tokens[0], 1, &from, &to));
    assert_int_equal(from, at);
    assert_int_equal(to, at + strlen(obfuscated));
    assert_null(memmem(views.level[1]->text.ptr, views.level[1]->text.len, "rehtona", 7));
    not_read_twice(&views, kind);
    views_release(&views);
}

static void hinted_lines_are_read_in_rot13_and_backwards(void **state)
{
    (void)state;
    hinted_token("tuc_xE7zKd2Ig9YjM4oAp8WqLf3UsCn6Rt5HbG1v", VIEW_HINT_ROT13);
    hinted_token("i1ToU5gE6aPfH3sYdJ8cNb4ZwL9tV2qXm7Rk_phg", VIEW_HINT_REVERSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_obfuscation_is_undone_and_found_in_the_raw_text),
        cmocka_unit_test(hinted_lines_are_read_in_rot13_and_backwards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
