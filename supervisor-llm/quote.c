#include "supervisor-llm/quote.h"

/* Characters that some tokenizers read as "<" or "[", because they fold compatibility forms first: full width, small. */
static const struct span wide[] = {{"\xef\xbc\x9c", 3}, {"\xef\xbc\xbb", 3}, {"\xef\xb9\xa4", 3}};

static bool ends_opener(struct span text, size_t i)
{
    if (text.ptr[i] == '<' || text.ptr[i] == '[') {
        return true;
    }
    for (size_t k = 0; k < COUNT(wide) && i >= 2; k++) {
        if (memcmp(text.ptr + i - 2, wide[k].ptr, 3) == 0) {
            return true;
        }
    }
    return false;
}

/* Behind these no control token goes on: numbers, white space, what comparisons and lists are made of.
 * Control characters and what is no ASCII are not among them: there are tokenisers that drop them. */
static bool is_harmless(char next)
{
    static const char harmless[] = "0123456789 \t\r\n=-+*&%$^~`\"'().,;:>]}{";

    return next != '\0' && strchr(harmless, next) != NULL;
}

/* Whether a space follows text[i]. */
static bool has_space(struct span text, size_t i)
{
    return i + 1 < text.len && ends_opener(text, i) && !is_harmless(text.ptr[i + 1]);
}

bool quote_append(struct buf *out, struct span text, struct error *err)
{
    size_t done = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (has_space(text, i)) {
            if (!buf_append(out, span_slice(text, done, i + 1), err) || !buf_append_char(out, ' ', err)) {
                return false;
            }
            done = i + 1;
        }
    }
    return buf_append(out, span_slice(text, done, text.len), err);
}

size_t quote_origin(struct span text, size_t at)
{
    size_t quoted = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (at <= quoted) {
            return i;
        }
        quoted += has_space(text, i) ? 2 : 1;
        if (at < quoted) {
            return i + 1;
        }
    }
    return text.len;
}
