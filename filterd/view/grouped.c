/* grouped.c - "g", "h", "p" and Z2hw X2tS: characters or short groups of one length with the same separator between.
 *
 * The separator is up to four characters that no token has (thin spaces, commas, quotes, cells of a table), also with a
 * new line and the mark of a list in it; or, in a run of token characters, one sign or the x of x41x42. Single
 * characters with one ASCII sign between are spaced.c's. Where groups of more than one character begin, one
 * of them is unlike a word: it has a digit, a capital or _ inside. The last group may be shorter; as it may also be the next
 * word, the text is written without it as well. */
#include "base/ascii.h"
#include "view/group_starts.h"
#include "view/transform.h"

enum {
    GROUP_MAX = 16,
    WORD_GROUP_MIN = 4, /* between spaces */
    WORD_GROUP_MAX = 8, /* within a line */
    TEXT_MIN = 20,
    GROUPS_MIN = 3, /* 2 of LONG_GROUP characters */
    LONG_GROUP = 12,
    ALNUM_MIN = 12,   /* of single characters */
    DISTINCT_MIN = 8, /* of all */
    SEPARATOR_MAX = 4, /* characters */
    SINGLES_APART_MAX = 10, /* bytes between single characters: at least four are in a block of the survey */
    INDENT_MAX = 8,
    NUMBER_MAX = 3,
    LINE_BEGIN_MAX = 24,
    PENDING_GROUPS_MAX = 4096, /* more are not waited for as a whole */
};

#define OPEN SIZE_MAX
#define NONE ((size_t)0)

static bool is_token(struct span text, size_t at)
{
    return at < text.len && ascii_is(text.ptr[at], ASCII_TOKEN);
}

/* --- separators ------------------------------------------------------------------ */

static size_t skip_blanks(struct span text, size_t at)
{
    size_t limit = text.len - at < INDENT_MAX ? text.len : at + INDENT_MAX;

    while (at < limit && (text.ptr[at] == ' ' || text.ptr[at] == '\t')) {
        at++;
    }
    return at;
}

/* Behind the mark of a list or of a changed line at `at`: "- ", "* ", "+", ">", "12. "; `at` when there is none. */
static size_t mark_end(struct span text, size_t at)
{
    char c = text.ptr[at];
    size_t end = at + 1;

    if (c == '+' || c == '>') {
        return end;
    }
    if (ascii_is(c, ASCII_DIGIT)) {
        end = ascii_run_end(text, at, ASCII_DIGIT);
        if (end < text.len && (end - at > NUMBER_MAX || (text.ptr[end] != '.' && text.ptr[end] != ')'))) {
            return at;
        }
        end++;
    } else if ((unsigned char)c >= 0xc0) {
        while (end < text.len && ((unsigned char)text.ptr[end] & 0xc0) == 0x80) {
            end++;
        }
    } else if (c != '-' && c != '*') {
        return at;
    }
    return end >= text.len || text.ptr[end] == ' ' ? end : at;
}

/* Behind the beginning of a line at `at`. */
static size_t line_begin_end(struct span text, size_t at)
{
    size_t blank = skip_blanks(text, at);
    size_t end = blank < text.len ? mark_end(text, blank) : blank;

    end = end > blank && end < text.len ? skip_blanks(text, end) : end;
    return end >= text.len ? OPEN : is_token(text, end) ? end : NONE;
}

/* What is no letter and no bracket: behind a name in a program stands one of those. */
static bool separates(char c)
{
    static const bool signs[0x80] = {['\0'] = true, ['\t'] = true, [' '] = true, ['"'] = true, ['\''] = true,
                                     ['*'] = true,  [','] = true,  [';'] = true, ['`'] = true, ['|'] = true};

    return (unsigned char)c >= 0x80 || signs[(unsigned char)c];
}

