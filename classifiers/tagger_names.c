/* tagger_names.c - candidate tokens of persons' names, and their features. */
#include "classifiers/tagger_features.h"
#include "classifiers/uninitialised.h"

/* Stuck to what is no punctuation of prose: a variable, a key, a path. */
static bool is_in_code(const struct tagger_token *t)
{
    static const char prose[] = ".,;:!?'-)";

    return (t->is_glued && t[-1].shape == TAGGER_SYMBOL &&
            strchr("'-\x19\x1c(", (int)(t[-1].tail & 0xff)) == NULL) ||
           (t[1].is_glued &&
            (t[1].shape != TAGGER_SYMBOL || strchr(prose, (int)(t[1].tail & 0xff)) == NULL)) ||
           (t->is_glued && t[1].is_glued && (t[-1].tail & 0xff) == '\'' &&
            (t[1].tail & 0xff) == '\'');
}

/* What fame says so of a word. */
enum { OFTEN_A_NAME = 4 };

static bool is_small(const struct tagger_token *t)
{
    return t->shape == TAGGER_LOWER || t->shape == TAGGER_CAMEL;
}

/* Of letters of two bytes each, as Greek and Cyrillic ones: ordinary text, which is English, does not say which of these are words. */
static bool is_of_other_script(const struct tagger_token *t)
{
    return t->to - t->from >= 2u * t->n_chars;
}

/* A name in small letters is one only when the lists or other texts say so and ordinary text does
 * not use the word in small letters; where all is small, rarer names will do. */
static bool is_small_name(const struct tagger_token *t, bool is_all_small)
{
    enum { WIDE = TAGGER_WORD_GIVEN_TOP | TAGGER_WORD_GIVEN | TAGGER_WORD_SURNAME_TOP };
    static const unsigned listed[2][4] = {
        {TAGGER_WORD_GIVEN_TOP, TAGGER_WORD_NAME, TAGGER_WORD_GIVEN_TOP, 0},
        {WIDE, TAGGER_WORD_NAME, WIDE, TAGGER_WORD_GIVEN_TOP}};
    unsigned written = (t->flags & TAGGER_WORD_CASE) >> TAGGER_WORD_CASE_SHIFT;
    bool is_known = (t->flags & listed[is_all_small][written]) != 0 || t->fame >= OFTEN_A_NAME;

    return is_known && t->n_chars > 2 && !is_of_other_script(t) && !is_in_code(t);
}

/* A function that is called, or a part of what has a name in small letters: optim.Adam. */
static bool is_member(const struct tagger_token *t)
{
    bool is_called = t[1].is_glued && (t[1].tail & 0xff) == '(' && t[1].shape == TAGGER_SYMBOL;
    bool is_part = t->is_glued && t[-1].shape == TAGGER_SYMBOL && t[-1].is_glued &&
                   (t[-1].tail & 0xff) == '.' && t[-2].shape == TAGGER_LOWER;

    return is_called || is_part;
}

/* The first word of a sentence, with a capital for that alone. */
static bool is_ordinary(const struct tagger_token *t)
{
    enum { OFTEN = 2 << TAGGER_WORD_OFTEN_SHIFT };

    return t->shape == TAGGER_TITLE && (t->flags & TAGGER_WORD_CASE) == TAGGER_WORD_CASE &&
           (t->flags & TAGGER_WORD_OFTEN) >= OFTEN && (t->flags & TAGGER_WORD_NAME) == 0 &&
           t->fame < 2 && !tagger_is_capital(&t[-1]) && !tagger_is_capital(&t[1]);
}

static bool is_name_word(const struct tagger_token *t, bool is_all_small)
{
    if (tagger_is_capital(t)) {
        return !is_member(t) && !is_ordinary(t);
    }
    if (t->shape == TAGGER_CASELESS) {
        return t->n_chars > 1 && (t->flags & TAGGER_WORD_NAME) != 0;
    }
    return is_small(t) && is_small_name(t, is_all_small);
}

static bool is_particle(const struct tagger_token *t)
{
    return t->shape == TAGGER_LOWER && (t->flags & TAGGER_WORD_PARTICLE) != 0;
}

/* A full stop joins what is cut short to what follows, J. Doe and Jr. Doe; behind a whole word it
 * ends the sentence. */
static bool is_joint(const struct tagger_token *t)
{
    return tagger_is_connector(t) && ((t->tail & 0xff) != '.' || t[-1].n_chars <= 2 ||
                                      (t[-1].flags & TAGGER_WORD_TITLE) != 0);
}

/* Behind a given name a word in small letters may be the surname: ann walker, Ann walker. */
static bool is_small_surname(const struct tagger_token *t)
{
    const struct tagger_token *given = &t[-1];
    bool is_given = (given->flags & TAGGER_WORD_GIVEN_TOP) != 0 ||
                    ((given->flags & TAGGER_WORD_GIVEN) != 0 &&
                     (given->flags & TAGGER_WORD_CASE) != TAGGER_WORD_CASE);
    bool is_surname = (t->flags & TAGGER_WORD_SURNAME) != 0 || (t->flags & TAGGER_WORD_OFTEN) == 0;

    return t->shape == TAGGER_LOWER && given->is_candidate && is_given && is_surname &&
           !t->is_glued && t->n_chars > 2 && !is_in_code(t);
}

