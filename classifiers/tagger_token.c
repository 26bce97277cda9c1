#include "classifiers/tagger_token.h"

#include "base/ascii.h"
#include "text/utf8.h"

enum char_kind {
    KIND_SPACE,
    KIND_SYMBOL,
    KIND_DIGIT,
    KIND_LOWER,
    KIND_UPPER,
    KIND_CASELESS,
    KIND_SINGLE,
    KIND_JOINER
};

/* Letters beyond ASCII by ranges of code points, in order; what is in none is a symbol. In a range
 * of pairs an even code point is the capital of the odd one after it, or the other way round. */
enum range_kind {
    RANGE_UPPER,
    RANGE_LOWER,
    RANGE_EVEN_UPPER,
    RANGE_ODD_UPPER,
    RANGE_CASELESS,
    RANGE_SINGLE,
    RANGE_SPACE
};

static const struct range {
    uint32_t from, to; /* both within */
    uint8_t kind;
    uint8_t distance; /* from a capital to its small letter */
} ranges[] = {
    {0x00a0, 0x00a0, RANGE_SPACE, 0},      {0x00aa, 0x00aa, RANGE_LOWER, 0},
    {0x00b5, 0x00b5, RANGE_LOWER, 0},      {0x00ba, 0x00ba, RANGE_LOWER, 0},
    {0x00c0, 0x00d6, RANGE_UPPER, 32},     {0x00d8, 0x00de, RANGE_UPPER, 32},
    {0x00df, 0x00f6, RANGE_LOWER, 0},      {0x00f8, 0x00ff, RANGE_LOWER, 0},
    {0x0100, 0x0137, RANGE_EVEN_UPPER, 1}, {0x0138, 0x0138, RANGE_LOWER, 0},
    {0x0139, 0x0148, RANGE_ODD_UPPER, 1},  {0x0149, 0x0149, RANGE_LOWER, 0},
    {0x014a, 0x0177, RANGE_EVEN_UPPER, 1}, {0x0179, 0x017e, RANGE_ODD_UPPER, 1},
    {0x017f, 0x0180, RANGE_LOWER, 0},      {0x0181, 0x01cc, RANGE_CASELESS, 0},
    {0x01cd, 0x01dc, RANGE_ODD_UPPER, 1},  {0x01dd, 0x01dd, RANGE_LOWER, 0},
    {0x01de, 0x01ef, RANGE_EVEN_UPPER, 1}, {0x01f8, 0x021f, RANGE_EVEN_UPPER, 1},
    {0x0222, 0x0233, RANGE_EVEN_UPPER, 1}, {0x0250, 0x02af, RANGE_LOWER, 0},
    {0x0300, 0x036f, RANGE_CASELESS, 0},   {0x0386, 0x0386, RANGE_UPPER, 38},
    {0x0388, 0x038a, RANGE_UPPER, 37},     {0x038c, 0x038c, RANGE_UPPER, 64},
    {0x038e, 0x038f, RANGE_UPPER, 63},     {0x0391, 0x03ab, RANGE_UPPER, 32},
    {0x03ac, 0x03ce, RANGE_LOWER, 0},      {0x0400, 0x040f, RANGE_UPPER, 80},
    {0x0410, 0x042f, RANGE_UPPER, 32},     {0x0430, 0x045f, RANGE_LOWER, 0},
    {0x0460, 0x0481, RANGE_EVEN_UPPER, 1}, {0x048a, 0x04bf, RANGE_EVEN_UPPER, 1},
    {0x04c1, 0x04ce, RANGE_ODD_UPPER, 1},  {0x04d0, 0x052f, RANGE_EVEN_UPPER, 1},
    {0x0531, 0x0556, RANGE_UPPER, 48},     {0x0561, 0x0587, RANGE_LOWER, 0},
    {0x0591, 0x05bd, RANGE_CASELESS, 0},   {0x05d0, 0x05ea, RANGE_CASELESS, 0},
    {0x0620, 0x065f, RANGE_CASELESS, 0},   {0x066e, 0x06d3, RANGE_CASELESS, 0},
    {0x06ee, 0x06ef, RANGE_CASELESS, 0},   {0x06fa, 0x06ff, RANGE_CASELESS, 0},
    {0x0900, 0x0963, RANGE_CASELESS, 0},   {0x0971, 0x0df3, RANGE_CASELESS, 0},
    {0x0e01, 0x0e4e, RANGE_CASELESS, 0},   {0x0e80, 0x0fff, RANGE_CASELESS, 0},
    {0x1000, 0x109f, RANGE_CASELESS, 0},   {0x10a0, 0x10ff, RANGE_CASELESS, 0},
    {0x1100, 0x11ff, RANGE_CASELESS, 0},   {0x1200, 0x135a, RANGE_CASELESS, 0},
    {0x1780, 0x17d3, RANGE_CASELESS, 0},   {0x1e00, 0x1e95, RANGE_EVEN_UPPER, 1},
    {0x1ea0, 0x1eff, RANGE_EVEN_UPPER, 1}, {0x2000, 0x200b, RANGE_SPACE, 0},
    {0x2028, 0x2029, RANGE_SPACE, 0},      {0x202f, 0x202f, RANGE_SPACE, 0},
    {0x3000, 0x3000, RANGE_SPACE, 0},      {0x3041, 0x30ff, RANGE_SINGLE, 0},
    {0x3400, 0x4dbf, RANGE_SINGLE, 0},     {0x4e00, 0x9fff, RANGE_SINGLE, 0},
    {0xac00, 0xd7a3, RANGE_CASELESS, 0},   {0xf900, 0xfaff, RANGE_SINGLE, 0},
    {0xfeff, 0xfeff, RANGE_SPACE, 0},      {0x20000, 0x2fa1f, RANGE_SINGLE, 0},
};

