/* tagger.h - finds names of persons, places and organisations, or postal addresses, in text, each with a probability.
 *
 * A model of kind "tagger" (model.h) has a word list and the quantised weights of a conditional
 * random field over hashed features. One field has all classes of entities that the model knows, and each is sought for
 * itself: what is found of one does not depend on which others are sought. Tokens that cannot be part of an entity are skipped;
 * the runs between them are scored. The findings in a piece of text depend only on that piece,
 * so a caller that always cuts text into the same segments finds the same. The
 * confidence is calibrated: of the findings at 0.8 about four of five are right in texts like those
 * of the model's card.
 *
 * A tagger is immutable: any number of threads may use it, each with its own scratch. Finding
 * does not allocate and cannot fail: ill-formed bytes are symbols. */
#ifndef FILTERD_CLASSIFIERS_TAGGER_H
#define FILTERD_CLASSIFIERS_TAGGER_H

#include "classifiers/model.h"
#include "classifiers/tagger_chain.h"
#include "classifiers/tagger_features.h"

enum { TAGGER_RUN = 64, TAGGER_BUCKETS_MAX = 1 << 22 };

/* Section "settings". */
struct tagger_settings {
    uint32_t features_version, kind; /* enum tagger_kind */
    float weight;                    /* the value of one step of a quantised weight */
    float floor;                     /* less probable tokens are not part of an entity */
    float slope, offset;             /* of the log odds, to the calibrated ones */
    float step[TAGGER_LABELS]
              [TAGGER_LABELS]; /* score of label j after label i; -100 or less: never */
    uint32_t zero;
};

/* Section "classes": of each class after the first, which "settings" has. A model without the section has only that. */
struct tagger_class_settings {
    float floor, slope, offset; /* as in the settings */
    uint32_t acts;              /* 0: too unreliable on unseen texts to act on */
};

/* The weights of a feature for each label but the first. */
struct tagger_weights {
    int8_t of[TAGGER_WEIGHTED];
};

struct tagger {
    const struct tagger_task *task;
    struct tagger_words words;            /* section "words": struct tagger_word */
    const struct tagger_weights *weights; /* section "weights" */
    uint32_t n_buckets;                   /* of them */
    struct tagger_settings settings;
    struct tagger_class_settings classes[TAGGER_CLASSES]; /* the first n_classes, of all of them */
    unsigned n_classes;
    int16_t hopeless; /* tagger_hopeless(settings.weight) */
    struct tagger_chain chain;
    uint64_t number; /* unique in this process; 0: not opened */
};

/* Where the weights of a feature are: the upper bits of its hash, where the number is a power of two. */
static inline uint32_t tagger_bucket(uint32_t hash, uint32_t n_buckets)
{
    return (uint32_t)((uint64_t)hash * n_buckets >> 32);
}

/* Borrows the model. MALFORMED for missing sections or sections of a wrong size, INVALID for
 * settings out of range or another version of features. */
MUST_CHECK bool tagger_open(struct tagger *t, const struct model *m, struct error *err);

/* How many steps of a weight below the best label, before the chain is weighed, a label is so unlikely that its neighbours alone
 * could not make it likely. */
int16_t tagger_hopeless(float weight);

/* Hashes of one token's features. */
struct tagger_asked {
    uint32_t hashes[TAGGER_FEATURES_MAX];
    size_t n;
};

/* About 280 KiB; zero it before the first use. */
struct tagger_scratch {
    struct tagger_memo memo;
    struct {
        uint64_t number; /* of the tagger whose words they are */
        struct tagger_word words[TAGGER_KNOWN_WORDS];
    } known[TAGGER_KINDS];
    struct tagger_token tokens[TAGGER_TOKENS + 2 * TAGGER_CONTEXT];
    struct tagger_row rows[TAGGER_RUN];
    struct tagger_asked asked[2];
    uint16_t candidates[TAGGER_TOKENS]; /* among the tokens of a line, in order */
    int16_t sums[TAGGER_TOKENS][TAGGER_WEIGHTED];
    int16_t best[TAGGER_TOKENS];
    struct {
        uint8_t labels[TAGGER_TOKENS];
        float chances[TAGGER_TOKENS];
    } of[TAGGER_CLASSES];
};

struct tagger_range {
    uint32_t from, to; /* bytes of the text given, half-open */
};

struct tagger_entity {
    uint32_t from, to; /* bytes of the text given, half-open */
    struct tagger_range parts[TAGGER_PARTS]; /* by enum tagger_part: what stands apart from the rest; empty: nothing does */
    uint32_t place_from; /* where an address begins when what is in front names a person; else, and of names, `from` */
    float confidence;  /* 0 to 1 */
    unsigned tagger;   /* which of several found it */
    unsigned class;    /* of the tagger's task */
    uint8_t language;  /* of the line, enum tagger_language */
    bool is_listed;    /* a word of it, of two letters or more, is in a list of names */
};

typedef void (*tagger_found_fn)(void *ctx, const struct tagger_entity *entity);

/* What is sought by a tagger: classes as bits, 1 << enum tagger_name_class; those that it does not have are never found. */
struct tagger_search {
    const struct tagger *tagger;
    unsigned classes;
};

/* Calls found for each entity of the text, class by class in a line or a part of a long one; those of a class from left to right
 * and without overlap. text.len <= UINT32_MAX. */
void tagger_find(const struct tagger_search *search, struct tagger_scratch *scratch, struct span text,
                 tagger_found_fn found, void *ctx);

/* The same for each of n searches by different taggers, one after the other; the text is tokenized only once. */
void tagger_find_all(const struct tagger_search *searches, unsigned n,
                     struct tagger_scratch *scratch, struct span text, tagger_found_fn found,
                     void *ctx);

/* The score of a token and its neighbours for the strongest label of a class, in log odds before
 * the chain is applied. */
struct tagger_view {
    uint32_t from, to;
    float score;
};
/* The scored tokens at the beginning of the text, in order; returns their number, at most max. For
 * explanations. */
size_t tagger_look(const struct tagger *t, unsigned class, struct tagger_scratch *scratch, struct span text,
                   struct tagger_view *view, size_t max);

/* For training: the line of text from `at` on as in tagger_find; *next is the end of its tokens. */
struct tagger_line tagger_read_line(const struct tagger_task *task,
                                    const struct tagger_words *words,
                                    struct tagger_scratch *scratch, struct span text, size_t at,
                                    size_t *next);

#endif
