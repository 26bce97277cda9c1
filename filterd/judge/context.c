/* context.c - words near a span. */
#include <ctype.h>

#include "judge/find.h"
#include "judge/label.h"

enum { CONTEXT_WINDOW_MAX = 1024 };

static bool is_word_byte(char c)
{
    return isalnum((unsigned char)c) != 0;
}

/* ASCII words stand free; words of scripts without spaces need not. */
static bool stands_free(struct span text, size_t from, size_t len)
{
    bool is_free_before = from == 0 || !is_word_byte(text.ptr[from]) || !is_word_byte(text.ptr[from - 1]);
    size_t last = from + len - 1;
    bool is_free_behind = last + 1 >= text.len || !is_word_byte(text.ptr[last]) || !is_word_byte(text.ptr[last + 1]);

    return is_free_before && is_free_behind;
}

/* What is looked through: [from, to) of the text, by the rules whose labels are none of it. */
struct window {
    const struct rule_set *rules;
    struct span text;
    size_t from, to;
};

static bool word_in(struct span word, const struct window *w, const char *lower)
{
    const char *at = lower;
    size_t len = w->to - w->from;

    while ((at = memmem(at, len - (size_t)(at - lower), word.ptr, word.len)) != NULL) {
        size_t place = w->from + (size_t)(at - lower);
        if (stands_free(w->text, place, word.len) && label_end(w->rules, w->text, place) == 0) {
            return true;
        }
        at++;
    }
    return false;
}

static bool any_word_in(const struct rule_context *context, const struct window *w, struct span *word)
{
    char lower[CONTEXT_WINDOW_MAX];
    bool has[UINT8_MAX + 1] = {false}; /* bytes of the window: most of a list's words begin with none of them */

    for (size_t i = 0; i < w->to - w->from; i++) {
        lower[i] = (char)tolower((unsigned char)w->text.ptr[w->from + i]);
        has[(unsigned char)lower[i]] = true;
    }
    for (size_t i = 0; i < context->words.n; i++) {
        const struct span wanted = context->words.items[i];
        if (wanted.len > 0 && has[(unsigned char)wanted.ptr[0]] && word_in(wanted, w, lower)) {
            if (word != NULL) {
                *word = wanted;
            }
            return true;
        }
    }
    return false;
}

/* NOLINTNEXTLINE(readability-function-size): the span's ends belong together */
bool context_is_near(const struct rule_context *context, const struct rule_set *rules, struct span text, size_t from, size_t to,
                     struct span *word)
{
    size_t within = context->within < CONTEXT_WINDOW_MAX ? context->within : CONTEXT_WINDOW_MAX;
    const struct window before = {rules, text, from > within ? from - within : 0, from};
    const struct window behind = {rules, text, to, text.len - to > within ? to + within : text.len};

    return any_word_in(context, &before, word) || any_word_in(context, &behind, word);
}
