#include "classifiers/train/templates.h"
#include "classifiers/train/goal.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"

enum { FILE_MAX = 1024 * 1024, SECTIONS_MAX = 256, DEPTH_MAX = 12, TEXT_MAX = 16 * 1024, COUNT_MAX = 100000 };

static const uint64_t seed = 0x5eed0f7e47a7e5ULL;

struct section {
    struct span name;
    size_t first, n; /* lines */
};

struct templates {
    const char *path;
    struct span *lines;
    size_t n_lines;
    struct section sections[SECTIONS_MAX];
    size_t n_sections;
    uint64_t state;
};

/* The head of that name; HEAD_COUNT for none. */
static enum head head_of_name(struct span name)
{
    unsigned head = 0;

    while (head < HEAD_COUNT && !span_is(name, goals[head].name)) {
        head++;
    }
    return (enum head)head;
}

static size_t next_below(struct templates *t, size_t n)
{
    t->state ^= t->state >> 12;
    t->state ^= t->state << 25;
    t->state ^= t->state >> 27;
    return (size_t)((t->state * 0x2545f4914f6cdd1dULL >> 33) % n);
}

static const struct section *find(const struct templates *t, struct span name)
{
    for (size_t i = 0; i < t->n_sections; i++) {
        if (span_equal(t->sections[i].name, name)) {
            return &t->sections[i];
        }
    }
    return NULL;
}

static bool wrong(const struct templates *t, struct span what, const char *expected, struct error *err)
{
    return error_set(err, ERROR_INVALID, "%s: \"" SPAN_FMT "\": %s", t->path, SPAN_ARG(what), expected);
}

/* One of the section's lines, with everything in braces put in. */
static bool expand(struct templates *t, const struct section *section, struct buf *out, int depth, struct error *err)
{
    struct span line = t->lines[section->first + next_below(t, section->n)];

    if (depth > DEPTH_MAX) {
        return wrong(t, section->name, "does not stand in itself", err);
    }
    for (size_t at = 0; at < line.len;) {
        const char *open = memchr(line.ptr + at, '{', line.len - at);
        size_t to = open == NULL ? line.len : (size_t)(open - line.ptr);
        const char *close = open == NULL ? NULL : memchr(open, '}', line.len - to);
        if (!buf_append(out, span_slice(line, at, to), err)) {
            return false;
        }
        if (close == NULL) {
            at = to;
            if (open != NULL && !buf_append(out, span_slice(line, to, line.len), err)) {
                return false;
            }
            break;
        }
        struct span name = span_of(open + 1, (size_t)(close - open) - 1);
        const struct section *inner = find(t, name);
        if (inner == NULL ? !buf_append(out, span_of(open, name.len + 2), err)
                          : !expand(t, inner, out, depth + 1, err)) {
            return false;
        }
        at = to + name.len + 2;
    }
    return true;
}

/* Sentences begin with a capital letter, but for one text in four that is written carelessly. */
static void capitalise(struct templates *t, struct buf *text)
{
    bool is_careless = next_below(t, 4) == 0, is_first = true;

    for (size_t i = 0; i < text->len && !is_careless; i++) {
        char c = text->data[i];
        if (is_first && isalpha((unsigned char)c)) {
            text->data[i] = (char)toupper((unsigned char)c);
        }
        is_first = i == 0 ? false : c == ' ' && (text->data[i - 1] == '.' || text->data[i - 1] == '!' || text->data[i - 1] == '?');
    }
}

/* One text in eight is shouted. */
static void shout(struct templates *t, struct buf *text)
{
    bool is_loud = next_below(t, 8) == 0;

    for (size_t i = 0; i < text->len && is_loud; i++) {
        text->data[i] = (char)toupper((unsigned char)text->data[i]);
    }
}

