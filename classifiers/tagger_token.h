/* tagger_token.h - splits text into the tokens that a tagger labels, and describes their shapes.
 *
 * A word is a run of letters, digits, combining marks and underscores; every other printed
 * character is a token of its own, so that "I'm" and "I 'm" are the same three tokens. A web
 * address, an @mention and an e-mail address are one opaque token each. Caseless scripts have
 * letters, too; Han and Kana are split into single characters, because their words have no
 * separators. Letters are recognized by ranges of code points, not by a full table: a rare letter treated as
 * a symbol may miss a name, but is not unsafe. Ill-formed bytes are symbols. Offsets are bytes.
 *
 * Hashes are those of the lower-case form and must never change: models are trained on them. No state: any
 * thread. */
#ifndef FILTERD_CLASSIFIERS_TAGGER_TOKEN_H
#define FILTERD_CLASSIFIERS_TAGGER_TOKEN_H

#include <stdint.h>

#include "base/span.h"

enum tagger_shape {
    TAGGER_LOWER,      /* word */
    TAGGER_TITLE,      /* Word */
    TAGGER_INITIAL,    /* W */
    TAGGER_CAPS_SHORT, /* WO, WOR */
    TAGGER_CAPS,       /* WORD */
    TAGGER_MIXED,      /* McWord: begins with a capital */
    TAGGER_CAMEL,      /* woRd */
    TAGGER_CASELESS,   /* a script without case */
    TAGGER_ALNUM,      /* W0rd */
    TAGGER_NUMBER,     /* 1 to 9 digits and more */
    TAGGER_SYMBOL,     /* one character outside words */
    TAGGER_OPAQUE,     /* web address, mention, e-mail address, identifier_with_underscores */
    TAGGER_EDGE,       /* before the first and after the last token */
    TAGGER_SHAPES
};

struct tagger_token {
    uint32_t from, to; /* bytes of the text */
    uint32_t hash;     /* of the lower-case form */
    uint32_t head;     /* the first characters' lowest 8 bits, up to 4, lower-case, first highest */
    uint32_t tail;     /* the last 4 likewise, last lowest */
    uint16_t flags;    /* of the model's word list, TAGGER_WORD_... */
    uint16_t group;    /* the word's group by use; 0: none known */
    uint8_t shape;
    uint8_t n_chars;  /* at most 255 */
    uint8_t is_glued; /* directly follows the previous token */
    uint8_t is_candidate;
    uint8_t fame; /* of the model's word list */
};

/* Splits text from byte `at` on into at most `max` tokens; *next is where it stopped, text.len at the
 * end. Fills all members except flags, group, fame and is_candidate, which are 0. The text is at most
 * UINT32_MAX bytes. */
size_t tagger_tokenize(struct span text, size_t at, struct tagger_token *tokens, size_t max,
                       size_t *next);

/* A cache of words of up to 15 ASCII letters, since few words make up most of a text; other
 * tokens are not stored, so that no key or number is. Zero it at first; for one thread. */
enum { TAGGER_MEMO_WORDS = 4096 };
struct tagger_memo {
    struct tagger_memo_word {
        uint64_t letters[2]; /* zero-padded */
        uint32_t hash, head, tail;
        uint8_t shape, n_chars;
    } words[TAGGER_MEMO_WORDS];
};

/* The same tokens, faster. */
size_t tagger_tokenize_with(struct tagger_memo *memo, struct span text, size_t at,
                            struct tagger_token *tokens, size_t max, size_t *next);

/* The hash of a token with this lower-case form; for word lists. False for a form of several
 * tokens. */
bool tagger_hash_word(struct span word, uint32_t *hash);

#endif
