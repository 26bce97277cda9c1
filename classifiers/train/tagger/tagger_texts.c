#include "classifiers/train/tagger/tagger_texts.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>

#include "classifiers/tagger_features.h"
#include "text/utf8.h"

void give_up(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    (void)fputc('\n', stderr);
    exit(2);
}

void *need_memory(size_t n, size_t size)
{
    void *p = calloc(n > 0 ? n : 1, size);

    if (p == NULL) {
        give_up("out of memory");
    }
    return p;
}

struct span copy_span(struct span text)
{
    char *copy = need_memory(text.len + 1, 1);

    memcpy(copy, text.ptr, text.len);
    return span_of(copy, text.len);
}

uint32_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)(*state * UINT64_C(2685821657736338717) >> 32);
}

uint32_t random_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)((uint64_t)next_random(state) * n >> 32);
}

struct span read_whole(const char *folder, const char *name)
{
    char path[4096];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        give_up("%s: %s", path, strerror(errno));
    }
    long size = ftell(file);
    char *bytes = need_memory((size_t)size + 1, 1);
    rewind(file);
    if (fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        give_up("%s: cannot be read whole", path);
    }
    (void)fclose(file);
    return span_of(bytes, (size_t)size);
}

bool next_line(struct span *rest, struct span *line)
{
    if (rest->len == 0) {
        return false;
    }
    const char *end = memchr(rest->ptr, '\n', rest->len);
    size_t len = end == NULL ? rest->len : (size_t)(end - rest->ptr);
    *line = span_of(rest->ptr, len);
    size_t taken = len + (end != NULL);
    *rest = span_of(rest->ptr + taken, rest->len - taken);
    return true;
}

void examples_add(struct examples *all, struct example one)
{
    if (all->n == all->cap) {
        all->cap = all->cap == 0 ? 1024 : all->cap * 2;
        all->items = realloc(all->items, all->cap * sizeof(*all->items));
        if (all->items == NULL) {
            give_up("out of memory");
        }
    }
    all->items[all->n++] = one;
}

/* --- sentences --------------------------------------------------------------- */

static uint32_t source_of(const char *source)
{
    static const struct {
        const char *prefix;
        uint32_t source;
    } sources[] = {{"wnut17 wnut17train", SOURCE_WNUT_TRAIN},
                   {"wnut17 emerging", SOURCE_WNUT_NEW},
                   {"btc ", SOURCE_BTC},
                   {"crossner ", SOURCE_CROSSNER},
                   {"sec train", SOURCE_SEC_FIN5},
                   {"sec test", SOURCE_SEC_FIN3}};

    for (size_t i = 0; i < COUNT(sources); i++) {
        if (strncmp(source, sources[i].prefix, strlen(sources[i].prefix)) == 0) {
            return sources[i].source;
        }
    }
    give_up("sentences: unknown source");
}

static uint32_t label_of(const char *kind)
{
    static const struct {
        const char *kind;
        uint32_t label;
    } labels[] = {{"PERSON", TAGGER_PERSON_BEGINS},
                  {"LOCATION", TAGGER_PLACE_BEGINS},
                  {"ORG", TAGGER_ORGANISATION_BEGINS},
                  {"MISC", TAGGER_OTHER_BEGINS}};

    for (size_t i = 0; i < COUNT(labels); i++) {
        if (strcmp(kind, labels[i].kind) == 0) {
            return labels[i].label;
        }
    }
    give_up("sentences: unknown kind of span");
}

/* Byte offset of a code point. */
static uint32_t byte_of(struct span text, size_t point)
{
    size_t at = 0;

    for (size_t i = 0; i < point && at < text.len; i++) {
        size_t len = 1;
        (void)utf8_decode(span_slice(text, at, text.len), &len);
        at += len;
    }
    return (uint32_t)at;
}