/* Behind the separator at `at`, where a token character is; OPEN when the text ends in it. */
static size_t separator_end(struct span text, size_t at)
{
    size_t end = at, n = 0;

    for (; end < text.len && !is_token(text, end); end++) {
        if (text.ptr[end] == '\n') {
            return line_begin_end(text, end + 1);
        }
        bool is_return = text.ptr[end] == '\r' && (end + 1 == text.len || text.ptr[end + 1] == '\n');
        n += ((unsigned char)text.ptr[end] & 0xc0) != 0x80;
        if (n > SEPARATOR_MAX || (!separates(text.ptr[end]) && !is_return)) {
            return NONE;
        }
    }
    return end == text.len ? OPEN : end > at ? end : NONE;
}

/* But for the numbers of a list. */
static bool is_separator_equal(struct span a, struct span b)
{
    size_t i = 0, k = 0;

    for (;; i++, k++) {
        i = ascii_run_end(a, i, ASCII_DIGIT);
        k = ascii_run_end(b, k, ASCII_DIGIT);
        if (i == a.len || k == b.len || a.ptr[i] != b.ptr[k]) {
            return i == a.len && k == b.len;
        }
    }
}

/* Where the separator begins that ends at `at` (or is open, at the text's end); NONE when there is none. */
static size_t separator_begin(struct span text, size_t first, size_t at, size_t wanted)
{
    size_t near = at - first > LINE_BEGIN_MAX ? at - LINE_BEGIN_MAX : first;
    const char *newline = memrchr(text.ptr + near, '\n', at - near);

    for (unsigned i = newline == NULL; i < 2; i++) {
        size_t from = i == 0 ? (size_t)(newline - text.ptr) : at;
        while (from > first && !is_token(text, from - 1)) {
            from--;
        }
        if (from > first && from < at && separator_end(text, from) == wanted) {
            return from;
        }
    }
    return NONE;
}

/* The mark of an added line is no character of the group behind it. */
static bool is_plus_mark(struct span text, size_t at)
{
    return text.ptr[at] == '+' && (at == 0 || !is_token(text, at - 1));
}

/* Where the group begins that ends at `end`. */
static size_t group_begin(struct span text, size_t first, size_t end)
{
    size_t near = end - first > GROUP_MAX ? end - GROUP_MAX - 1 : first;
    size_t from = ascii_run_begin(text, near, end, ASCII_TOKEN);

    return from < end && is_plus_mark(text, from) ? from + 1 : from;
}

/* --- groups ---------------------------------------------------------------------- */

/* Groups of `len` characters with the same separator between. */
struct groups {
    size_t from, to; /* of the first, of the last */
    size_t last;     /* where the last one begins */
    size_t without;  /* where they end without it, when it is shorter; else 0 */
    size_t len, n;
    char joint; /* one sign of a token between; 0: what separator_end reads */
    size_t n_chars, n_alnum, n_letters;
    uint64_t seen[2];
};

static void count_group(struct groups *g, struct span group)
{
    for (size_t i = 0; i < group.len; i++) {
        unsigned bit = (unsigned char)group.ptr[i] & 0x7f;
        g->seen[bit / 64] |= (uint64_t)1 << bit % 64;
        g->n_alnum += ascii_is(group.ptr[i], ASCII_ALNUM);
        g->n_letters += ascii_is(group.ptr[i], ASCII_LETTER);
    }
    g->n_chars += group.len;
    g->n++;
}

/* The end of the group at `at`: up to the joint, or all token characters; no further than one is too long. */
static size_t group_end(struct span text, size_t at, size_t len, char joint)
{
    if (joint != 0 && len == 1) {
        return at + is_token(text, at);
    }
    size_t limit = text.len - at <= len ? text.len : at + len + 1;
    while (at < limit && is_token(text, at) && (joint == 0 || text.ptr[at] != joint)) {
        at++;
    }
    return at;
}

/* Behind the separator at `at`, if it is like that one. */
static size_t next_group(struct span text, size_t at, char joint, struct span like)
{
    if (joint != 0) {
        return at < text.len && text.ptr[at] == joint && is_token(text, at + 1) ? at + 1 : NONE;
    }
    size_t end = separator_end(text, at);
    bool is_there = end != NONE && end != OPEN && is_separator_equal(span_slice(text, at, end), like);
    return is_there ? end : NONE;
}

