#include "dataset/csv.h"

#include <stdlib.h>

#include "text/utf8.h"

enum { CSV_END = -1 };

static bool fail(const struct csv *c, uint64_t column, struct error *err, const char *expected)
{
    return error_set(err, ERROR_MALFORMED, "%s:%llu:%llu: %s", c->name, (unsigned long long)c->line, (unsigned long long)column,
                     expected);
}

static bool fill(struct csv *c)
{
    c->at = 0;
    c->len = fread(c->buffer, 1, CSV_BUFFER, c->file);
    return c->len > 0;
}

static int peek(struct csv *c)
{
    return c->at < c->len || fill(c) ? (unsigned char)c->buffer[c->at] : CSV_END;
}

static void skip(struct csv *c)
{
    bool is_line = c->buffer[c->at++] == '\n';

    c->line += is_line;
    c->column = is_line ? 1 : c->column + 1;
}

bool csv_open(struct csv *c, FILE *file, const char *name, char delimiter, struct error *err)
{
    static const unsigned char mark[] = {0xef, 0xbb, 0xbf};

    *c = (struct csv){.file = file, .name = name, .delimiter = delimiter, .line = 1, .column = 1};
    buf_init(&c->text, CSV_ROW_MAX);
    c->buffer = malloc(CSV_BUFFER);
    if (c->buffer == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "%s: no memory", name);
    }
    if (fill(c) && c->len >= sizeof(mark) && memcmp(c->buffer, mark, sizeof(mark)) == 0) {
        c->at = sizeof(mark);
    }
    return ferror(file) == 0 || error_errno(err, "%s", name);
}

void csv_close(struct csv *c)
{
    free(c->buffer);
    buf_deinit(&c->text);
}

/* Behind the opening quote, up to behind the closing one. */
static bool read_quoted(struct csv *c, struct error *err)
{
    uint64_t line = c->line, column = c->column;

    skip(c);
    for (int byte = peek(c); byte != CSV_END; byte = peek(c)) {
        skip(c);
        if (byte == '"') {
            if (peek(c) != '"') {
                return true;
            }
            skip(c);
        }
        if (!buf_append_char(&c->text, (char)byte, err)) {
            return fail(c, c->column, err, "a row of at most 1 MiB expected");
        }
    }
    c->line = line;
    return fail(c, column, err, "a closing quote expected for the one here");
}

static bool read_bare(struct csv *c, struct error *err)
{
    for (int byte = peek(c); byte != CSV_END && byte != (unsigned char)c->delimiter && byte != '\n' && byte != '\r';
         byte = peek(c)) {
        if (byte == '"') {
            return fail(c, c->column, err, "a quote only around a whole field expected");
        }
        /* As much as the buffer has of it. */
        size_t from = c->at;
        while (c->at < c->len && c->buffer[c->at] != c->delimiter && c->buffer[c->at] != '\n' && c->buffer[c->at] != '\r' &&
               c->buffer[c->at] != '"') {
            c->at++;
        }
        c->column += c->at - from;
        if (!buf_append(&c->text, span_of(c->buffer + from, c->at - from), err)) {
            return fail(c, c->column, err, "a row of at most 1 MiB expected");
        }
    }
    return true;
}

static bool end_field(struct csv *c, uint64_t column, struct error *err)
{
    size_t from = c->n_fields == 0 ? 0 : c->ends[c->n_fields - 1];

    if (c->n_fields == CSV_FIELDS_MAX) {
        return fail(c, column, err, "at most 1024 fields expected");
    }
    c->ends[c->n_fields++] = c->text.len;
    struct span field = span_of(c->text.data + from, c->text.len - from);
    return field.len == 0 || utf8_valid_prefix(field) == field.len || fail(c, column, err, "UTF-8 expected");
}

/* CRLF, LF or the end of the file. */
static bool end_row(struct csv *c, struct error *err)
{
    uint64_t line = c->line, column = c->column;

    if (peek(c) == '\r') {
        skip(c);
        if (peek(c) != '\n') {
            return fail(c, column, err, "a line feed behind the carriage return expected");
        }
    }
    if (c->n_expected != 0 && c->n_fields != c->n_expected) {
        return error_set(err, ERROR_MALFORMED, "%s:%llu:%llu: %zu fields expected, as in the first row, not %zu", c->name,
                         (unsigned long long)line, (unsigned long long)column, c->n_expected, c->n_fields);
    }
    if (peek(c) == '\n') {
        skip(c);
    }
    c->n_expected = c->n_fields;
    return true;
}

bool csv_next(struct csv *c, bool *is_end, struct error *err)
{
    buf_clear(&c->text);
    c->n_fields = 0;
    *is_end = peek(c) == CSV_END;
    if (*is_end) {
        return ferror(c->file) == 0 || error_errno(err, "%s", c->name);
    }
    for (;;) {
        uint64_t column = c->column;
        int first = peek(c);
        if (!(first == '"' ? read_quoted(c, err) : read_bare(c, err)) || !end_field(c, column, err)) {
            return false;
        }
        int byte = peek(c);
        if (byte == CSV_END && ferror(c->file) != 0) {
            return error_errno(err, "%s", c->name);
        }
        if (byte == CSV_END || byte == '\n' || byte == '\r') {
            return end_row(c, err);
        }
        if (byte != (unsigned char)c->delimiter) {
            return fail(c, c->column, err, "a delimiter or the row's end behind the closing quote expected");
        }
        skip(c);
    }
}

struct span csv_field(const struct csv *c, size_t i)
{
    size_t from = i == 0 ? 0 : c->ends[i - 1];

    return span_of(c->text.data + from, c->ends[i] - from);
}
