#include "classifiers/features.h"

#include "classifiers/uninitialised.h"
#include "text/fold_table.h"
#include "text/script.h"

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

static inline bool is_word_byte(unsigned char c)
{
    return ((unsigned)c - 'a' < 26) | (c == '0') | (c >= 0x80);
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

/* A character beyond ASCII: folded where it is a compatibility form of an ASCII one, as it is otherwise. */
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
    case FOLD_CONFUSABLE: /* of another script, unless a Latin letter is before it */
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

/* One character of the piece; returns its bytes. */
__attribute__((always_inline)) static inline size_t put_one(struct folded *f, struct span piece, size_t i, bool with_places)
{
    unsigned char c = (unsigned char)piece.ptr[i];

    if (c >= 0x80) {
        return put_wide(f, piece, i, with_places);
    }
    if (ascii_as[c] != 0) {
        put(f, ascii_as[c], i, with_places);
    }
    return 1;
}

/* Sixteen characters at once, as the machine's vectors do; a mask is 0xff where something holds. */
enum { BLOCK = 16 };
typedef uint8_t bytes16 __attribute__((vector_size(BLOCK)));
typedef uint64_t longs2 __attribute__((vector_size(BLOCK)));

/* As ascii_as; *left is not 0 where a byte is no ASCII character, or is left out. */
static inline bytes16 fold_block(bytes16 x, bytes16 *left)
{
    bytes16 is_upper = (bytes16)((bytes16)(x - 'A') < 26);
    bytes16 is_digit = (bytes16)((bytes16)(x - '0') < 10);
    bytes16 is_space = (bytes16)((bytes16)(x - '\t') < 5);
    bytes16 y = x | (is_upper & 32);

    y = (y & ~is_digit) | (is_digit & '0');
    y = (y & ~is_space) | (is_space & ' ');
    *left = (bytes16)(y < ' ') | (bytes16)(y >= 0x7f) | (bytes16)(y == '\'');
    return y;
}

/* How many of the first bytes hold nothing. */
static inline size_t count_zero(bytes16 mask)
{
    longs2 halves = (longs2)mask;

    if (halves[0] != 0) {
        return (size_t)__builtin_ctzll(halves[0]) / 8;
    }
    return halves[1] != 0 ? 8 + (size_t)__builtin_ctzll(halves[1]) / 8 : BLOCK;
}

static inline bytes16 load_block(const char *at, size_t n)
{
    bytes16 x;

    if (n >= BLOCK) {
        memcpy(&x, at, BLOCK);
    } else {
        x = (bytes16){0}; /* which is left out */
        memcpy(&x, at, n);
    }
    return x;
}

/* Puts what is at most 16 characters up to the first that put() would leave out, or that is none of ASCII; returns how
 * many. There is room for them. */
static inline size_t put_block(struct folded *f, const char *at, size_t n)
{
    bytes16 left, y = fold_block(load_block(at, n), &left);
    uint64_t last = f->text[f->len - 1], last_two = last << 8 | (f->len > 1 ? f->text[f->len - 2] : 0);
    bytes16 before = __builtin_shufflevector((bytes16){0}, y, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
    bytes16 second = __builtin_shufflevector((bytes16){0}, y, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29);

    before |= (bytes16)(longs2){last, 0};
    second |= (bytes16)(longs2){last_two, 0};
    left |= (bytes16)(y == before) & ((bytes16)(y == second) | (bytes16)(y == ' '));
    size_t taken = count_zero(left);
    memcpy(f->text + f->len, &y, BLOCK);
    f->len += taken;
    return taken;
}

__attribute__((always_inline)) static inline void fold(struct span piece, struct folded *f, bool with_places)
{
    f->text[0] = ' ';
    f->from[0] = 0;
    f->len = 1;
    for (size_t i = 0; i < piece.len && f->len < FEATURES_PIECE_MAX;) {
        if (!with_places && f->len + BLOCK <= FEATURES_PIECE_MAX) {
            size_t taken = put_block(f, piece.ptr + i, piece.len - i);
            i += taken;
            if (taken == BLOCK || i == piece.len) {
                continue;
            }
        }
        i += put_one(f, piece, i, with_places);
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

/* Where features go: rows, or places. */
struct sink {
    unsigned shift; /* from a hash to a row */
    uint32_t *rows;
    struct feature_place *places;
};

__attribute__((always_inline)) static inline void put_row(const struct sink *s, size_t at, uint64_t hash, const struct folded *f,
                                                          size_t from, size_t to)
{
    uint32_t row = (uint32_t)(hash >> s->shift);

    if (s->places != NULL) {
        s->places[at] = (struct feature_place){.row = row, .from = f->from[from], .to = f->from[to]};
    } else {
        s->rows[at] = row;
    }
}

/* The words of a piece, as they are read. One more than there are is written to. */
enum { WORDS_MAX = ROOM / 2 + 1 };
struct words {
    int8_t is_in[ROOM + BLOCK]; /* -1 where a byte of the folded text is one of a word, and 0 behind the text */
    uint64_t hashes[WORDS_MAX];
    uint16_t from[WORDS_MAX], to[WORDS_MAX]; /* half-open, of the folded text; only for explanations */
    size_t n, start;
    uint64_t hash, was_in;
};

#define WORD_START 0xcbf29ce484222325ULL

/* Marks the bytes of words; returns how many words there are. */
static inline size_t mark_words(const struct folded *f, struct words *w)
{
    bytes16 ends = {0};
    size_t n = 0;

    for (size_t i = 0; i < f->len; i += BLOCK) {
        bytes16 c;
        memcpy(&c, f->text + i, BLOCK);
        bytes16 mask = (bytes16)((bytes16)(c - 'a') < 26) | (bytes16)(c == '0') | (bytes16)(c >= 0x80);
        memcpy(w->is_in + i, &mask, BLOCK);
    }
    memset(w->is_in + f->len, 0, BLOCK);
    for (size_t i = 0; i < f->len; i += BLOCK) {
        bytes16 here, next;
        memcpy(&here, w->is_in + i, BLOCK);
        memcpy(&next, w->is_in + i + 1, BLOCK);
        ends -= here & ~next;
    }
    for (size_t i = 0; i < BLOCK; i++) {
        n += ends[i];
    }
    return n;
}

/* Where words end cannot be foretold, so nothing here is done or not done by it: a branch taken wrong costs more than the
 * hash of a word. */
__attribute__((always_inline)) static inline void read_word(struct words *w, const struct folded *f, size_t i, bool with_places)
{
    uint64_t is_in = (uint64_t)(int64_t)w->is_in[i];

    w->hashes[w->n] = w->hash;
    if (with_places) {
        w->from[w->n] = (uint16_t)w->start;
        w->to[w->n] = (uint16_t)i;
        w->start = is_in != 0 ? w->start : i + 1;
    }
    w->n += w->was_in & ~is_in & 1;
    w->hash = (w->hash ^ f->text[i]) * (PRIME & is_in) + (WORD_START & ~is_in);
    w->was_in = is_in;
}

/* Words, pairs and triples of them. */
__attribute__((always_inline)) static inline void put_words(const struct sink *s, const struct words *w, const struct folded *f,
                                                            bool with_places)
{
    uint64_t before = 1, second = 1;
    size_t from_before = 0, from_second = 0;

    for (size_t i = 0; i < w->n; i++) {
        uint64_t h = w->hashes[i];
        size_t from = with_places ? w->from[i] : 0, to = with_places ? w->to[i] : 0;
        put_row(s, 3 * i, h * MIX_WORD, f, from, to);
        put_row(s, 3 * i + 1, (h + before * MIX_PAIR) * MIX_PAIR, f, from_before, to);
        put_row(s, 3 * i + 2, (h + before * MIX_PAIR + second * MIX_SHORT) * MIX_THREE, f, from_second, to);
        second = before;
        from_second = from_before;
        before = h;
        from_before = from;
    }
}

__attribute__((always_inline)) static inline void put_four(const struct sink *s, size_t at, const struct folded *f, size_t i)
{
    uint32_t v;

    memcpy(&v, f->text + i, sizeof(v));
    put_row(s, at, v * MIX_SHORT, f, i, i + 3);
}

__attribute__((always_inline)) static inline void put_six(const struct sink *s, size_t at, const struct folded *f, size_t i)
{
    uint64_t v;

    memcpy(&v, f->text + i, sizeof(v));
    put_row(s, at, (v & 0xffffffffffff) * MIX_LONG, f, i, i + 5);
}

/* Whether any of `n` <= 8 characters is one of a word. */
static inline size_t holds_word(const struct words *w, size_t i, size_t n)
{
    uint64_t is_in;

    memcpy(&is_in, w->is_in + i, sizeof(is_in));
    return is_in << (64 - 8 * n) != 0;
}

/* Words come first, then runs of characters, those of four and of six in turn; all are read in one pass, as the hash of a word
 * is a chain that leaves the machine time for the others. A run without any character of a word is left out: a row of signs
 * is as long as anyone likes, and each of its runs would be one more reason. */
__attribute__((always_inline)) static inline size_t extract(struct span piece, const struct sink *s, bool with_places)
{
    LEFT_AS_IT_IS struct folded f;
    LEFT_AS_IT_IS struct words w;

    fold(span_slice(piece, 0, piece.len < FEATURES_PIECE_MAX ? piece.len : FEATURES_PIECE_MAX), &f, with_places);
    f.from[f.len] = (uint16_t)(piece.len < FEATURES_PIECE_MAX ? piece.len : FEATURES_PIECE_MAX);
    size_t n = 3 * mark_words(&f, &w);
    size_t n_fours = f.len > 3 ? f.len - 3 : 0, n_sixes = f.len > 5 ? f.len - 5 : 0, i = 0;
    w.n = w.start = 0;
    w.hash = WORD_START;
    w.was_in = 0;
    for (; i < n_sixes; i++) {
        put_four(s, n, &f, i);
        n += holds_word(&w, i, 4);
        put_six(s, n, &f, i);
        n += holds_word(&w, i, 6);
        read_word(&w, &f, i, with_places);
    }
    for (; i < f.len; i++) {
        if (i < n_fours) {
            put_four(s, n, &f, i);
            n += holds_word(&w, i, 4);
        }
        read_word(&w, &f, i, with_places);
    }
    put_words(s, &w, &f, with_places);
    return n;
}

size_t features_of(struct span piece, unsigned bits, uint32_t *out)
{
    const struct sink s = {.shift = 64 - bits, .rows = out};

    return extract(piece, &s, false);
}

size_t features_places(struct span piece, unsigned bits, struct feature_place *out)
{
    const struct sink s = {.shift = 64 - bits, .places = out};

    return extract(piece, &s, true);
}

enum { LETTERS_MIN = 4, VISIBLE_PER_PAIR = 4 };

/* What was seen of a text: which of a to z, a bit each, and how many, as far as they are few; pairs of adjacent different ones; bytes
 * that are no space. */
struct letters {
    uint32_t seen;
    unsigned n_seen;
    size_t pairs, visible;
    unsigned last; /* 26 and more: no letter */
};

static void count_letter(struct letters *l, char c)
{
    unsigned letter = ((unsigned char)c | 0x20U) - 'a';
    bool is_letter = letter < 26;
    uint32_t bit = is_letter ? 1U << letter : 0;

    l->visible += (unsigned char)c > ' ';
    l->n_seen += (bit & ~l->seen) != 0;
    l->seen |= bit;
    l->pairs += is_letter && l->last < 26 && l->last != letter;
    l->last = letter;
}

static inline size_t count_set(bytes16 mask)
{
    longs2 ones = (longs2)(mask & 1);

    return (size_t)((uint64_t)(ones[0] + ones[1]) * 0x0101010101010101U >> 56);
}

/* Sixteen at once; which letters they are does not matter any more. */
static void count_block(struct letters *l, const char *at)
{
    bytes16 x;

    memcpy(&x, at, BLOCK);
    bytes16 letters = (x | 32) - 'a';
    bytes16 before = __builtin_shufflevector((bytes16){(unsigned char)l->last}, letters, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);

    l->visible += count_set((bytes16)(x > ' '));
    l->pairs += count_set((bytes16)(letters < 26) & (bytes16)(before < 26) & (bytes16)(before != letters));
    l->last = letters[BLOCK - 1];
}

/* True as soon as there are enough, whatever else the text holds. */
static bool count_letters(struct letters *l, const char *text, size_t len)
{
    size_t i = 0;

    while (i < len && l->n_seen < LETTERS_MIN) {
        count_letter(l, text[i++]);
    }
    for (; len - i >= BLOCK && l->pairs < FEATURES_IN_WORDS; i += BLOCK) {
        count_block(l, text + i);
    }
    for (; i < len && l->pairs < FEATURES_IN_WORDS; i++) {
        count_letter(l, text[i]);
    }
    return l->pairs >= FEATURES_IN_WORDS && l->n_seen >= LETTERS_MIN;
}

static bool are_enough(const struct letters *l)
{
    return l->n_seen >= LETTERS_MIN && l->pairs > 0 && l->pairs * VISIBLE_PER_PAIR >= l->visible;
}

bool features_has_letters(struct span text)
{
    LEFT_AS_IT_IS struct folded f;
    struct letters plain = {.last = 26}, folded = {.last = 26};

    if (count_letters(&plain, text.ptr, text.len) || are_enough(&plain) || script_other(text) > 0) {
        return true;
    }
    for (size_t at = 0; at < text.len; at += FEATURES_PIECE_MAX) {
        fold(span_slice(text, at, at + FEATURES_PIECE_MAX < text.len ? at + FEATURES_PIECE_MAX : text.len), &f, false);
        if (count_letters(&folded, (const char *)f.text, f.len)) {
            return true;
        }
    }
    return are_enough(&folded);
}
