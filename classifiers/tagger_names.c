/* Which tokens may be part of a person's name, and what is to be seen of them. */
#include "classifiers/tagger_features.h"

static bool is_capital(const struct tagger_token *t)
{
    return t->shape == TAGGER_TITLE || t->shape == TAGGER_INITIAL ||
           t->shape == TAGGER_CAPS_SHORT || t->shape == TAGGER_CAPS || t->shape == TAGGER_MIXED;
}

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

/* A name in small letters is one only when the lists say so and ordinary text does not use the word
 * in small letters. */
static bool is_small_name(const struct tagger_token *t)
{
    static const unsigned listed[] = {TAGGER_WORD_GIVEN_TOP, TAGGER_WORD_NAME,
                                      TAGGER_WORD_GIVEN_TOP, 0};
    unsigned written = (t->flags & TAGGER_WORD_CASE) >> TAGGER_WORD_CASE_SHIFT;

    return (t->flags & listed[written]) != 0 && t->n_chars > 2 && !is_in_code(t);
}

/* A function that is called, or a part of what has a name in small letters: optim.Adam. */
static bool is_member(const struct tagger_token *t)
{
    bool is_called = t[1].is_glued && (t[1].tail & 0xff) == '(' && t[1].shape == TAGGER_SYMBOL;
    bool is_part = t->is_glued && t[-1].shape == TAGGER_SYMBOL && t[-1].is_glued &&
                   (t[-1].tail & 0xff) == '.' && t[-2].shape == TAGGER_LOWER;

    return is_called || is_part;
}

static bool is_name_word(const struct tagger_token *t)
{
    if (t->shape == TAGGER_LOWER) {
        return (t->flags & TAGGER_WORD_NAME) != 0 && is_small_name(t);
    }
    if (is_capital(t)) {
        return !is_member(t);
    }
    if (t->shape == TAGGER_CASELESS) {
        return t->n_chars > 1 && (t->flags & TAGGER_WORD_NAME) != 0;
    }
    return t->shape == TAGGER_CAMEL && is_small_name(t);
}

static bool is_particle(const struct tagger_token *t)
{
    return t->shape == TAGGER_LOWER && (t->flags & TAGGER_WORD_PARTICLE) != 0;
}

static void find_candidates(struct tagger_line *line, const struct tagger_lexicon *lexicon)
{
    struct tagger_token *t = line->tokens;

    tagger_line_look_up(line, lexicon, 0, line->n);
    for (size_t i = 0; i < line->n; i++) {
        t[i].is_candidate = is_name_word(&t[i]);
    }
    /* From the right, as a particle may be followed by another: van der Berg. */
    for (size_t i = line->n; i-- > 1;) {
        if (i + 1 < line->n && t[i + 1].is_candidate &&
            (t[i - 1].is_candidate || is_particle(&t[i - 1])) &&
            (tagger_is_connector(&t[i]) || is_particle(&t[i]))) {
            t[i].is_candidate = 1;
        }
    }
}

const struct tagger_task tagger_names = {.find_candidates = find_candidates,
                                         .features = tagger_common_features,
                                         .sought = 1 << TAGGER_PERSON_BEGINS | 1 << TAGGER_PERSON,
                                         .begins = TAGGER_PERSON_BEGINS};
