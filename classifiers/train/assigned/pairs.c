#include "classifiers/train/assigned/pairs.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "checks/check.h"

enum { MEMORY_MAX = 1024 * 1024 * 1024 };

bool pairs_init(struct pairs *p, const char *patterns_path, struct error *err)
{
    CLEANUP(cleanup_file) FILE *in = fopen(patterns_path, "re");
    CLEANUP(cleanup_free) char *line = NULL;
    size_t cap = 0;
    ssize_t len;

    *p = (struct pairs){0};
    arena_init(&p->memory, 0, MEMORY_MAX);
    p->scratch = regex_scratch_new(err);
    if (in == NULL) {
        return error_errno(err, "%s", patterns_path);
    }
    while (p->scratch != NULL && (len = getline(&line, &cap, in)) > 1 && p->n_patterns < PAIR_PATTERNS_MAX) {
        p->patterns[p->n_patterns] = regex_new(span_of(line, (size_t)len - 1), err);
        if (p->patterns[p->n_patterns] == NULL) {
            return false;
        }
        p->n_patterns++;
    }
    return p->scratch != NULL;
}

void pairs_deinit(struct pairs *p)
{
    for (size_t i = 0; i < p->n_patterns; i++) {
        regex_free(p->patterns[i]);
    }
    regex_scratch_free(p->scratch);
    free(p->items);
    arena_deinit(&p->memory);
}

/* --- one row --------------------------------------------------------------------- */

struct row {
    struct span text, secret;
    const char *set;
    float weight;
    bool is_secret, is_any; /* any of its candidates */
};

static bool is_known(const struct pairs *p, size_t first, const struct pair *pair)
{
    for (size_t i = first; i < p->n; i++) {
        if (span_equal(p->items[i].value, pair->value) && p->items[i].value.ptr == pair->value.ptr) {
            return true;
        }
    }
    return false;
}

static bool add(struct pairs *p, size_t first, const struct pair *pair, struct error *err)
{
    if (is_known(p, first, pair)) {
        return true;
    }
    if (p->n == p->cap) {
        size_t cap = p->cap == 0 ? 1024 : 2 * p->cap;
        struct pair *items = realloc(p->items, cap * sizeof(*items));
        if (items == NULL) {
            return error_set(err, ERROR_NO_MEMORY, "pairs: no memory");
        }
        p->items = items;
        p->cap = cap;
    }
    p->items[p->n++] = *pair;
    return true;
}

/* Whether [from, to) meets a place of the secret. */
static bool meets(const struct row *row, size_t from, size_t to)
{
    const char *at = row->text.ptr;
    size_t left = row->text.len;

    while (row->secret.len > 0 && (at = memmem(at, left, row->secret.ptr, row->secret.len)) != NULL) {
        size_t start = (size_t)(at - row->text.ptr);
        if (start < to && from < start + row->secret.len) {
            return true;
        }
        at++;
        left = row->text.len - start - 1;
    }
    return false;
}

/* As judge/find.c does it in the text as it came. */
static struct span before_of(struct span text, size_t match_from, size_t value_from)
{
    size_t from = match_from, least = from > CHECK_BEFORE ? from - CHECK_BEFORE : 0;

    while (from > least && text.ptr[from - 1] != '\n') {
        from--;
    }
    return span_slice(text, from, value_from);
}

static bool find(struct pairs *p, const struct row *row, struct regex *pattern, size_t first, struct error *err)
{
    size_t from = 0, to, match_from, match_to;

    for (size_t at = 0; at < row->text.len && regex_search(pattern, p->scratch, row->text, at, row->text.len) == REGEX_MATCH;) {
        regex_match_range(p->scratch, &match_from, &match_to);
        bool has = regex_group_range(pattern, p->scratch, span_str("body"), &from, &to) ||
                   regex_group_range(pattern, p->scratch, span_str("secret"), &from, &to);
        bool is_secret = row->is_any ? row->is_secret : meets(row, from, to);
        const struct pair pair = {.before = before_of(row->text, match_from, from),
                                  .value = span_slice(row->text, from, to),
                                  .set = row->set,
                                  .weight = row->weight,
                                  .is_secret = is_secret};
        if (has && (row->is_any || is_secret) && !add(p, first, &pair, err)) {
            return false;
        }
        at = match_to > at ? match_to : at + 1;
    }
    return true;
}

/* --- files ------------------------------------------------------------------------ */

static void free_json(json_t **value)
{
    json_decref(*value);
}

static bool copy_text(struct pairs *p, const json_t *value, struct span *out, struct error *err)
{
    return arena_copy(&p->memory, span_of(json_string_value(value), json_string_length(value) + 1), out, err) && (out->len--, true);
}

static bool add_row(struct pairs *p, const char *path, const char *line, struct error *err)
{
    CLEANUP(free_json) json_t *json = json_loads(line, JSON_ALLOW_NUL, NULL);
    const json_t *text = json_object_get(json, "text"), *set = json_object_get(json, "set"), *secret = json_object_get(json, "secret");
    const json_t *weight = json_object_get(json, "weight");
    struct row row = {.is_any = !json_is_string(secret), .is_secret = json_is_true(secret),
                      .weight = json_is_number(weight) ? (float)json_number_value(weight) : 1};
    struct span name;
    size_t first = p->n;

    if (!json_is_string(text) || !json_is_string(set)) {
        return error_set(err, ERROR_MALFORMED, "%s: rows with a text and a set expected", path);
    }
    if (!copy_text(p, text, &row.text, err) || !copy_text(p, set, &name, err) ||
        (!row.is_any && !copy_text(p, secret, &row.secret, err))) {
        return false;
    }
    row.set = name.ptr;
    for (size_t i = 0; i < p->n_patterns; i++) {
        if (!find(p, &row, p->patterns[i], first, err)) {
            return false;
        }
    }
    return true;
}

bool pairs_read(struct pairs *p, const char *path, struct error *err)
{
    CLEANUP(cleanup_file) FILE *in = fopen(path, "re");
    CLEANUP(cleanup_free) char *line = NULL;
    size_t cap = 0;
    bool is_read = true;

    if (in == NULL) {
        return error_errno(err, "%s", path);
    }
    while (is_read && getline(&line, &cap, in) > 0) {
        is_read = add_row(p, path, line, err);
    }
    return is_read;
}
