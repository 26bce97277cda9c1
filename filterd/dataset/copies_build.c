#include "dataset/copies_build.h"

#include <stdlib.h>
#include <strings.h>

#include "dataset/copies_find.h"
#include "dataset/document_length.h"
#include "dataset/table_build.h"
#include "dataset/winnow.h"

struct copies_build {
    const struct dataset_key *key;
    struct table_build *table;
    uint64_t n; /* documents */
};

struct copies_build *copies_build_new(const char *path, const struct dataset_key *key, struct error *err)
{
    struct copies_build *b = calloc(1, sizeof(*b));

    if (b == NULL) {
        error_set(err, ERROR_NO_MEMORY, "%s: no memory", path);
        return NULL;
    }
    b->key = key;
    b->table = table_build_new(path, key, err);
    if (b->table == NULL) {
        copies_build_free(b);
        return NULL;
    }
    return b;
}

void copies_build_free(struct copies_build *b)
{
    if (b != NULL) {
        table_build_free(b->table);
    }
    free(b);
}

/* --- HTML ----------------------------------------------------------------------- */

/* Behind the first `end` at or after `at`; the text's end when there is none. */
static size_t behind(struct span text, size_t at, const char *end)
{
    size_t len = strlen(end);

    for (; at + len <= text.len; at++) {
        if (strncasecmp(text.ptr + at, end, len) == 0) {
            return at + len;
        }
    }
    return text.len;
}

static bool begins(struct span text, size_t at, const char *with)
{
    return text.len - at >= strlen(with) && strncasecmp(text.ptr + at, with, strlen(with)) == 0;
}

/* Behind the tag, comment, or element without text that is at `at`; `at` when there is none. */
static size_t skip_markup(struct span text, size_t at)
{
    static const struct {
        const char *begin, *end;
    } hidden[] = {{"<!--", "-->"}, {"<script", "</script>"}, {"<style", "</style>"}};

    for (size_t i = 0; i < COUNT(hidden); i++) {
        if (begins(text, at, hidden[i].begin)) {
            return behind(text, at, hidden[i].end);
        }
    }
    bool is_tag = text.len - at > 1 && (letters_ascii[(unsigned char)text.ptr[at + 1] & 0x7f] > '9' ||
                                        text.ptr[at + 1] == '/' || text.ptr[at + 1] == '!' || text.ptr[at + 1] == '?');
    return is_tag ? behind(text, at, ">") : at;
}

void copies_strip_html(char *text, size_t *len)
{
    const struct span all = span_of(text, *len);
    size_t kept = 0;

    for (size_t at = 0; at < all.len;) {
        size_t next = text[at] == '<' ? skip_markup(all, at) : at;
        if (next > at) {
            text[kept++] = ' ';
            at = next;
        } else {
            text[kept++] = text[at++];
        }
    }
    *len = kept;
}

/* --- documents -------------------------------------------------------------------- */

/* One letter again and again says nothing. */
static bool is_repeated(const struct winnow *w, size_t gram)
{
    size_t i = gram + 1;

    while (i < gram + WINNOW_GRAM && w->value[i % WINNOW_RING] == w->value[gram % WINNOW_RING]) {
        i++;
    }
    return i == gram + WINNOW_GRAM;
}

static bool add_chosen(struct copies_build *b, const struct winnow *w, size_t *n, struct error *err)
{
    for (size_t i = 0; i < w->n_chosen; i++) {
        const uint64_t gram = w->gram[w->chosen[i] % WINNOW_RING];
        if (!table_build_allow(b->table, 0, dataset_permute(b->key, gram), err)) {
            return false;
        }
        if (is_repeated(w, w->chosen[i])) {
            continue;
        }
        if (!table_build_add(b->table, winnow_hash(b->key, gram), (uint32_t)b->n, 0, err)) {
            return false;
        }
        *n += 1;
    }
    return true;
}

/* All grams from *next on, which moves behind them: they tell where a copy ends. */
static bool add_grams(struct copies_build *b, const struct winnow *w, size_t *next, struct error *err)
{
    const size_t end = winnow_grams_end(w);

    for (size_t i = *next > w->first ? *next : w->first; i < end; i++) {
        if (!table_build_allow(b->table, 1, winnow_hash_in(b->key, w->gram[i % WINNOW_RING], (uint32_t)b->n), err)) {
            return false;
        }
    }
    *next = end;
    return true;
}

static bool add_text(struct copies_build *b, struct span text, size_t *n, struct error *err)
{
    enum winnow_event event;
    struct winnow w;
    size_t next = 0;

    winnow_begin(&w, b->key, text, 0);
    do {
        event = winnow_next(&w);
        if (!add_chosen(b, &w, n, err) || !add_grams(b, &w, &next, err)) {
            return false;
        }
    } while (event != WINNOW_END);
    winnow_finish(&w);
    return add_chosen(b, &w, n, err) && document_length_add(b->table, b->key, (uint32_t)b->n, (uint32_t)w.n_letters, err);
}

bool copies_build_add(struct copies_build *b, struct span text, bool is_html, size_t *n, struct error *err)
{
    size_t len = text.len;
    char *shown = is_html ? malloc(len + 1) : NULL;

    *n = 0;
    if (b->n == UINT32_MAX || (is_html && shown == NULL)) {
        return error_set(err, ERROR_LIMIT, "no room for the document");
    }
    if (is_html && len > 0) {
        memcpy(shown, text.ptr, len);
        copies_strip_html(shown, &len);
    }
    bool is_added = add_text(b, is_html ? span_of(shown, len) : text, n, err);
    free(shown);
    b->n++;
    return is_added;
}

bool copies_build_finish(struct copies_build *b, int64_t now_s, struct table_header *header, struct error *err)
{
    *header = (struct table_header){.kind = TABLE_DOCUMENTS, .made = now_s, .rows = b->n};
    return table_build_finish(b->table, header, COPIES_DOCUMENTS_MAX, err);
}
