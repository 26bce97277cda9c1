#include "pipeline/document.h"

#include "base/ascii.h"
#include "base/json.h"
#include "judge/path.h"
#include "pipeline/array_parts.h"
#include "pipeline/columns.h"

enum { LIKELY_PART = 8 /* by which part of its length a document grows, at most, when little of it is redacted */ };

/* An open container, and what the path was made of before it. */
struct level {
    bool is_object;
    bool is_in_array;
    uint64_t place;    /* for columns */
    size_t index;      /* of the next element of an array */
    size_t path_len;   /* of the path that leads here */
    struct span above; /* the nearest member name above the container */
};

struct reader {
    struct arena *arena;
    struct document *out;
    struct document_token *tokens;
    struct level levels[JSON_DEPTH_MAX];
    size_t depth;
    char *path; /* of the value at hand; grows in the arena */
    size_t path_len, path_cap;
    size_t path_budget;    /* bytes of paths that channels may still take */
    struct span name;      /* the member name before the value at hand */
    struct span kept_path; /* a copy of the path, shared by a member's name and value */
    bool is_path_kept;
    enum document_numbers numbers; /* among the channels */
    struct column_table columns;
};

static size_t count_digits(struct span number)
{
    size_t n = 0;

    for (size_t i = 0; i < number.len; i++) {
        n += ascii_is(number.ptr[i], ASCII_DIGIT);
    }
    return n;
}

static bool is_integer(struct span number)
{
    return count_digits(number) + (number.ptr[0] == '-') == number.len;
}

static bool is_channel(const struct json_token *token, enum document_numbers numbers)
{
    struct span raw = token->value.raw;

    if (token->value.kind != JSON_KIND_NUMBER) {
        return token->value.kind == JSON_KIND_STRING;
    }
    return numbers != DOCUMENT_NO_NUMBERS && count_digits(raw) >= DOCUMENT_NUMBER_DIGITS && (numbers == DOCUMENT_NUMBERS || is_integer(array_part_code(raw)));
}

/* The printable character that a number is the code of; NUL: it is none. */
static char code_of(struct span number)
{
    unsigned code = 0;

    for (size_t i = 0; i < number.len; i++) {
        bool is_digit = i < 3 && number.ptr[i] >= '0' && number.ptr[i] <= '9';
        code = is_digit ? 10 * code + (unsigned)(number.ptr[i] - '0') : UINT16_MAX;
    }
    bool is_printable = (code >= ' ' && code < 0x7f) || code == '\t' || code == '\n' || code == '\r';
    return is_printable ? (char)code : '\0';
}

/* The text of a part of an array, without quotes. */
static struct span part_text(const struct json_value *v)
{
    return v->kind == JSON_KIND_STRING ? span_slice(v->raw, 1, v->raw.len - 1) : v->raw;
}

static bool is_part(const struct json_value *v, enum document_numbers numbers)
{
    return v->kind == JSON_KIND_STRING ||
           (v->kind == JSON_KIND_NUMBER && (numbers == DOCUMENT_NUMBERS || code_of(array_part_code(v->raw)) != '\0'));
}

static bool is_array(const struct json_token *token)
{
    return (token->kind == JSON_TOKEN_OPEN || token->kind == JSON_TOKEN_CLOSE) && token->value.kind == JSON_KIND_ARRAY;
}

/* The next element of arrays that are open to `depth`, or false. */
static bool next_part(struct json_walk *walk, size_t *depth, struct json_token *token)
{
    while (*depth > 0 && json_walk_next(walk, token) && token->kind != JSON_TOKEN_VALUE) {
        *depth = token->kind == JSON_TOKEN_OPEN ? *depth + 1 : *depth - 1;
        if (!is_array(token) || *depth > ARRAY_PARTS_DEPTH) {
            return false;
        }
    }
    return *depth > 0;
}

/* Whether the token opens an array of parts. Looks no further than the first element that is no part. */
static bool read_parts(const struct json_token *open, struct json_walk walk, enum document_numbers numbers, struct array_parts *out)
{
    struct json_token token;
    size_t depth = open->kind == JSON_TOKEN_OPEN && is_array(open);

    *out = (struct array_parts){0};
    while (next_part(&walk, &depth, &token)) {
        if (!is_part(&token.value, numbers) || !array_parts_add(out, token.value.kind, part_text(&token.value))) {
            return false;
        }
    }
    return depth == 0 && array_parts_are_one(out);
}

