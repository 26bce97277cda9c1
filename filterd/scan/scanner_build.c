/* scanner_build.c - from patterns to one database of triggers. */
#include <ctype.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "scan/scanner_parts.h"
#include "regex/trigger.h"

enum { TRIGGER_WIDTH_MAX = 96 };

const struct span scanner_secret_group = {.ptr = "secret", .len = 6};

struct builder {
    struct scanner_use *uses;
    struct hint_literal *hints;
    size_t n, cap, n_hints, max_hints;
};

static void builder_deinit(struct builder *b)
{
    for (size_t i = 0; i < b->n; i++) {
        free(b->uses[i].expression);
    }
    free(b->uses);
    free(b->hints);
}

static bool builder_add(struct builder *b, struct span expression, struct scanner_use use, struct error *err)
{
    if (b->n == b->cap) {
        size_t cap = b->cap == 0 ? 256 : b->cap * 2;
        struct scanner_use *uses = realloc(b->uses, cap * sizeof(*uses));
        if (uses == NULL) {
            return error_set(err, ERROR_NO_MEMORY, "triggers: no memory");
        }
        b->uses = uses;
        b->cap = cap;
    }
    use.expression = strndup(expression.ptr, expression.len);
    if (use.expression == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "triggers: no memory");
    }
    b->uses[b->n++] = use;
    return true;
}

/* --- one pattern ---------------------------------------------------------- */

struct pattern_parts {
    struct buf core, prefix; /* the prefix only of a pattern without triggers of its own */
    uint32_t core_width, prefix_width;
};

static void parts_deinit(struct pattern_parts *p)
{
    buf_deinit(&p->core);
    buf_deinit(&p->prefix);
}

static bool append_quoted(struct buf *out, char c, struct error *err)
{
    return (!ispunct((unsigned char)c) || buf_append_char(out, '\\', err)) && buf_append_char(out, c, err);
}

static bool append_literals(const struct trigger_literals *l, struct buf *out, struct error *err)
{
    if (!buf_append_str(out, l->is_caseless ? "(?i)(?:" : "(?:", err)) {
        return false;
    }
    for (size_t i = 0; i < l->n; i++) {
        if (i > 0 && !buf_append_char(out, '|', err)) {
            return false;
        }
        for (size_t k = 0; k < l->len[i]; k++) {
            if (!append_quoted(out, l->text[i][k], err)) {
                return false;
            }
        }
    }
    return buf_append_char(out, ')', err);
}

static uint32_t prefix_width(const struct pattern_parts *p)
{
    return span_equal(buf_span(&p->prefix), buf_span(&p->core)) ? p->core_width
                                                               : trigger_max_width(buf_span(&p->prefix));
}

/* A wide prefix makes a large automaton and long windows; its first letters alone do as well. */
static bool narrow_prefix(struct pattern_parts *p, struct error *err)
{
    struct trigger_literals literals;
    bool is_telling = true;

    if (p->prefix_width <= TRIGGER_WIDTH_MAX) {
        return true;
    }
    trigger_literals(buf_span(&p->core), &literals);
    for (size_t i = 0; i < literals.n; i++) {
        is_telling &= literals.len[i] >= HINT_LITERAL_MIN;
    }
    if (literals.n == 0 || !is_telling) {
        return true;
    }
    buf_clear(&p->prefix);
    if (!append_literals(&literals, &p->prefix, err)) {
        return false;
    }
    p->prefix_width = prefix_width(p);
    return true;
}

static bool parts_make(const struct scanner_pattern *pattern, struct pattern_parts *p, struct error *err)
{
    if (!trigger_core(pattern->pattern, &p->core, err)) {
        return false;
    }
    if (p->core.len == 0) {
        return error_set(err, ERROR_INVALID, SCANNER_EMPTY_MATCH);
    }
    p->core_width = trigger_max_width(buf_span(&p->core));
    if (pattern->n_triggers > 0) {
        return true;
    }
    if (!trigger_prefix(buf_span(&p->core), &p->prefix, err)) {
        return false;
    }
    p->prefix_width = prefix_width(p);
    return narrow_prefix(p, err);
}

static bool set_limits(const struct scanner_pattern *pattern, const struct pattern_parts *parts,
                       struct scanner_entry *entry, struct error *err)
{
    uint32_t max = parts->core_width;

