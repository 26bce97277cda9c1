/* document_file.c - text files: one JSON value, JSON Lines, or plain text. */
#include "base/ascii.h"
#include "base/json.h"
#include "judge/path.h"
#include "pipeline/document.h"

static struct span trim(struct span s)
{
    while (s.len > 0 && ascii_is_space(s.ptr[0])) {
        s = span_slice(s, 1, s.len);
    }
    while (s.len > 0 && ascii_is_space(s.ptr[s.len - 1])) {
        s.len--;
    }
    return s;
}

static bool is_json_container(struct span s)
{
    struct error ignored;

    return s.len > 0 && (s.ptr[0] == '{' || s.ptr[0] == '[') && json_validate(s, &ignored);
}

/* Takes the first line, without its line feed. */
static struct span next_line(struct span *rest)
{
    const char *end = memchr(rest->ptr, '\n', rest->len);
    size_t n = end == NULL ? rest->len : (size_t)(end - rest->ptr);
    struct span line = span_slice(*rest, 0, n);

    *rest = span_slice(*rest, end == NULL ? n : n + 1, rest->len);
    return line;
}

/* Whether each line that is not blank is an object or an array; *n is how many there are. */
static bool count_lines(struct span text, size_t *n)
{
    *n = 0;
    while (text.len > 0) {
        struct span line = trim(next_line(&text));
        if (line.len > 0 && !is_json_container(line)) {
            return false;
        }
        *n += line.len > 0;
    }
    return *n > 0;
}

static bool read_text(struct arena *a, struct span text, struct span prefix, struct document *out, struct error *err)
{
    struct document d = {.json = text};
    struct document_token *token = arena_alloc(a, sizeof(*token), err);

    d.channels = token == NULL ? NULL : arena_alloc(a, sizeof(*d.channels), err);
    if (d.channels == NULL || !arena_copy(a, prefix, &prefix, err)) {
        return false;
    }
    *token = (struct document_token){.to = text.len, .is_raw = true};
    d.channels[0] = (struct channel){.path = prefix, .text = text};
    d.tokens = token;
    d.n = text.len > 0;
    *out = d;
    return true;
}

static bool line_prefix(struct arena *a, struct span prefix, size_t index, struct span *out, struct error *err)
{
    char *path = arena_alloc(a, prefix.len + PATH_INDEX_MAX, err);

    if (path == NULL) {
        return false;
    }
    if (prefix.len > 0) {
        memcpy(path, prefix.ptr, prefix.len);
    }
    *out = span_of(path, prefix.len + path_write_index(path + prefix.len, index));
    return true;
}

typedef bool read_fn(struct arena *a, struct span json, struct span prefix, struct document *out, struct error *err);

/* Each line as a document of its own, by `read`. */
static bool read_lines(struct arena *a, struct span text, struct span prefix, size_t n, read_fn *read, struct document *out,
                       struct error *err)
{
    struct document *lines = arena_array(a, n, sizeof(*lines), err);
    struct span rest = text, path;

    for (size_t index = 0, at = 0; lines != NULL && rest.len > 0; index++) {
        struct span line = trim(next_line(&rest));
        if (line.len > 0 && (!line_prefix(a, prefix, index, &path, err) || !read(a, line, path, &lines[at++], err))) {
            return false;
        }
    }
    return lines != NULL && document_join(a, text, lines, n, out, err);
}

/* Numbers of a document go on behind those of the document before it; 0 stays. */
static void renumber(uint32_t *number, uint32_t before, uint32_t *highest)
{
    *number += *number == 0 ? 0 : before;
    *highest = *number > *highest ? *number : *highest;
}

uint32_t document_number_columns(struct document *d, uint32_t before)
{
    uint32_t highest = before;

    for (size_t i = 0; i < d->n; i++) {
        renumber(&d->channels[i].column, before, &highest);
    }
    return highest;
}

bool document_join(struct arena *a, struct span text, const struct document *of, size_t n_of, struct document *out,
                   struct error *err)
{
    struct document d = {.json = text};
    struct document_token *tokens;
    size_t n = 0;
    uint32_t messages = 0, columns = 0;

    for (size_t i = 0; i < n_of; i++) {
        n += of[i].n;
        d.n_containers += of[i].n_containers;
    }
    if (n > DOCUMENT_CHANNELS_MAX) {
        return error_set(err, ERROR_LIMIT, "document: more than %d strings and long numbers", DOCUMENT_CHANNELS_MAX);
    }
    d.channels = arena_array(a, n + 1, sizeof(*d.channels), err);
    tokens = d.channels == NULL ? NULL : arena_array(a, n + 1, sizeof(*tokens), err);
    if (tokens == NULL) {
        return false;
    }
    for (size_t i = 0; i < n_of; i++) {
        size_t at = (size_t)(of[i].json.ptr - text.ptr);
        const uint32_t messages_before = messages, columns_before = columns;
        for (size_t k = 0; k < of[i].n; k++, d.n++) {
            d.channels[d.n] = of[i].channels[k];
            renumber(&d.channels[d.n].message, messages_before, &messages);
            renumber(&d.channels[d.n].column, columns_before, &columns);
            tokens[d.n] = of[i].tokens[k];
            tokens[d.n].from += at;
            tokens[d.n].to += at;
        }
    }
    d.tokens = tokens;
    *out = d;
    return true;
}

bool document_read_file(struct arena *a, struct span text, struct span prefix, enum document_numbers numbers,
                        struct document *out, struct error *err)
{
    static read_fn *const reads[] = {
        [DOCUMENT_NO_NUMBERS] = document_read_texts, [DOCUMENT_INTEGERS] = document_read_integers, [DOCUMENT_NUMBERS] = document_read};
    read_fn *read = reads[numbers];
    struct span whole = trim(text);
    size_t n;

    if (is_json_container(whole)) {
        return read(a, whole, prefix, out, err) && document_join(a, text, out, 1, out, err);
    }
    return count_lines(text, &n) ? read_lines(a, text, prefix, n, read, out, err) : read_text(a, text, prefix, out, err);
}
