#include "judge/label.h"

#include "base/ascii.h"

enum { RULE_ID_MAX = 64 }; /* as policy/rule_read.c reads them */

static bool is_id_byte(char c)
{
    return ascii_is_lower(c) || ascii_is_digit(c) || c == '-';
}

static size_t id_begin(struct span text, size_t at)
{
    size_t from = at;

    while (from > 0 && at - from < RULE_ID_MAX && is_id_byte(text.ptr[from - 1])) {
        from--;
    }
    return from;
}

/* Of [rule-id:hash:...], whose value is of base64 at most: as far as that goes. */
static size_t value_end(struct span text, size_t at)
{
    while (at < text.len && (text.ptr[at] == ':' || ascii_is(text.ptr[at], ASCII_BASE64))) {
        at++;
    }
    return at < text.len && text.ptr[at] == ']' ? at : 0;
}

size_t label_end(const struct rule_set *rules, struct span text, size_t at)
{
    size_t from = id_begin(text, at), to = at;

    while (to < text.len && to - from <= RULE_ID_MAX && is_id_byte(text.ptr[to])) {
        to++;
    }
    if (from == 0 || to == at || to == text.len || text.ptr[from - 1] != '[') {
        return 0;
    }
    size_t end = text.ptr[to] == ']' ? to : text.ptr[to] == ':' ? value_end(text, to) : 0;
    return end > 0 && rule_set_find(rules, span_slice(text, from, to)) != NULL ? end + 1 : 0;
}

size_t label_last_end(const struct rule_set *rules, struct span text, size_t from, size_t to)
{
    for (size_t at = to; at > from;) {
        const char *bracket = memrchr(text.ptr + from, ']', at - from);
        if (bracket == NULL) {
            break;
        }
        at = (size_t)(bracket - text.ptr);
        if (at > 0 && label_end(rules, text, at - 1) == at + 1) {
            return at + 1;
        }
    }
    return from;
}

size_t label_cut_off(struct span text)
{
    size_t from = id_begin(text, text.len);

    return from > 0 && text.ptr[from - 1] == '[' ? from - 1 : text.len;
}
