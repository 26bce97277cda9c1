/* keywords.c - a hash of the first letters excludes nearly every start before a word is compared.
 *
 * At a start of a word the first HEAD_SIZE bytes are read as one number. Its lowest three, four or six bytes are keys; a
 * bitmap has the keys of all words, a hash table maps a key to its words, and begins_at compares.
 *
 * Invariants:
 *   - Only begins_at decides. The steps before it may pass a start in vain, but never exclude a start at which
 *     a word begins: the bits of every word's key are set, a short word's with each byte that may follow it, and a
 *     head that is not ASCII is looked up without the bitmap.
 *   - `words` are sorted by key, so a slot has all words of its key as a range. At least half of the slots are free, so
 *     that a search for a key ends.
 *   - After the text's end a head has zeros, from a copy of the end: no byte after the text is read.
 *   - Threads: only keywords_new writes. A search keeps its state on the stack. */
#include "regex/keywords.h"

#include <assert.h>
#include <ctype.h>
#include <endian.h>
#include <emmintrin.h>
#include <stdlib.h>

enum {
    HEAD_SIZE = 8, /* bytes of a text that are looked at first */
    KEY_BITS = 18, /* 32 KiB */
    STEP = 64,     /* bytes whose starts are found at once */
    VECTOR = 16,
};

/* A head is the first bytes of a word as a number, least first, with the bit set that every byte of a small letter has. A
 * word's key is as much of its head as the length allows. */
static const uint64_t small = 0x2020202020202020, beyond_ascii = 0x8080808080808080;
static const uint64_t long_key = 0xffffffffffff, middle_key = 0xffffffff, short_key = 0xffffff;
static const uint64_t no_more = (uint64_t)0xff << 56; /* with a long key: a word shorter than a head has it */

/* As much of a word as a head holds. */
struct start {
    uint64_t value, mask;
};

/* Where the words of a key stand; count 0 is a free slot. */
struct slot {
    uint64_t key;
    uint32_t first, count;
};

/* Words by key. A table of bits tells by the hash of a long or middle key whether a word may have it; a short one is
 * there with everything that may be behind it. */
struct keywords {
    uint64_t bits[(1 << KEY_BITS) / 64];
    struct keyword *words;
    struct start *starts; /* of each word */
    struct slot *slots;
    uint32_t n, slot_mask;
};

static uint64_t head_at(const char *text)
{
    uint64_t head;

    memcpy(&head, text, sizeof(head));
    return le64toh(head);
}

static uint32_t hash(uint64_t key)
{
    return (uint32_t)(key * 0x9e3779b97f4a7c15U >> 32); /* Knuth's multiplicative hashing: the upper bits are good */
}

static bool has_bit(const struct keywords *k, uint64_t key)
{
    uint32_t bit = hash(key) >> (32 - KEY_BITS);

    return (k->bits[bit / 64] >> bit % 64 & 1) != 0;
}

/* --- building ------------------------------------------------------------------ */

static void set_bit(struct keywords *k, uint64_t key)
{
    uint32_t bit = hash(key) >> (32 - KEY_BITS);

    k->bits[bit / 64] |= (uint64_t)1 << bit % 64;
}

static struct start start_of(const struct keyword *word)
{
    size_t len = word->len < HEAD_SIZE ? word->len : HEAD_SIZE;
    uint64_t mask = UINT64_MAX >> 8 * (HEAD_SIZE - len);
    char text[HEAD_SIZE] = {0};

    memcpy(text, word->text, len);
    return (struct start){.value = (head_at(text) | small) & mask, .mask = mask};
}

static uint64_t key_of(const struct keyword *word)
{
    return start_of(word).value & (word->len >= 6 ? long_key : word->len >= 4 ? middle_key : short_key);
}

static int compare_words(const void *a, const void *b)
{
    uint64_t x = key_of(a), y = key_of(b);

    return (x > y) - (x < y);
}

static struct slot *slot_of(const struct keywords *k, uint64_t key)
{
    uint32_t at = hash(key) & k->slot_mask;

    while (k->slots[at].count > 0 && k->slots[at].key != key) {
        at = (at + 1) & k->slot_mask;
    }
    return &k->slots[at];
}

/* A short word is there with all that may be behind it. */
static void set_short_bits(struct keywords *k, const struct keyword *word, uint64_t key)
{
    for (uint64_t last = 0; last < 128; last++) {
        if (!word->ends_word || isalpha((int)last) == 0) {
            set_bit(k, key | ((last << 24 | small) & middle_key & ~short_key));
        }
    }
}

