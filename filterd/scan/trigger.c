#include "scan/trigger.h"

#include <ctype.h>

/* One element of a pattern as the walker sees it: a character, an escape, a class, a parenthesis, a
 * bar, or a repeat. */
enum token_kind { TOKEN_ATOM, TOKEN_OPEN, TOKEN_CLOSE, TOKEN_BAR, TOKEN_REPEAT, TOKEN_ANCHOR };

struct token {
    enum token_kind kind;
    size_t from, to;
};

static size_t class_end(struct span p, size_t at)
{
    size_t i = at + 1;

    if (i < p.len && p.ptr[i] == '^') {
        i++;
    }
    if (i < p.len && p.ptr[i] == ']') {
        i++;
    }
    while (i < p.len && p.ptr[i] != ']') {
        if (p.ptr[i] == '\\' && i + 1 < p.len) {
            i++;
        } else if (p.ptr[i] == '[' && i + 1 < p.len && p.ptr[i + 1] == ':') {
            const char *close = memmem(p.ptr + i, p.len - i, ":]", 2);
            i = close != NULL ? (size_t)(close - p.ptr) + 1 : i;
        }
        i++;
    }
    return i < p.len ? i + 1 : p.len;
}

/* \x{…}, \p{…}, \xHH, \cX; everything else is the backslash and one character. */
static size_t escape_end(struct span p, size_t at)
{
    char c = at + 1 < p.len ? p.ptr[at + 1] : '\0';
    size_t i = at + 2;

    if ((c == 'x' || c == 'p' || c == 'P' || c == 'o' || c == 'N' || c == 'k' || c == 'g') && i < p.len &&
        (p.ptr[i] == '{' || (c == 'k' && p.ptr[i] == '<'))) {
        const char *close = memchr(p.ptr + i, p.ptr[i] == '{' ? '}' : '>', p.len - i);
        return close != NULL ? (size_t)(close - p.ptr) + 1 : p.len;
    }
    if (c == 'x') {
        for (int digits = 0; digits < 2 && i < p.len && isxdigit((unsigned char)p.ptr[i]); digits++) {
            i++;
        }
    }
    return i < p.len ? i : p.len;
}

static bool is_counted_repeat(struct span p, size_t at, size_t *end)
{
    size_t i = at + 1;
    size_t digits = 0;

    for (; i < p.len && (isdigit((unsigned char)p.ptr[i]) || p.ptr[i] == ','); i++) {
        digits += p.ptr[i] != ',';
    }
    if (i >= p.len || p.ptr[i] != '}' || digits == 0 || p.ptr[at + 1] == ',') {
        return false;
    }
    *end = i + 1;
    return true;
}

static struct token next_token(struct span p, size_t at)
{
    struct token t = {.kind = TOKEN_ATOM, .from = at, .to = at + 1};
    size_t end;

    switch (p.ptr[at]) {
    case '\\':
        t.to = escape_end(p, at);
        if (at + 1 < p.len && (p.ptr[at + 1] == 'b' || p.ptr[at + 1] == 'B')) {
            t.kind = TOKEN_ANCHOR;
        }
        break;
    case '[': t.to = class_end(p, at); break;
    case '(': t.kind = TOKEN_OPEN; break;
    case ')': t.kind = TOKEN_CLOSE; break;
    case '|': t.kind = TOKEN_BAR; break;
    case '^':
    case '$': t.kind = TOKEN_ANCHOR; break;
    case '*':
    case '+':
    case '?': t.kind = TOKEN_REPEAT; break;
    case '{':
        if (is_counted_repeat(p, at, &end)) {
            t.kind = TOKEN_REPEAT;
            t.to = end;
        }
        break;
    default: break;
    }
    return t;
}

/* The end of the group that opens at `at`, behind its parenthesis. */
static size_t group_end(struct span p, size_t at)
{
    unsigned depth = 0;

    for (size_t i = at; i < p.len;) {
        struct token t = next_token(p, i);
        depth += t.kind == TOKEN_OPEN;
        depth -= t.kind == TOKEN_CLOSE;
        if (depth == 0) {
            return t.to;
        }
        i = t.to;
    }
    return p.len;
}

enum group_kind { GROUP_PLAIN, GROUP_CAPTURE, GROUP_DROP, GROUP_REFUSE, GROUP_VERBATIM };

enum { REFERENCE_DEPTH_MAX = 4, GROUP_DEPTH_MAX = 32 };