/* "+refusal -harm 500" */
static bool read_goal(const struct templates *t, struct span name, struct recipe *recipe, size_t *count, struct error *err)
{
    for (size_t at = 0; at < name.len;) {
        const char *space = memchr(name.ptr + at, ' ', name.len - at);
        size_t to = space == NULL ? name.len : (size_t)(space - name.ptr);
        char sign = name.ptr[at];
        if (isdigit((unsigned char)sign)) {
            *count = strtoul(name.ptr + at, NULL, 10);
        } else {
            enum head head = head_of_name(span_slice(name, at + 1, to));
            if (head == HEAD_COUNT || (sign != '+' && sign != '-')) {
                return wrong(t, name, "+head, -head and a number expected", err);
            }
            *(sign == '+' ? &recipe->positive : &recipe->negative) |= 1U << head;
        }
        at = to + (space != NULL);
    }
    return (*count > 0 && *count <= COUNT_MAX) || wrong(t, name, "+head, -head and a number expected", err);
}

static bool make_texts(struct templates *t, const struct section *section, struct corpus *c, struct error *err)
{
    struct recipe *recipe = arena_alloc(&c->memory, sizeof(*recipe), err);
    struct buf text;
    size_t count = 0;
    bool is_made = true;

    if (recipe == NULL) {
        return false;
    }
    *recipe = (struct recipe){.file = "", .group = "templates", .role = ROLE_AUXILIARY, .weight = 1};
    if (!read_goal(t, section->name, recipe, &count, err)) {
        return false;
    }
    recipe->negative |= 1U << HEAD_LANGUAGE; /* they are in English */
    buf_init(&text, TEXT_MAX);
    for (size_t i = 0; is_made && i < count; i++) {
        buf_clear(&text);
        is_made = expand(t, section, &text, 0, err);
        if (is_made) {
            capitalise(t, &text);
            shout(t, &text);
            is_made = corpus_add(c, buf_span(&text), recipe, err);
        }
    }
    buf_deinit(&text);
    return is_made;
}

static bool add_line(struct templates *t, struct span line, struct error *err)
{
    if (line.len == 0 || span_starts_with(line, span_str("# "))) {
        return true;
    }
    if (span_starts_with(line, span_str("== "))) {
        if (t->n_sections == SECTIONS_MAX) {
            return wrong(t, line, "too many sections", err);
        }
        t->sections[t->n_sections++] = (struct section){.name = span_slice(line, 3, line.len), .first = t->n_lines};
        return true;
    }
    if (t->n_sections == 0) {
        return wrong(t, line, "a section expected first", err);
    }
    t->lines[t->n_lines++] = line;
    t->sections[t->n_sections - 1].n++;
    return true;
}

static bool split(struct templates *t, struct span text, struct error *err)
{
    for (size_t at = 0; at < text.len;) {
        const char *end = memchr(text.ptr + at, '\n', text.len - at);
        size_t to = end == NULL ? text.len : (size_t)(end - text.ptr);
        if (!add_line(t, span_slice(text, at, to), err)) {
            return false;
        }
        at = to + 1;
    }
    for (size_t i = 0; i < t->n_sections; i++) {
        if (t->sections[i].n == 0) {
            return wrong(t, t->sections[i].name, "at least one line expected", err);
        }
    }
    return true;
}

bool templates_add(struct corpus *c, const char *path, struct error *err)
{
    CLEANUP(buf_deinit) struct buf file;
    struct templates t = {.path = path, .state = seed};

    buf_init(&file, FILE_MAX);
    if (!file_read(path, &file, err)) {
        return false;
    }
    t.lines = malloc((file.len + 1) * sizeof(*t.lines));
    bool is_added = t.lines != NULL ? split(&t, buf_span(&file), err) : error_set(err, ERROR_NO_MEMORY, "%s: no memory", path);
    for (size_t i = 0; is_added && i < t.n_sections; i++) {
        char sign = t.sections[i].name.ptr[0];
        is_added = (sign != '+' && sign != '-') || make_texts(&t, &t.sections[i], c, err);
    }
    free(t.lines);
    return is_added;
}