struct character {
    enum char_kind kind;
    uint32_t lower;
    size_t len;
};

static const struct range *find_range(uint32_t point)
{
    size_t low = 0;
    size_t high = COUNT(ranges);

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ranges[middle].to < point) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < COUNT(ranges) && ranges[low].from <= point ? &ranges[low] : NULL;
}

static struct character classify_wide(uint32_t point, size_t len)
{
    static const uint8_t kinds[] = {[RANGE_LOWER] = KIND_LOWER,
                                    [RANGE_CASELESS] = KIND_CASELESS,
                                    [RANGE_SINGLE] = KIND_SINGLE,
                                    [RANGE_SPACE] = KIND_SPACE};
    const struct range *r = find_range(point);

    if (r == NULL) {
        return (struct character){KIND_SYMBOL, point, len};
    }
    bool is_paired = r->kind == RANGE_EVEN_UPPER || r->kind == RANGE_ODD_UPPER;
    bool is_upper =
        r->kind == RANGE_UPPER || (is_paired && (point & 1) == (r->kind == RANGE_ODD_UPPER));
    if (is_upper) {
        return (struct character){KIND_UPPER, point + r->distance, len};
    }
    return (struct character){is_paired ? KIND_LOWER : (enum char_kind)kinds[r->kind], point, len};
}

/* The length an ill-formed byte stands for is 1. */
static struct character read_wide(struct span text, size_t at)
{
    static const uint8_t lengths[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 3, 4};
    size_t len = lengths[(unsigned char)text.ptr[at] >> 4];

    if (len == 0 || len > text.len - at) {
        return (struct character){KIND_SYMBOL, 0xfffd, 1};
    }
    for (size_t i = 1; i < len; i++) {
        if (((unsigned char)text.ptr[at + i] & 0xc0) != 0x80) {
            return (struct character){KIND_SYMBOL, 0xfffd, 1};
        }
    }
    uint32_t point = utf8_decode(span_slice(text, at, text.len), &len);
    return classify_wide(point, len);
}