static void read_groups(struct span text, size_t from, size_t len, char joint, struct groups *g)
{
    size_t like_end = joint != 0 ? from + len + 1 : separator_end(text, from + len);

    *g = (struct groups){.from = from, .to = from + len, .last = from, .len = len, .joint = joint};
    count_group(g, span_slice(text, from, from + len));
    if (like_end == NONE || like_end == OPEN || like_end > text.len) {
        return;
    }
    struct span like = span_slice(text, from + len, like_end);
    for (size_t at; g->without == 0 && (at = next_group(text, g->to, joint, like)) != NONE;) {
        size_t end = group_end(text, at, len, joint);
        if (end == at || end - at > len) {
            break;
        }
        g->without = end - at < len ? g->to : 0;
        g->last = at;
        g->to = end;
        count_group(g, span_slice(text, at, end));
    }
}

static bool is_enough(const struct groups *g)
{
    int n_distinct = __builtin_popcountll(g->seen[0]) + __builtin_popcountll(g->seen[1]);

    return g->n_chars >= TEXT_MIN && (g->n >= GROUPS_MIN || (g->joint == 0 && g->len >= LONG_GROUP)) && g->n_letters > 0 && n_distinct >= DISTINCT_MIN &&
           (g->len > 1 || g->n_alnum >= ALNUM_MIN);
}

/* A digit, a capital or _ behind another character but a capital behind a capital, or a letter behind a digit. Digits alone are numbers, but for those in
 * quotes or beside a sign of one token. */
static bool is_odd(struct span group)
{
    char behind = group.ptr[group.len];
    bool is_number = ascii_run_end(group, 0, ASCII_DIGIT) == group.len;

    if (is_number && behind != '"' && behind != '\'' && !ascii_is(behind, ASCII_TOKEN)) {
        return false;
    }
    for (size_t i = 1; i < group.len; i++) {
        bool is_inside = ascii_is(group.ptr[i - 1], ASCII_BASE64);
        bool is_behind_digit = ascii_is_digit(group.ptr[i - 1]) && ascii_is(group.ptr[i], ASCII_LETTER);
        bool is_capital = ascii_is_upper(group.ptr[i]) && !ascii_is_upper(group.ptr[i - 1]);
        if (is_behind_digit || (is_inside && (is_capital || ascii_is_digit(group.ptr[i]) || group.ptr[i] == '_'))) {
            return true;
        }
    }
    return false;
}

/* Something stands behind the group: a new line behind a long one, more than a space behind what may be an acronym. */
static bool may_begin(struct span group)
{
    char behind = group.ptr[group.len];
    bool is_in_line = group.len <= WORD_GROUP_MAX && (group.len >= WORD_GROUP_MIN || behind != ' ');
    bool has_length = is_in_line || behind == '\n' || behind == '\r';

    return group.len == 1 ? ascii_is(group.ptr[0], ASCII_ALNUM) : has_length && is_odd(group);
}

/* Where the groups begin of which the one at `at` has `len` characters and is not the last: the first of them that may
 * begin a list; `none` when there is none. Between them is what is `like`, or when that is empty, the same. */
static size_t groups_begin(struct span text, size_t first, struct span group, struct span like, size_t none)
{
    size_t at = (size_t)(group.ptr - text.ptr);
    size_t begin = may_begin(group) ? at : none;

    for (unsigned i = 0; i < PENDING_GROUPS_MAX; i++) {
        size_t end = separator_begin(text, first, at, at);
        if (end == NONE) {
            break;
        }
        struct span separator = span_slice(text, end, at);
        size_t from = group_begin(text, first, end);
        if (end - from != group.len || (like.len > 0 && !is_separator_equal(separator, like))) {
            break;
        }
        like = separator;
        at = from;
        begin = may_begin(span_slice(text, from, end)) ? at : begin;
    }
    return begin;
}

