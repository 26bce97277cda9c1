/* rendered.c - **ghp_**kR7, ghp_<b>kR7</b>, gh[p_kR](#)7: a word with markup inside, as it is shown.
 *
 * What a renderer of Markdown or HTML, a terminal or a shell takes out is taken out, where it stands between two
 * characters of a word: emphasis, code spans, links' targets, tags that do not begin a line of their own, comments, the
 * terminal's colours, characters that are struck over, empty quotations, a line's end behind a backslash.
 *
 * A joint is markup between two words, a chain is words with joints between. A chain is the same wherever the search
 * begins outside of it, so `next` and `pending` find the same ones. */
#include "base/ascii.h"
#include "text/utf8.h"
#include "view/transform.h"

enum {
    TEXT_MIN = 20, /* shown characters of a chain */
    TAG_MAX = 128,
    TARGET_MAX = 256,
    LABEL_MAX = 64,
    SEQUENCE_MAX = 24,
    NAME_MAX_LEN = 12,
    SIGNS_MAX = 3, /* one behind another, as the survey looks for them */
    LOOK_BACK = 4096, /* a longer chain is not waited for as a whole */
};

enum { ESCAPE = 0x1b, BACKSPACE = '\b', SHIFT_OUT = 0x0e };

/* The end of markup when it is there; OPEN when the text ends in it; NONE. */
#define OPEN SIZE_MAX
#define NONE ((size_t)0)

static bool is_word(struct span text, size_t at)
{
    return at < text.len && ascii_is(text.ptr[at], ASCII_TOKEN) && text.ptr[at] != '~' &&
           (at + 1 == text.len || text.ptr[at + 1] != BACKSPACE);
}

/* What stands next to the first joint of a chain, as the survey looks for it. */
static bool is_inner(struct span text, size_t at)
{
    return is_word(text, at) && ascii_is(text.ptr[at], ASCII_BASE64);
}

/* Elements that begin on a line of their own: what stands before and behind is not shown as one word. */
static bool is_block_element(struct span name)
{
    static const char *const names[] = {"article", "aside", "blockquote", "br", "caption", "center", "dd", "details", "dialog",
                                        "div", "dl", "dt", "fieldset", "figure", "footer", "form", "h1", "h2", "h3", "h4",
                                        "h5", "h6", "header", "hr", "input", "li", "main", "nav", "ol", "option", "p", "pre",
                                        "script", "section", "select", "style", "summary", "table", "tbody", "td",
                                        "textarea", "tfoot", "th", "thead", "title", "tr", "ul"};

    for (size_t i = 0; i < COUNT(names); i++) {
        size_t k = 0;
        while (k < name.len && names[i][k] == ascii_lower(name.ptr[k])) {
            k++;
        }
        if (k == name.len && names[i][k] == '\0') {
            return true;
        }
    }
    return false;
}

/* Behind the first `end` at or behind `at`, which must come within `max` bytes. */
static size_t behind_sign(struct span text, size_t at, const char *end, size_t max)
{
    size_t limit = text.len - at < max ? text.len : at + max;
    struct span sign = span_str(end);
    const char *found = memmem(text.ptr + at, limit - at, sign.ptr, sign.len);

    if (found != NULL) {
        return (size_t)(found - text.ptr) + sign.len;
    }
    return limit == text.len ? OPEN : NONE;
}

/* What an attribute may be made of. */
static bool is_in_tag(char c)
{
    return ascii_is(c, ASCII_ALNUM | ASCII_SPACE) || strchr("=\"'-_:;.,#/%()!?", c) != NULL;
}

/* <b>, </span>, <span style="color: red">, <!-- … -->. */
static size_t tag_end(struct span text, size_t at)
{
    size_t limit = text.len - at < TAG_MAX ? text.len : at + TAG_MAX;
    size_t name = at + 1 + (at + 1 < text.len && text.ptr[at + 1] == '/');

    if (at + 1 < text.len && text.ptr[at + 1] == '!') {
        bool may_be_comment = memcmp(text.ptr + at, "<!--", text.len - at < 4 ? text.len - at : 4) == 0;
        return !may_be_comment ? NONE : text.len - at < 4 ? OPEN : behind_sign(text, at + 4, "-->", TAG_MAX);
    }
    if (name < text.len && !ascii_is(text.ptr[name], ASCII_LETTER)) {
        return NONE;
    }
    size_t end = ascii_run_end(span_slice(text, 0, limit), name < limit ? name : limit, ASCII_ALNUM);
    if (end < text.len && (end - name > NAME_MAX_LEN || is_block_element(span_slice(text, name, end)))) {
        return NONE;
    }
    while (end < limit && text.ptr[end] != '\0' && is_in_tag(text.ptr[end])) {
        end++;
    }
    return end == text.len ? OPEN : end < limit && text.ptr[end] == '>' ? end + 1 : NONE;
}