    if (max > SCANNER_MATCH_MAX && pattern->max_length == 0) {
        return error_set(err, ERROR_LIMIT, "pattern: an upper bound of at most %d bytes expected, in the pattern or as max_length",
                         SCANNER_MATCH_MAX);
    }
    entry->max_width = max > SCANNER_MATCH_MAX ? TRIGGER_WIDTH_UNBOUNDED : max;
    entry->max_length = pattern->max_length != 0 ? pattern->max_length : max;
    return true;
}

static bool set_lead(const struct scanner_pattern *pattern, const struct pattern_parts *parts,
                     struct scanner_entry *entry, struct error *err)
{
    uint32_t max = pattern->n_triggers == 0 ? parts->prefix_width : entry->max_width;

    if (pattern->lead != 0) {
        entry->lead = pattern->lead;
        return true;
    }
    if (max > SCANNER_LEAD_DEFAULT_MAX) {
        return error_set(err, ERROR_INVALID, "lead: expected, as the trigger may end more than %d bytes behind the start of a match",
                         SCANNER_LEAD_DEFAULT_MAX);
    }
    entry->lead = max;
    return true;
}

/* --- hints: the first letters of a token in ROT13, and backwards ------------ */

static bool is_telling(const char *literal, size_t len)
{
    bool has_letter = false, has_other = false;

    for (size_t i = 0; i < len; i++) {
        has_letter |= isalpha((unsigned char)literal[i]) != 0;
        has_other |= isalnum((unsigned char)literal[i]) == 0;
    }
    return has_letter && (len > HINT_LITERAL_MIN || (len == HINT_LITERAL_MIN && has_other));
}

/* How a literal is written in the text. Both: its ROT13 is read first, and gives the hint for the other. */
struct disguise { bool is_rot13, is_backward; };

static bool add_hint(struct builder *b, const char *literal, size_t len, struct disguise d, struct error *err)
{
    struct hint_literal hint = {
        .len = len, .is_behind = d.is_backward, .kind = d.is_rot13 ? VIEW_HINT_ROT13 : VIEW_HINT_REVERSED};

    for (size_t i = 0; i < len; i++) {
        const char c = literal[d.is_backward ? len - 1 - i : i];
        hint.text[i] = d.is_rot13 ? ascii_rot13(c) : c;
    }
    if (b->n_hints == b->max_hints) {
        size_t max = b->max_hints == 0 ? 256 : b->max_hints * 2;
        struct hint_literal *hints = realloc(b->hints, max * sizeof(*hints));
        if (hints == NULL) {
            return error_set(err, ERROR_NO_MEMORY, "triggers: no memory");
        }
        b->hints = hints;
        b->max_hints = max;
    }
    b->hints[b->n_hints++] = hint;
    return true;
}

static bool add_hints(struct builder *b, struct span expression, struct error *err)
{
    static const struct disguise disguises[] = {
        {.is_rot13 = true}, {.is_backward = true}, {.is_rot13 = true, .is_backward = true}};
    struct trigger_literals literals;

    trigger_literals(expression, &literals);
    for (size_t i = 0; i < literals.n && !literals.is_caseless; i++) {
        for (size_t k = 0; k < COUNT(disguises) && is_telling(literals.text[i], literals.len[i]); k++) {
            if (!add_hint(b, literals.text[i], literals.len[i], disguises[k], err)) {
                return false;
            }
        }
    }
    return true;
}

/* *width: of the longest of the rest's expressions; scanner_parts.h. */
static bool add_words(struct builder *b, const struct buf *words, const struct buf *rest, uint32_t index, uint32_t *width,
                      struct error *err)
{
    const struct scanner_use use = {.pattern = index};

    *width = 0;
    if (words->len > 0 && !builder_add(b, buf_span(words), use, err)) {
        return false;
    }
    for (size_t at = 0; at < rest->len;) {
        struct span expression = span_str(rest->data + at);
        uint32_t w = trigger_max_width(expression);
        *width = w > *width ? w : *width;
        if (!builder_add(b, expression, use, err)) {
            return false;
        }
        at += expression.len + 1;
    }
    return true;
}

