/* tagger_features.h - hashed features of a token and its neighbours.
 *
 * Training and judging use the same code; a change invalidates every trained model, so
 * models have the version below and other versions are refused. No state: any thread.
 */
#ifndef FILTERD_CLASSIFIERS_TAGGER_FEATURES_H
#define FILTERD_CLASSIFIERS_TAGGER_FEATURES_H

#include "classifiers/tagger_words.h"

enum { TAGGER_FEATURES_VERSION = 4, TAGGER_FEATURES_MAX = 88, TAGGER_CONTEXT = 2, TAGGER_TOKENS = 512 };

enum tagger_kind { TAGGER_NAMES, TAGGER_ADDRESSES, TAGGER_KINDS };

/* Labels of names; the first token of an entity is labelled BEGINS, the others continue it. Other names are learnt to tell the
 * classes from them, and are none. */
enum tagger_name_label {
    TAGGER_PERSON_BEGINS = 1,
    TAGGER_PERSON,
    TAGGER_PLACE_BEGINS,
    TAGGER_PLACE,
    TAGGER_ORGANISATION_BEGINS,
    TAGGER_ORGANISATION,
    TAGGER_OTHER_BEGINS,
    TAGGER_OTHER
};

/* The share of a line's lower-case words that are frequent in ordinary text. */
enum tagger_language {
    TAGGER_LANGUAGE_UNKNOWN, /* too few of them to tell */
    TAGGER_LANGUAGE_OURS,
    TAGGER_LANGUAGE_MIXED,
    TAGGER_LANGUAGE_OTHER
};

enum tagger_style {
    TAGGER_STYLE_EITHER,
    TAGGER_STYLE_SMALL,
    TAGGER_STYLE_TITLE,
    TAGGER_STYLE_CAPITALS
};

/* The tokens of one segment, at most TAGGER_TOKENS. tokens[-TAGGER_CONTEXT .. n + TAGGER_CONTEXT - 1] may be read: tokens
 * beyond the ends have shape TAGGER_EDGE. */
struct tagger_line {
    struct tagger_token *tokens;
    size_t n;
    uint8_t style;   /* enum tagger_style */
    uint8_t language;  /* enum tagger_language; only for names */
    bool has_number; /* has a token of digits, or with a digit among letters */
};

/* Labels of addresses, by part. */
enum tagger_address_label {
    TAGGER_ADDRESS_NUMBER = 1,
    TAGGER_ADDRESS_STREET,
    TAGGER_ADDRESS_UNIT,
    TAGGER_ADDRESS_BOX,
    TAGGER_ADDRESS_PLACE,
    TAGGER_ADDRESS_REGION, /* and the country */
    TAGGER_ADDRESS_POSTCODE,
    TAGGER_ADDRESS_OTHER /* a building */
};

/* Parts of an address that may be entities of their own: its town, and its post code. */
enum tagger_part { TAGGER_PART_PLACE, TAGGER_PART_CODE, TAGGER_PARTS };

/* Tokens from..to-1. */
struct tagger_part_tokens {
    size_t from, to;
};

/* A class of entities that a task finds. */
struct tagger_class {
    uint16_t labels; /* of its tokens, as bits; no two classes share one */
    uint8_t begins;  /* the label that begins an entity; 0: none */
};

/* The classes of names, in the order of struct tagger_task; the only class of addresses is 0. */
enum tagger_name_class { TAGGER_CLASS_PERSON, TAGGER_CLASS_PLACE, TAGGER_CLASS_ORGANISATION, TAGGER_CLASSES };

struct tagger_task {
    /* Marks the tokens that may be part of an entity; all others are outside without being
     * scored. Looks up the words of marked tokens and of their neighbours. */
    void (*find_candidates)(struct tagger_line *line, const struct tagger_lexicon *lexicon);
    /* 32-bit hashes of the features of candidate i; returns their number, at most
     * TAGGER_FEATURES_MAX. The first TAGGER_LEXICAL of them name the word itself: training omits
     * them at random. */
    size_t (*features)(const struct tagger_line *line, size_t i, uint32_t *hashes);
    bool needs_number; /* find_candidates marks nothing in a line without one */
    unsigned n_classes;
    struct tagger_class classes[TAGGER_CLASSES];
    /* Whether n tokens with these labels, the likeliest of each, can be an entity; NULL:
     * always. */
    bool (*is_whole)(const struct tagger_token *tokens, const uint8_t *labels, size_t n);
    /* How many of n tokens with these labels, one at least, are one entity: a sentence that ends in it ends it; NULL: all. *next is where
     * another may begin, n if none does. */
    size_t (*ends_behind)(const struct tagger_token *tokens, const uint8_t *labels, size_t n, size_t *next);
    /* How many tokens at the beginning of an entity may name who is there, and be none of it; NULL: none. */
    size_t (*recipient)(const struct tagger_token *tokens, const uint8_t *labels, size_t n);
    /* The parts of the line's tokens from..to-1 that are entities of their own; both begin empty, and count from `from`. NULL: none. */
    void (*find_parts)(const struct tagger_line *line, const uint8_t *labels, size_t from, size_t to,
                       struct tagger_part_tokens parts[TAGGER_PARTS]);
};

enum { TAGGER_LEXICAL = 3 };

extern const struct tagger_task tagger_names, tagger_addresses;

/* The features of both kinds. */
size_t tagger_common_features(const struct tagger_line *line, size_t i, uint32_t *hashes);
/* The features of names. */
size_t tagger_name_features(const struct tagger_line *line, size_t i, uint32_t *hashes);

static inline bool tagger_is_capital(const struct tagger_token *t)
{
    return t->shape == TAGGER_TITLE || t->shape == TAGGER_INITIAL ||
           t->shape == TAGGER_CAPS_SHORT || t->shape == TAGGER_CAPS || t->shape == TAGGER_MIXED;
}

/* A full stop, an apostrophe (straight or curved: U+2019 ends in 0x19) or a hyphen. */
static inline bool tagger_is_connector(const struct tagger_token *t)
{
    uint32_t c = t->tail & 0xff;

    return t->shape == TAGGER_SYMBOL && (c == '.' || c == '\'' || c == '-' || c == 0x19);
}

/* Sets the members that describe the whole line. */
void tagger_line_survey(struct tagger_line *line);
/* Looks up the words of tokens from..to-1 and sets their flags and groups. */
void tagger_line_look_up(struct tagger_line *line, const struct tagger_lexicon *lexicon,
                         size_t from, size_t to);

static inline uint32_t tagger_mix(uint32_t template_id, uint32_t value)
{
    uint32_t h = (value ^ (template_id * 0x9e3779b1u)) * 0x85ebca6bu;

    h ^= h >> 15;
    h *= 0xc2b2ae35u;
    return h ^ h >> 13;
}

static inline uint32_t tagger_pair(uint32_t a, uint32_t b)
{
    uint32_t h = (a * 0x9e3779b1u) ^ (a >> 16);

    return (h + b) * 0x85ebca6bu;
}

#endif
