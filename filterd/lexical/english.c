#include "lexical/english.h"

#include <assert.h>
#include <pthread.h>

#include "base/ascii.h"
#include "lexical/english_words.h"

/* Longer runs of letters are covered piece by piece. */
enum { PIECE_MAX = 64 };

/* Capitals and small letters are runs, each as long as it can be: of random letters a branch for each would be guessed wrong half of the
 * time. */
bool english_next_part(struct span text, size_t *at, struct span *part)
{
    size_t from = *at;

    while (from < text.len && !ascii_is_letter(text.ptr[from])) {
        from++;
    }
    size_t to = ascii_run_end(text, from, ASCII_UPPER);
    const bool is_before_lower = to < text.len && ascii_is_lower(text.ptr[to]);
    if (is_before_lower && to - from > 1) {
        to--; /* HTTPServer: the last capital begins the next one */
    } else if (is_before_lower) {
        to = ascii_run_end(text, to, ASCII_LOWER);
    }
    *part = span_slice(text, from, to);
    *at = to;
    return to > from;
}

/* Beginnings of words, each with the letters that go on from it and the first of the beginnings that are one letter longer; they follow
 * each other in the order of the letters. The first is the empty one. */
enum { NODES_MAX = 9216, ENDS = 26 /* the bit of a word that ends */ };
struct node {
    uint32_t letters;
    uint16_t next;
};
static struct node nodes[NODES_MAX];
static pthread_once_t nodes_once = PTHREAD_ONCE_INIT;

/* While nodes are made: the words that begin so, [from, to) of the list, and how many letters they share. */
struct beginning {
    uint16_t from, to;
    uint8_t len;
};

/* Adds a beginning for each letter that goes on; the list is sorted, so their words are together. */
static void add_letters(struct node *node, const struct beginning *b, struct beginning *all, size_t *n)
{
    size_t from = b->from;

    if (english_words[from][b->len] == '\0') {
        node->letters |= UINT32_C(1) << ENDS;
        from++;
    }
    node->next = (uint16_t)*n;
    while (from < b->to) {
        const char letter = english_words[from][b->len];
        const size_t first = from;
        while (from < b->to && english_words[from][b->len] == letter) {
            from++;
        }
        assert(ascii_is_lower(letter) && *n < NODES_MAX);
        node->letters |= UINT32_C(1) << (letter - 'a');
        all[(*n)++] = (struct beginning){.from = (uint16_t)first, .to = (uint16_t)from, .len = (uint8_t)(b->len + 1)};
    }
}

static void make_nodes(void)
{
    static struct beginning all[NODES_MAX];
    size_t n = 1;

    all[0] = (struct beginning){.to = (uint16_t)english_words_n};
    for (size_t i = 0; i < n; i++) {
        add_letters(&nodes[i], &all[i], all, &n);
    }
}

/* By adding neighbours: a call of the compiler's library, which knows no processor, takes longer. */
static inline unsigned count_bits(uint32_t bits)
{
    bits -= bits >> 1 & 0x55555555;
    bits = (bits & 0x33333333) + (bits >> 2 & 0x33333333);
    return ((bits + (bits >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/* The beginning that is longer by the letter; the empty one when no word begins so. */
static size_t next_node(size_t node, char letter)
{
    const uint32_t bit = ascii_is_lower(letter) ? UINT32_C(1) << (letter - 'a') : 0;
    const uint32_t letters = nodes[node].letters;

    return (letters & bit) != 0 ? nodes[node].next + count_bits(letters & (bit - 1)) : 0;
}

static size_t covered_piece(struct span piece)
{
    uint8_t best[PIECE_MAX + 1] = {0};
    char lower[PIECE_MAX] = {0};

    (void)pthread_once(&nodes_once, make_nodes);
    for (size_t i = 0; i < piece.len; i++) {
        lower[i] = ascii_lower(piece.ptr[i]);
    }
    for (size_t from = 0; from < piece.len; from++) {
        best[from + 1] = best[from + 1] > best[from] ? best[from + 1] : best[from];
        size_t node = piece.len - from >= ENGLISH_WORD_MIN ? next_node(0, lower[from]) : 0;
        for (size_t len = 1; node != 0; len++) {
            bool is_word = nodes[node].letters >> ENDS != 0;
            if (is_word && best[from] + len > best[from + len]) {
                best[from + len] = (uint8_t)(best[from] + len);
            }
            node = from + len < piece.len ? next_node(node, lower[from + len]) : 0;
        }
    }
    return best[piece.len];
}

size_t english_covered(struct span part)
{
    size_t covered = 0;

    if (part.len < ENGLISH_WORD_MIN) { /* what random strings consist of */
        return 0;
    }
    for (size_t from = 0; from < part.len; from += PIECE_MAX) {
        size_t rest = part.len - from;
        size_t len = rest < PIECE_MAX ? rest : PIECE_MAX;
        covered += covered_piece(span_slice(part, from, from + len));
    }
    return covered;
}

bool english_is_pronounceable(struct span part)
{
    static const uint32_t vowels = 1U << ('a' - 'a') | 1U << ('e' - 'a') | 1U << ('i' - 'a') | 1U << ('o' - 'a') | 1U << ('u' - 'a') |
                                   1U << ('y' - 'a');
    bool has_vowel = false;

    for (size_t i = 0; i < part.len; i++) {
        char letter = ascii_lower(part.ptr[i]);
        if (!ascii_is_lower(letter)) {
            return false;
        }
        has_vowel = has_vowel || (vowels >> (letter - 'a') & 1) != 0;
        if (i > 0) {
            char before = ascii_lower(part.ptr[i - 1]);
            if ((english_pairs[before - 'a'] >> (letter - 'a') & 1u) == 0) {
                return false;
            }
        }
    }
    return has_vowel;
}
