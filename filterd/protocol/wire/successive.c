#include "protocol/wire/successive.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

enum { ALIKE = 4, SIZE_MIN = 24 }; /* bytes: at the beginning; of memory */

void successive_deinit(struct successive *s)
{
    free(s->text);
    free(s->clean);
    *s = (struct successive){0};
}

void places_deinit(struct places *p)
{
    for (size_t i = 0; i < p->n && i < PLACES_MAX; i++) {
        successive_deinit(p->items[i]);
        free(p->items[i]);
    }
    free(p->items);
    *p = (struct places){0};
}

static struct span last_of(const struct successive *s)
{
    return s->n == 0 ? span_of("", 0) : span_of(s->text + s->starts[s->n - 1], s->len - s->starts[s->n - 1]);
}

bool successive_is_last(const struct successive *s, struct span text)
{
    return s->n > 0 && span_equal(last_of(s), text);
}

static uint64_t hash_add(uint64_t hash, struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        hash = (hash ^ (unsigned char)text.ptr[i]) * 1099511628211U;
    }
    return (hash ^ text.len) * 1099511628211U;
}

static uint64_t hash_behind(const struct successive *s, struct span text)
{
    return hash_add(hash_add(14695981039346656037U, span_of(s->text, s->len)), text);
}

bool successive_is_clean(const struct successive *s, struct span text)
{
    uint64_t hash = hash_behind(s, text);
    bool is_clean = false;

    for (size_t i = 0; s->clean != NULL && i < SUCCESSIVE_CLEAN; i++) {
        is_clean = is_clean || s->clean[i] == hash;
    }
    return is_clean;
}

void successive_keep_clean(struct successive *s, struct span text)
{
    if (s->clean == NULL) {
        s->clean = calloc(SUCCESSIVE_CLEAN, sizeof(*s->clean));
    }
    if (s->clean != NULL) {
        s->clean[s->next_clean] = hash_behind(s, text);
        s->next_clean = (uint8_t)((s->next_clean + 1) % SUCCESSIVE_CLEAN);
    }
}

/* Forgets the first pieces. */
static void drop(struct successive *s, size_t n)
{
    size_t from = n < s->n ? s->starts[n] : s->len;

    if (s->len > from) {
        memmove(s->text, s->text + from, s->len - from);
    }
    s->len = (uint16_t)(s->len - from);
    s->n = (uint8_t)(s->n - n);
    for (size_t i = 0; i < s->n; i++) {
        s->starts[i] = (uint8_t)(s->starts[i + n] - from);
    }
}

struct span successive_end(struct span text)
{
    size_t from = text.len;

    while (from > 0 && text.len - from < SUCCESSIVE_MAX && !ascii_is(text.ptr[from - 1], ASCII_SPACE)) {
        from--;
    }
    return span_slice(text, from, text.len);
}

struct span successive_beginning(struct span text)
{
    size_t to = 0;

    while (to < text.len && to < SUCCESSIVE_MAX && !ascii_is(text.ptr[to], ASCII_SPACE)) {
        to++;
    }
    return span_slice(text, 0, to);
}

bool successive_are_alike(struct span a, struct span b)
{
    return a.len >= ALIKE && b.len >= ALIKE && memcmp(a.ptr, b.ptr, ALIKE) == 0;
}

bool successive_is_like_last(const struct successive *s, struct span text)
{
    return successive_are_alike(last_of(s), text);
}

/* Room for so many bytes behind what is there. */
static bool reserve(struct successive *s, size_t n, struct error *err)
{
    size_t size = s->size == 0 ? SIZE_MIN : s->size;

    while (size < s->len + n) {
        size *= 2;
    }
    char *text = size == s->size ? s->text : realloc(s->text, size);
    if (text == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "answer: no memory for a place");
    }
    s->text = text;
    s->size = (uint16_t)size;
    return true;
}

bool successive_keep(struct successive *s, struct span all, struct error *err)
{
    const struct span text = successive_end(all);
    bool is_short = text.len < PIECE_SHORT, goes_on = text.len == all.len && is_short && s->is_short && s->n == SUCCESSIVE_PIECES;

    if (text.len < all.len) {
        s->n = 0;
        s->len = 0;
    } else if (successive_is_like_last(s, text)) {
        s->len = s->starts[--s->n];
    }
    while (s->n > 0 && (s->len + text.len > SUCCESSIVE_MAX || (s->n == SUCCESSIVE_PIECES && !goes_on))) {
        drop(s, 1);
    }
    if (text.len > 0 && (!goes_on || s->n == 0)) {
        s->starts[s->n++] = (uint8_t)s->len;
    }
    if (text.len > 0) {
        if (!reserve(s, text.len, err)) {
            return false;
        }
        memcpy(s->text + s->len, text.ptr, text.len);
    }
    s->len = (uint16_t)(s->len + text.len);
    s->is_short = is_short;
    return true;
}

size_t successive_line_end(struct span text, size_t from)
{
    const char *end = from < text.len ? memchr(text.ptr + from, '\n', text.len - from) : NULL;

    return end == NULL ? text.len : (size_t)(end - text.ptr);
}

static bool add_line(struct joint_text *j, struct span before, struct span now, struct error *err)
{
    if (!buf_append(&j->text, before, err)) {
        return false;
    }
    j->joints[j->n++] = j->text.len;
    bool is_added = buf_append(&j->text, now, err) && buf_append_char(&j->text, '\n', err);
    j->lines[j->n] = j->text.len;
    return is_added;
}

bool joint_text_write(struct joint_text *j, const struct successive *s, struct span now, struct error *err)
{
    const size_t end = successive_line_end(now, 0);
    const struct span begins = span_slice(now, 0, end < SUCCESSIVE_MAX ? end : SUCCESSIVE_MAX);
    bool is_written = true;

    for (size_t i = 0; i < s->n && is_written; i++) {
        is_written = add_line(j, span_of(s->text + s->starts[i], s->len - s->starts[i]), begins, err);
    }
    return is_written && add_line(j, span_of("", 0), now, err);
}
