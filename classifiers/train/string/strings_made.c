/* strings_made.c - generates strings; see strings.h. */
#include "base/ascii.h"
#include "classifiers/train/string/strings.h"

#include <stdio.h>

#include "formats/base64.h"
#include "lexical/english_words.h"

static const uint64_t seed = 0x5eed57a1965ULL;

#define DIGITS "0123456789"
#define LOWER  "abcdefghijklmnopqrstuvwxyz"
#define UPPER  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define HEX    "0123456789abcdef"

struct maker {
    uint64_t state;
    char text[STRINGS_MAX + 1];
    size_t len;
};

static size_t below(struct maker *m, size_t n)
{
    m->state ^= m->state >> 12;
    m->state ^= m->state << 25;
    m->state ^= m->state >> 27;
    return (size_t)((m->state * 0x2545f4914f6cdd1dULL >> 33) % n);
}

static size_t between(struct maker *m, size_t least, size_t most)
{
    return least + below(m, most - least + 1);
}

static void put(struct maker *m, char c)
{
    if (m->len < STRINGS_MAX) {
        m->text[m->len++] = c;
    }
}

static void put_text(struct maker *m, const char *text)
{
    for (; *text != '\0'; text++) {
        put(m, *text);
    }
}

static void put_drawn(struct maker *m, const char *alphabet, size_t n)
{
    size_t size = strlen(alphabet);

    for (size_t i = 0; i < n; i++) {
        put(m, alphabet[below(m, size)]);
    }
}

/* One of these, as often as it is there. */
#define ONE_OF(m, table) ((table)[below(m, COUNT(table))])

static const char *word(struct maker *m)
{
    return english_words[below(m, english_words_n)];
}

enum writing { SMALL, CAPITAL, SHOUTED };

static void put_word(struct maker *m, enum writing writing)
{
    const char *w = word(m);

    for (size_t i = 0; w[i] != '\0'; i++) {
        bool is_capital = writing == SHOUTED || (writing == CAPITAL && i == 0);
        put(m, is_capital && ascii_is_lower(w[i]) ? (char)(w[i] - 'a' + 'A') : w[i]);
    }
}

/* --- random -------------------------------------------------------------------- */

/* The lengths that keys have, more or less. */
static size_t key_length(struct maker *m)
{
    static const size_t usual[] = {16, 20, 22, 24, 27, 28, 30, 32, 32, 32, 36, 40, 40, 43, 48, 56, 64, 64, 84, 128};

    return below(m, 3) == 0 ? between(m, 16, 72) : ONE_OF(m, usual);
}