static void index_words(struct keywords *k)
{
    for (uint32_t i = 0; i < k->n; i++) {
        uint64_t key = key_of(&k->words[i]);
        k->starts[i] = start_of(&k->words[i]);
        struct slot *slot = slot_of(k, key);
        *slot = (struct slot){.key = key, .first = slot->count > 0 ? slot->first : i, .count = slot->count + 1};
        if ((key & ~short_key) == 0) {
            set_short_bits(k, &k->words[i], key);
        } else {
            set_bit(k, key);
        }
        if ((key & ~middle_key) != 0) {
            set_bit(k, k->words[i].len < HEAD_SIZE ? key | no_more : k->starts[i].value);
        }
    }
}

/* Few, so that they stay in the cache: a power of two, twice the keys at least. */
static size_t slots_for(const struct keywords *k)
{
    size_t slots = 64, n = 0;

    for (uint32_t i = 0; i < k->n; i++) {
        n += i == 0 || key_of(&k->words[i]) != key_of(&k->words[i - 1]);
    }
    while (slots < n * 2) {
        slots *= 2;
    }
    return slots;
}

static bool take_words(struct keywords *k, const struct keyword *words, size_t n)
{
    k->words = calloc(n + 1, sizeof(*k->words));
    k->starts = calloc(n + 1, sizeof(*k->starts));
    if (k->words == NULL || k->starts == NULL) {
        return false;
    }
    k->n = (uint32_t)n;
    if (n > 0) {
        memcpy(k->words, words, n * sizeof(*words));
        qsort(k->words, n, sizeof(*k->words), compare_words);
    }
    size_t slots = slots_for(k);
    k->slot_mask = (uint32_t)slots - 1;
    k->slots = calloc(slots, sizeof(*k->slots));
    return k->slots != NULL;
}

/* What keywords.h asks of a word. */
static bool is_word(const struct keyword *word)
{
    bool is_one = word->len >= KEYWORD_MIN && word->len <= KEYWORD_MAX && islower((unsigned char)word->text[0]) != 0;

    for (size_t i = 0; is_one && i < word->len; i++) {
        is_one = (unsigned char)word->text[i] < 0x80 && isupper((unsigned char)word->text[i]) == 0;
    }
    return is_one;
}

struct keywords *keywords_new(const struct keyword *words, size_t n, struct error *err)
{
    struct keywords *k = calloc(1, sizeof(*k));

    for (size_t i = 0; i < n; i++) {
        assert(is_word(&words[i]));
    }
    if (k == NULL || n > UINT32_MAX / 8 || !take_words(k, words, n)) {
        keywords_free(k);
        error_set(err, ERROR_NO_MEMORY, "triggers: no memory");
        return NULL;
    }
    index_words(k);
    return k;
}

void keywords_free(struct keywords *k)
{
    if (k != NULL) {
        free(k->words);
        free(k->starts);
        free(k->slots);
        free(k);
    }
}

/* --- comparing ------------------------------------------------------------------- */

/* Bytes of the partner of an ASCII letter that begins there, 0 when none does. */
static size_t partner_at(struct span text, size_t at, char *letter)
{
    static const struct {
        char letter;
        struct span bytes;
    } partners[] = {{'s', {"\xc5\xbf", 2}}, {'k', {"\xe2\x84\xaa", 3}}};

    for (size_t i = 0; i < COUNT(partners); i++) {
        if (span_starts_with(span_slice(text, at, text.len), partners[i].bytes)) {
            *letter = partners[i].letter;
            return partners[i].bytes.len;
        }
    }
    return 0;
}

/* The next character of a word, or of none: its length, and the ASCII letter that it is or is the partner of. */
static size_t next_letter(struct span text, size_t at, char *letter)
{
    *letter = (char)tolower((unsigned char)text.ptr[at]);
    size_t len = (unsigned char)text.ptr[at] >= 0x80 ? partner_at(text, at, letter) : 0;

    return len > 0 ? len : 1;
}

static bool begins_at(const struct keyword *word, struct span text, size_t at)
{
    bool is_partner = false;

    for (size_t i = 0; i < word->len; i++) {
        char letter;
        size_t len = at < text.len ? next_letter(text, at, &letter) : 0;
        if (len == 0 || letter != word->text[i]) {
            return false;
        }
        is_partner = len > 1;
        at += len;
    }
    return !word->ends_word || is_partner || at == text.len || isalpha((unsigned char)text.ptr[at]) == 0;
}