/* A pass of its own, so that the arrays have their size at once. */
static bool count_channels(struct json_walk walk, enum document_numbers numbers, size_t *n, size_t *n_containers, struct error *err)
{
    struct array_parts parts;
    struct json_token token;

    *n = *n_containers = 0;
    while (json_walk_next(&walk, &token)) {
        *n_containers += token.kind == JSON_TOKEN_OPEN;
        *n += is_channel(&token, numbers);
        *n += read_parts(&token, walk, numbers, &parts);
        if (*n > DOCUMENT_CHANNELS_MAX) {
            return error_set(err, ERROR_LIMIT, "document: more than %d strings and long numbers",
                             DOCUMENT_CHANNELS_MAX);
        }
    }
    return true;
}

static bool path_reserve(struct reader *r, size_t more, struct error *err)
{
    if (more <= r->path_cap - r->path_len) {
        return true;
    }
    size_t cap = 2 * r->path_cap + more;
    char *path = arena_alloc(r->arena, cap, err);
    if (path == NULL) {
        return false;
    }
    memcpy(path, r->path, r->path_len);
    r->path = path;
    r->path_cap = cap;
    return true;
}

/* Puts the step behind the first `keep` bytes of the path. */
static bool path_set_name(struct reader *r, size_t keep, struct span name, struct error *err)
{
    r->path_len = keep;
    r->is_path_kept = false;
    if (!path_reserve(r, 2 * name.len + PATH_NAME_EXTRA, err)) {
        return false;
    }
    r->path_len += path_write_name(r->path + r->path_len, name);
    return true;
}

static bool path_set_index(struct reader *r, size_t keep, size_t index, struct error *err)
{
    r->path_len = keep;
    r->is_path_kept = false;
    if (!path_reserve(r, PATH_INDEX_MAX, err)) {
        return false;
    }
    r->path_len += path_write_index(r->path + r->path_len, index);
    return true;
}

/* The path as channels hold it. */
static bool path_keep(struct reader *r, struct error *err)
{
    if (r->is_path_kept) {
        return true;
    }
    if (r->path_len > r->path_budget) {
        return error_set(err, ERROR_LIMIT, "document: member names too long for their nesting");
    }
    r->path_budget -= r->path_len;
    if (!arena_copy(r->arena, span_of(r->path, r->path_len), &r->kept_path, err)) {
        return false;
    }
    r->is_path_kept = true;
    return true;
}

static struct level *innermost(struct reader *r)
{
    return r->depth == 0 ? NULL : &r->levels[r->depth - 1];
}

/* The nearest member name above the value at hand. */
static struct span key_of_value(struct reader *r)
{
    const struct level *in = innermost(r);

    if (in == NULL) {
        return span_of("", 0);
    }
    return in->is_object ? r->name : in->above;
}

static bool add_channel(struct reader *r, struct span raw, struct channel in, struct error *err)
{
    if (!path_keep(r, err)) {
        return false;
    }
    size_t from = (size_t)(raw.ptr - r->out->json.ptr);
    in.path = r->kept_path;
    r->out->channels[r->out->n] = in;
    r->tokens[r->out->n] = (struct document_token){.from = from, .to = from + raw.len};
    r->out->n++;
    return true;
}

/* Of a long string its ends, in quotes; a code among strings is a string. */
static size_t put_part(char *text, const struct array_parts *parts, const struct json_value *v, bool is_first)
{
    bool are_codes = array_parts_are_codes(parts), is_number = v->kind == JSON_KIND_NUMBER;
    const struct array_part_ends ends = array_part_ends(part_text(v));
    char *at = is_first ? text : mempcpy(text, ARRAY_PART_JOINT, sizeof(ARRAY_PART_JOINT) - 1);

    if (are_codes || (!is_number && part_text(v).len <= ARRAY_PART_MAX)) {
        struct span part = are_codes ? array_part_code(part_text(v)) : v->raw;
        return (size_t)((char *)mempcpy(at, part.ptr, part.len) - text);
    }
    char c = is_number ? code_of(array_part_code(v->raw)) : ' ';
    *at++ = '"';
    at = is_number ? at : mempcpy(at, ends.first.ptr, ends.first.len);
    *at++ = c == '"' || c == '\\' || c == '\0' ? ' ' : c;
    at = is_number ? at : mempcpy(at, ends.last.ptr, ends.last.len);
    *at++ = '"';
    return (size_t)(at - text);
}