/* What stands behind "(" and how many bytes of it the plain form replaces. */
static enum group_kind group_kind(struct span rest, size_t *skip)
{
    static const struct {
        const char *opening;
        enum group_kind kind;
    } kinds[] = {
        {"(?=", GROUP_DROP},  {"(?!", GROUP_DROP},   {"(?<=", GROUP_DROP},  {"(?<!", GROUP_DROP},
        {"(?#", GROUP_DROP},  {"(?:", GROUP_PLAIN},  {"(?>", GROUP_PLAIN},  {"(?|", GROUP_PLAIN},
        {"(*", GROUP_REFUSE}, {"(?(", GROUP_REFUSE}, {"(?R", GROUP_REFUSE}, {"(?&", GROUP_REFUSE},
        {"(?C", GROUP_REFUSE}, {"(?P>", GROUP_REFUSE}, {"(?P=", GROUP_REFUSE},
    };

    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (span_starts_with(rest, span_str(kinds[i].opening))) {
            *skip = strlen(kinds[i].opening);
            return kinds[i].kind;
        }
    }
    if (span_starts_with(rest, span_str("(?<")) || span_starts_with(rest, span_str("(?P<"))) {
        const char *close = memchr(rest.ptr, '>', rest.len);
        *skip = close != NULL ? (size_t)(close - rest.ptr) + 1 : rest.len;
        return GROUP_CAPTURE;
    }
    if (span_starts_with(rest, span_str("(?"))) {
        bool is_recursion = rest.len > 2 && (isdigit((unsigned char)rest.ptr[2]) || rest.ptr[2] == '+' ||
                                             (rest.ptr[2] == '-' && rest.len > 3 && isdigit((unsigned char)rest.ptr[3])));
        *skip = 0;
        return is_recursion || (rest.len > 2 && rest.ptr[2] == '\'') ? GROUP_REFUSE : GROUP_VERBATIM;
    }
    *skip = 1;
    return GROUP_CAPTURE;
}

static bool refuse_escape(struct span pattern, const struct token *t, struct error *err)
{
    char c = t->to - t->from >= 2 ? pattern.ptr[t->from + 1] : '\0';

    if (pattern.ptr[t->from] == '\\' && c != '\0' && strchr("AzZGKCQE", c) != NULL) {
        return error_set(err, ERROR_INVALID, "pattern: \\%c may not be used in a rule", c);
    }
    return true;
}

/* "(?i)" and the like have no body; "(?i:" has one and is copied as it stands. */
static bool append_group_open(struct span rest, struct buf *out, size_t *used, struct error *err)
{
    size_t skip = 0;

    switch (group_kind(rest, &skip)) {
    case GROUP_DROP: *used = group_end(rest, 0); return true;
    case GROUP_PLAIN:
    case GROUP_CAPTURE: *used = skip; return buf_append_str(out, "(?:", err);
    case GROUP_VERBATIM: {
        size_t i = 2;
        while (i < rest.len && rest.ptr[i] != ')' && rest.ptr[i] != ':') {
            i++;
        }
        *used = i < rest.len ? i + 1 : rest.len;
        return buf_append(out, span_of(rest.ptr, *used), err);
    }
    case GROUP_REFUSE:
    default: return error_set(err, ERROR_INVALID, "pattern: verbs, conditions, callouts and recursion may not be used in a rule");
    }
}

/* --- back-references ------------------------------------------------------- */

/* The group that stands for itself: by number, or by name. name.len is 0 for a number. */
struct reference {
    unsigned number;
    struct span name;
};

/* \1 to \9, \k<name>, \k{name}, \g{1}, \g{name}. */
static bool read_reference(struct span token, struct reference *out)
{
    *out = (struct reference){0};
    if (token.len == 2 && token.ptr[0] == '\\' && token.ptr[1] >= '1' && token.ptr[1] <= '9') {
        out->number = (unsigned)(token.ptr[1] - '0');
        return true;
    }
    if (token.len < 4 || token.ptr[0] != '\\' || (token.ptr[1] != 'k' && token.ptr[1] != 'g')) {
        return false;
    }
    out->name = span_slice(token, 3, token.len - 1);
    if (out->name.len == 1 && isdigit((unsigned char)out->name.ptr[0])) {
        *out = (struct reference){.number = (unsigned)(out->name.ptr[0] - '0')};
    }
    return true;
}

static struct span group_name(struct span opening)
{
    const char *from = memchr(opening.ptr, '<', opening.len);

    return from == NULL ? (struct span){0} : span_of(from + 1, (size_t)(opening.ptr + opening.len - 1 - from) - 1);
}

/* The body of the group that a reference means. */
static bool find_group(struct span pattern, const struct reference *reference, struct span *body)
{
    unsigned number = 0;

    for (size_t at = 0; at < pattern.len;) {
        struct token t = next_token(pattern, at);
        size_t skip = 0;
        struct span rest = span_slice(pattern, at, pattern.len);
        if (t.kind == TOKEN_OPEN && group_kind(rest, &skip) == GROUP_CAPTURE) {
            struct span name = group_name(span_of(rest.ptr, skip));
            number++;
            if (reference->name.len > 0 ? span_equal(name, reference->name) : number == reference->number) {
                *body = span_slice(rest, skip, group_end(rest, 0) - 1);
                return true;
            }
        }
        at = t.to;
    }
    return false;
}

