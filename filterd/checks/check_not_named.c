/* The name in front of a value: what stands between the two is skipped back to the last letter or digit of the line, from there the
 * name goes back over letters, digits, _, - and ., and over one space: "sitekey" in data-sitekey="…", "public key" in
 * public key: …. Its words end at a joint, and where a capital follows a small letter. */
#include <string.h>

#include "base/ascii.h"
#include "checks/check_argument.h"
#include "checks/checks_table.h"

enum { WORDS };

static bool is_joint(char c)
{
    return c == '_' || c == '-' || c == '.';
}

static bool equals_ignoring_case(struct span a, struct span b)
{
    if (a.len != b.len) {
        return false;
    }
    for (size_t i = 0; i < a.len; i++) {
        if (ascii_lower(a.ptr[i]) != ascii_lower(b.ptr[i])) {
            return false;
        }
    }
    return true;
}

static bool is_listed(const struct check_value *words, struct span name)
{
    for (size_t i = 0; i < words->n; i++) {
        if (equals_ignoring_case(words->texts[i], name)) {
            return true;
        }
    }
    return false;
}

static size_t word_start(struct span text, size_t end)
{
    size_t at = end;

    while (at > 0 && ascii_is_alnum(text.ptr[at - 1])) {
        at--;
        if (at > 0 && ascii_is_upper(text.ptr[at]) && ascii_is_lower(text.ptr[at - 1])) {
            break;
        }
    }
    return at;
}

/* Whether a word of the name that ends at `end`, or two of them without what joins them, is listed. */
static bool has_listed_word(const struct check_value *words, struct span text, size_t end)
{
    enum { JOINED_MAX = 64 };
    struct span last = {0};
    size_t n_spaces = 0;

    for (size_t at = end; at > 0;) {
        size_t start = word_start(text, at);
        struct span word = span_slice(text, start, at);
        char joined[JOINED_MAX];
        bool fits = last.len > 0 && word.len + last.len <= sizeof(joined);
        if (fits) {
            memcpy(joined, word.ptr, word.len);
            memcpy(joined + word.len, last.ptr, last.len);
        }
        if (is_listed(words, word) || (fits && is_listed(words, span_of(joined, word.len + last.len)))) {
            return true;
        }
        bool is_space = start > 1 && text.ptr[start - 1] == ' ' && n_spaces == 0;
        bool goes_on = start > 0 && (is_space || is_joint(text.ptr[start - 1]) || ascii_is_alnum(text.ptr[start - 1]));
        if (start == at || !goes_on) {
            return false;
        }
        n_spaces += is_space;
        last = word;
        at = ascii_is_alnum(text.ptr[start - 1]) ? start : start - 1;
    }
    return false;
}

static bool not_named_passes_behind(struct span before, struct span value, const struct check_args *args)
{
    size_t end = before.len;

    (void)value;
    while (end > 0 && before.ptr[end - 1] != '\n' && !ascii_is_alnum(before.ptr[end - 1])) {
        end--;
    }
    return end == 0 || !has_listed_word(&args->value[WORDS], before, end);
}

static bool not_named_passes(struct span value, const struct check_args *args)
{
    return not_named_passes_behind((struct span){0}, value, args);
}

static bool not_named_accepts(const struct check_args *args, struct error *err)
{
    return args->value[WORDS].n > 0 || error_set(err, ERROR_INVALID, "words: expected at least one");
}

const struct check_type check_not_named = {
    .name = "not_named",
    .summary = "passes when no word of the name in front of the value is one of the words",
    .parameters = {{"words", CHECK_TEXTS, true}},
    .passes = not_named_passes,
    .passes_behind = not_named_passes_behind,
    .accepts = not_named_accepts,
};