/* The elements in one channel, as they would stand in a program's text: the views know that form. */
static bool add_parts(struct reader *r, const struct json_token *open, struct json_walk walk, struct error *err)
{
    struct array_parts parts;
    struct json_token token;
    size_t len = 0, depth = 1;

    if (!read_parts(open, walk, r->numbers, &parts)) {
        return true;
    }
    char *text = arena_alloc(r->arena, parts.len + parts.n * ARRAY_PART_EXTRA, err);
    if (text == NULL) {
        return false;
    }
    while (next_part(&walk, &depth, &token)) {
        len += put_part(text + len, &parts, &token.value, len == 0);
    }
    const char *from = open->value.raw.ptr;
    struct channel channel = {.text = span_of(text, len), .key = key_of_value(r), .is_parts = true};
    return add_channel(r, span_of(from, (size_t)(walk.at - from)), channel, err);
}

static bool read_name(struct reader *r, struct json_value name, struct error *err)
{
    const struct level *in = innermost(r);

    if (!json_unquote(r->arena, name, &r->name, err) ||
        !path_set_name(r, in->path_len, r->name, err)) {
        return false;
    }
    struct channel channel = {.text = r->name, .key = in->above, .is_member_name = true};
    return add_channel(r, name.raw, channel, err);
}

/* Elements of arrays have no name that set the path before them; `n` in a row. */
static bool step_into_element(struct reader *r, size_t n, struct error *err)
{
    struct level *in = innermost(r);

    if (in == NULL || in->is_object) {
        return true;
    }
    in->index += n;
    return path_set_index(r, in->path_len, in->index - n, err);
}

/* The column of the text at hand; 0: none. An array's own strings have a channel together. */
static bool find_column(struct reader *r, struct span text, uint32_t *number, struct error *err)
{
    const struct level *in = innermost(r);

    *number = 0;
    return in == NULL || !in->is_object || !in->is_in_array || text.len > ARRAY_PART_MAX ||
           column_number(r->arena, &r->columns, column_step(in->place, r->name), number, err);
}

static bool read_scalar(struct reader *r, const struct json_token *token, struct error *err)
{
    struct channel channel = {.text = array_part_code(token->value.raw), .key = key_of_value(r)};

    if (!is_channel(token, r->numbers)) {
        return true;
    }
    if (token->value.kind == JSON_KIND_STRING &&
        !(json_unquote(r->arena, token->value, &channel.text, err) && find_column(r, channel.text, &channel.column, err))) {
        return false;
    }
    return add_channel(r, token->value.raw, channel, err);
}

static void open_level(struct reader *r, enum json_kind kind)
{
    const struct level *in = innermost(r);
    struct span step = in == NULL || !in->is_object ? span_of("", 0) : r->name;
    struct level level = {.is_object = kind == JSON_KIND_OBJECT, .path_len = r->path_len, .above = key_of_value(r)};

    level.is_in_array = !level.is_object || (in != NULL && in->is_in_array);
    level.place = in == NULL ? 0 : column_step(in->place, step);
    r->levels[r->depth++] = level;
}

static bool read_token(struct reader *r, const struct json_token *token, struct json_walk behind, struct error *err)
{
    switch (token->kind) {
    case JSON_TOKEN_NAME:
        return read_name(r, token->value, err);
    case JSON_TOKEN_CLOSE:
        r->depth--;
        return true;
    case JSON_TOKEN_OPEN:
        if (!step_into_element(r, token->n, err) || !add_parts(r, token, behind, err)) {
            return false;
        }
        open_level(r, token->value.kind);
        return true;
    case JSON_TOKEN_VALUE:
        return step_into_element(r, token->n, err) && read_scalar(r, token, err);
    }
    return error_set(err, ERROR_INTERNAL, "document: unknown token");
}

/* --- parts of messages --------------------------------------------------------- */

static struct span without_step(struct span path, struct span *step)
{
    size_t at = path.len;

    while (at > 0 && path.ptr[at - 1] != '/') {
        at--;
    }
    *step = span_slice(path, at, path.len);
    return span_slice(path, 0, at == 0 ? 0 : at - 1);
}

/* The arrays of parts that a model reads in a row: of messages, system prompts, results of tools, summaries of reasoning. */
static bool holds_parts(struct span name)
{
    return span_is(name, "content") || span_is(name, "parts") || span_is(name, "system") || span_is(name, "output") ||
           span_is(name, "summary") || span_is(name, "input");
}

/* "/0/content" of "/0/content/1/text", or of "/0/content/1/text/value" as Assistants have it; empty: it is no text of a part. */
static struct span parts_of(const struct channel *c)
{
    struct span index, name, path = c->path;

