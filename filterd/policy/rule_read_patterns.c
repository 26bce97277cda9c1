/* rule_read_patterns.c - reads the patterns of a rule, and reports errors with their place and a correction. */
#include "policy/rule_read.h"
#include "policy/rule_read_parts.h"

#include <stdio.h>

#include "regex/pattern.h"
#include "scan/regex.h"
#include "scan/scanner.h"

enum { BEHIND_MAX = 24, BOUND = 64, SUGGESTION_MAX = 32 };

bool rule_read_patterns(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                        struct error *err)
{
    struct rule *rule = out;

    (void)f;
    if (rule->patterns.n > 0) {
        return yaml_error(node, err, "either 'pattern' or 'patterns' expected");
    }
    /* Hyperscan takes expressions up to the first NUL: one inside would cut them short in silence, so it is refused. */
    if (!fragments_expand_list(r->arena, rule->fragments, node, &rule->patterns.items, &rule->patterns.n, err)) {
        return false;
    }
    if (!yaml_read_texts(r->arena, node, &rule->written.items, &rule->written.n, err)) {
        return false;
    }
    rule->pattern_node = node;
    for (size_t i = 0; i < rule->patterns.n; i++) {
        if (rule->patterns.items[i].len == 0 || rule->patterns.items[i].len > RULE_TEXT_MAX) {
            return yaml_error(node, err, "patterns of 1 to %d bytes expected", RULE_TEXT_MAX);
        }
    }
    return (rule->patterns.n > 0 && rule->patterns.n <= RULE_PATTERNS_MAX) ||
           yaml_error(node, err, "1 to %d patterns expected", RULE_PATTERNS_MAX);
}

/* --- what is wrong with one ------------------------------------------------------ */

static const struct yaml_node *node_of(const struct rule *rule, size_t i)
{
    const struct yaml_node *node = rule->pattern_node;

    for (node = node->kind == YAML_SEQUENCE ? node->first : node; i > 0; i--) {
        node = node->next;
    }
    return node;
}

/* "file:line:column: rule 'id': ", at that byte of the pattern as it is written, and the rest. */
static bool error_at(const struct rule *rule, size_t i, size_t offset, struct error *err)
{
    const struct yaml_node *node = node_of(rule, i);
    struct written_at at = fragments_locate(rule->fragments, node, offset);
    struct yaml_position position = yaml_position(at.node, at.offset);

    if (at.node != node) {
        error_wrap(err, "fragment '" SPAN_FMT "'", SPAN_ARG(at.node->key));
    }
    return error_wrap(err, "%s:%u:%u: rule '" SPAN_FMT "'", at.node->file, position.line, position.column,
                      SPAN_ARG(rule->id));
}

/* The end of what is before the offset, so that it can be found without counting; whole characters. */
static struct span behind(struct span pattern, size_t offset)
{
    size_t from = offset > BEHIND_MAX ? offset - BEHIND_MAX : 0;

    while (from < offset && ((unsigned char)pattern.ptr[from] & 0xc0) == 0x80) {
        from++;
    }
    return span_slice(pattern, from, offset);
}

static bool is_compiled(const struct rule *rule, size_t i, struct error *err)
{
    struct span pattern = rule->patterns.items[i];
    struct error reason;
    size_t at = 0;

    if (regex_check(pattern, &at, &reason)) {
        return true;
    }
    at = at < pattern.len ? at : pattern.len;
    struct span before = behind(pattern, at);
    error_set(err, ERROR_INVALID, "pattern: %s, at offset %zu%s" SPAN_FMT "%s", reason.text, at,
              before.len > 0 ? ", behind '" : "", SPAN_ARG(before), before.len > 0 ? "'" : "");
    return error_at(rule, i, at, err);
}

bool rule_check_patterns(const struct rule *rule, struct error *err)
{
    for (size_t i = 0; rule->pattern_node != NULL && i < rule->patterns.n; i++) {
        if (!is_compiled(rule, i, err)) {
            return false;
        }
    }
    return true;
}

/* Whether a repeat has no upper bound; what to write in its place. */
static bool is_unbounded(struct span repeat, char suggestion[SUGGESTION_MAX])
{
    unsigned long least = repeat.ptr[0] == '+' ? 1 : 0;

    if (repeat.ptr[0] == '{') {
        char *end = NULL;
        least = strtoul(repeat.ptr + 1, &end, 10); /* ends at the comma or the brace */
        if (*end != ',' || end[1] != '}') {
            return false;
        }
    }
    (void)snprintf(suggestion, SUGGESTION_MAX, "{%lu,%lu}", least, least < BOUND ? (unsigned long)BOUND : 2 * least);
    return repeat.ptr[0] != '?';
}

static bool is_look_around(struct span group)
{
    static const char *const openings[] = {"(?=", "(?!", "(?<=", "(?<!"};

    for (size_t i = 0; i < COUNT(openings); i++) {
        size_t len = strlen(openings[i]);
        if (group.len >= len && memcmp(group.ptr, openings[i], len) == 0) {
            return true;
        }
    }
    return false;
}

/* Behind the opening of a group: its question mark and its name are no repeats. */
static size_t group_opening_end(struct span p, size_t at)
{
    if (is_look_around(span_slice(p, at, p.len))) {
        return pattern_group_end(p, at); /* no part of the match */
    }
    return at + 1 < p.len && p.ptr[at + 1] == '?' ? at + 2 : at + 1;
}

/* The first repeat without an upper bound. */
static bool find_unbounded(struct span p, struct token *out, char suggestion[SUGGESTION_MAX])
{
    bool after_repeat = false;

    for (size_t at = 0; at < p.len;) {
        struct token t = pattern_token(p, at);
        bool is_repeat = t.kind == TOKEN_REPEAT && !after_repeat; /* the second of "++" only says how greedy */
        if (is_repeat && is_unbounded(span_slice(p, t.from, t.to), suggestion)) {
            *out = t;
            return true;
        }
        after_repeat = is_repeat;
        at = t.kind == TOKEN_OPEN ? group_opening_end(p, at) : t.to;
    }
    return false;
}

bool rule_pattern_error(const struct rule *rule, size_t i, struct error *err)
{
    char suggestion[SUGGESTION_MAX];
    struct token repeat;

    if (rule->pattern_node == NULL) {
        return error_wrap(err, SPAN_FMT ":%u:1: rule '" SPAN_FMT "'", SPAN_ARG(rule->source.file), rule->source.line,
                          SPAN_ARG(rule->id));
    }
    if (!is_compiled(rule, i, err)) {
        return false;
    }
    struct span pattern = rule->patterns.items[i];
    if (err->kind == ERROR_LIMIT && find_unbounded(pattern, &repeat, suggestion)) {
        error_set(err, ERROR_INVALID,
                  "pattern: '" SPAN_FMT "' at offset %zu has no upper bound: write %s, or what is the most there can be; or "
                  "max_length, the most bytes of a match (1 to %d)",
                  SPAN_ARG(span_slice(pattern, repeat.from, repeat.to)), repeat.from, suggestion, SCANNER_MATCH_MAX);
        return error_at(rule, i, repeat.from, err);
    }
    err->kind = ERROR_INVALID;
    return error_at(rule, i, 0, err);
}
