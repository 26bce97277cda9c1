#include "classifiers/train/string/strings.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/cleanup.h"

static const size_t memory_max = (size_t)1 << 30;

void strings_init(struct strings *s)
{
    *s = (struct strings){0};
    arena_init(&s->memory, 0, memory_max);
}

void strings_deinit(struct strings *s)
{
    free(s->items);
    arena_deinit(&s->memory);
}

bool strings_add(struct strings *s, struct span text, const char *set, bool is_random, struct error *err)
{
    struct string item = {.set = set, .is_random = is_random};

    if (s->n == s->cap) {
        size_t cap = s->cap == 0 ? 4096 : s->cap * 2;
        struct string *items = realloc(s->items, cap * sizeof(*items));
        if (items == NULL) {
            return error_set(err, ERROR_NO_MEMORY, "strings: no memory");
        }
        s->items = items;
        s->cap = cap;
    }
    if (!arena_copy(&s->memory, text, &item.text, err)) {
        return false;
    }
    s->items[s->n++] = item;
    return true;
}

/* --- candidates of a text ------------------------------------------------------- */

static bool is_key_character(char c)
{
    return ascii_is_alnum(c) || (c != '\0' && strchr("_+/=.~-", c) != NULL);
}

/* A full stop or a dash at either end is the sentence's, and so is an equals sign in front. */
static struct span trimmed(struct span run)
{
    while (run.len > 0 && strchr(".=-~", run.ptr[0]) != NULL) {
        run = span_slice(run, 1, run.len);
    }
    while (run.len > 0 && strchr(".-~", run.ptr[run.len - 1]) != NULL) {
        run = span_slice(run, 0, run.len - 1);
    }
    return run;
}

/* Adds the candidates of the text. */
static bool find_strings(struct strings *s, struct span text, const char *set, bool is_random, struct error *err)
{
    for (size_t at = 0; at < text.len;) {
        size_t from = at;
        while (at < text.len && is_key_character(text.ptr[at])) {
            bool is_between = text.ptr[at] == '=' && at + 1 < text.len && is_key_character(text.ptr[at + 1]) && text.ptr[at + 1] != '=';
            at++;
            if (is_between) {
                break; /* name=value */
            }
        }
        struct span run = trimmed(span_slice(text, from, at));
        if (run.len >= STRINGS_MIN && run.len <= STRINGS_MAX && !strings_add(s, run, set, is_random, err)) {
            return false;
        }
        at += at == from;
    }
    return true;
}

static void free_json(json_t **value)
{
    json_decref(*value);
}

static bool add_row(struct strings *s, const char *path, const char *line, const char *set, struct error *err)
{
    CLEANUP(free_json) json_t *row = json_loads(line, JSON_ALLOW_NUL, NULL);
    const json_t *text = json_object_get(row, "text");
    struct span own = {0};

    if (!json_is_string(text)) {
        return error_set(err, ERROR_MALFORMED, "%s: rows with a text expected", path);
    }
    const char *named = json_string_value(json_object_get(row, "set"));
    if (named != NULL) { /* with its NUL */
        if (!arena_copy(&s->memory, span_of(named, strlen(named) + 1), &own, err)) {
            return false;
        }
        set = own.ptr;
    }
    struct span value = span_of(json_string_value(text), json_string_length(text));
    bool is_random = json_is_true(json_object_get(row, "random"));
    return json_is_true(json_object_get(row, "whole")) ? strings_add(s, value, set, is_random, err)
                                                       : find_strings(s, value, set, is_random, err);
}

bool strings_read(struct strings *s, const char *path, const char *set, struct error *err)
{
    CLEANUP(cleanup_file) FILE *in = fopen(path, "re");
    CLEANUP(cleanup_free) char *line = NULL;
    size_t cap = 0;
    bool is_read = true;

    if (in == NULL) {
        return error_errno(err, "%s", path);
    }
    while (is_read && getline(&line, &cap, in) > 0) {
        is_read = add_row(s, path, line, set, err);
    }
    return is_read;
}

/* --- each once ------------------------------------------------------------------- */

struct order {
    struct span text;
    size_t at;
};

static int compare(const void *x, const void *y)
{
    const struct order *a = x, *b = y;
    int order = memcmp(a->text.ptr, b->text.ptr, a->text.len < b->text.len ? a->text.len : b->text.len);

    order = order != 0 ? order : (a->text.len > b->text.len) - (a->text.len < b->text.len);
    return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

bool strings_mark_repeated(struct strings *s, struct error *err)
{
    CLEANUP(cleanup_free) struct order *items = calloc(s->n + 1, sizeof(*items));

    if (items == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "strings: no memory");
    }
    for (size_t i = 0; i < s->n; i++) {
        items[i] = (struct order){s->items[i].text, i};
    }
    qsort(items, s->n, sizeof(*items), compare);
    for (size_t i = 1; i < s->n; i++) {
        s->items[items[i].at].is_repeated = span_equal(items[i].text, items[i - 1].text);
    }
    return true;
}