static uint64_t head_with_partners(struct span text, size_t at)
{
    char head[HEAD_SIZE] = {0};

    for (size_t i = 0; i < HEAD_SIZE && at < text.len; i++) {
        at += next_letter(text, at, &head[i]);
    }
    return head_at(head) | small;
}

/* --- searching ------------------------------------------------------------------- */

struct search {
    const struct keywords *keywords;
    struct span text;
    keywords_found_fn *found;
    void *context;
};

static bool check_key(const struct search *s, uint64_t key, uint64_t head, size_t start)
{
    const struct keywords *k = s->keywords;
    const struct slot *slot = slot_of(k, key);

    for (uint32_t i = slot->first; i < slot->first + slot->count; i++) {
        bool may_be = (head & k->starts[i].mask) == k->starts[i].value;
        if (may_be && begins_at(&k->words[i], s->text, start) &&
            !s->found(s->context, k->words[i].id, (uint32_t)start)) {
            return false;
        }
    }
    return true;
}

static bool may_be_long(const struct keywords *k, uint64_t head)
{
    uint64_t key = head & long_key;

    return has_bit(k, key) && (has_bit(k, head) || has_bit(k, key | no_more));
}

/* `head` holds the bytes at the start, zeros behind the text's end. */
static bool check_start(const struct search *s, uint64_t head, size_t start)
{
    bool is_ascii = (head & beyond_ascii) == 0;
    char letter;

    if ((head & 0x80) != 0 && partner_at(s->text, start, &letter) == 0) {
        return true;
    }
    head = is_ascii ? head | small : head_with_partners(s->text, start);
    bool is_long = !is_ascii || may_be_long(s->keywords, head);
    bool is_brief = !is_ascii || has_bit(s->keywords, head & middle_key);
    return (!is_long || check_key(s, head & long_key, head, start)) &&
           (!is_brief || (check_key(s, head & middle_key, head, start) && check_key(s, head & short_key, head, start)));
}

/* Bit i: byte i is at least `from` and at most `from` + 25. */
static uint64_t in_alphabet(__m128i bytes, char from)
{
    __m128i letter = _mm_sub_epi8(bytes, _mm_set1_epi8(from));

    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(letter, _mm_set1_epi8(25)), letter));
}

static uint64_t equal_to(__m128i bytes, char wanted)
{
    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(wanted)));
}

/* The letters of STEP bytes, of either case, and what may begin a partner of one. */
struct letters {
    uint64_t upper, lower, partners;
};

static struct letters letters_of(const char *bytes)
{
    struct letters l = {0};

    for (size_t i = 0; i < STEP; i += VECTOR) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(bytes + i));
        l.upper |= in_alphabet(v, 'A') << i;
        l.lower |= in_alphabet(v, 'a') << i;
        l.partners |= (equal_to(v, '\xc5') | equal_to(v, '\xe2')) << i;
    }
    return l;
}

static uint64_t starts_of(const struct letters *l, const struct letters *last)
{
    uint64_t letters = l->upper | l->lower;
    uint64_t before = letters << 1 | (last->upper | last->lower) >> 63;
    uint64_t lower_before = l->lower << 1 | last->lower >> 63;

    return (letters & ~before) | (l->upper & lower_before) | l->partners;
}

/* STEP bytes of the text from `at`, and HEAD_SIZE behind them. */
static bool search_step(const struct search *s, const char *bytes, size_t at, struct letters *last)
{
    const struct letters now = letters_of(bytes);

    for (uint64_t starts = starts_of(&now, last); starts != 0; starts &= starts - 1) {
        size_t i = (size_t)__builtin_ctzll(starts);
        if (!check_start(s, head_at(bytes + i), at + i)) {
            return false;
        }
    }
    *last = now;
    return true;
}

void keywords_scan(const struct keywords *k, struct span text, keywords_found_fn *found, void *context)
{
    const struct search s = {.keywords = k, .text = text, .found = found, .context = context};
    struct letters last = {0};
    char tail[STEP + HEAD_SIZE];

    assert(text.len <= UINT32_MAX);
    for (size_t at = 0; at < text.len && k->n > 0; at += STEP) {
        const char *bytes = text.ptr + at;
        if (text.len - at < sizeof(tail)) {
            memset(tail, 0, sizeof(tail));
            memcpy(tail, bytes, text.len - at);
            bytes = tail;
        }
        if (!search_step(&s, bytes, at, &last)) {
            return;
        }
    }
}
