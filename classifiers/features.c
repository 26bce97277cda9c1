#include "classifiers/features.h"

#include "text/fold_table.h"

enum { ROOM = FEATURES_PIECE_MAX + 32, LOAD = 8 };

/* A folded piece between two spaces; eight bytes can be loaded at every place. */
struct folded {
    unsigned char text[ROOM];
    uint16_t from[ROOM]; /* where each byte comes from; only for explanations */
    size_t len;
};

/* What an ASCII character is read as; 0: left out. */
static const unsigned char ascii_as[128] = {
    ['\t'] = ' ', ['\n'] = ' ', ['\v'] = ' ', ['\f'] = ' ', ['\r'] = ' ', [' '] = ' ', ['!'] = '!', ['"'] = '"',
    ['#'] = '#', ['$'] = '$', ['%'] = '%', ['&'] = '&', ['('] = '(', [')'] = ')', ['*'] = '*', ['+'] = '+', [','] = ',',
    ['-'] = '-', ['.'] = '.', ['/'] = '/', ['0'] = '0', ['1'] = '0', ['2'] = '0', ['3'] = '0', ['4'] = '0', ['5'] = '0',
    ['6'] = '0', ['7'] = '0', ['8'] = '0', ['9'] = '0', [':'] = ':', [';'] = ';', ['<'] = '<', ['='] = '=', ['>'] = '>',
    ['?'] = '?', ['@'] = '@', ['A'] = 'a', ['B'] = 'b', ['C'] = 'c', ['D'] = 'd', ['E'] = 'e', ['F'] = 'f', ['G'] = 'g',
    ['H'] = 'h', ['I'] = 'i', ['J'] = 'j', ['K'] = 'k', ['L'] = 'l', ['M'] = 'm', ['N'] = 'n', ['O'] = 'o', ['P'] = 'p',
    ['Q'] = 'q', ['R'] = 'r', ['S'] = 's', ['T'] = 't', ['U'] = 'u', ['V'] = 'v', ['W'] = 'w', ['X'] = 'x', ['Y'] = 'y',
    ['Z'] = 'z', ['['] = '[', ['\\'] = '\\', [']'] = ']', ['^'] = '^', ['_'] = '_', ['`'] = '`', ['a'] = 'a', ['b'] = 'b',
    ['c'] = 'c', ['d'] = 'd', ['e'] = 'e', ['f'] = 'f', ['g'] = 'g', ['h'] = 'h', ['i'] = 'i', ['j'] = 'j', ['k'] = 'k',
    ['l'] = 'l', ['m'] = 'm', ['n'] = 'n', ['o'] = 'o', ['p'] = 'p', ['q'] = 'q', ['r'] = 'r', ['s'] = 's', ['t'] = 't',
    ['u'] = 'u', ['v'] = 'v', ['w'] = 'w', ['x'] = 'x', ['y'] = 'y', ['z'] = 'z', ['{'] = '{', ['|'] = '|', ['}'] = '}',
    ['~'] = '~',
};

static bool is_word_byte(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || c == '0' || c >= 0x80;
}

/* A space after a space is none, and of the same character three times the third is left out. */
static inline void put(struct folded *f, unsigned char c, size_t from, bool with_places)
{
    size_t n = f->len;

    if ((c == ' ' && f->text[n - 1] == ' ') || (n >= 2 && c == f->text[n - 1] && c == f->text[n - 2])) {
        return;
    }
    if (with_places) {
        f->from[n] = (uint16_t)from;
    }
    f->text[n] = c;
    f->len = n + 1;
}