static void random_alphabet(struct maker *m)
{
    static const char *const alphabets[] = {
        LOWER UPPER DIGITS,       LOWER UPPER DIGITS,        LOWER UPPER DIGITS,     LOWER UPPER DIGITS,
        LOWER DIGITS,             LOWER DIGITS,              UPPER DIGITS,           UPPER "234567",
        LOWER UPPER DIGITS "-_",  LOWER UPPER DIGITS "-_",   LOWER UPPER DIGITS "+/", LOWER DIGITS "-_=.",
        LOWER UPPER DIGITS "_",   LOWER UPPER DIGITS "-_=.", LOWER UPPER,            "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    };

    put_drawn(m, ONE_OF(m, alphabets), key_length(m));
}

/* Mostly of a length that no digest has. */
static void random_hex(struct maker *m)
{
    static const char *const alphabets[] = {HEX, HEX, HEX, "0123456789ABCDEF"};
    size_t n = below(m, 3) == 0 ? key_length(m) : between(m, 16, 70);

    put_drawn(m, ONE_OF(m, alphabets), n);
}

static void put_base64(struct maker *m, const uint8_t *bytes, size_t n, enum base64_alphabet alphabet, bool is_padded)
{
    for (size_t i = 0; i < n; i += 3) {
        uint32_t v = (uint32_t)bytes[i] << 16 | (i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0) | (i + 2 < n ? bytes[i + 2] : 0);
        for (size_t k = 0; k < 4; k++) {
            if (k <= (n - i < 3 ? n - i : 3)) {
                put(m, base64_character(v >> (18 - 6 * k) & 63, alphabet));
            } else if (is_padded) {
                put(m, '=');
            }
        }
    }
}

static void put_random_base64(struct maker *m, size_t n)
{
    uint8_t bytes[256];
    bool is_padded = below(m, 2) == 0;

    for (size_t i = 0; i < n; i++) {
        bytes[i] = (uint8_t)below(m, 256);
    }
    put_base64(m, bytes, n, below(m, 2) == 0 ? BASE64_STANDARD : BASE64_URL, is_padded);
}

static void random_base64(struct maker *m)
{
    put_random_base64(m, between(m, 12, 150));
}

/* A name of whose it is, and what it is, in front. */
static void random_prefixed(struct maker *m)
{
    static const char *const bodies[] = {LOWER UPPER DIGITS, LOWER UPPER DIGITS, LOWER UPPER DIGITS "-_", LOWER DIGITS, HEX, HEX};
    static const char *const kinds[] = {"pat", "live", "test", "key", "api", "prod", "sk", "token", "secret", "v1", "oauth", "admin"};
    char joint = "-__"[below(m, 3)];

    if (below(m, 2) == 0) {
        put_drawn(m, LOWER, between(m, 2, 5));
    } else {
        put_word(m, below(m, 4) == 0 ? SHOUTED : SMALL);
    }
    put(m, joint);
    for (size_t i = below(m, 3); i > 0; i--) {
        put_text(m, ONE_OF(m, kinds));
        put(m, joint);
    }
    put_drawn(m, ONE_OF(m, bodies), key_length(m));
}

static void random_parts(struct maker *m)
{
    static const char *const bodies[] = {LOWER UPPER DIGITS, LOWER UPPER DIGITS, LOWER DIGITS, UPPER DIGITS, HEX};
    const char *body = ONE_OF(m, bodies);
    char joint = "-.-_"[below(m, 4)];

    put_drawn(m, below(m, 3) == 0 ? DIGITS : body, between(m, 6, 14));
    for (size_t i = between(m, 1, 3); i > 0; i--) {
        put(m, joint);
        put_drawn(m, body, between(m, 8, 36));
    }
}

static void random_password(struct maker *m)
{
    put_drawn(m, LOWER UPPER DIGITS "!#$%&*+-=?@^_~", between(m, 16, 28));
}

/* --- harmless ------------------------------------------------------------------ */

static void harmless_words(struct maker *m)
{
    static const char joints[] = {'\0', '_', '-', '.', '/'};
    char joint = ONE_OF(m, joints);
    enum writing writing = joint == '\0' ? CAPITAL : (enum writing)(below(m, 5) == 0 ? SHOUTED : below(m, 6) == 0 ? CAPITAL : SMALL);
    bool is_first_small = below(m, 2) == 0;

    for (size_t i = 0; i < 7 && (i < 2 || m->len < STRINGS_MIN || below(m, 3) == 0); i++) {
        if (i > 0 && joint != '\0') {
            put(m, joint);
        }
        put_word(m, i == 0 && is_first_small && writing == CAPITAL ? SMALL : writing);
        if (below(m, 6) == 0) {
            if (joint != '\0' && below(m, 2) == 0) {
                put(m, joint);
            }
            put_drawn(m, DIGITS, between(m, 1, 4));
        }
    }
}

static void harmless_path(struct maker *m)
{
    static const char *const endings[] = {".py", ".ts", ".json", ".html", ".so.1", ".yaml", "", "", ".md", "-1.2.3.tgz"};

    put_text(m, below(m, 2) == 0 ? "/" : below(m, 3) == 0 ? "www." : "");
    for (size_t i = 0; m->len < STRINGS_MIN || below(m, 2) == 0; i++) {
        if (i > 0) {
            put(m, '/');
        }
        put_word(m, SMALL);
        if (below(m, 3) == 0) {
            put(m, "-_."[below(m, 3)]);
            put_word(m, SMALL);
        }
    }
    put_text(m, ONE_OF(m, endings));
}

/* What package registries and builds put into paths: a digest in parts, a version of a commit. */
static void harmless_path_digest(struct maker *m)
{
    char tail[64];

    if (below(m, 2) == 0) {
        put_word(m, SMALL);
        put(m, '/');
        put_drawn(m, HEX, 2);
        put(m, '/');
        put_drawn(m, HEX, 2);
        put(m, '/');
        put_drawn(m, HEX, below(m, 2) == 0 ? 60 : 36);
        put(m, '/');
        put_word(m, SMALL);
        (void)snprintf(tail, sizeof(tail), "-%zu.%zu.%zu.tar.gz", below(m, 9), below(m, 30), below(m, 9));
    } else {
        put_word(m, SMALL);
        m->len = below(m, 2) == 0 ? 0 : m->len; /* as a version of its own */
        (void)snprintf(tail, sizeof(tail), m->len == 0 ? "v%zu.%zu.%zu-20%02zu%02zu%02zu%06zu-" : "-v%zu.%zu.%zu-20%02zu%02zu%02zu%06zu-", below(m, 3), below(m, 9), below(m, 9),
                       between(m, 15, 26), between(m, 1, 12), between(m, 1, 28), below(m, 240000));
        put_text(m, tail);
        put_drawn(m, HEX, 12);
        tail[0] = '\0';
    }
    put_text(m, tail);
}

static void harmless_base64_text(struct maker *m)
{
    static const char *const fields[] = {"{\"alg\":\"HS256\",\"typ\":\"JWT\"}", "{\"id\":", "{\"name\":\"", "<svg xmlns=\"", "#!/bin/sh\n"};
    struct maker text = {.state = m->state};
    bool is_padded = below(m, 2) == 0;

    if (below(m, 3) == 0) {
        put_text(&text, ONE_OF(m, fields));
    }
    while (text.len < STRINGS_MIN || (text.len < 120 && below(&text, 5) > 0)) {
        put_word(&text, below(&text, 6) == 0 ? CAPITAL : SMALL);
        put(&text, ' ');
    }
    m->state = text.state;
    put_base64(m, (const uint8_t *)text.text, text.len - 1, BASE64_STANDARD, is_padded);
}

static void harmless_uuid(struct maker *m)
{
    static const size_t parts[] = {8, 4, 4, 4, 12};
    const char *alphabet = below(m, 4) == 0 ? "0123456789ABCDEF" : HEX;

    for (size_t i = 0; i < COUNT(parts); i++) {
        if (i > 0) {
            put(m, '-');
        }
        put_drawn(m, alphabet, parts[i]);
    }
}

static void harmless_digest_hex(struct maker *m)
{
    static const size_t lengths[] = {32, 40, 64, 64, 64, 56, 96, 128};

    put_drawn(m, below(m, 6) == 0 ? "0123456789ABCDEF" : HEX, ONE_OF(m, lengths));
}

static void harmless_digest_base64(struct maker *m)
{
    static const struct {
        const char *name;
        size_t bytes;
    } digests[] = {{"", 16}, {"", 20}, {"", 32}, {"", 64}, {"sha256-", 32}, {"sha384-", 48}, {"sha512-", 64}, {"sha512-", 64}};
    uint8_t bytes[64];
    size_t which = below(m, COUNT(digests));

    for (size_t i = 0; i < digests[which].bytes; i++) {
        bytes[i] = (uint8_t)below(m, 256);
    }
    put_text(m, digests[which].name);
    put_base64(m, bytes, digests[which].bytes, BASE64_STANDARD, true);
}

static void harmless_number(struct maker *m)
{
    static const char *const shapes[] = {"20##-0#-1#T0#:1#:2#.###Z", "##.##.##-beta.#-build.###", "################",
                                         "####################", "+1-###-###-####-###", "####-####-####-####",
                                         "0.################", "20##0#1#-######-##", "v#.#.#-rc.#-linux-amd64",
                                         "192.168.#.##-10.0.#.##", "fe80::####:####:####:####", "3.14159265#########"};
    const char *shape = ONE_OF(m, shapes);

    for (size_t i = 0; shape[i] != '\0'; i++) {
        put(m, shape[i] == '#' ? (char)('0' + below(m, 10)) : shape[i]);
    }
}

/* What people write where a key would stand. */
static void harmless_stand_in(struct maker *m)
{
    static const char *const pieces[] = {"abcdef0123456789", "1234567890", "abcdefghijklmnop", "0123456789abcdef",
                                         "xxxxxxxx", "XXXX", "0000", "AAAA", "abc123", "deadbeef", "qwertyuiop", "ABCDEFGHIJKLMNOP", "_", "-", "=", "y", "#", ".",
                                         "1234", "abcd1234", "ffff", "asdfghjkl", "aBcDeFgHiJkL", "zzzzzz"};
    size_t n = between(m, STRINGS_MIN, 48);
    const char *piece = ONE_OF(m, pieces);

    if (below(m, 3) == 0) {
        put_drawn(m, LOWER, between(m, 2, 4));
        put(m, "-_"[below(m, 2)]);
    }
    while (m->len < n) {
        put_text(m, piece);
        if (below(m, 4) == 0) {
            piece = ONE_OF(m, pieces);
        }
    }
}

/* Of machines and runs: words and a short random end. */
static void harmless_id(struct maker *m)
{
    static const char *const ends[] = {HEX, LOWER DIGITS, DIGITS};
    static const char *const kinds[] = {"ami-0", "i-0", "subnet-0", "vpc-0", "0x", "0x", "bundle.", "chunk-"};

    if (below(m, 2) == 0) {
        put_text(m, ONE_OF(m, kinds));
        put_drawn(m, HEX, m->text[1] == 'x' && below(m, 2) == 0 ? 40 : 16);
        return;
    }
    for (size_t i = between(m, 2, 3); i > 0; i--) {
        put_word(m, SMALL);
        put(m, '-');
    }
    if (below(m, 2) == 0) {
        put_drawn(m, HEX, 10);
        put(m, '-');
    }
    put_drawn(m, ONE_OF(m, ends), between(m, 4, 6));
}

static const struct {
    const char *set;
    void (*make)(struct maker *m);
    bool is_random;
    size_t times;
} kinds[] = {
    {"made: one alphabet", random_alphabet, true, 4},
    {"made: hexadecimal", random_hex, true, 1},
    {"made: base64", random_base64, true, 1},
    {"made: behind a prefix", random_prefixed, true, 4},
    {"made: in parts", random_parts, true, 1},
    {"made: password", random_password, true, 1},
    {"made: words", harmless_words, false, 3},
    {"made: paths", harmless_path, false, 2},
    {"made: paths with digests", harmless_path_digest, false, 1},
    {"made: base64 of text", harmless_base64_text, false, 1},
    {"made: UUID", harmless_uuid, false, 1},
    {"made: digest in hexadecimal", harmless_digest_hex, false, 2},
    {"made: digest in base64", harmless_digest_base64, false, 2},
    {"made: numbers", harmless_number, false, 1},
    {"made: stand-ins", harmless_stand_in, false, 2},
    {"made: ids", harmless_id, false, 1},
};

bool strings_make(struct strings *s, size_t n, struct error *err)
{
    struct maker m = {.state = seed};

    for (size_t i = 0; i < COUNT(kinds); i++) {
        for (size_t k = 0; k < n * kinds[i].times; k++) {
            m.len = 0;
            kinds[i].make(&m);
            if (!strings_add(s, span_of(m.text, m.len), kinds[i].set, kinds[i].is_random, err)) {
                return false;
            }
        }
    }
    return true;
}
