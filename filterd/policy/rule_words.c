#include "policy/rule_words.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "policy/rule_read.h"
#include "regex/trigger.h"
#include "text/utf8.h"

enum {
    TRIGGER_CHARACTERS = 8,     /* of a word; more find it no sooner */
    TRIGGER_CHARACTERS_MIN = 4, /* of the first of several words */
    WHOLE_BYTES_MAX = 4,        /* of a word that is looked for with its end ... */
    WHOLE_LONGER_MAX = 3,       /* ... and how many words may begin with it */
    TRIGGERS_MAX = 32,          /* expressions that the words' beginnings are spread over */
    BYTES_OF_A_CHARACTER = 4,   /* at most, and so of its partner in the other case */
};

static const char separator[] = "[ \\n\\-]";

bool rule_words_check(const struct span_list *words, struct error *err)
{
    if (words->n == 0 || words->n > RULE_WORDS_MAX) {
        return error_set(err, ERROR_INVALID, "1 to %d words expected", RULE_WORDS_MAX);
    }
    for (size_t i = 0; i < words->n; i++) {
        struct span word = words->items[i];
        bool is_good = word.len > 0 && word.len <= RULE_WORD_BYTES_MAX && word.ptr[0] != ' ' &&
                       word.ptr[word.len - 1] != ' ' && utf8_valid_prefix(word) == word.len;
        for (size_t k = 0; k < word.len; k++) {
            is_good = is_good && (unsigned char)word.ptr[k] >= ' ' && word.ptr[k] != 0x7f;
        }
        if (!is_good) {
            return error_set(err, ERROR_INVALID, "words of 1 to %d bytes expected, without control characters and no "
                             "space at their ends", RULE_WORD_BYTES_MAX);
        }
    }
    return true;
}

/* --- the words, sorted, each once ------------------------------------------- */

static int compare_words(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    size_t len = x->len < y->len ? x->len : y->len;
    int order = memcmp(x->ptr, y->ptr, len);

    return order != 0 ? order : (x->len > y->len) - (x->len < y->len);
}

/* One spelling for equivalent characters, so that words share as much of the tree as possible. */
static bool normalized(struct arena *a, struct span word, struct span *out, struct error *err)
{
    char *copy = arena_alloc(a, word.len, err);

    for (size_t i = 0; copy != NULL && i < word.len; i++) {
        copy[i] = word.ptr[i] == '-' ? ' ' : (char)tolower((unsigned char)word.ptr[i]);
    }
    *out = span_of(copy, word.len);
    return copy != NULL;
}

static bool sorted_words(struct arena *a, const struct span_list *words, struct span_list *out, struct error *err)
{
    struct span *items = arena_array(a, words->n, sizeof(*items), err);
    size_t n = 0;

    if (items == NULL) {
        return false;
    }
    for (size_t i = 0; i < words->n; i++) {
        if (!normalized(a, words->items[i], &items[i], err)) {
            return false;
        }
    }
    qsort(items, words->n, sizeof(*items), compare_words);
    for (size_t i = 0; i < words->n; i++) {
        if (n == 0 || !span_equal(items[n - 1], items[i])) {
            items[n++] = items[i];
        }
    }
    *out = (struct span_list){.items = items, .n = n};
    return true;
}

/* --- the pattern -------------------------------------------------------------- */

/* The character at `at`, as an expression for PCRE2 and Hyperscan alike. */
static bool append_character(struct buf *out, struct span word, size_t at, size_t len, struct error *err)
{
    char c = word.ptr[at];

    if (c == ' ') {
        return buf_append_str(out, separator, err);
    }
    return (len > 1 || !ispunct((unsigned char)c) || buf_append_char(out, '\\', err)) &&
           buf_append(out, span_slice(word, at, at + len), err);
}

/* The first of items[from .. to) whose character at `at` is not that of items[from]; *len: its bytes. */
static size_t next_branch(const struct span *items, size_t from, size_t to, size_t at, size_t *len)
{
    size_t i = from + 1;

    (void)utf8_decode(span_slice(items[from], at, items[from].len), len);
    while (i < to && items[i].len >= at + *len && memcmp(items[i].ptr + at, items[from].ptr + at, *len) == 0) {
        i++;
    }
    return i;
}

/* What may follow the first `at` bytes, which items[from .. to) have in common. Recursion ends at the end of the
 * longest word, of RULE_WORD_BYTES_MAX. NOLINTNEXTLINE(misc-no-recursion) */
static bool append_tree(struct buf *out, const struct span *items, size_t from, size_t to, size_t at, struct error *err)
{
    size_t len = 0;

    while (items[from].len > at && next_branch(items, from, to, at, &len) == to) {
        if (!append_character(out, items[from], at, len, err)) {
            return false;
        }
        at += len;
    }
    bool may_end = items[from].len == at;
    from += may_end ? 1 : 0;
    if (from == to) {
        return true;
    }
    const char *opening = "(?:";
    while (from < to) {
        size_t end = next_branch(items, from, to, at, &len);
        if (!buf_append_str(out, opening, err) || !append_character(out, items[from], at, len, err) ||
            !append_tree(out, items, from, end, at + len, err)) {
            return false;
        }
        opening = "|";
        from = end;
    }
    return buf_append_str(out, may_end ? ")?" : ")", err);
}

