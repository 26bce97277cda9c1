#include "lexical/english.h"

#include <pthread.h>

#include "base/ascii.h"
#include "lexical/english_words.h"

/* Longer runs of letters are covered piece by piece. */
enum { PIECE_MAX = 64, WORD_MIN = 3 };

bool english_next_part(struct span text, size_t *at, struct span *part)
{
    size_t from = *at;

    while (from < text.len && !ascii_is_letter(text.ptr[from])) {
        from++;
    }
    size_t to = from;
    while (to < text.len && ascii_is_letter(text.ptr[to])) {
        bool is_upper = ascii_is_upper(text.ptr[to]);
        bool before_is_upper = to > from && ascii_is_upper(text.ptr[to - 1]);
        bool after_is_lower = to + 1 < text.len && ascii_is_lower(text.ptr[to + 1]);
        if (to > from && is_upper && (!before_is_upper || after_is_lower)) {
            break;
        }
        to++;
    }
    *part = span_slice(text, from, to);
    *at = to;
    return to > from;
}

/* The words that agree with what was read so far: [from, to) of the list. */
struct words {
    size_t from, to;
};

/* Narrows the words to those with this letter at the place. The list is sorted, so they are
 * together. */
static struct words narrow(struct words words, size_t place, char letter)
{
    size_t low = words.from;
    size_t high = words.to;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (english_words[middle][place] < letter) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    words.from = low;
    high = words.to;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (english_words[middle][place] <= letter) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    words.to = low;
    return words;
}

/* Those that begin with each two letters: most searches end there. */
enum { LETTERS = 26 };
static struct words by_letters[LETTERS][LETTERS];
static pthread_once_t by_letters_once = PTHREAD_ONCE_INIT;

static void index_letters(void)
{
    for (size_t i = 0; i < LETTERS; i++) {
        const struct words words = narrow((struct words){0, english_words_n}, 0, (char)('a' + (int)i));
        for (size_t k = 0; k < LETTERS; k++) {
            by_letters[i][k] = narrow(words, 1, (char)('a' + (int)k));
        }
    }
}

static struct words words_from(char first, char second)
{
    bool are_letters = ascii_is_lower(first) && ascii_is_lower(second);

    return are_letters ? by_letters[first - 'a'][second - 'a'] : (struct words){0, 0};
}

static size_t covered_piece(struct span piece)
{
    uint8_t best[PIECE_MAX + 1] = {0};

    char lower[PIECE_MAX + 1] = {0};

    (void)pthread_once(&by_letters_once, index_letters);
    for (size_t i = 0; i < piece.len; i++) {
        lower[i] = ascii_lower(piece.ptr[i]);
    }
    for (size_t from = 0; from < piece.len; from++) {
        struct words words = words_from(lower[from], lower[from + 1]);
        best[from + 1] = best[from + 1] > best[from] ? best[from + 1] : best[from];
        for (size_t len = 2; from + len <= piece.len && words.from < words.to; len++) {
            bool is_word = english_words[words.from][len] == '\0';
            if (is_word && best[from] + len > best[from + len]) {
                best[from + len] = (uint8_t)(best[from] + len);
            }
            words = narrow(words, len, lower[from + len]);
        }
    }
    return best[piece.len];
}

size_t english_covered(struct span part)
{
    size_t covered = 0;

    if (part.len < WORD_MIN) { /* what random strings consist of */
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
    bool has_vowel = false;

    for (size_t i = 0; i < part.len; i++) {
        char letter = ascii_lower(part.ptr[i]);
        if (!ascii_is_lower(letter)) {
            return false;
        }
        has_vowel = has_vowel || strchr("aeiouy", letter) != NULL;
        if (i > 0) {
            char before = ascii_lower(part.ptr[i - 1]);
            if ((english_pairs[before - 'a'] >> (letter - 'a') & 1u) == 0) {
                return false;
            }
        }
    }
    return has_vowel;
}