static inline struct character read_char(struct span text, size_t at)
{
    unsigned char c = (unsigned char)text.ptr[at];

    if (c >= 0x80) {
        return read_wide(text, at);
    }
    if ((unsigned)(c | 32) - 'a' < 26) {
        return (struct character){c & 32 ? KIND_LOWER : KIND_UPPER, c | 32u, 1};
    }
    if ((unsigned)c - '0' < 10) {
        return (struct character){KIND_DIGIT, c, 1};
    }
    return (struct character){c <= ' ' || c == 0x7f ? KIND_SPACE
                              : c == '_'            ? KIND_JOINER
                                                    : KIND_SYMBOL,
                              c, 1};
}

/* What a word is made of, while it is read. */
enum {
    SEEN_JOINER = 1 << 8,
    SEEN_CASELESS = 1 << 9
}; /* beside ASCII_DIGIT, ASCII_UPPER and ASCII_LOWER */

struct spelling {
    uint32_t hash, head, tail, n, n_upper;
    unsigned seen;
};

static uint8_t shape_of(const struct spelling *s, bool begins_upper)
{
    if (s->seen & SEEN_JOINER) {
        return TAGGER_OPAQUE;
    }
    if (s->seen & ASCII_DIGIT) {
        return s->seen == ASCII_DIGIT ? TAGGER_NUMBER : TAGGER_ALNUM;
    }
    if (s->n_upper == 0) {
        return s->seen & ASCII_LOWER ? TAGGER_LOWER : TAGGER_CASELESS;
    }
    if (!(s->seen & ASCII_LOWER)) {
        return s->n == 1 ? TAGGER_INITIAL : s->n <= 3 ? TAGGER_CAPS_SHORT : TAGGER_CAPS;
    }
    return !begins_upper ? TAGGER_CAMEL : s->n_upper == 1 ? TAGGER_TITLE : TAGGER_MIXED;
}

enum { HASH_START = 0x2545f491 };

static inline void put_char(struct spelling *s, uint32_t lower, unsigned seen)
{
    s->tail = s->tail << 8 | (lower & 0xff);
    s->hash = (s->hash ^ lower) * 0x9e3779b1u;
    s->hash ^= s->hash >> 15;
    s->seen |= seen;
    s->n_upper += (seen & ASCII_UPPER) != 0;
    s->n++;
    if (s->n == 4) {
        s->head = s->tail;
    }
}

static void take_spelling(const struct spelling *s, struct tagger_token *t)
{
    t->hash = s->hash;
    t->tail = s->tail;
    t->head = s->n >= 4 ? s->head : s->tail << (32 - 8 * s->n);
    t->n_chars = (uint8_t)(s->n < 255 ? s->n : 255);
}

static const unsigned seen_by_kind[] = {[KIND_DIGIT] = ASCII_DIGIT,
                                        [KIND_LOWER] = ASCII_LOWER,
                                        [KIND_UPPER] = ASCII_UPPER,
                                        [KIND_CASELESS] = SEEN_CASELESS,
                                        [KIND_JOINER] = SEEN_JOINER};

static inline bool is_word(enum char_kind kind)
{
    return kind == KIND_LOWER || kind == KIND_UPPER || kind == KIND_DIGIT ||
           kind == KIND_CASELESS || kind == KIND_JOINER;
}

/* The word's first character is one of a word. */
static size_t read_word(struct span text, size_t at, struct tagger_token *t)
{
    struct spelling s = {.hash = HASH_START};
    bool begins_upper = read_char(text, at).kind == KIND_UPPER;

    while (at < text.len) {
        unsigned char c = (unsigned char)text.ptr[at];
        unsigned seen = ascii_classes[c] & ASCII_ALNUM;
        if (seen != 0) {
            put_char(&s, c | (seen & ASCII_UPPER) << 4, seen);
            at++;
            continue;
        }
        struct character wide = read_char(text, at);
        if (!is_word(wide.kind)) {
            break;
        }
        put_char(&s, wide.lower, seen_by_kind[wide.kind]);
        at += wide.len;
    }
    take_spelling(&s, t);
    t->shape = shape_of(&s, begins_upper);
    return at;
}

_Static_assert(ASCII_UPPER << 4 == 'a' - 'A', "a capital letter is made small by its class");

