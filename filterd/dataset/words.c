#include "dataset/words.h"

/* Behind what is no word. False at the text's end. */
static bool skip_gap(struct span text, size_t *at)
{
    while (*at < text.len) {
        struct letter letter = letter_at(text, *at);
        if (letter.n > 0) {
            return true;
        }
        *at += letter.len;
    }
    return false;
}

/* As many letters of ASCII as there are: nearly all of most texts. */
static void add_ascii(struct span text, size_t *at, struct word *w, bool *is_long)
{
    const size_t from = *at;
    size_t n = w->n;
    char folded;

    while (*at < text.len && (unsigned char)text.ptr[*at] < 0x80 && (folded = letters_ascii[(unsigned char)text.ptr[*at]]) != 0 &&
           n < WORD_MAX) {
        w->folded[n++] = folded;
        w->digits += folded <= '9';
        *at += 1;
    }
    w->n = *is_long ? w->n : n;
    w->to = *at > from ? *at : w->to;
}

static void add_letter(struct word *w, const struct letter *letter, size_t at, bool *is_long)
{
    *is_long = *is_long || w->n + letter->n > WORD_MAX;
    for (size_t i = 0; !*is_long && i < letter->n; i++) {
        w->folded[w->n++] = letter->bytes[i];
    }
    w->digits += letter->kind == LETTER_DIGIT;
    w->to = at + letter->len;
}

bool word_next(struct span text, size_t *at, struct word *out)
{
    bool is_long = false;

    if (!skip_gap(text, at)) {
        return false;
    }
    out->from = out->to = *at;
    out->n = 0;
    out->digits = 0;
    out->is_cut = true;
    while (add_ascii(text, at, out, &is_long), *at < text.len) {
        struct letter letter = letter_at(text, *at);
        bool is_apart = letter.kind == LETTER_IDEOGRAPH;
        if (letter.kind == LETTER_GAP || (is_apart && out->to > out->from)) {
            out->is_cut = false;
            break;
        }
        if (letter.n > 0) {
            add_letter(out, &letter, *at, &is_long);
        }
        *at += letter.len;
        if (is_apart) {
            out->is_cut = false;
            break;
        }
    }
    out->n = is_long ? 0 : out->n;
    return true;
}
