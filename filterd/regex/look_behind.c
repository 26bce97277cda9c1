#include "regex/look_behind.h"

#include "regex/pattern.h"

static const struct byte_set any = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};

/* Where a line begins: also after a carriage return, where PCRE2 is set to. */
static struct byte_set line_ends(void)
{
    struct byte_set set = {0};

    byte_set_add(&set, '\n');
    byte_set_add(&set, '\r');
    return set;
}

/* The last two elements of one alternative; false when it is more than a row of elements. */
static bool last_elements(struct span alternative, bool is_caseless, struct before_bytes *out)
{
    struct byte_set last = any, second = any;

    for (size_t at = 0; at < alternative.len;) {
        struct token t = pattern_token(alternative, at);
        if (t.kind != TOKEN_ATOM && (t.kind != TOKEN_ANCHOR || alternative.ptr[at] != '^')) {
            return false;
        }
        struct element e = t.kind == TOKEN_ATOM ? element_of(span_slice(alternative, t.from, t.to), is_caseless)
                                                : (struct element){.ascii = line_ends()};
        second = last;
        last = e.ascii;
        if (e.is_wide || (unsigned char)alternative.ptr[at] >= 0x80) { /* its other bytes are in front */
            last.bits[2] = last.bits[3] = UINT64_MAX;
            second = any;
        }
        at = t.to;
    }
    *out = (struct before_bytes){{last, second}};
    return true;
}

/* Those that ask for nothing two bytes back become one row. */
static size_t add_row(struct before_bytes out[BEFORE_MAX], size_t n, const struct before_bytes *row)
{
    for (size_t i = 0; i < n; i++) {
        if (memcmp(&out[i].at[1], &row->at[1], sizeof(row->at[1])) == 0) {
            byte_set_add_all(&out[i].at[0], &row->at[0]);
            return n;
        }
    }
    if (n < BEFORE_MAX) {
        out[n++] = *row;
    } else {
        out[0] = (struct before_bytes){{any, any}};
    }
    return n;
}

static size_t add_positive(struct span body, bool is_caseless, struct before_bytes out[BEFORE_MAX])
{
    size_t n = 0;

    for (size_t from = 0, to; from <= body.len; from = to + 1) {
        struct before_bytes row = {{any, any}};
        to = pattern_branch_end(body, from);
        (void)last_elements(span_slice(body, from, to), is_caseless, &row);
        n = add_row(out, n, &row);
    }
    return n;
}

/* Excludes what an alternative of one ASCII element names. */
static void take_negative(struct span body, bool is_caseless, struct before_bytes *row)
{
    for (size_t from = 0, to; from <= body.len; from = to + 1) {
        to = pattern_branch_end(body, from);
        if (from == to || pattern_token(body, from).to != to || pattern_token(body, from).kind != TOKEN_ATOM) {
            continue;
        }
        struct element e = element_of(span_slice(body, from, to), is_caseless);
        for (unsigned k = 0; k < 2 && !e.is_loose; k++) {
            row->at[0].bits[k] &= ~e.ascii.bits[k];
        }
    }
}

/* Of a pattern that is one alternative; 0 when nothing is in front. */
static size_t leading_rows(struct span pattern, struct before_bytes out[BEFORE_MAX])
{
    bool is_caseless = false;
    size_t n = 0;

    for (size_t at = 0; at < pattern.len && (pattern.ptr[at] == '(' || pattern.ptr[at] == '^');) {
        if (pattern.ptr[at] == '^') {
            return n > 0 ? n : add_positive(span_str("^"), false, out);
        }
        struct span group = span_slice(pattern, at, pattern_group_end(pattern, at));
        struct span body = group.len > 5 ? span_slice(group, 4, group.len - 1) : span_str("");
        at += group.len;
        if (at < pattern.len && pattern_token(pattern, at).kind == TOKEN_REPEAT) {
            break; /* it may lack */
        }
        if (span_is(group, "(?i)")) {
            is_caseless = true;
        } else if (n == 0 && span_starts_with(group, span_str("(?<="))) {
            n = add_positive(body, is_caseless, out);
        } else if (n > 0 || !span_starts_with(group, span_str("(?<!"))) {
            break;
        } else {
            out[0] = (struct before_bytes){{any, any}};
            take_negative(body, is_caseless, &out[0]);
            n = 1;
        }
    }
    return n;
}

size_t look_behind_bytes(struct span pattern, struct before_bytes out[BEFORE_MAX])
{
    bool is_one = pattern_branch_end(pattern, 0) == pattern.len;
    size_t n = is_one ? leading_rows(pattern, out) : 0;

    if (n == 0) {
        out[n++] = (struct before_bytes){{any, any}};
    }
    return n;
}