/* A token of one character. */
static inline void take_symbol(uint32_t c, struct tagger_token *t)
{
    struct spelling s = {.hash = HASH_START};

    put_char(&s, c, 0);
    take_spelling(&s, t);
    t->shape = TAGGER_SYMBOL;
}

/* --- opaque tokens --------------------------------------------------------- */

static size_t skip_opaque(struct span text, size_t at)
{
    while (at < text.len && (unsigned char)text.ptr[at] > ' ' &&
           strchr("<>\"')]}`|", text.ptr[at]) == NULL) {
        at++;
    }
    return at;
}

static bool begins_address(struct span text, size_t at)
{
    struct span rest = span_slice(text, at, text.len);

    return span_starts_with(rest, span_str("http://")) ||
           span_starts_with(rest, span_str("https://")) || span_starts_with(rest, span_str("www."));
}

/* At an '@': where the mention or the rest of an e-mail address ends; `at` when it is neither. */
static size_t mention_end(struct span text, size_t at)
{
    size_t end = at + 1;

    while (end < text.len) {
        struct character c = read_char(text, end);
        bool goes_on = (c.lower == '.' || c.lower == '-') && end > at + 1 && end + 1 < text.len &&
                       is_word(read_char(text, end + 1).kind);
        if (!is_word(c.kind) && !goes_on) {
            break;
        }
        end += c.len;
    }
    return end > at + 1 ? end : at;
}

/* What is before the '@' of an e-mail address belongs to it. */
static void hide_local_part(struct tagger_token *tokens, size_t mention)
{
    for (size_t i = mention; i > 0 && tokens[i].is_glued; i--) {
        if (tokens[i - 1].shape == TAGGER_SYMBOL &&
            strchr(".-+_", (int)(tokens[i - 1].tail & 0xff)) == NULL) {
            return;
        }
        tokens[i - 1].shape = TAGGER_OPAQUE;
    }
}

/* The end of the token that begins here with c. */
static size_t read_token(struct span text, size_t at, struct character c,
                         struct tagger_token *tokens, size_t n)
{
    struct tagger_token *t = &tokens[n];

    if (is_word(c.kind)) {
        if ((c.lower == 'h' || c.lower == 'w') && begins_address(text, at)) {
            t->shape = TAGGER_OPAQUE;
            return skip_opaque(text, at);
        }
        return read_word(text, at, t);
    }
    take_symbol(c.lower, t);
    t->shape = c.kind == KIND_SINGLE ? TAGGER_CASELESS : TAGGER_SYMBOL;
    if (c.lower == '@' && mention_end(text, at) > at) {
        t->shape = TAGGER_OPAQUE;
        hide_local_part(tokens, n);
        return mention_end(text, at);
    }
    return at + c.len;
}

/* --- words that are known --------------------------------------------------- */

enum { BLOCK = 16 };
typedef uint8_t bytes16 __attribute__((vector_size(BLOCK)));
typedef uint64_t longs2 __attribute__((vector_size(BLOCK)));

/* How many ASCII letters are at the beginning; 16: all. */
static inline size_t count_letters(bytes16 c)
{
    longs2 others = ~(longs2)((bytes16)((bytes16)((c | 32) - 'a') < 26));

    if (others[0] != 0) {
        return (size_t)__builtin_ctzll(others[0]) / 8;
    }
    return others[1] != 0 ? 8 + (size_t)__builtin_ctzll(others[1]) / 8 : BLOCK;
}

/* The first n bytes, the others 0. */
static inline longs2 keep_first(bytes16 c, size_t n)
{
    static const uint8_t masks[2 * BLOCK] = {255, 255, 255, 255, 255, 255, 255, 255,
                                             255, 255, 255, 255, 255, 255, 255, 255};
    bytes16 mask;

    memcpy(&mask, masks + BLOCK - n, BLOCK);
    return (longs2)(c & mask);
}

/* Whether a word of letters ends before byte c; first is its first. */
static inline bool ends_word(char first, unsigned char c)
{
    bool may_be_address = (c == ':' && first == 'h') || (c == '.' && first == 'w');

    return c < 0x80 && c != '_' && !may_be_address && (ascii_classes[c] & ASCII_DIGIT) == 0;
}