static bool is_role(struct span name)
{
    return name.len <= 9 &&
           (strncasecmp(name.ptr, "borrower", 8) == 0 || strncasecmp(name.ptr, "lender", 6) == 0);
}

/* Where the word with its underscores begins that goes on at `at`; the data's makers put spaces
 * around them. */
static size_t handle_begin(struct span text, size_t at)
{
    for (;;) {
        while (at > 0 && text.ptr[at - 1] == ' ') {
            at--;
        }
        if (at == 0 || text.ptr[at - 1] != '_') {
            return at;
        }
        at--;
        while (at > 0 && text.ptr[at - 1] == ' ') {
            at--;
        }
        while (at > 0 && text.ptr[at - 1] != ' ' && text.ptr[at - 1] != '@') {
            at--;
        }
    }
}

/* Whether the mark is of a handle or in an e-mail address: the @ itself, or what is beside one.
 */
static bool is_handle(struct span text, const struct mark *m)
{
    if (text.ptr[m->from] == '@') {
        return true;
    }
    size_t at = handle_begin(text, m->from);
    size_t end = m->to;
    while (end < text.len && text.ptr[end] == ' ') {
        end++;
    }
    return (at > 0 && text.ptr[at - 1] == '@') || (end < text.len && text.ptr[end] == '@');
}

/* Dashes, asterisks and the like that stick to a name in the data are none of it. */
static void trim_mark(struct span text, struct mark *m)
{
    static const char around[] = "-*~'\",;:";
    uint32_t from = m->from;
    uint32_t to = m->to;

    while (from < to && strchr(around, text.ptr[from]) != NULL) {
        from++;
    }
    while (to > from && strchr(around, text.ptr[to - 1]) != NULL) {
        to--;
    }
    if (from < to) {
        m->from = from;
        m->to = to;
    }
}

/* Where the word ends that is behind " . " at `at` and begins with a capital; `at` if there is
 * none. */
static uint32_t surname_end(struct span text, uint32_t at)
{
    struct span after = span_slice(text, at, text.len);

    if (after.len < 4 || !span_starts_with(after, span_str(" . ")) || after.ptr[3] < 'A' ||
        after.ptr[3] > 'Z') {
        return at;
    }
    for (at += 3; at < text.len && text.ptr[at] != ' ';) {
        at++;
    }
    return at;
}

static void mend_mark(struct span text, struct mark *m)
{
    trim_mark(text, m);
    bool ends_in_initial = m->to - m->from > 2 && text.ptr[m->to - 2] == ' ' &&
                           text.ptr[m->to - 1] >= 'A' && text.ptr[m->to - 1] <= 'Z';
    if (m->label == TAGGER_PERSON_BEGINS && ends_in_initial) {
        m->to = surname_end(text, m->to);
    }
}

static void read_marks(json_t *row, struct example *e, enum reading reading)
{
    json_t *spans = json_object_get(row, "spans");

    e->marks = need_memory(json_array_size(spans), sizeof(*e->marks));
    for (size_t i = 0; i < json_array_size(spans); i++) {
        json_t *span = json_array_get(spans, i);
        struct mark m = {
            .from = byte_of(e->text, (size_t)json_integer_value(json_array_get(span, 0))),
            .to = byte_of(e->text, (size_t)json_integer_value(json_array_get(span, 1))),
            .label = label_of(json_string_value(json_array_get(span, 2)))};
        struct span name = span_slice(e->text, m.from, m.to);
        if (m.to <= m.from) {
            continue;
        }
        if (e->n_marks > 0 && m.from < e->marks[e->n_marks - 1].to && reading == READ_MENDED) {
            continue; /* the surname that a mended mark reaches over */
        }
        if (reading == READ_MENDED) {
            mend_mark(e->text, &m);
        }
        if (reading != READ_LABELLED &&
            (is_handle(e->text, &m) || (m.label == TAGGER_PERSON_BEGINS && is_role(name)))) {
            m.label = LABEL_IGNORED;
        }
        e->marks[e->n_marks++] = m;
    }
}