static size_t nearer(size_t a, size_t b)
{
    return a == NONE ? b : b == NONE || a < b ? a : b;
}

/* ESC ( B and the like: what selects letters, of which terminfo's end of all attributes has one. */
static size_t selection_end(struct span text, size_t at)
{
    size_t end = at + 1;

    while (end < text.len && end - at < SEQUENCE_MAX && text.ptr[end] >= ' ' && text.ptr[end] <= '/') {
        end++;
    }
    return end == text.len ? OPEN : text.ptr[end] >= '0' && text.ptr[end] <= '~' ? end + 1 : at + 1;
}

/* ESC [ … letter, ESC ] … BEL or ESC \, ESC ( B, or the escape alone. A repaired text has the repair byte where there was a BEL. */
static size_t sequence_end(struct span text, size_t at)
{
    if (at + 1 >= text.len) {
        return OPEN;
    }
    if (text.ptr[at + 1] == ']') {
        static const char repaired[] = {UTF8_REPLACEMENT_BYTE, '\0'};
        size_t bell = nearer(behind_sign(text, at + 2, "\a", TARGET_MAX), behind_sign(text, at + 2, repaired, TARGET_MAX));
        return nearer(bell, behind_sign(text, at + 2, "\x1b\\", TARGET_MAX));
    }
    if (text.ptr[at + 1] >= ' ' && text.ptr[at + 1] <= '/') {
        return selection_end(text, at);
    }
    if (text.ptr[at + 1] != '[') {
        return at + 1; /* what shows no sequences shows nothing of it */
    }
    for (size_t i = at + 2; i < text.len && i - at < SEQUENCE_MAX; i++) {
        char c = text.ptr[i];
        if (c < ' ' || c > '?') {
            return c >= '@' && c <= '~' ? i + 1 : NONE;
        }
    }
    return text.len - at <= SEQUENCE_MAX ? OPEN : NONE;
}

/* Whether the brackets that close at `at` hold small letters and dashes alone: a label that stands for what was redacted is no
 * text of a link, and nothing waits for what is behind it. */
static bool is_label(struct span text, size_t at)
{
    size_t from = at;

    while (from > 0 && at - from < LABEL_MAX && (ascii_is_lower(text.ptr[from - 1]) || text.ptr[from - 1] == '-')) {
        from--;
    }
    return from > 0 && from < at && text.ptr[from - 1] == '[';
}

/* ](target) behind the text of a link. */
static size_t target_end(struct span text, size_t at)
{
    if (is_label(text, at)) {
        return NONE;
    }
    if (at + 1 >= text.len) {
        return OPEN;
    }
    size_t limit = text.len - at < TARGET_MAX ? text.len : at + TARGET_MAX;
    size_t end = at + 2;
    if (text.ptr[at + 1] != '(') {
        return NONE;
    }
    while (end < limit && text.ptr[end] != ')' && text.ptr[end] != '(' && !ascii_is(text.ptr[end], ASCII_SPACE)) {
        end++;
    }
    return end == text.len ? OPEN : end < limit && text.ptr[end] == ')' ? end + 1 : NONE;
}

/* [ before the text of a link, of one word. */
static size_t link_begin_end(struct span text, size_t at)
{
    size_t end = at + 1;

    while (is_word(text, end)) {
        end++;
    }
    if (end == text.len) {
        return OPEN;
    }
    size_t target = text.ptr[end] == ']' && end > at + 1 ? target_end(text, end) : NONE;
    return target == NONE || target == OPEN ? target : at + 1;
}

static size_t pair_end(struct span text, size_t at)
{
    return at + 1 == text.len ? OPEN : text.ptr[at + 1] == text.ptr[at] ? at + 2 : NONE;
}

/* One piece of markup at `at`. */
static size_t markup_end(struct span text, size_t at)
{
    if (at + 1 < text.len && text.ptr[at + 1] == BACKSPACE && text.ptr[at] >= ' ') {
        return at + 2;
    }
    switch (text.ptr[at]) {
    case '*':
    case '`':
    case SHIFT_OUT:
    case BACKSPACE: /* behind another one */
    case UTF8_REPLACEMENT_BYTE: /* a control character that shows as nothing, or no character */
        return at + 1;
    case '~':
    case '"':
    case '\'':
        return pair_end(text, at);
    case '<':
        return tag_end(text, at);
    case ESCAPE:
        return sequence_end(text, at);
    case '[':
        return link_begin_end(text, at);
    case ']':
        return target_end(text, at);
    case '\\':
        return at + 1 == text.len ? OPEN : text.ptr[at + 1] == '\n' ? at + 2 : NONE;
    default:
        return NONE;
    }
}