static bool set_pattern(struct arena *a, const struct span_list *words, struct rule *rule, struct error *err)
{
    struct buf pattern CLEANUP(buf_deinit);
    struct span *text = arena_array(a, 1, sizeof(*text), err);
    size_t longest = 0;

    buf_init(&pattern, RULE_TEXT_MAX);
    if (text == NULL || !buf_append_str(&pattern, "(?i)", err) ||
        !append_tree(&pattern, words->items, 0, words->n, 0, err) || !arena_copy(a, buf_span(&pattern), text, err)) {
        return false;
    }
    for (size_t i = 0; i < words->n; i++) {
        longest = words->items[i].len > longest ? words->items[i].len : longest;
    }
    rule->patterns = (struct span_list){.items = text, .n = 1};
    rule->max_length = (uint32_t)(longest * BYTES_OF_A_CHARACTER);
    return true;
}

/* --- the triggers --------------------------------------------------------------- */

/* What one or more words are looked for by. */
struct beginning {
    struct span text;
    bool is_whole; /* a complete word: text that continues it is another word */
};

/* The first characters of a word; of several in a row the first one's, unless it is so short that it is everywhere. */
static struct span beginning_of(struct span word)
{
    size_t at = 0, len = 0;

    for (unsigned n = 0; n < TRIGGER_CHARACTERS && at < word.len; n++, at += len) {
        if (word.ptr[at] == ' ' && n >= TRIGGER_CHARACTERS_MIN) {
            break;
        }
        (void)utf8_decode(span_slice(word, at, word.len), &len);
    }
    return span_slice(word, 0, at);
}

/* Short words begin too many others ("ass", "assume"), so that they are looked for with their end. That takes a
 * boundary that forbids what Hyperscan's \b does, and pays where few words of the list begin with them. */
static bool is_better_whole(const struct rule *rule, const struct span_list *words, size_t i)
{
    struct span word = words->items[i];
    bool has_end = rule->boundary == BOUNDARY_LETTER || rule->boundary == BOUNDARY_WORD;
    bool is_good = has_end && word.len <= WHOLE_BYTES_MAX;
    size_t longer = i + 1;

    for (size_t k = 0; k < word.len; k++) {
        is_good = is_good && isascii((unsigned char)word.ptr[k]) && isalnum((unsigned char)word.ptr[k]);
    }
    while (is_good && longer < words->n && span_starts_with(words->items[longer], word)) {
        longer++;
    }
    return is_good && longer - i - 1 <= WHOLE_LONGER_MAX;
}

/* Those that no other covers; *n of them. */
static struct beginning *beginnings(struct arena *a, const struct rule *rule, const struct span_list *words, size_t *n,
                                    struct error *err)
{
    struct beginning *items = arena_array(a, words->n, sizeof(*items), err);
    struct span covering = {0};

    *n = 0;
    for (size_t i = 0; items != NULL && i < words->n; i++) {
        struct span text = beginning_of(words->items[i]);
        if (covering.len > 0 && span_starts_with(text, covering)) {
            continue;
        }
        bool is_whole = is_better_whole(rule, words, i);
        covering = is_whole ? covering : text;
        items[(*n)++] = (struct beginning){.text = text, .is_whole = is_whole};
    }
    return items;
}

/* The end of a word. Where case is not regarded, s and k have partners outside ASCII, which are no word characters to
 * Hyperscan. */
static bool append_end(struct buf *out, char last, struct error *err)
{
    const char *partner = last == 's' ? "\xc5\xbf" : last == 'k' ? "\xe2\x84\xaa" : NULL;

    if (partner == NULL) {
        return buf_append_char(out, last, err) && buf_append_str(out, "\\b", err);
    }
    return buf_appendf(out, err, "(?:%c\\b|(?-i:%s))", last, partner);
}

static bool append_beginning(struct buf *out, const struct beginning *b, struct error *err)
{
    size_t to = b->text.len - (b->is_whole ? 1 : 0), len = 0;

    for (size_t at = 0; at < to; at += len) {
        (void)utf8_decode(span_slice(b->text, at, b->text.len), &len);
        if (!append_character(out, b->text, at, len, err)) {
            return false;
        }
    }
    return !b->is_whole || append_end(out, b->text.ptr[to], err);
}

/* One expression of several beginnings. */
static bool make_trigger(struct arena *a, const struct beginning *items, size_t n, struct span *out, struct error *err)
{
    struct buf expression CLEANUP(buf_deinit);

    buf_init(&expression, RULE_TEXT_MAX);
    for (size_t i = 0; i < n; i++) {
        if (!buf_append_str(&expression, i == 0 ? "(?i)(?:" : "|", err) ||
            !append_beginning(&expression, &items[i], err)) {
            return false;
        }
    }
    return buf_append_char(&expression, ')', err) && arena_copy(a, buf_span(&expression), out, err);
}

static bool set_triggers(struct arena *a, const struct span_list *words, struct rule *rule, struct error *err)
{
    size_t n, n_triggers = 0;
    const struct beginning *items = beginnings(a, rule, words, &n, err);
    struct span *triggers = items != NULL ? arena_array(a, TRIGGERS_MAX, sizeof(*triggers), err) : NULL;

    if (triggers == NULL) {
        return false;
    }
    size_t each = (n + TRIGGERS_MAX - 1) / TRIGGERS_MAX;
    for (size_t i = 0; i < n; i += each) {
        struct span *trigger = &triggers[n_triggers++];
        if (!make_trigger(a, items + i, n - i < each ? n - i : each, trigger, err)) {
            return false;
        }
        uint32_t width = trigger_max_width(*trigger);
        rule->lead = width > rule->lead ? width : rule->lead;
    }
    rule->triggers = (struct span_list){.items = triggers, .n = n_triggers};
    return true;
}

bool rule_words_compile(struct arena *a, struct rule *rule, struct error *err)
{
    struct span_list words;

    return sorted_words(a, &rule->words, &words, err) && set_pattern(a, &words, rule, err) &&
           set_triggers(a, &words, rule, err);
}