static bool append_core(struct span pattern, struct span part, unsigned depth, struct buf *out, struct error *err);

/* A reference matches what its group did, so the group's own expression covers it. */
static bool append_reference(struct span pattern, const struct reference *reference, unsigned depth, struct buf *out,
                             struct error *err)
{
    struct span body;

    if (depth == REFERENCE_DEPTH_MAX || !find_group(pattern, reference, &body)) {
        return error_set(err, ERROR_INVALID, "pattern: a back-reference to a group before it expected");
    }
    return buf_append_str(out, "(?:", err) && append_core(pattern, body, depth + 1, out, err) &&
           buf_append_char(out, ')', err);
}

static bool append_token(struct span pattern, struct span text, unsigned depth, struct buf *out, struct error *err)
{
    struct reference reference;

    return read_reference(text, &reference) ? append_reference(pattern, &reference, depth, out, err)
                                            : buf_append(out, text, err);
}

static bool append_core(struct span pattern, struct span part, unsigned depth, struct buf *out, struct error *err)
{
    bool after_repeat = false;

    for (size_t at = 0; at < part.len;) {
        struct token t = next_token(part, at);
        size_t used = t.to - t.from;
        struct span text = span_slice(part, t.from, t.to);
        bool is_possessive = after_repeat && text.len == 1 && text.ptr[0] == '+';

        if (!refuse_escape(part, &t, err)) {
            return false;
        }
        if (t.kind == TOKEN_OPEN) {
            if (!append_group_open(span_slice(part, at, part.len), out, &used, err)) {
                return false;
            }
        } else if (!is_possessive && !append_token(pattern, text, depth, out, err)) {
            return false;
        }
        after_repeat = t.kind == TOKEN_REPEAT && !after_repeat;
        at += used;
    }
    return true;
}

bool trigger_core(struct span pattern, struct buf *out, struct error *err)
{
    return append_core(pattern, pattern, 0, out, err);
}

/* The last top-level atom of a pattern without top-level alternatives, and its repeat. */
struct tail {
    size_t atom_from, repeat_from, repeat_to;
    bool has_repeat, has_alternatives;
};

static struct tail find_tail(struct span core)
{
    struct tail tail = {0};

    for (size_t at = 0; at < core.len;) {
        struct token t = next_token(core, at);
        if (t.kind == TOKEN_OPEN) {
            t.to = group_end(core, at);
        }
        if (t.kind == TOKEN_BAR) {
            tail.has_alternatives = true;
        } else if (t.kind == TOKEN_REPEAT) {
            if (!tail.has_repeat) { /* the second of "+?" only says how greedy */
                tail.repeat_from = t.from;
                tail.has_repeat = true;
            }
            tail.repeat_to = t.to;
        } else {
            tail = (struct tail){.atom_from = t.from, .has_alternatives = tail.has_alternatives};
        }
        at = t.to;
    }
    return tail;
}

static bool repeat_minimum(struct span repeat, struct span *minimum)
{
    if (repeat.ptr[0] == '+') {
        *minimum = span_of("1", 1);
        return true;
    }
    if (repeat.ptr[0] != '{') {
        return false; /* * and ?: none at all */
    }
    size_t i = 1;
    while (i < repeat.len && isdigit((unsigned char)repeat.ptr[i])) {
        i++;
    }
    *minimum = span_slice(repeat, 1, i);
    return !(minimum->len == 1 && minimum->ptr[0] == '0');
}

bool trigger_prefix(struct span core, struct buf *out, struct error *err)
{
    for (;;) {
        struct tail tail = find_tail(core);
        struct span minimum;
        if (!tail.has_repeat || tail.has_alternatives || tail.repeat_to != core.len) {
            return buf_append(out, core, err);
        }
        struct span repeat = span_slice(core, tail.repeat_from, tail.repeat_to);
        if (!repeat_minimum(repeat, &minimum)) {
            if (tail.atom_from == 0) {
                return buf_append(out, core, err);
            }
            core = span_slice(core, 0, tail.atom_from);
            continue;
        }
        return buf_append(out, span_slice(core, 0, tail.repeat_from), err) &&
               (span_is(minimum, "1") || buf_appendf(out, err, "{" SPAN_FMT "}", SPAN_ARG(minimum)));
    }
}

/* --- leading literals ----------------------------------------------------- */

static bool literal_char(struct span p, const struct token *t, char *c)
{
    if (t->kind != TOKEN_ATOM || p.ptr[t->from] == '[' || p.ptr[t->from] == '.') {
        return false;
    }
    if (p.ptr[t->from] != '\\') {
        *c = p.ptr[t->from];
        return true;
    }
    *c = t->to - t->from == 2 ? p.ptr[t->from + 1] : '\0';
    return *c != '\0' && ispunct((unsigned char)*c);
}