/* All markup from `at` on, up to a word that it is a joint to. */
static size_t joint_end(struct span text, size_t at)
{
    size_t end = at, n_signs = 0;

    while (end < text.len && !is_word(text, end)) {
        size_t next = markup_end(text, end);
        if (next == NONE || next == OPEN) {
            return next;
        }
        n_signs = next - end <= 2 ? n_signs + 1 : 0;
        if (n_signs > SIGNS_MAX) {
            return NONE;
        }
        end = next;
    }
    return end == at ? NONE : end == text.len ? OPEN : end;
}

/* A chain from its first word on. */
struct chain {
    size_t end;  /* of the last word */
    bool is_open; /* the text ends before it is known whether it goes on */
    size_t n_joints, n_shown;
    unsigned seen; /* classes of characters */
};

static size_t word_end(struct span text, size_t at, struct chain *c)
{
    for (; is_word(text, at); at++) {
        c->seen |= text.ptr[at] == '_' ? ASCII_DIGIT : ascii_classes[(unsigned char)text.ptr[at]];
        c->n_shown++;
    }
    return at;
}

static void read_chain(struct span text, size_t at, struct chain *c)
{
    *c = (struct chain){0};
    c->end = word_end(text, at, c);
    while (c->end < text.len) {
        size_t next = joint_end(text, c->end);
        if (next == NONE || next == OPEN) {
            c->is_open = next == OPEN;
            return;
        }
        c->n_joints++;
        for (size_t i = c->end; i < next; i++) {
            c->n_shown += text.ptr[i] == BACKSPACE; /* what is struck over may be meant */
        }
        c->end = word_end(text, next, c);
    }
    c->is_open = c->end == text.len;
}

/* The first letter of the first word may have been struck over another. */
static size_t with_struck_over(struct span text, size_t first, size_t word)
{
    return word >= first + 2 && text.ptr[word - 1] == BACKSPACE && text.ptr[word - 2] >= ' ' ? word - 2 : word;
}

static bool is_sign(char c)
{
    return c == '*' || c == '`' || c == '~' || c == '<' || c == ']' || c == ESCAPE || c == BACKSPACE || c == SHIFT_OUT || c == '\\' || c == '"' ||
           c == '\'';
}

/* Where the word begins that ends at `at`: the last letter of a terminal's sequence is none of it. */
static size_t word_begin(struct span text, size_t first, size_t at)
{
    size_t from = at;

    while (from > first && is_word(text, from - 1)) {
        from--;
    }
    if (from > first + 1 && text.ptr[from - 1] == '[' && text.ptr[from - 2] == ESCAPE) {
        size_t end = sequence_end(text, from - 2);
        from = end != NONE && end < at ? end : from;
    }
    return from;
}

/* Where the word begins that the joint at `at` follows. A link's text may be the second word of a chain. */
static size_t first_word(struct span text, size_t first, size_t at)
{
    size_t from = word_begin(text, first, at);
    bool is_link = text.ptr[at] == ']' && from > first + 1 && text.ptr[from - 1] == '[' && is_inner(text, from - 2);

    return is_link ? word_begin(text, first, from - 1) : from;
}

/* Where the joint begins whose sign is at `at`. */
static size_t joint_begin(struct span text, size_t first, size_t at)
{
    size_t from = at - (text.ptr[at] == BACKSPACE && at > first);

    while (from > first && text.ptr[from - 1] == UTF8_REPLACEMENT_BYTE) {
        from--;
    }
    return from;
}

/* The first chain whose first sign stands in [*at, end), not reaching back before `first`; else *at is at `end` or
 * behind. */
static bool find_chain(struct span text, size_t first, size_t *at, size_t end, struct region *out)
{
    while (*at < end) {
        size_t joint = joint_begin(text, first, *at);
        if (!is_sign(text.ptr[*at]) || joint == first || !is_inner(text, joint - 1) || !is_inner(text, joint_end(text, joint))) {
            *at += 1;
            continue;
        }
        struct chain chain;
        size_t from = first_word(text, first, joint);
        read_chain(text, from, &chain);
        if (chain.n_joints > 0 && chain.n_shown >= TEXT_MIN && (chain.seen & ASCII_DIGIT) != 0) {
            *out = (struct region){.from = with_struck_over(text, first, from), .to = chain.end};
            return true;
        }
        *at = chain.end > *at ? chain.end : *at + 1;
    }
    return false;
}