    do {
        path = without_step(path, &name);
    } while (span_is(name, "value"));
    if (c->is_member_name || !span_is(name, "text")) {
        return span_of("", 0);
    }
    path = without_step(path, &index);
    (void)without_step(path, &name);
    bool is_element = index.len > 0 && ascii_is(index.ptr[0], ASCII_DIGIT);
    return is_element && holds_parts(name) ? path : span_of("", 0);
}

static void number_messages(struct document *d)
{
    struct span last = span_of("", 0);
    uint32_t n = 0;

    for (size_t i = 0; i < d->n; i++) {
        struct span parts = parts_of(&d->channels[i]);
        if (parts.len > 0) {
            n += !span_equal(parts, last);
            last = parts;
            d->channels[i].message = n;
        }
    }
}

static bool read_all(struct arena *a, struct json_walk walk, struct span prefix, enum document_numbers numbers,
                     struct document *out, struct error *err)
{
    struct span json = span_of(walk.at, (size_t)(walk.end - walk.at));
    struct document document = {.json = json};
    struct reader r = {.arena = a, .out = &document, .numbers = numbers};
    struct json_token token;
    size_t n;

    if (!count_channels(walk, numbers, &n, &document.n_containers, err)) {
        return false;
    }
    document.channels = arena_array(a, n, sizeof(*document.channels), err);
    r.tokens = document.channels == NULL ? NULL : arena_array(a, n, sizeof(*r.tokens), err);
    r.path_cap = prefix.len + 256;
    r.path = r.tokens == NULL ? NULL : arena_alloc(a, r.path_cap, err);
    if (r.path == NULL) {
        return false;
    }
    if (prefix.len > 0) {
        memcpy(r.path, prefix.ptr, prefix.len);
    }
    r.path_len = prefix.len;
    r.path_budget = DOCUMENT_PATH_FREE + DOCUMENT_PATH_FACTOR * json.len;
    while (json_walk_next(&walk, &token)) {
        if (!read_token(&r, &token, walk, err)) {
            return false;
        }
    }
    document.tokens = r.tokens;
    number_messages(&document);
    *out = document;
    return true;
}

bool document_read(struct arena *a, struct span json, struct span prefix, struct document *out,
                   struct error *err)
{
    return read_all(a, json_walk(json), prefix, DOCUMENT_NUMBERS, out, err);
}

bool document_read_known(struct arena *a, struct span json, struct json_known known, struct document *out, struct error *err)
{
    return read_all(a, json_walk_known(json, known), span_of("", 0), DOCUMENT_NUMBERS, out, err);
}

bool document_read_texts(struct arena *a, struct span json, struct span prefix, struct document *out,
                         struct error *err)
{
    return read_all(a, json_walk(json), prefix, DOCUMENT_NO_NUMBERS, out, err);
}

bool document_read_integers(struct arena *a, struct span json, struct span prefix, struct document *out,
                            struct error *err)
{
    return read_all(a, json_walk(json), prefix, DOCUMENT_INTEGERS, out, err);
}

static bool is_unchanged(const struct channel *c)
{
    return c->output.ptr == c->text.ptr && c->output.len == c->text.len;
}

static bool write_tokens(const struct document *d, struct buf *out, struct error *err)
{
    size_t written = 0;

    for (size_t i = 0; i < d->n; i++) {
        const struct channel *c = &d->channels[i];
        if (is_unchanged(c) || d->tokens[i].from < written) {
            continue;
        }
        if (c->is_member_name) {
            return error_set(err, ERROR_INVALID, "document: a member name cannot be redacted");
        }
        if (!buf_append(out, span_slice(d->json, written, d->tokens[i].from), err) ||
            !(d->tokens[i].is_raw ? buf_append(out, c->output, err) : json_append_string(out, c->output, err))) {
            return false;
        }
        written = d->tokens[i].to;
    }
    return buf_append(out, span_slice(d->json, written, d->json.len), err);
}

/* At once, so that the buffer is not moved while it grows. */
static bool reserve(const struct document *d, struct buf *out, struct error *err)
{
    size_t likely = d->json.len + d->json.len / LIKELY_PART;

    return likely > out->max - out->len || buf_reserve(out, likely, err);
}

bool document_write(const struct document *d, struct buf *out, struct error *err)
{
    size_t before = out->len;

    if (!reserve(d, out, err) || !write_tokens(d, out, err)) {
        out->len = before;
        return false;
    }
    return true;
}
