#include "policy/fragments.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "policy/pattern_source.h"
#include "regex/pattern.h"

static struct fragment *find(const struct fragments *f, struct span name)
{
    for (; f != NULL; f = f->shared) {
        for (size_t i = 0; i < f->n; i++) {
            if (span_equal(f->items[i].node->key, name)) {
                return &f->items[i];
            }
        }
    }
    return NULL;
}

/* "file:line:column: text", at that byte of what is written. */
static bool error_at(struct written_at at, struct error *err, const char *text)
{
    struct yaml_position position = yaml_position(at.node, at.offset);

    return error_set(err, ERROR_INVALID, "%s:%u:%u: %s", at.node->file, position.line, position.column, text);
}

/* --- what a fragment may be --------------------------------------------------- */

static bool is_option_group(struct span p, const struct token *t)
{
    struct span group = span_slice(p, t->from, pattern_group_end(p, t->from));

    return group.len > 3 && group.ptr[1] == '?' && strchr(":<=!>|#&'", group.ptr[2]) == NULL &&
           memchr(group.ptr, ':', group.len) == NULL;
}

/* NULL: nothing is wrong. */
static const char *fault_of(struct span p)
{
    if (p.len == 0) {
        return "a pattern expected";
    }
    if (!pattern_is_closed(p)) {
        return "a fragment closes each group, class and escape that it opens";
    }
    if (pattern_branch_end(p, 0) < p.len) {
        return "alternatives of a fragment stand in a group: write (?:...|...)";
    }
    if (pattern_token(p, 0).kind == TOKEN_REPEAT) {
        return "a fragment does not begin with a repeat";
    }
    for (size_t at = 0; at < p.len;) {
        struct token t = pattern_token(p, at);
        if (t.kind == TOKEN_OPEN && is_option_group(p, &t)) {
            return "options of a fragment stand in a group: write (?i:...)";
        }
        at = t.kind == TOKEN_OPEN ? pattern_group_end(p, at) : t.to;
    }
    return NULL;
}

/* A group, a class, an escape or a character: what a repeat behind it repeats whole. */
static bool is_one_item(struct span p)
{
    struct token t = pattern_token(p, 0);

    return (t.kind == TOKEN_OPEN ? pattern_group_end(p, 0) : t.to) == p.len;
}

/* --- expansion ------------------------------------------------------------------ */

struct expansion {
    struct arena *arena;
    struct fragments *fragments;
    unsigned depth;
};

static bool expand(struct expansion *x, const struct yaml_node *written, struct span *out, struct error *err);

/* Recursion ends at FRAGMENT_DEPTH_MAX. NOLINTNEXTLINE(misc-no-recursion) */
static bool expand_fragment(struct expansion *x, struct fragment *f, struct error *err)
{
    if (f->text.len > 0) {
        return true;
    }
    f->is_open = true;
    x->depth++;
    if (!expand(x, f->node, &f->text, err)) {
        return false;
    }
    x->depth--;
    f->is_open = false;
    const char *fault = fault_of(f->text);
    return fault == NULL || yaml_error(f->node, err, "%s", fault);
}

/* Recursion ends at FRAGMENT_DEPTH_MAX. NOLINTNEXTLINE(misc-no-recursion) */
static bool append_fragment(struct expansion *x, struct written_at at, const struct piece *piece, struct buf *out,
                            struct error *err)
{
    struct fragment *f = find(x->fragments, piece->text);
    char text[128];

    if (f == NULL) {
        (void)snprintf(text, sizeof(text), "there is no fragment '" SPAN_FMT "'; a brace that stands for itself is written \\{",
                       SPAN_ARG(piece->text));
        return error_at(at, err, text);
    }
    if (f->is_open || x->depth == FRAGMENT_DEPTH_MAX) {
        (void)snprintf(text, sizeof(text), f->is_open ? "fragment '" SPAN_FMT "' uses itself"
                                                      : "fragment '" SPAN_FMT "': fewer fragments inside each other expected",
                       SPAN_ARG(piece->text));
        return error_at(at, err, text);
    }
    f->is_used = true;
    if (!expand_fragment(x, f, err)) {
        return false;
    }
    if (piece->is_repeated && !is_one_item(f->text)) {
        (void)snprintf(text, sizeof(text), "fragment '" SPAN_FMT "' is more than one item: write (?:{" SPAN_FMT "}) to repeat it",
                       SPAN_ARG(piece->text), SPAN_ARG(piece->text));
        return error_at(at, err, text);
    }
    return buf_append(out, f->text, err);
}

/* Recursion ends at FRAGMENT_DEPTH_MAX. NOLINTNEXTLINE(misc-no-recursion) */
static bool append_pieces(struct expansion *x, const struct yaml_node *written, struct buf *out, struct error *err)
{
    struct pattern_source source;
    struct piece piece;

    pattern_source_init(&source, written->text);
    while (pattern_source_next(&source, &piece)) {
        struct written_at at = {written, piece.from};
        if (piece.kind == PIECE_FRAGMENT ? !append_fragment(x, at, &piece, out, err)
                                         : piece.kind == PIECE_TEXT && !buf_append(out, piece.text, err)) {
            return false;
        }
    }
    return source.problem == NULL || error_at((struct written_at){written, source.at}, err, source.problem);
}

