#include "support/texts.h"

#include <assert.h>

#include "text/utf8.h"

static void append(struct buf *out, struct span text)
{
    struct error err;
    bool is_appended = buf_append(out, text, &err);

    assert(is_appended);
}

static struct span example(struct random *r, const struct rule_set *rules)
{
    const struct rule *rule = &rules->rules[random_below(r, rules->n_rules)];
    const struct span_list *list = random_below(r, 4) > 0 ? &rule->match : &rule->no_match;

    return list->items[random_below(r, list->n)];
}

static size_t boundary_near(struct span text, size_t at)
{
    while (at < text.len && ((unsigned char)text.ptr[at] & 0xc0) == 0x80) {
        at++;
    }
    return at;
}

/* The whole, or a part that begins and ends between characters. */
static struct span part(struct random *r, struct span text)
{
    if (text.len == 0 || random_below(r, 3) > 0) {
        return text;
    }
    size_t a = boundary_near(text, random_below(r, text.len + 1));
    size_t b = boundary_near(text, random_below(r, text.len + 1));
    return a < b ? span_slice(text, a, b) : span_slice(text, b, a);
}

void make_text(struct random *r, const struct rule_set *rules, bool is_damaged, struct buf *out)
{
    static const char *const joints[] = {" ",  "\n", "",  "**", "_", "\"", "'", "-", ".",  ",", ": ", "=",
                                         "你", "é",  "Ж", "/",  "&", "0",  "a", "@", "\t", "\\n", "}", ")"};
    size_t n = 1 + random_below(r, 6);

    buf_clear(out);
    for (size_t i = 0; i < n; i++) {
        append(out, span_str(joints[random_below(r, COUNT(joints))]));
        append(out, part(r, example(r, rules)));
        append(out, span_str(joints[random_below(r, COUNT(joints))]));
    }
    for (size_t i = random_below(r, 4); i > 0 && out->len > 0; i--) {
        size_t at = random_below(r, out->len);
        if (is_damaged) {
            out->data[at] = (char)random_below(r, 256);
        } else if ((unsigned char)out->data[at] < 0x80) {
            out->data[at] = (char)(' ' + random_below(r, 95));
        }
    }
}