/* Appends the literal run at `at` to every text; returns where it ends. A repeated character is none. */
static size_t extend_literals(struct span p, size_t at, struct trigger_literals *out, size_t first)
{
    while (at < p.len) {
        struct token t = next_token(p, at);
        char c;
        bool is_repeated = t.to < p.len && next_token(p, t.to).kind == TOKEN_REPEAT;
        if (is_repeated || !literal_char(p, &t, &c)) {
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

static size_t next_bar(struct span body, size_t at)
{
    while (at < body.len) {
        struct token t = next_token(body, at);
        if (t.kind == TOKEN_BAR) {
            return at;
        }
        at = t.kind == TOKEN_OPEN ? group_end(body, at) : t.to;
    }
    return body.len;
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
        size_t bar = next_bar(body, at);
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
    /* "(?:(?:a|b)c)": step into groups that hold one alternative, until one is all literals. */
    while (span_starts_with(span_slice(core, at, core.len), span_str("(?:"))) {
        size_t end = group_end(core, at);
        struct span body = span_slice(core, at + 3, end - 1);
        if (end < core.len && next_token(core, end).kind == TOKEN_REPEAT) {
            break;
        }
        bool is_whole, has_one = next_bar(body, 0) == body.len;
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
    if (find_tail(core).has_alternatives && out->len[0] > 0) {
        out->n = 0;
    }
}

/* --- width ---------------------------------------------------------------- */

static uint64_t saturated(uint64_t width)
{
    return width > TRIGGER_WIDTH_UNBOUNDED ? TRIGGER_WIDTH_UNBOUNDED : width;
}

/* Bytes of the longest character that an atom matches. Without regard to case, letters have
 * partners outside ASCII. */
static uint64_t atom_width(struct span core, const struct token *t, bool is_caseless)
{
    char c;
    const uint64_t letter = 3, any = 4;

    if (literal_char(core, t, &c)) {
        return (unsigned char)c >= 0x80 ? 1 : is_caseless && isalpha((unsigned char)c) ? letter : 1;
    }
    struct span text = span_slice(core, t->from, t->to);
    bool is_plain = text.ptr[0] == '[' && text.len > 1 && text.ptr[1] != '^' && memchr(text.ptr, '\\', text.len) == NULL;
    for (size_t i = 0; is_plain && i < text.len; i++) {
        is_plain = (unsigned char)text.ptr[i] < 0x80;
    }
    return !is_plain ? any : is_caseless ? letter : 1;
}

static uint64_t repeat_maximum(struct span repeat)
{
    uint64_t n = 0;
    const char *comma = memchr(repeat.ptr, ',', repeat.len);
    const char *at = comma != NULL ? comma + 1 : repeat.ptr + 1;

    if (repeat.ptr[0] == '?') {
        return 1;
    }
    if (repeat.ptr[0] != '{' || *at == '}') {
        return TRIGGER_WIDTH_UNBOUNDED;
    }
    for (; *at != '}'; at++) {
        n = saturated(n * 10 + (uint64_t)(*at - '0'));
    }
    return n;
}

static uint64_t width_of(struct span core, bool is_caseless, unsigned depth)
{
    uint64_t widest = 0, sum = 0, last = 0;

    if (depth == GROUP_DEPTH_MAX) {
        return TRIGGER_WIDTH_UNBOUNDED;
    }
    for (size_t at = 0; at < core.len;) {
        struct token t = next_token(core, at);
        if (t.kind == TOKEN_REPEAT) {
            uint64_t max = repeat_maximum(span_slice(core, t.from, t.to));
            sum = saturated(sum - last + (last == 0 ? 0 : saturated(last * max)));
            last = 0; /* the second of "+?" only says how greedy */
        } else if (t.kind == TOKEN_BAR) {
            widest = sum > widest ? sum : widest;
            sum = last = 0;
        } else if (t.kind == TOKEN_OPEN) {
            t.to = group_end(core, at);
            const char *colon = memchr(core.ptr + at, ':', t.to - at);
            bool has_body = colon != NULL && core.ptr[at + 1] == '?' && t.to - at > 4;
            last = has_body ? width_of(span_slice(core, (size_t)(colon - core.ptr) + 1, t.to - 1), is_caseless, depth + 1) : 0;
            sum = saturated(sum + last);
        } else {
            last = t.kind == TOKEN_ATOM ? atom_width(core, &t, is_caseless) : 0;
            sum = saturated(sum + last);
        }
        at = t.to;
    }
    return sum > widest ? sum : widest;
}

uint32_t trigger_max_width(struct span core)
{
    bool is_caseless = memmem(core.ptr, core.len, "(?i", 3) != NULL;

    return (uint32_t)width_of(core, is_caseless, 0);
}
