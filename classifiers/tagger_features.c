#include "classifiers/tagger_features.h"

enum { STYLE_EITHER, STYLE_SMALL, STYLE_TITLE, STYLE_CAPITALS };

/* Headings and shouting say little by their capitals, and chat without any little by their absence. */
static uint8_t style_of(const struct tagger_line *line)
{
    size_t n_small = 0;
    size_t n_title = 0;
    size_t n_caps = 0;

    for (size_t i = 0; i < line->n; i++) {
        uint8_t shape = line->tokens[i].shape;
        n_small += shape == TAGGER_LOWER;
        n_title += shape == TAGGER_TITLE || shape == TAGGER_MIXED;
        n_caps += shape == TAGGER_CAPS || shape == TAGGER_CAPS_SHORT;
    }
    size_t n = n_small + n_title + n_caps;
    if (n_caps * 3 > n * 2) {
        return STYLE_CAPITALS;
    }
    if (n_title * 3 > n * 2) {
        return STYLE_TITLE;
    }
    return n_title + n_caps == 0 ? STYLE_SMALL : STYLE_EITHER;
}

void tagger_line_prepare(struct tagger_line *line, const struct tagger_words *words)
{
    for (size_t i = 0; i < line->n; i++) {
        struct tagger_token *t = &line->tokens[i];
        if (t->shape == TAGGER_SYMBOL || t->shape == TAGGER_OPAQUE) {
            continue;
        }
        const struct tagger_word *w = tagger_words_find(words, t->hash);
        t->flags = w == NULL ? 0 : w->flags;
        t->group = w == NULL ? 0 : w->group;
    }
    line->style = style_of(line);
}
