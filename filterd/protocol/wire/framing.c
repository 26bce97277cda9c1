#include "protocol/wire/framing.h"

#include "base/ascii.h"
#include "base/locked_pages.h"

enum { KEEP_ALIVE_MAX = 48, FEW_DIGITS = 8 };

void framer_init(struct framer *f, enum framing kind, size_t max)
{
    *f = (struct framer){.kind = kind, .max = max};
    buf_init_text(&f->line, max);
    buf_init_text(&f->data, max);
}

void framer_deinit(struct framer *f)
{
    buf_deinit(&f->line);
    buf_deinit(&f->data);
}

static bool append(struct framer *f, struct buf *to, struct span bytes, struct error *err)
{
    if (bytes.len > f->max - to->len) {
        return error_set(err, ERROR_LIMIT, "answer: a message of more than %zu bytes", f->max);
    }
    return buf_append(to, bytes, err);
}

/* --- server-sent events --------------------------------------------------------- */

static struct span without_bom(struct framer *f, struct span line)
{
    bool has_bom = !f->is_past_first && line.len >= 3 && memcmp(line.ptr, "\xef\xbb\xbf", 3) == 0;

    f->is_past_first = true;
    return has_bom ? span_slice(line, 3, line.len) : line;
}

/* The value of a line of that field; false: it is another line. */
static bool has_field(struct span line, const char *field, struct span *value)
{
    size_t n = strlen(field);

    if (!span_starts_with(line, span_str(field)) || (line.len > n && line.ptr[n] != ':')) {
        return false;
    }
    line = span_slice(line, n + (line.len > n), line.len);
    *value = line.len > 0 && line.ptr[0] == ' ' ? span_slice(line, 1, line.len) : line;
    return true;
}

/* Names are in small letters, and their events say them once more. */
static bool is_name_of_protocol(struct span name)
{
    size_t n = 0;

    while (n < name.len && (ascii_is(name.ptr[n], ASCII_LOWER) || name.ptr[n] == '.' || name.ptr[n] == '_' || name.ptr[n] == '-')) {
        n++;
    }
    return n == name.len && n <= EVENT_NAME_MAX;
}

static void keep_name(struct framer *f, struct span name)
{
    f->name_len = name.len <= sizeof(f->name) ? name.len : 0;
    memcpy(f->name, name.len > 0 ? name.ptr : "", f->name_len);
    f->left_out += (f->has_names && f->name_len == name.len) || is_name_of_protocol(name) ? 0 : ascii_count_visible(name);
}

/* A word that servers send while they have nothing to say, perhaps with the time, or how long to wait before the next try. */
static bool keeps_alive(struct span text)
{
    static const char *const words[] = {"ping", "keep-alive", "keepalive", "heartbeat", "OPENROUTER PROCESSING"};
    size_t at = 0;

    for (size_t i = 0; i < COUNT(words) && at == 0; i++) {
        at = span_starts_with(text, span_str(words[i])) ? strlen(words[i]) : 0;
    }
    const size_t max = at > 0 ? KEEP_ALIVE_MAX : FEW_DIGITS;
    while (at < text.len && at < max && text.ptr[at] != '\0' && strchr("0123456789 -:.TZ+", text.ptr[at]) != NULL) {
        at++;
    }
    return at == text.len && text.len <= max;
}

static void drop_line(struct framer *f, struct span line)
{
    struct span value = line;

    if (!has_field(line, "", &value) && !has_field(line, "retry", &value)) {
        (void)has_field(line, "id", &value);
    }
    f->left_out += keeps_alive(value) ? 0 : ascii_count_visible(value);
}

/* The end of a line: *is_complete when it is the blank line after an event. */
static bool take_line(struct framer *f, bool *is_complete, struct error *err)
{
    struct span line = without_bom(f, buf_span(&f->line));

    if (line.len == 0) {
        *is_complete = f->has_data;
        f->name_len = f->has_data ? f->name_len : 0;
        f->has_data = false;
        return true;
    }
    if (has_field(line, "event", &line)) {
        keep_name(f, line);
        return true;
    }
    if (!has_field(line, "data", &line)) {
        drop_line(f, line);
        return true;
    }
    if (f->has_data && !append(f, &f->data, span_of("\n", 1), err)) {
        return false;
    }
    f->has_data = true;
    return append(f, &f->data, line, err);
}

static size_t find_line_end(struct span s)
{
    size_t n = 0;

    while (n < s.len && s.ptr[n] != '\n' && s.ptr[n] != '\r') {
        n++;
    }
    return n;
}