/* --- the view ---------------------------------------------------------------------- */

static bool is_joint(char c, size_t len)
{
    return len == 1 ? c == '_' : c == '-' || c == '.' || c == ':' || c == '/' || c == '_';
}

/* x41x42: the x stands before the first group, too. */
static bool find_escaped(struct span text, size_t at, struct groups *g)
{
    if (at == 0 || text.ptr[at - 1] != 'x' || text.len - at < 3 || text.ptr[at + 2] != 'x' || (at > 1 && is_token(text, at - 2)) ||
        !ascii_is(text.ptr[at], ASCII_DIGIT) || !ascii_is(text.ptr[at + 1], ASCII_HEX)) {
        return false;
    }
    read_groups(text, at, 2, 'x', g);
    return is_enough(g);
}

/* Groups in one run: the run of letters and digits [at, end), a joint, as many characters and the joint again. */
static bool read_joined(struct span text, size_t at, size_t end, struct groups *g)
{
    size_t len = end - at, third = end + 1 + len;
    bool is_twice = len <= GROUP_MAX + 1 && third < text.len && is_joint(text.ptr[end], len) && text.ptr[third] == text.ptr[end];

    if (!is_twice || (len > 1 && !is_odd(span_slice(text, at, end)))) {
        return false;
    }
    read_groups(text, at, len, text.ptr[end], g);
    return is_enough(g);
}

/* Whether another group of `len` characters may begin at `at`; of two long ones the other may be shorter. */
static bool may_go_on(struct span text, size_t at, size_t len)
{
    return len >= LONG_GROUP || (text.len - at >= len && is_token(text, at + len - 1) && !is_token(text, at + len));
}

/* The groups that begin with the one at `at`, where a run of letters and digits begins that ends at `end`. */
static bool read_at(struct span text, size_t first, size_t at, size_t end, struct groups *g)
{
    if (read_joined(text, at, end, g)) {
        return true;
    }
    size_t limit = text.len - at <= GROUP_MAX ? text.len : at + GROUP_MAX + 1;
    while (end < limit && is_token(text, end)) {
        end++;
    }
    struct span group = span_slice(text, at, end);
    bool is_inside = at > 0 && is_token(text, at - 1) && !is_plus_mark(text, at - 1);
    if (is_inside || end == text.len || group.len > GROUP_MAX) {
        return false;
    }
    size_t separator = separator_end(text, end);
    bool is_spaced = group.len == 1 && (separator == end + 1 || separator - end > SINGLES_APART_MAX);
    if (separator == NONE || separator == OPEN || is_spaced || !may_go_on(text, separator, group.len) || !may_begin(group)) {
        return false;
    }
    at = group.len == 1 ? groups_begin(text, first, group, span_slice(text, end, separator), at) : at;
    read_groups(text, at, group.len, 0, g);
    return is_enough(g);
}

/* Behind the word at `at`: a letter and small ones, and no character of a token next to them. It is not odd, so no groups begin
 * with it. `at` when it is anything else, or the text ends with it. */
static size_t word_end(struct span text, size_t at)
{
    size_t end = at + 1;

    while (end < text.len && text.ptr[end] >= 'a' && text.ptr[end] <= 'z') {
        end++;
    }
    bool is_word = end > at + 1 && end < text.len && ascii_is(text.ptr[at], ASCII_LETTER) && !is_token(text, end);
    return is_word ? end : at;
}

/* The first groups of which a marked character stands in [*at, end), not reaching back before `first`; else *at is at `end`
 * or behind. Groups begin where a run of letters and digits does, or behind the x that it begins with. */
