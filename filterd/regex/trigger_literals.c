/* trigger_literals.c - the literals with which every match of an expression begins. */
#include "regex/trigger.h"

#include "regex/pattern.h"

/* Whether what ends at `end` is followed by a repeat. */
static bool is_repeated(struct span p, size_t end)
{
    return end < p.len && pattern_token(p, end).kind == TOKEN_REPEAT;
}

/* Appends the literal run at `at` to every text; returns where it ends. A repeated character is none. */
static size_t extend_literals(struct span p, size_t at, struct trigger_literals *out, size_t first)
{
    while (at < p.len) {
        struct token t = pattern_token(p, at);
        char c;
        if (is_repeated(p, t.to) || !pattern_literal(p, &t, &c)) {
            break;
        }
        for (size_t i = first; i < out->n; i++) {
            if (out->len[i] < TRIGGER_LITERAL_MAX) {
                out->text[i][out->len[i]++] = c;
            }
        }
        at = t.to;
    }
    return at;
}

/* "(?:AKIA|ASIA)": what each alternative begins with. *is_whole: all of them are literals from end to
 * end, so that what follows the group extends them. */
static bool literals_of_group(struct span body, struct trigger_literals *out, bool *is_whole)
{
    out->n = 0;
    *is_whole = true;
    for (size_t at = 0; at <= body.len;) {
        if (out->n == TRIGGER_LITERALS_MAX) {
            return false;
        }
        size_t first = out->n++;
        out->len[first] = 0;
        size_t bar = pattern_branch_end(body, at);
        *is_whole &= extend_literals(span_slice(body, 0, bar), at, out, first) == bar;
        if (out->len[first] == 0) {
            return false;
        }
        at = bar + 1;
    }
    return true;
}

void trigger_literals(struct span core, struct trigger_literals *out)
{
    size_t at = 0;

    *out = (struct trigger_literals){.n = 1};
    if (span_starts_with(core, span_str("(?i)"))) {
        out->is_caseless = true;
        at = 4;
    }
    if (pattern_branch_end(core, at) < core.len) {
        out->n = 0;
        return;
    }
    /* "(?:(?:a|b)c)": step into groups that hold one alternative, until one is all literals. */
    while (span_starts_with(span_slice(core, at, core.len), span_str("(?:"))) {
        size_t end = pattern_group_end(core, at);
        struct span body = span_slice(core, at + 3, end - 1);
        if (is_repeated(core, end)) {
            break;
        }
        bool is_whole, has_one = pattern_branch_end(body, 0) == body.len;
        if (literals_of_group(body, out, &is_whole) && (is_whole || !has_one)) {
            if (!is_whole) {
                return;
            }
            at = end;
            break;
        }
        *out = (struct trigger_literals){.n = 1, .is_caseless = out->is_caseless};
        if (!has_one) {
            out->n = 0;
            return;
        }
        core = span_slice(core, 0, end - 1);
        at += 3;
    }
    (void)extend_literals(core, at, out, 0);
}
