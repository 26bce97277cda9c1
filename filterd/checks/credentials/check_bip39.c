#include <sodium.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "formats/bip39_words.h"
#include "checks/checks_table.h"

enum { WORDS_MIN = 12, WORDS_MAX = 24, WORD_MAX = 8, BITS_MAX = WORDS_MAX * BIP39_BITS_PER_WORD };

static int compare_word(const void *key, const void *element)
{
    const struct span *word = key;
    const char *listed = *(const char *const *)element;
    int order = memcmp(word->ptr, listed, word->len < strlen(listed) ? word->len : strlen(listed));

    return order != 0 ? order : (word->len > strlen(listed)) - (word->len < strlen(listed));
}

/* The number of a word, or -1. */
static int word_number(struct span word)
{
    char lower[WORD_MAX];

    if (word.len > WORD_MAX) {
        return -1;
    }
    for (size_t i = 0; i < word.len; i++) {
        lower[i] = ascii_lower(word.ptr[i]);
    }
    struct span key = span_of(lower, word.len);
    const char *const *found =
        bsearch(&key, bip39_words, BIP39_WORDS, sizeof(bip39_words[0]), compare_word);
    return found == NULL ? -1 : (int)(found - bip39_words);
}

/* Numbers of the words, whatever is between them: spaces, commas, "1." Their count, or 0. */
static size_t read_words(struct span text, unsigned numbers[WORDS_MAX])
{
    size_t n = 0;

    for (size_t at = 0; at < text.len;) {
        size_t from = at;
        while (at < text.len && ascii_is_letter(text.ptr[at])) {
            at++;
        }
        if (at == from) {
            at++;
            continue;
        }
        int number = word_number(span_slice(text, from, at));
        if (number < 0 || n == WORDS_MAX) {
            return 0;
        }
        numbers[n++] = (unsigned)number;
    }
    return n;
}

static bool bip39_passes(struct span value, const struct check_args *args)
{
    unsigned numbers[WORDS_MAX];
    uint8_t bits[BITS_MAX / 8] = {0};
    uint8_t digest[crypto_hash_sha256_BYTES];
    size_t n = read_words(value, numbers);

    (void)args;
    if (n < WORDS_MIN || n % 3 != 0) {
        return false;
    }
    for (size_t i = 0; i < n * BIP39_BITS_PER_WORD; i++) {
        unsigned bit = numbers[i / BIP39_BITS_PER_WORD] >>
                           (BIP39_BITS_PER_WORD - 1 - i % BIP39_BITS_PER_WORD) &
                       1u;
        bits[i / 8] |= (uint8_t)(bit << (7 - i % 8));
    }
    /* One bit of checksum for 32 of entropy: 4 bits behind 16 bytes, 8 behind 32. */
    size_t entropy = n / 3 * 4;
    unsigned unused = (unsigned)(8 - n / 3);
    crypto_hash_sha256(digest, bits, entropy);
    return bits[entropy] >> unused == digest[0] >> unused;
}

const struct check_type check_bip39 = {
    .name = "bip39",
    .summary = "passes when 12 to 24 words are of BIP-39's English list and their checksum holds",
    .passes = bip39_passes,
};