/* Behind a candidate, each word in small letters that may be the surname of the one before it. */
static void mark_small_surnames(struct tagger_line *line, size_t given, bool may_be_small)
{
    struct tagger_token *t = line->tokens;

    for (size_t i = given + 1; may_be_small && i < line->n && !t[i].is_candidate && is_small_surname(&t[i]); i++) {
        t[i].is_candidate = 1;
    }
}

/* What joins a candidate to the one in front of it. From the right, as a particle may be followed by another: van der Berg. */
static void mark_joints(struct tagger_line *line)
{
    struct tagger_token *t = line->tokens;

    for (size_t i = line->n; i-- > 2;) {
        const struct tagger_token *joint = &t[i - 1];
        unsigned may_join = t[i].is_candidate & ((joint->shape == TAGGER_SYMBOL) | ((joint->flags & TAGGER_WORD_PARTICLE) != 0));
        if (may_join && (is_joint(joint) || is_particle(joint)) && (joint[-1].is_candidate || is_particle(&joint[-1]))) {
            t[i - 1].is_candidate = 1;
        }
    }
}

/* The share of a line's lower-case words that are ours: how many there are, and how many of them are frequent in ordinary text. */
static uint8_t language_of(size_t n, size_t n_ours)
{
    enum { FEW = 3 };

    return n < FEW               ? TAGGER_LANGUAGE_UNKNOWN
           : n_ours * 4 >= n * 3 ? TAGGER_LANGUAGE_OURS
           : n_ours * 2 >= n     ? TAGGER_LANGUAGE_MIXED
                                 : TAGGER_LANGUAGE_OTHER;
}

/* Lists the tokens that may be words of names by their shape and their word alone, and sets the line's language; returns how many
 * there are. Shapes cannot be foretold, so nothing is done or not done by them. */
static size_t look_over(struct tagger_line *line, uint16_t words[TAGGER_TOKENS])
{
    enum {
        CAPITALS = 1 << TAGGER_TITLE | 1 << TAGGER_INITIAL | 1 << TAGGER_CAPS_SHORT | 1 << TAGGER_CAPS | 1 << TAGGER_MIXED,
        OFTEN = 2 << TAGGER_WORD_OFTEN_SHIFT
    };
    size_t n = 0, n_small = 0, n_ours = 0;

    for (size_t i = 0; i < line->n; i++) {
        const struct tagger_token *t = &line->tokens[i];
        /* A single letter is a word in every language. */
        unsigned is_counted = (t->shape == TAGGER_LOWER) & (t->n_chars > 1);
        n_small += is_counted;
        n_ours += is_counted & ((t->flags & TAGGER_WORD_OFTEN) >= OFTEN);
        words[n] = (uint16_t)i;
        n += (CAPITALS >> t->shape & 1) | ((t->flags & TAGGER_WORD_NAME) != 0) | (t->fame >= OFTEN_A_NAME);
    }
    line->language = language_of(n_small, n_ours);
    return n;
}

/* In small letters and among words of another language, what the lists have is a word: nur, mai,
 * sana. */
static void find_candidates(struct tagger_line *line, const struct tagger_lexicon *lexicon)
{
    LEFT_AS_IT_IS uint16_t words[TAGGER_TOKENS];
    struct tagger_token *t = line->tokens;
    bool is_all_small = line->style == TAGGER_STYLE_SMALL;

    tagger_line_look_up(line, lexicon, 0, line->n);
    size_t n = look_over(line, words);
    bool may_be_small = line->language != TAGGER_LANGUAGE_OTHER;
    for (size_t k = 0; k < n; k++) {
        struct tagger_token *word = &t[words[k]];
        if (!word->is_candidate && is_name_word(word, is_all_small) && (may_be_small || !is_small(word))) {
            word->is_candidate = 1;
            mark_small_surnames(line, words[k], may_be_small);
        }
    }
    mark_joints(line);
}

static size_t features(const struct tagger_line *line, size_t i, uint32_t *hashes)
{
    size_t n = tagger_common_features(line, i, hashes);

    return n + tagger_name_features(line, i, hashes + n);
}

const struct tagger_task tagger_names = {
    .find_candidates = find_candidates,
    .features = features,
    .n_classes = TAGGER_CLASSES,
    .classes = {[TAGGER_CLASS_PERSON] = {1 << TAGGER_PERSON_BEGINS | 1 << TAGGER_PERSON, TAGGER_PERSON_BEGINS},
                [TAGGER_CLASS_PLACE] = {1 << TAGGER_PLACE_BEGINS | 1 << TAGGER_PLACE, TAGGER_PLACE_BEGINS},
                [TAGGER_CLASS_ORGANISATION] = {1 << TAGGER_ORGANISATION_BEGINS | 1 << TAGGER_ORGANISATION,
                                               TAGGER_ORGANISATION_BEGINS}}};