static bool next_event(struct framer *f, struct span *bytes, bool *is_complete, struct error *err)
{
    while (bytes->len > 0 && !*is_complete) {
        if (f->after_return && bytes->ptr[0] == '\n') {
            *bytes = span_slice(*bytes, 1, bytes->len);
        }
        f->after_return = false;
        size_t n = find_line_end(*bytes);
        if (!append(f, &f->line, span_slice(*bytes, 0, n), err)) {
            return false;
        }
        if (n < bytes->len) {
            f->after_return = bytes->ptr[n] == '\r';
            n++;
            if (!take_line(f, is_complete, err)) {
                return false;
            }
            buf_clear(&f->line);
        }
        *bytes = span_slice(*bytes, n, bytes->len);
    }
    return true;
}

/* --- lines ---------------------------------------------------------------------- */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_blank(struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (!is_space(s.ptr[i])) {
            return false;
        }
    }
    return true;
}

static bool next_line(struct framer *f, struct span *bytes, bool *is_complete, struct error *err)
{
    while (bytes->len > 0 && !*is_complete) {
        const char *end = memchr(bytes->ptr, '\n', bytes->len);
        size_t n = end == NULL ? bytes->len : (size_t)(end - bytes->ptr);
        if (!append(f, &f->data, span_slice(*bytes, 0, n), err)) {
            return false;
        }
        *bytes = span_slice(*bytes, n + (end != NULL), bytes->len);
        if (end != NULL && is_blank(buf_span(&f->data))) {
            buf_clear(&f->data);
        } else {
            *is_complete = end != NULL;
        }
    }
    return true;
}

/* --- an array whose elements come one by one ------------------------------------ */

static bool expected(struct error *err)
{
    return error_set(err, ERROR_MALFORMED, "answer: expected an array of objects");
}

/* Between elements. */
static bool step_outside(struct framer *f, char c, struct error *err)
{
    if (is_space(c)) {
        return true;
    }
    if (f->is_closed || (!f->is_open && c != '[')) {
        return expected(err);
    }
    if (!f->is_open) {
        f->is_open = true;
        return true;
    }
    if (c == ']') {
        f->is_closed = true;
        return true;
    }
    if (c != '{' && c != ',') {
        return expected(err);
    }
    f->depth = c == '{';
    return true;
}

static void step_inside(struct framer *f, char c)
{
    if (f->in_string) {
        f->in_string = f->is_escaped || c != '"';
        f->is_escaped = !f->is_escaped && c == '\\';
        return;
    }
    f->in_string = c == '"';
    if (c == '{' || c == '[') {
        f->depth++;
    } else if (c == '}' || c == ']') {
        f->depth--;
    }
}

static bool next_element(struct framer *f, struct span *bytes, bool *is_complete, struct error *err)
{
    size_t from = 0, i = 0;

    for (; i < bytes->len && !*is_complete; i++) {
        if (f->depth == 0) {
            from = i;
            if (!step_outside(f, bytes->ptr[i], err)) {
                return false;
            }
            from += f->depth == 0;
        } else {
            step_inside(f, bytes->ptr[i]);
            *is_complete = f->depth == 0;
        }
    }
    if (!append(f, &f->data, span_slice(*bytes, from, i), err)) {
        return false;
    }
    *bytes = span_slice(*bytes, i, bytes->len);
    return true;
}

/* --- any ------------------------------------------------------------------------ */

static bool next_body(struct framer *f, struct span *bytes, bool *is_complete, struct error *err)
{
    *is_complete = false;
    if (!append(f, &f->data, *bytes, err)) {
        return false;
    }
    *bytes = span_slice(*bytes, bytes->len, bytes->len);
    return true;
}

bool framer_next(struct framer *f, struct span *bytes, struct span *message, bool *is_complete,
                 struct error *err)
{
    static bool (*const next[])(struct framer *, struct span *, bool *, struct error *) = {
        [FRAMING_BODY] = next_body,
        [FRAMING_EVENTS] = next_event,
        [FRAMING_LINES] = next_line,
        [FRAMING_ARRAY] = next_element,
    };

    if (f->is_delivered) {
        buf_clear(&f->data);
        f->name_len = 0;
    }
    *is_complete = false;
    if (bytes->len > 0 && !next[f->kind](f, bytes, is_complete, err)) {
        return false;
    }
    f->is_delivered = *is_complete;
    *message = buf_span(&f->data);
    return true;
}

bool framer_end(struct framer *f, struct span *message, bool *is_complete, struct error *err)
{
    *is_complete = false;
    if (f->is_delivered) {
        buf_clear(&f->data);
        f->is_delivered = false;
    }
    if (f->kind == FRAMING_EVENTS) {
        if (!take_line(f, is_complete, err)) {
            return false;
        }
        *is_complete = f->has_data || *is_complete;
    } else {
        *is_complete = !is_blank(buf_span(&f->data));
    }
    *message = buf_span(&f->data);
    return true;
}