static bool next_rendered(const struct source_piece *r, size_t at, struct region *out)
{
    size_t first = at;

    while ((at = survey_next(&r->survey, at, SURVEY_MARKUP)) < r->text.len) {
        size_t block_end = (at / SURVEY_BLOCK + 1) * SURVEY_BLOCK;
        size_t end = block_end < r->text.len ? block_end : r->text.len;
        if (find_chain(r->text, first, &at, end, out)) {
            return true;
        }
    }
    return false;
}

static void write_shown(struct span text, const struct region *region, struct builder *b)
{
    builder_begin(b, rendered_transform.name, rendered_transform.kind);
    size_t first = region->from;
    if (!is_word(text, first)) {
        struct origin origin = {.from = first, .len = 3, .view_unit = 1, .parent_unit = 3};
        builder_put(b, span_slice(text, first + 2, first + 3), &origin);
        first += 3;
    }
    for (size_t at = first; at < region->to && !builder_has_failed(b);) {
        size_t end = at;
        while (end < region->to && is_word(text, end)) {
            end++;
        }
        builder_copy(b, text, at, end - at);
        at = end < region->to ? joint_end(text, end) : end;
    }
    builder_end(b);
}

/* Whether a character is struck over by another one, and is no underscore: manuals have neither. */
static bool has_lone_backspace(struct span text, const struct region *region)
{
    for (size_t i = region->from + 1; i + 1 < region->to; i++) {
        char before = text.ptr[i - 1];
        if (text.ptr[i] == BACKSPACE && before != '_' && before != text.ptr[i + 1]) {
            return true;
        }
    }
    return false;
}

/* Where a backspace shows as nothing: all but a terminal. */
static void write_without_backspaces(struct span text, const struct region *region, struct builder *b)
{
    builder_begin(b, rendered_transform.name, rendered_transform.kind);
    for (size_t at = region->from; at < region->to && !builder_has_failed(b);) {
        if (ascii_is(text.ptr[at], ASCII_TOKEN) && text.ptr[at] != '~') {
            builder_copy(b, text, at, 1);
            at++;
            continue;
        }
        size_t end = text.ptr[at] == BACKSPACE ? at + 1 : markup_end(text, at);
        at = end == NONE || end == OPEN ? region->to : end;
    }
    builder_end(b);
}

static void rewrite_rendered(const struct source_piece *r, const struct region *region, struct builder *b)
{
    if (source_is_copy(r, region)) {
        return;
    }
    write_shown(r->text, region, b);
    if (has_lone_backspace(r->text, region)) {
        write_without_backspaces(r->text, region, b);
    }
}

/* --- what may go on --- */

static bool is_break(struct span text, size_t at)
{
    return ascii_is(text.ptr[at], ASCII_SPACE) && !(text.ptr[at] == '\n' && at > 0 && text.ptr[at - 1] == '\\');
}

static size_t behind_break(struct span text, size_t first, size_t at)
{
    while (at > first && !is_break(text, at - 1)) {
        at--;
    }
    return at;
}

/* Where what holds no white space but in tags begins. */
static size_t unbroken_begin(struct span text, size_t first)
{
    size_t from = behind_break(text, first, text.len);

    for (size_t to = from; to > first;) {
        size_t near = from - first > 2 * TAG_MAX ? from - 2 * TAG_MAX : first;
        const char *tag = to > near ? memrchr(text.ptr + near, '<', to - near) : NULL;
        if (tag == NULL) {
            break;
        }
        to = (size_t)(tag - text.ptr);
        if (tag_end(text, to) > from) {
            from = behind_break(text, first, to);
            to = from;
        }
    }
    return from;
}

/* The chain at the end, if it may go on. */
static struct pending rendered_pending(struct span text, size_t first)
{
    size_t near = text.len - first > LOOK_BACK ? text.len - LOOK_BACK : first;

    for (size_t at = unbroken_begin(text, near); at < text.len;) {
        struct chain chain;
        if (!is_word(text, at)) {
            size_t end = text.ptr[at] == ESCAPE ? sequence_end(text, at) : NONE;
            at = end == NONE || end == OPEN ? at + 1 : end;
            continue;
        }
        read_chain(text, at, &chain);
        if (chain.is_open) {
            return pending_apart(with_struck_over(text, first, at));
        }
        at = chain.end;
    }
    return pending_apart(text.len);
}

TRANSFORM_DEFINE(rendered, "rendered", VIEW_FOLDED, SURVEY_MARKUP,
                 next_rendered, rewrite_rendered, rendered_pending);
