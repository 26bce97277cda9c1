#include "ctl/source/ignores.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"

/* COMMENT_REACH: how far from a match its comment may be; a line may have megabytes. STARS_MAX: fnmatch tries all ways. */
enum { FILE_MAX = 64 * 1024 * 1024, ITEMS_MAX = 10000, STARS_MAX = 8, COMMENT_REACH = 512 };

void ignores_init(struct ignores *g)
{
    *g = (struct ignores){0};
    seen_init(&g->prints);
}

void ignores_deinit(struct ignores *g)
{
    for (size_t i = 0; i < g->n; i++) {
        free(g->items[i].rule);
        free(g->items[i].path);
    }
    free(g->items);
    seen_deinit(&g->prints);
    *g = (struct ignores){0};
}

static bool add_item(struct ignores *g, const struct ignore *item, struct error *err)
{
    if (g->n == ITEMS_MAX) {
        return error_set(err, ERROR_LIMIT, "at most %d lines for paths and rules expected", ITEMS_MAX);
    }
    if (g->n == g->max) {
        size_t max = g->max == 0 ? 16 : g->max * 2;
        struct ignore *items = reallocarray(g->items, max, sizeof(*items));
        if (items == NULL) {
            return error_set(err, ERROR_NO_MEMORY, "no memory");
        }
        g->items = items;
        g->max = max;
    }
    g->items[g->n++] = *item;
    return true;
}

static bool take_prefix(struct span *line, const char *prefix)
{
    if (!span_starts_with(*line, span_str(prefix))) {
        return false;
    }
    *line = span_slice(*line, strlen(prefix), line->len);
    return true;
}

/* Up to the next blank, which goes with it. */
static struct span take_word(struct span *line)
{
    size_t len = 0;

    while (len < line->len && !isblank((unsigned char)line->ptr[len])) {
        len++;
    }
    struct span word = span_slice(*line, 0, len);
    while (len < line->len && isblank((unsigned char)line->ptr[len])) {
        len++;
    }
    *line = span_slice(*line, len, line->len);
    return word;
}

static struct span strip(struct span line)
{
    while (line.len > 0 && isspace((unsigned char)line.ptr[0])) {
        line = span_slice(line, 1, line.len);
    }
    while (line.len > 0 && isspace((unsigned char)line.ptr[line.len - 1])) {
        line.len--;
    }
    return line;
}

static bool expected(struct error *err)
{
    return error_set(err, ERROR_INVALID, "path:PATTERN, rule:ID, rule:ID path:PATTERN or fingerprint:PRINT expected");
}

/* Sixteen hexadecimal digits, a colon, a number. */
static bool is_print(struct span text)
{
    enum { DIGITS = 16 };

    for (size_t i = 0; i < text.len; i++) {
        bool is_ok = i < DIGITS ? isxdigit((unsigned char)text.ptr[i]) != 0 && !isupper((unsigned char)text.ptr[i])
                                : i == DIGITS ? text.ptr[i] == ':' : isdigit((unsigned char)text.ptr[i]) != 0;
        if (!is_ok) {
            return false;
        }
    }
    return text.len > DIGITS + 1;
}

static bool parse_print(struct ignores *g, struct span line, struct error *err)
{
    struct span print = take_word(&line);
    uint32_t before;

    if (!is_print(print) || (line.len > 0 && line.ptr[0] != '#')) {
        return expected(err);
    }
    return seen_add(&g->prints, seen_key_of(&g->prints, &print, 1), &before, err);
}

static size_t count_stars(struct span pattern)
{
    size_t n = 0;

    for (size_t i = 0; i < pattern.len; i++) {
        n += pattern.ptr[i] == '*' ? 1 : 0;
    }
    return n;
}

static bool parse_line(struct ignores *g, struct span line, size_t number, struct error *err)
{
    struct span rule = {0}, path = {0};

    if (take_prefix(&line, "fingerprint:")) {
        return parse_print(g, line, err);
    }
    if (take_prefix(&line, "rule:")) {
        rule = take_word(&line);
        if (rule.len == 0) {
            return expected(err);
        }
    }
    if (take_prefix(&line, "path:")) {
        path = line;
        line = span_of("", 0);
        if (path.len == 0 || count_stars(path) > STARS_MAX) {
            return error_set(err, ERROR_INVALID, "a path with at most %d stars expected", STARS_MAX);
        }
    }
    if (line.len > 0 || memchr(path.len > 0 ? path.ptr : "", '\0', path.len) != NULL) {
        return expected(err);
    }
    struct ignore item = {.line = number, .rule = rule.len > 0 ? strndup(rule.ptr, rule.len) : NULL,
                          .path = path.len > 0 ? strndup(path.ptr, path.len) : NULL};
    bool is_ok = ((rule.len > 0) == (item.rule != NULL) && (path.len > 0) == (item.path != NULL)) ||
                 error_set(err, ERROR_NO_MEMORY, "no memory");
    is_ok = is_ok && add_item(g, &item, err);
    if (!is_ok) {
        free(item.rule);
        free(item.path);
    }
    return is_ok;
}

