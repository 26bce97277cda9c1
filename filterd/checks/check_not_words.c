#include "base/ascii.h"
#include "checks/check_argument.h"
#include "checks/checks_table.h"

enum { WORDS, WHOLE };

static bool equals_ignoring_case(const char *a, struct span word)
{
    size_t i = 0;

    while (i < word.len && ascii_lower(a[i]) == ascii_lower(word.ptr[i])) {
        i++;
    }
    return i == word.len;
}

static bool contains(struct span text, struct span word)
{
    for (size_t at = 0; at + word.len <= text.len; at++) {
        if (equals_ignoring_case(text.ptr + at, word)) {
            return true;
        }
    }
    return false;
}

static bool not_words_passes(struct span value, const struct check_args *args)
{
    const struct check_value *words = &args->value[WORDS];
    bool is_whole = argument_flag(args, WHOLE);

    for (size_t i = 0; args->is_given[WORDS] && i < words->n; i++) {
        struct span word = words->texts[i];
        if (is_whole ? word.len == value.len && equals_ignoring_case(value.ptr, word)
                     : contains(value, word)) {
            return false;
        }
    }
    return true;
}

static bool not_words_accepts(const struct check_args *args, struct error *err)
{
    const struct check_value *words = &args->value[WORDS];

    if (!args->is_given[WORDS] || words->n == 0) {
        return error_set(err, ERROR_INVALID, "words: expected at least one");
    }
    for (size_t i = 0; i < words->n; i++) {
        if (words->texts[i].len == 0) {
            return error_set(err, ERROR_INVALID, "words: an empty word stands in every value");
        }
    }
    return true;
}

const struct check_type check_not_words = {
    .name = "not_words",
    .summary = "passes when the value contains none of the words (whole: equals none)",
    .parameters = {{"words", CHECK_TEXTS, true}, {"whole", CHECK_FLAG, false}},
    .passes = not_words_passes,
    .accepts = not_words_accepts,
};