/* Recursion ends at FRAGMENT_DEPTH_MAX. NOLINTNEXTLINE(misc-no-recursion) */
static bool expand(struct expansion *x, const struct yaml_node *written, struct span *out, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);

    buf_init(&text, PATTERN_TEXT_MAX);
    if (!pattern_source_needed(written->text)) {
        *out = written->text;
        return true;
    }
    if (append_pieces(x, written, &text, err)) {
        return arena_copy(x->arena, buf_span(&text), out, err);
    }
    return err->kind == ERROR_LIMIT && yaml_error(written, err, "at most %d bytes with all fragments expected", PATTERN_TEXT_MAX);
}

static bool define_all(struct arena *a, const struct yaml_node *node, struct fragments *out, struct error *err)
{
    if (!yaml_expect(node, YAML_MAPPING, "fragments", err)) {
        return false;
    }
    if (node->n > FRAGMENTS_MAX) {
        return yaml_error(node, err, "at most %d fragments expected", FRAGMENTS_MAX);
    }
    out->items = arena_array(a, node->n, sizeof(*out->items), err);
    if (out->items == NULL) {
        return false;
    }
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        const struct fragment *other = find(out, c->key);
        if (!fragment_is_name(c->key)) {
            return error_set(err, ERROR_INVALID, "%s:%u:%u: a name of a-z, then at most 31 of a-z, 0-9 and hyphen expected",
                             c->file, c->key_line, c->key_column);
        }
        if (other != NULL) {
            return error_set(err, ERROR_INVALID, "%s:%u:%u: fragment '" SPAN_FMT "' is also defined at %s:%u", c->file,
                             c->key_line, c->key_column, SPAN_ARG(c->key), other->node->file, other->node->key_line);
        }
        if (!yaml_expect(c, YAML_SCALAR, "fragment", err) || !yaml_expect_no_nul(c, err)) {
            return false;
        }
        out->items[out->n++] = (struct fragment){.node = c};
    }
    return true;
}

/* All at once: what is wrong with one is said though no rule uses it, and one that is shared sees those shared alone. */
bool fragments_read(struct arena *a, const struct yaml_node *node, struct fragments *out, struct error *err)
{
    struct expansion x = {.arena = a, .fragments = out};

    if (!define_all(a, node, out, err)) {
        return false;
    }
    for (size_t i = 0; i < out->n; i++) {
        if (!expand_fragment(&x, &out->items[i], err)) {
            return false;
        }
    }
    return true;
}

/* The pattern for PCRE2 from its written text; the text itself if there is nothing to expand. */
static bool fragments_expand(struct arena *a, struct fragments *f, const struct yaml_node *written, struct span *out,
                      struct error *err)
{
    struct expansion x = {.arena = a, .fragments = f};

    return yaml_expect(written, YAML_SCALAR, "value", err) && expand(&x, written, out, err);
}

bool fragments_expand_list(struct arena *a, struct fragments *f, const struct yaml_node *written, const struct span **out,
                           size_t *n, struct error *err)
{
    bool is_list = written->kind == YAML_SEQUENCE;
    size_t count = is_list ? written->n : 1;
    struct span *texts = arena_array(a, count, sizeof(*texts), err);

    if (texts == NULL || !yaml_expect_no_nul(written, err)) {
        return false;
    }
    const struct yaml_node *c = is_list ? written->first : written;
    for (size_t i = 0; i < count; i++, c = c->next) {
        if (!fragments_expand(a, f, c, &texts[i], err)) {
            return false;
        }
    }
    *out = texts;
    *n = count;
    return true;
}

bool fragments_are_used(const struct fragments *f, struct error *err)
{
    for (size_t i = 0; i < f->n; i++) {
        const struct yaml_node *node = f->items[i].node;
        if (!f->items[i].is_used) {
            return error_set(err, ERROR_INVALID, "%s:%u:%u: fragment '" SPAN_FMT "' is used nowhere", node->file, node->key_line,
                             node->key_column, SPAN_ARG(node->key));
        }
    }
    return true;
}

/* As deep as the expansion was, which has succeeded. NOLINTNEXTLINE(misc-no-recursion) */
struct written_at fragments_locate(const struct fragments *f, const struct yaml_node *written, size_t offset)
{
    struct pattern_source source;
    struct piece piece;
    size_t at = 0;

    pattern_source_init(&source, written->text);
    while (pattern_source_next(&source, &piece)) {
        const struct fragment *fragment = piece.kind == PIECE_FRAGMENT ? find(f, piece.text) : NULL;
        size_t len = fragment != NULL ? fragment->text.len : piece.text.len;
        if (offset < at + len) {
            return fragment != NULL
                       ? fragments_locate(f, fragment->node, offset - at)
                       : (struct written_at){written, piece.to - len + (offset - at)};
        }
        at += len;
    }
    return (struct written_at){written, written->text.len};
}