/* The length of the well-formed character at `at`, 0 for a byte that is none. */
static size_t char_len(const unsigned char *at, size_t left)
{
    size_t len = at[0] < 0xc2 || at[0] > 0xf4 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;

    for (size_t i = 1; i < len; i++) {
        if (i >= left || (at[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool is_past_last = at[0] == 0xf4 && len == 4 && at[1] > 0x8f;
    return is_past_last ? 0 : len;
}

static void put_bytes(struct folded *f, const unsigned char *bytes, size_t n, size_t from, bool with_places)
{
    for (size_t i = 0; i < n && f->len < FEATURES_PIECE_MAX; i++) {
        put(f, bytes[i], from, with_places);
    }
}

/* A character beyond ASCII: undressed where it is an ASCII one in another dress, as it is otherwise. */
static size_t put_wide(struct folded *f, struct span piece, size_t i, bool with_places)
{
    const unsigned char *at = (const unsigned char *)piece.ptr + i;
    size_t len = char_len(at, piece.len - i);

    if (len == 0) {
        return 1;
    }
    if (len == 3 && at[0] == 0xe2 && at[1] == 0x80 && (at[2] == 0x98 || at[2] == 0x99)) {
        return len; /* an apostrophe */
    }
    uint16_t value = fold_value_of(at, &len);
    unsigned char letter = (unsigned char)fold_payload(value);
    switch (fold_kind(value)) {
    case FOLD_DROP:
    case FOLD_MARK:
        break;
    case FOLD_CONFUSABLE: /* of another script, unless a Latin letter stands before it */
        if (!is_word_byte(f->text[f->len - 1]) || f->text[f->len - 1] >= 0x80) {
            put_bytes(f, at, len, i, with_places);
            break;
        }
        put(f, ascii_as[letter & 127], i, with_places);
        break;
    case FOLD_LATIN:
    case FOLD_COMPAT:
        letter = ascii_as[letter & 127];
        put_bytes(f, &letter, letter != 0, i, with_places);
        break;
    case FOLD_STRING:
        put_bytes(f, (const unsigned char *)fold_strings[fold_payload(value)],
                  strnlen(fold_strings[fold_payload(value)], FOLD_STRING_MAX), i, with_places);
        break;
    case FOLD_DASH:
        put(f, '-', i, with_places);
        break;
    case FOLD_SPACE:
        put(f, ' ', i, with_places);
        break;
    case FOLD_FOREIGN:
    case FOLD_BREAK:
        put_bytes(f, at, len, i, with_places);
        break;
    }
    return len;
}

__attribute__((always_inline)) static inline void fold(struct span piece, struct folded *f, bool with_places)
{
    f->text[0] = ' ';
    f->from[0] = 0;
    f->len = 1;
    for (size_t i = 0; i < piece.len && f->len < FEATURES_PIECE_MAX;) {
        unsigned char c = (unsigned char)piece.ptr[i];
        if (c >= 0x80) {
            i += put_wide(f, piece, i, with_places);
            continue;
        }
        c = ascii_as[c];
        if (c != 0) {
            put(f, c, i, with_places);
        }
        i++;
    }
    put(f, ' ', piece.len, with_places);
    memset(f->text + f->len, 0, LOAD);
}

/* --- hashing ---------------------------------------------------------------- */

#define MIX_WORD  0x9e3779b97f4a7c15ULL
#define MIX_PAIR  0xc2b2ae3d27d4eb4fULL
#define MIX_THREE 0x165667b19e3779f9ULL
#define MIX_SHORT 0xd6e8feb86659fd93ULL
#define MIX_LONG  0xa0761d6478bd642fULL
#define PRIME     0x100000001b3ULL

struct sink {
    unsigned bits;
    size_t n;
    uint32_t *rows;
    struct feature_place *places;
};

__attribute__((always_inline)) static inline void add(struct sink *s, uint64_t hash, const struct folded *f, size_t from, size_t to)
{
    uint32_t row = (uint32_t)(hash >> (64 - s->bits));

    if (s->places != NULL) {
        s->places[s->n++] = (struct feature_place){.row = row, .from = f->from[from], .to = f->from[to]};
    } else {
        s->rows[s->n++] = row;
    }
}

__attribute__((always_inline)) static inline void add_words(struct sink *s, const struct folded *f)
{
    uint64_t before = 1, second = 1;
    size_t from_before = 0, from_second = 0;

    for (size_t i = 0; i < f->len;) {
        uint64_t h = 0xcbf29ce484222325ULL;
        size_t start = i;
        while (is_word_byte(f->text[i])) {
            h = (h ^ f->text[i]) * PRIME;
            i++;
        }
        if (i == start) {
            i++;
            continue;
        }
        add(s, h * MIX_WORD, f, start, i);
        add(s, (h + before * MIX_PAIR) * MIX_PAIR, f, from_before, i);
        add(s, (h + before * MIX_PAIR + second * MIX_SHORT) * MIX_THREE, f, from_second, i);
        second = before;
        from_second = from_before;
        before = h;
        from_before = start;
    }
}

__attribute__((always_inline)) static inline void add_characters(struct sink *s, const struct folded *f, size_t n, uint64_t mix)
{
    uint64_t mask = ~0ULL >> (8 * (LOAD - n));

    for (size_t i = 0; i + n <= f->len; i++) {
        uint64_t v;
        memcpy(&v, f->text + i, sizeof(v));
        add(s, (v & mask) * mix, f, i, i + n - 1);
    }
}

__attribute__((always_inline)) static inline size_t extract(struct span piece, struct sink *s, bool with_places)
{
    struct folded f;

    if (piece.len > FEATURES_PIECE_MAX) {
        piece.len = FEATURES_PIECE_MAX;
    }
    fold(piece, &f, with_places);
    f.from[f.len] = (uint16_t)piece.len;
    add_words(s, &f);
    add_characters(s, &f, 4, MIX_SHORT);
    add_characters(s, &f, 6, MIX_LONG);
    return s->n;
}

size_t features_of(struct span piece, unsigned bits, uint32_t *out)
{
    struct sink s = {.bits = bits, .rows = out};

    return extract(piece, &s, false);
}

size_t features_places(struct span piece, unsigned bits, struct feature_place *out)
{
    struct sink s = {.bits = bits, .places = out};

    return extract(piece, &s, true);
}