bool ignores_parse(struct ignores *g, const char *name, struct span text, struct error *err)
{
    size_t number = 0;

    while (text.len > 0) {
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t len = end != NULL ? (size_t)(end - text.ptr) : text.len;
        struct span line = strip(span_of(text.ptr, len));
        number++;
        if (line.len > 0 && line.ptr[0] != '#' && !parse_line(g, line, number, err)) {
            return error_wrap(err, "%s:%zu", name, number);
        }
        text = span_slice(text, end != NULL ? len + 1 : len, text.len);
    }
    return true;
}

bool ignores_read(struct ignores *g, const char *file, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);
    struct stat status;
    int fd CLEANUP(cleanup_fd) = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    buf_init(&text, FILE_MAX);
    if (fd < 0 || fstat(fd, &status) != 0) {
        return error_errno(err, "%s", file);
    }
    if (!S_ISREG(status.st_mode)) {
        return error_set(err, ERROR_INVALID, "%s: a regular file expected", file);
    }
    return file_read_fd(fd, file, &text, err) && ignores_parse(g, file, buf_span(&text), err);
}

bool ignores_has_print(const struct ignores *g, struct span print)
{
    return seen_has(&g->prints, seen_key_of(&g->prints, &print, 1));
}

static bool is_path(const char *pattern, const char *path)
{
    size_t len = strlen(pattern);

    return pattern[len - 1] == '/' ? strncmp(path, pattern, len) == 0 : fnmatch(pattern, path, 0) == 0;
}

bool ignores_match(const struct ignores *g, const char *path, struct span rule)
{
    for (size_t i = 0; i < g->n; i++) {
        const struct ignore *item = &g->items[i];
        if ((item->rule == NULL || span_is(rule, item->rule)) && (item->path == NULL || is_path(item->path, path))) {
            return true;
        }
    }
    return false;
}

uint64_t ignores_class(const struct ignores *g, const char *path)
{
    enum { FACTOR = 1000003 }; /* a prime over ITEMS_MAX */
    uint64_t class = 0;

    for (size_t i = 0; i < g->n; i++) {
        if (g->items[i].path != NULL && is_path(g->items[i].path, path)) {
            class = class * FACTOR + i + 1;
        }
    }
    return class;
}

static bool is_id_character(char c)
{
    return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '.';
}

/* What follows the words: nothing, or "=ID,ID". */
static bool names_rule(struct span rest, struct span rule)
{
    if (rest.len == 0 || rest.ptr[0] != '=') {
        return rest.len == 0 || !is_id_character(rest.ptr[0]);
    }
    while (rest.len > 0 && (rest.ptr[0] == '=' || rest.ptr[0] == ',')) {
        size_t len = 1;
        while (len < rest.len && is_id_character(rest.ptr[len])) {
            len++;
        }
        if (span_equal(span_slice(rest, 1, len), rule)) {
            return true;
        }
        rest = span_slice(rest, len, rest.len);
    }
    return false;
}

bool ignores_in_text(struct span text, size_t from, size_t to, struct span rule)
{
    static const char words[] = "filterd:allow";
    size_t least = from > COMMENT_REACH ? from - COMMENT_REACH : 0;
    size_t most = text.len - to > COMMENT_REACH ? to + COMMENT_REACH : text.len;
    const char *start = from > least ? memrchr(text.ptr + least, '\n', from - least) : NULL;
    const char *end = most > to ? memchr(text.ptr + to, '\n', most - to) : NULL;
    size_t at = start != NULL ? (size_t)(start - text.ptr) + 1 : least;
    struct span lines = span_slice(text, at, end != NULL ? (size_t)(end - text.ptr) : most);

    for (;;) {
        const char *found = lines.len > 0 ? memmem(lines.ptr, lines.len, words, strlen(words)) : NULL;
        if (found == NULL) {
            return false;
        }
        lines = span_slice(lines, (size_t)(found - lines.ptr) + strlen(words), lines.len);
        if (names_rule(lines, rule)) {
            return true;
        }
    }
}
