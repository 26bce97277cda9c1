/* context.c - words near a span. */
#include <ctype.h>

#include "judge/find.h"

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

static bool word_in(struct span word, struct span text, size_t from, const char *lower, size_t len)
{
    const char *at = lower;

    while (word.len > 0 && (at = memmem(at, len - (size_t)(at - lower), word.ptr, word.len)) != NULL) {
        if (stands_free(text, from + (size_t)(at - lower), word.len)) {
            return true;
        }
        at++;
    }
    return false;
}

static bool any_word_in(const struct rule_context *context, struct span text, size_t from, size_t to,
                        struct span *word)
{
    char lower[CONTEXT_WINDOW_MAX];
    size_t len = to - from;

    for (size_t i = 0; i < len; i++) {
        lower[i] = (char)tolower((unsigned char)text.ptr[from + i]);
    }
    for (size_t i = 0; i < context->words.n; i++) {
        if (word_in(context->words.items[i], text, from, lower, len)) {
            if (word != NULL) {
                *word = context->words.items[i];
            }
            return true;
        }
    }
    return false;
}

bool context_is_near(const struct rule_context *context, struct span text, size_t from, size_t to, struct span *word)
{
    size_t within = context->within < CONTEXT_WINDOW_MAX ? context->within : CONTEXT_WINDOW_MAX;
    size_t before = from > within ? from - within : 0;
    size_t behind = text.len - to > within ? to + within : text.len;

    return any_word_in(context, text, before, from, word) || any_word_in(context, text, to, behind, word);
}