static json_t *parse_row(struct span line, const char *name)
{
    json_error_t error;
    json_t *row = json_loadb(line.ptr, line.len, 0, &error);

    if (row == NULL) {
        give_up("%s: %s", name, error.text);
    }
    return row;
}

static struct span text_of(json_t *row)
{
    json_t *text = json_object_get(row, "text");

    return copy_span(span_of(json_string_value(text), json_string_length(text)));
}

void read_sentences(const char *folder, enum reading reading, struct examples *all)
{
    struct span rest = read_whole(folder, "ner/sentences.ndjson");
    struct span line;

    while (next_line(&rest, &line)) {
        json_t *row = parse_row(line, "ner/sentences.ndjson");
        struct example e = {.text = text_of(row), .weight = 1};
        e.group = source_of(json_string_value(json_object_get(row, "source")));
        read_marks(row, &e, reading);
        examples_add(all, e);
        json_decref(row);
    }
}

/* --- spaces ------------------------------------------------------------------ */

static bool begins_with_one_of(struct span rest, const char *const *starts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (span_starts_with(rest, span_str(starts[i]))) {
            return true;
        }
    }
    return false;
}

/* Whether the space at `at` was put there by a tokeniser; n_quotes: double quotes so far. */
static bool is_token_space(struct span text, size_t at, size_t n_quotes)
{
    static const char *const closing[] = {", ",   ". ",   "; ",  ": ",  "! ",  "? ",
                                          ") ",   "] ",   "% ",  "'s ", "'m ", "'re ",
                                          "'ve ", "'ll ", "'d ", "n't "};
    struct span after = span_slice(text, at + 1, text.len);
    char before = at > 0 ? text.ptr[at - 1] : ' ';

    if (after.len == 1 && strchr(".!?,;:)", after.ptr[0]) != NULL) {
        return true;
    }
    if (before == '"' && n_quotes % 2 == 1) {
        return true;
    }
    if (after.len > 0 && after.ptr[0] == '"' && n_quotes % 2 == 1) {
        return true;
    }
    bool opens = before != ' ' && before != '\0' && strchr("([{$@#", before) != NULL &&
                 (at < 2 || text.ptr[at - 2] == ' ');
    return opens || begins_with_one_of(after, closing, COUNT(closing));
}

struct example without_token_spaces(const struct example *e)
{
    uint32_t *moved = need_memory(e->text.len + 1, sizeof(*moved));
    char *out = need_memory(e->text.len + 1, 1);
    size_t n = 0;
    size_t n_quotes = 0;
    struct example result = *e;

    for (size_t i = 0; i < e->text.len; i++) {
        char c = e->text.ptr[i];
        moved[i] = (uint32_t)n;
        n_quotes += c == '"';
        if (c != ' ' || !is_token_space(e->text, i, n_quotes)) {
            out[n++] = c;
        }
    }
    moved[e->text.len] = (uint32_t)n;
    result.text = span_of(out, n);
    result.marks = need_memory(e->n_marks, sizeof(*result.marks));
    for (size_t i = 0; i < e->n_marks; i++) {
        result.marks[i] =
            (struct mark){moved[e->marks[i].from], moved[e->marks[i].to], e->marks[i].label};
    }
    free(moved);
    return result;
}

/* --- plain texts ------------------------------------------------------------- */

void read_plain_lines(const char *folder, const char *name, uint32_t group, struct examples *all)
{
    struct span rest = read_whole(folder, name);
    struct span line;

    while (next_line(&rest, &line)) {
        json_t *row = parse_row(line, name);
        struct span text = text_of(row);
        struct span part;
        json_decref(row);
        while (next_line(&text, &part)) {
            if (part.len > 0) {
                examples_add(all,
                             (struct example){
                                 .text = part, .group = group, .is_partial = true, .weight = 1});
            }
        }
    }
}
