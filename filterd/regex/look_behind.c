#include "regex/look_behind.h"

#include <string.h>

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

/* Whether the group only groups: no look-around, no flags. */
static bool is_plain_group(struct span group)
{
    return span_starts_with(group, span_str("(?:")) || (group.len > 1 && group.ptr[1] != '?' && group.ptr[1] != '*');
}

/* The set of one token of a row, and where the row goes on; false when it is neither an element nor a plain group. */
static bool read_element(struct span alternative, size_t at, bool is_caseless, struct element *out, size_t *end)
{
    struct token t = pattern_token(alternative, at);

    *end = t.to;
    if (t.kind == TOKEN_ATOM) {
        *out = element_of(span_slice(alternative, t.from, t.to), is_caseless);
        return true;
    }
    if (t.kind == TOKEN_OPEN) {
        *end = pattern_group_end(alternative, at);
        *out = (struct element){.ascii = any, .is_wide = true};
        return is_plain_group(span_slice(alternative, at, *end));
    }
    *out = (struct element){.ascii = line_ends()};
    return t.kind == TOKEN_ANCHOR && alternative.ptr[at] == '^';
}

/* The last two elements of one alternative; false when it is more than a row of elements. */
static bool last_elements(struct span alternative, bool is_caseless, struct before_bytes *out)
{
    struct byte_set last = any, second = any;

    for (size_t at = 0; at < alternative.len;) {
        struct element e;
        size_t end;
        if (!read_element(alternative, at, is_caseless, &e, &end)) {
            return false;
        }
        second = last;
        last = e.ascii;
        if (e.is_wide || (unsigned char)alternative.ptr[at] >= 0x80) { /* its other bytes are in front */
            last.bits[2] = last.bits[3] = UINT64_MAX;
            second = any;
        }
        at = end;
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

/* Of the look-behind or ^ that an alternative begins with; 0 when it begins with neither. */
static size_t rows_of_assertion(struct span alternative, bool is_caseless, struct before_bytes out[BEFORE_MAX])
{
    if (span_starts_with(alternative, span_str("^"))) {
        return add_positive(span_str("^"), false, out);
    }
    if (!span_starts_with(alternative, span_str("(?<=")) && !span_starts_with(alternative, span_str("(?<!"))) {
        return 0;
    }
    size_t end = pattern_group_end(alternative, 0);
    if (end < alternative.len && pattern_token(alternative, end).kind == TOKEN_REPEAT) {
        return 0; /* it may lack */
    }
    struct span body = span_slice(alternative, 4, end - 1);
    if (alternative.ptr[3] == '=') {
        return add_positive(body, is_caseless, out);
    }
    out[0] = (struct before_bytes){{any, any}};
    take_negative(body, is_caseless, &out[0]);
    return 1;
}

/* Whether flags are set in it: they also apply to the alternatives behind. */
static bool has_flags(struct span body)
{
    for (size_t i = 0; i + 2 < body.len; i++) {
        if (body.ptr[i] == '(' && body.ptr[i + 1] == '?' && strchr("=!<:|", body.ptr[i + 2]) == NULL) {
            return true;
        }
    }
    return false;
}

/* Of a group of alternatives; 0 when one of them has none. */
static size_t rows_of_group(struct span body, bool is_caseless, struct before_bytes out[BEFORE_MAX])
{
    size_t n = 0;

    if (has_flags(body)) {
        return 0;
    }
    for (size_t from = 0, to; from <= body.len; from = to + 1) {
        struct before_bytes rows[BEFORE_MAX];
        to = pattern_branch_end(body, from);
        size_t n_rows = rows_of_assertion(span_slice(body, from, to), is_caseless, rows);
        if (n_rows == 0) {
            return 0;
        }
        for (size_t i = 0; i < n_rows; i++) {
            n = add_row(out, n, &rows[i]);
        }
    }
    return n;
}

/* Of a pattern that is one alternative; 0 when nothing is in front. */
static size_t leading_rows(struct span pattern, struct before_bytes out[BEFORE_MAX])
{
    static const struct span caseless = {"(?i)", 4};
    bool is_caseless = false;

    while (span_starts_with(pattern, caseless)) {
        is_caseless = true;
        pattern = span_slice(pattern, caseless.len, pattern.len);
    }
    if (!span_starts_with(pattern, span_str("(?:"))) {
        return rows_of_assertion(pattern, is_caseless, out);
    }
    size_t end = pattern_group_end(pattern, 0);
    if (end < pattern.len && pattern_token(pattern, end).kind == TOKEN_REPEAT) {
        return 0;
    }
    return rows_of_group(span_slice(pattern, 3, end - 1), is_caseless, out);
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