static bool find_groups(struct span text, size_t first, size_t *at, size_t end, struct region *out)
{
    struct group_starts starts = {0};
    struct groups g;
    bool is_found = false;

    while (*at < end && !is_found) {
        size_t next = group_starts_next(&starts, text, *at, end);
        if (next == end) {
            bool is_cut = end < text.len && ascii_is(text.ptr[end - 1], ASCII_ALNUM);
            *at = is_cut ? ascii_run_end(text, end, ASCII_ALNUM) : end;
            break;
        }
        *at = next;
        if (!ascii_is(text.ptr[*at], ASCII_ALNUM)) {
            *at += 1;
            continue;
        }
        char before = (char)(*at > 0 ? text.ptr[*at - 1] : ' ');
        size_t behind = ascii_is(before, ASCII_ALNUM) ? *at : word_end(text, *at);
        if (behind > *at) {
            *at = text.ptr[*at] == 'x' ? *at + 1 : behind;
            continue;
        }
        size_t run_end = ascii_run_end(text, *at, ASCII_ALNUM);
        g.last = 0;
        if (ascii_is(before, ASCII_ALNUM)) {
            is_found = before == 'x' && find_escaped(text, *at, &g);
        } else {
            is_found = read_at(text, first, *at, run_end, &g);
            run_end = text.ptr[*at] == 'x' ? *at + 1 : run_end;
        }
        *at = g.last > *at ? g.last : run_end;
    }
    *out = is_found ? (struct region){.from = g.from, .to = g.to} : (struct region){0};
    return is_found;
}

static bool next_grouped(const struct source_piece *r, size_t at, struct region *out)
{
    size_t first = at;

    while ((at = survey_next(&r->survey, at, SURVEY_GROUPED)) < r->text.len) {
        size_t block_end = (at / SURVEY_BLOCK + 1) * SURVEY_BLOCK;
        size_t end = block_end < r->text.len ? block_end : r->text.len;
        at = at - first > GROUP_MAX ? at - GROUP_MAX : first;
        if (find_groups(r->text, first, &at, end, out)) {
            return true;
        }
    }
    return false;
}

static void write_groups(const struct source_piece *r, const struct groups *g, size_t to, struct builder *b)
{
    size_t like = g->from + g->len;
    struct span separator = span_slice(r->text, like, g->joint != 0 ? like + 1 : separator_end(r->text, like));

    builder_begin(b, grouped_transform.name, grouped_transform.kind);
    for (size_t at = g->from, end = at; end < to && !builder_has_failed(b); at = next_group(r->text, end, g->joint, separator)) {
        end = group_end(r->text, at, g->len, g->joint);
        builder_copy(b, r->text, at, end - at);
    }
    builder_end(b);
}

static void rewrite_grouped(const struct source_piece *r, const struct region *region, struct builder *b)
{
    struct groups g;

    if (source_is_copy(r, region) ||
        !(find_escaped(r->text, region->from, &g) ||
          read_at(r->text, region->from, region->from, ascii_run_end(r->text, region->from, ASCII_ALNUM), &g))) {
        return;
    }
    write_groups(r, &g, g.to, b);
    if (g.without != 0) {
        write_groups(r, &g, g.without, b);
    }
}

/* --- what may go on --- */

/* Groups in one run of token characters are pending with it (hinted.h); here are those with something else between. */
static struct pending grouped_pending(struct span text, size_t first)
{
    size_t tail = group_begin(text, first, text.len);
    size_t from = text.len;

    for (unsigned is_open = 0; is_open < 2; is_open++) {
        size_t end = separator_begin(text, first, is_open ? text.len : tail, is_open ? OPEN : tail);
        size_t group = end == NONE ? NONE : group_begin(text, first, end);
        if (end == NONE || end - group > GROUP_MAX || (!is_open && text.len - tail > end - group)) {
            continue;
        }
        struct span like = is_open ? (struct span){.ptr = text.ptr} : span_slice(text, end, tail);
        size_t begin = groups_begin(text, first, span_slice(text, group, end), like, text.len);
        from = begin < from ? begin : from;
    }
    return pending_apart(from);
}

TRANSFORM_DEFINE(grouped, "grouped", VIEW_FOLDED, SURVEY_GROUPED,
                 next_grouped, rewrite_grouped, grouped_pending);