/* A trigger of words at the start of a word is looked for as such. */
static bool add_trigger(struct builder *b, struct span trigger, uint32_t index, struct error *err)
{
    struct buf words CLEANUP(buf_deinit), rest CLEANUP(buf_deinit);
    bool is_listed = false;
    uint32_t width;

    buf_init(&words, SCANNER_EXPRESSION_MAX);
    buf_init(&rest, SCANNER_EXPRESSION_MAX);
    if (!scanner_words_of_trigger(trigger, &words, &rest, &is_listed, err)) {
        return false;
    }
    return is_listed ? add_words(b, &words, &rest, index, &width, err)
                     : builder_add(b, trigger, (struct scanner_use){.pattern = index}, err);
}

/* is_listed: the words that it begins with stand for them; their hints are wanted all the same. */
static bool add_triggers(struct builder *b, const struct scanner_pattern *pattern, uint32_t index,
                         const struct pattern_parts *parts, bool is_listed, struct error *err)
{
    struct span derived = buf_span(&parts->prefix);
    const struct span *triggers = pattern->n_triggers > 0 ? pattern->triggers : &derived;
    size_t n = pattern->n_triggers > 0 ? pattern->n_triggers : 1;

    for (size_t i = 0; i < n; i++) {
        if ((!is_listed && !add_trigger(b, triggers[i], index, err)) ||
            (pattern->is_disguisable && !add_hints(b, triggers[i], err))) {
            return false;
        }
    }
    return true;
}

/* A pattern that begins with one of a list of words at the start of a word. *is_added: it needs no other triggers. */
static bool add_beginnings(struct builder *b, const struct scanner_pattern *pattern, uint32_t index,
                           const struct pattern_parts *parts, struct scanner_entry *entry, bool *is_added,
                           struct error *err)
{
    struct buf words CLEANUP(buf_deinit), rest CLEANUP(buf_deinit);
    uint32_t width;

    *is_added = false;
    buf_init(&words, SCANNER_EXPRESSION_MAX);
    buf_init(&rest, SCANNER_EXPRESSION_MAX);
    if (!(pattern->starts_free || pattern->starts_part) || (pattern->n_triggers > 0 && !pattern->prefers_words)) {
        return true;
    }
    if (!scanner_words_of_pattern(pattern, buf_span(&parts->core), &words, &rest, is_added, err)) {
        return false;
    }
    if (!*is_added) {
        return true;
    }
    if (!add_words(b, &words, &rest, index, &width, err)) {
        return false;
    }
    entry->lead = width > 0 ? width : 1;
    return true;
}

static bool add_pattern(struct builder *b, const struct scanner_pattern *pattern, uint32_t index,
                        struct scanner_entry *entry, struct error *err)
{
    struct pattern_parts parts = {0};

    buf_init(&parts.core, SCANNER_EXPRESSION_MAX);
    buf_init(&parts.prefix, SCANNER_EXPRESSION_MAX);
    entry->pattern = pattern->pattern;
    entry->views = pattern->views;
    entry->starts_free = pattern->starts_free;
    bool is_listed = false;
    bool is_added = parts_make(pattern, &parts, err) && set_limits(pattern, &parts, entry, err) &&
                    add_beginnings(b, pattern, index, &parts, entry, &is_listed, err) &&
                    (is_listed || set_lead(pattern, &parts, entry, err)) &&
                    add_triggers(b, pattern, index, &parts, is_listed, err);
    parts_deinit(&parts);
    return is_added;
}

static bool add_patterns(struct builder *b, const struct scanner_pattern *patterns, struct scanner *s, uint32_t *bad,
                         struct error *err)
{
    for (uint32_t i = 0; i < s->n; i++) {
        if (!add_pattern(b, &patterns[i], i, &s->entries[i], err)) {
            *bad = i;
            return false;
        }
    }
    return true;
}

/* --- all ------------------------------------------------------------------ */

static int compare_uses(const void *a, const void *b)
{
    const struct scanner_use *x = a, *y = b;
    int order = strcmp(x->expression, y->expression);

    if (order != 0) {
        return order;
    }
    return x->pattern < y->pattern ? -1 : x->pattern > y->pattern;
}