static struct tagger_memo_word *find_place(struct tagger_memo *memo, longs2 letters)
{
    uint64_t h = (letters[0] ^ letters[1] * 0x9e3779b97f4a7c15ULL) * 0xd6e8feb86659fd93ULL;

    return &memo->words[h >> 32 & (TAGGER_MEMO_WORDS - 1)];
}

/* The 16 bytes at `at`; behind the text's end, zeros. The text is not shorter than 16 bytes. */
static inline bytes16 load_block(struct span text, size_t at)
{
    __extension__ unsigned __int128 block;
    size_t left = text.len - at;
    bytes16 c;

    memcpy(&block, text.ptr + (left < BLOCK ? text.len - BLOCK : at), BLOCK);
    if (left < BLOCK) {
        block >>= 8 * (BLOCK - left);
    }
    memcpy(&c, &block, BLOCK);
    return c;
}

/* The end of the word at `at`, which begins with a letter, by the memo; `at`: it is to be read
 * otherwise. */
static inline size_t read_known(struct tagger_memo *memo, struct span text, size_t at,
                                struct tagger_token *t)
{
    if (text.len < BLOCK) {
        return at;
    }
    bytes16 c = load_block(text, at);
    size_t n = count_letters(c);
    if (n == BLOCK || !ends_word(text.ptr[at], c[n])) {
        return at;
    }
    longs2 letters = keep_first(c, n);
    struct tagger_memo_word *w = find_place(memo, letters);
    if (w->letters[0] != letters[0] || w->letters[1] != letters[1]) {
        (void)read_word(text, at, t);
        *w = (struct tagger_memo_word){.letters = {letters[0], letters[1]},
                                       .hash = t->hash,
                                       .head = t->head,
                                       .tail = t->tail,
                                       .shape = t->shape,
                                       .n_chars = t->n_chars};
        return at + n;
    }
    t->hash = w->hash;
    t->head = w->head;
    t->tail = w->tail;
    t->shape = w->shape;
    t->n_chars = w->n_chars;
    return at + n;
}

/* A printed character of ASCII that is a token by itself, whatever is around it. */
static inline bool is_plain_symbol(char c)
{
    return c > ' ' && c < 0x7f && c != '_' && c != '@' && !ascii_is(c, ASCII_ALNUM);
}

size_t tagger_tokenize_with(struct tagger_memo *memo, struct span text, size_t at,
                            struct tagger_token *tokens, size_t max, size_t *next)
{
    size_t n = 0;

    while (at < text.len && n < max) {
        size_t from = at;
        if (text.ptr[at] == ' ') {
            at++;
            continue;
        }
        tokens[n] = (struct tagger_token){.from = (uint32_t)at, .hash = HASH_START};
        tokens[n].is_glued = n > 0 && tokens[n - 1].to == at;
        if (is_plain_symbol(text.ptr[at])) {
            take_symbol((unsigned char)text.ptr[at], &tokens[n]);
            at++;
        } else if (memo != NULL && ascii_is(text.ptr[at], ASCII_LETTER)) {
            at = read_known(memo, text, at, &tokens[n]);
        }
        if (at == from) {
            struct character c = read_char(text, at);
            if (c.kind == KIND_SPACE) {
                at += c.len;
                continue;
            }
            at = read_token(text, at, c, tokens, n);
        }
        tokens[n].to = (uint32_t)at;
        n++;
    }
    *next = at;
    return n;
}

size_t tagger_tokenize(struct span text, size_t at, struct tagger_token *tokens, size_t max,
                       size_t *next)
{
    return tagger_tokenize_with(NULL, text, at, tokens, max, next);
}

bool tagger_hash_word(struct span word, uint32_t *hash)
{
    struct tagger_token tokens[2];
    size_t next = 0;

    if (word.len > UINT32_MAX || tagger_tokenize(word, 0, tokens, 2, &next) != 1 ||
        next != word.len) {
        return false;
    }
    *hash = tokens[0].hash;
    return true;
}
