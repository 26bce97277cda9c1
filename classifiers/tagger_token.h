/* tagger_token.h - text cut into the tokens that a tagger labels, each with what it looks like.
 *
 * A word is a run of letters, digits, combining marks and underscores; every other printed
 * character is a token of its own, so that "I'm" and "I 'm" are the same three tokens. A web
 * address, an @mention and an e-mail address are one opaque token each. Letters of scripts that
 * know no case are letters; Han and Kana are cut into single characters, as nothing is between
 * their words. Letters are told by ranges of code points, not by a full table: a rare one taken for
 * a symbol costs a name, not safety. Ill-formed bytes are symbols. Offsets are bytes.
 *
 * Hashes are of the lower-case form and fixed for ever: models are trained on them. No state: any
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
    TAGGER_SYMBOL,     /* one character that is no word */
    TAGGER_OPAQUE,     /* web address, mention, e-mail address, identifier_with_underscores */
    TAGGER_EDGE,       /* what is beyond the first and the last token */
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
    uint8_t is_glued; /* nothing is between the token before and it */
    uint8_t is_candidate;
    uint8_t fame; /* of the model's word list */
};

/* Cuts text from byte `at` on into at most `max` tokens; *next is where it stopped, text.len when
 * all is cut. Fills all but flags, group, fame and is_candidate, which are 0. The text is at most
 * UINT32_MAX bytes. */
size_t tagger_tokenize(struct span text, size_t at, struct tagger_token *tokens, size_t max,
                       size_t *next);

/* Words of up to 15 ASCII letters that were read, as few words make up most of a text; what else
 * there is is not kept, so that no key and no number is. All zeros at first; one thread's. */
enum { TAGGER_MEMO_WORDS = 4096 };
struct tagger_memo {
    struct tagger_memo_word {
        uint64_t letters[2]; /* zeros behind the last */
        uint32_t hash, head, tail;
        uint8_t shape, n_chars;
    } words[TAGGER_MEMO_WORDS];
};

/* The same tokens, faster. */
size_t tagger_tokenize_with(struct tagger_memo *memo, struct span text, size_t at,
                            struct tagger_token *tokens, size_t max, size_t *next);

/* The hash a token with this lower-case form has; for word lists. A form of several tokens has
 * none: false. */
bool tagger_hash_word(struct span word, uint32_t *hash);

#endif