/* Numbers the distinct expressions; each use learns its trigger. */
static bool make_triggers(struct scanner *s, struct builder *b, const char ***expressions, struct error *err)
{
    s->triggers = calloc(b->n + 1, sizeof(*s->triggers));
    s->uses = calloc(b->n + 1, sizeof(*s->uses));
    *expressions = calloc(b->n + 1, sizeof(**expressions));
    if (s->triggers == NULL || s->uses == NULL || *expressions == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "triggers: no memory");
    }
    if (b->n > 0) {
        qsort(b->uses, b->n, sizeof(*b->uses), compare_uses);
    }
    for (size_t i = 0; i < b->n; i++) {
        struct scanner_use *use = &b->uses[i];
        if (i == 0 || strcmp(use->expression, b->uses[i - 1].expression) != 0) {
            bool is_inside = scanner_words_are_inside(use->expression);
            (*expressions)[s->n_triggers] = use->expression;
            s->n_word_lists += scanner_words_are(use->expression);
            s->triggers[s->n_triggers++] = (struct scanner_trigger){.is_inside = is_inside, .starts_free = true};
        }
        use->trigger = s->n_triggers - 1;
    }
    return true;
}

static bool make_prefilter(struct scanner *s, struct builder *b, const char *directory, uint32_t *bad,
                           struct error *err)
{
    const char **expressions CLEANUP(cleanup_free) = NULL;
    uint32_t bad_trigger = 0;

    if (!make_triggers(s, b, &expressions, err)) {
        return false;
    }
    s->keywords = scanner_words_make(expressions, s->n_word_lists, err);
    s->hints = s->keywords != NULL ? hint_literals_new(b->hints, b->n_hints, err) : NULL;
    if (s->hints == NULL) {
        return false;
    }
    s->prefilter = prefilter_new(expressions + s->n_word_lists, s->n_triggers - s->n_word_lists, directory, &bad_trigger, err);
    for (size_t i = 0; s->prefilter == NULL && i < b->n; i++) {
        if (b->uses[i].trigger == s->n_word_lists + bad_trigger) {
            *bad = b->uses[i].pattern;
        }
    }
    return s->prefilter != NULL && scanner_make_groups(s, b->uses, b->n, err);
}

struct scanner *scanner_new(const struct scanner_pattern *patterns, uint32_t n, const char *cache_directory,
                            bool without_prefilter, uint32_t *bad_pattern, struct error *err)
{
    static _Atomic uint64_t last_serial;
    struct builder builder CLEANUP(builder_deinit) = {0};
    struct scanner *s = calloc(1, sizeof(*s));

    *bad_pattern = n;
    if (s == NULL || (s->entries = calloc((size_t)n + 1, sizeof(*s->entries))) == NULL ||
        (s->live = scanner_live_new()) == NULL || n > SCANNER_PATTERNS_MAX) {
        error_set(err, n > SCANNER_PATTERNS_MAX ? ERROR_LIMIT : ERROR_NO_MEMORY, "patterns: no room for %u", n);
        scanner_free(s);
        return NULL;
    }
    s->serial = atomic_fetch_add(&last_serial, 1) + 1;
    s->n = n;
    s->without_prefilter = without_prefilter;
    struct scanner_compilation compilation = {.patterns = patterns, .entries = s->entries, .n = n};
    bool is_made = scanner_patterns_start(&compilation) && add_patterns(&builder, patterns, s, bad_pattern, err) &&
                   make_prefilter(s, &builder, cache_directory, bad_pattern, err);
    is_made = scanner_patterns_end(&compilation, bad_pattern, err) && is_made;
    if (!is_made) {
        scanner_free(s);
        return NULL;
    }
    return s;
}

void scanner_free(struct scanner *s)
{
    if (s == NULL) {
        return;
    }
    for (uint32_t i = 0; s->entries != NULL && i < s->n; i++) {
        regex_free(s->entries[i].regex);
        start_filter_free(atomic_load(&s->entries[i].starts));
    }
    for (uint32_t i = 0; s->groups != NULL && i < s->n_groups; i++) {
        start_filter_free(atomic_load(&s->groups[i].starts));
    }
    free(s->entries);
    free(s->triggers);
    free(s->uses);
    free(s->groups);
    free(s->members);
    scanner_live_free(s->live);
    prefilter_free(s->prefilter);
    keywords_free(s->keywords);
    hint_literals_free(s->hints);
    free(s);
}

size_t scanner_database_size(const struct scanner *s)
{
    return prefilter_size(s->prefilter);
}
