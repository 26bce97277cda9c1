#include "pipeline/joined_columns.h"

#include "pipeline/array_parts.h"
#include "pipeline/joined_texts.h"

/* The channels of each column, as a list. */
struct columns {
    size_t *first, *next; /* of a column, behind a channel: from 1, 0 ends the list */
    size_t n;
};

struct column {
    struct joined_texts texts;
    size_t len; /* bytes of the joined text, at most */
    bool are_codes;
};

static bool collect(struct arena *a, const struct exchange *x, struct columns *columns, struct error *err)
{
    *columns = (struct columns){0};
    for (size_t i = 0; i < x->n_channels; i++) {
        columns->n = x->channels[i].column > columns->n ? x->channels[i].column : columns->n;
    }
    if (columns->n == 0) {
        return true;
    }
    columns->first = arena_array(a, columns->n + 1, sizeof(size_t), err);
    columns->next = columns->first == NULL ? NULL : arena_array(a, x->n_channels, sizeof(size_t), err);
    if (columns->next == NULL) {
        return false;
    }
    memset(columns->first, 0, (columns->n + 1) * sizeof(size_t));
    for (size_t i = x->n_channels; i-- > 0;) {
        size_t *first = &columns->first[x->channels[i].column];
        columns->next[i] = *first;
        *first = i + 1;
    }
    return true;
}

/* Whether the column may be a secret: one that says the same again and again is none. `channels` has room for all. */
static bool read_column(const struct exchange *x, const struct columns *columns, size_t number, uint32_t *channels, struct column *out)
{
    struct array_parts parts = {0};
    bool are_same = true, are_parts = true;

    *out = (struct column){.texts = {.x = x, .channels = channels}};
    for (size_t i = columns->first[number]; i > 0 && are_parts; i = columns->next[i - 1]) {
        struct span text = x->channels[i - 1].text;
        are_parts = array_parts_add(&parts, JSON_KIND_STRING, text);
        are_same = are_same && span_equal(text, x->channels[columns->first[number] - 1].text);
        channels[out->texts.n++] = (uint32_t)(i - 1);
    }
    out->len = parts.len + parts.n * ARRAY_PART_EXTRA;
    out->are_codes = array_parts_are_codes(&parts);
    return are_parts && !are_same && array_parts_are_one(&parts) && array_parts_are_plain(&parts);
}

/* What would end a literal is a blank in it. */
static void put_literal(char *to, struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        bool is_plain = text.ptr[i] != '"' && text.ptr[i] != '\\' && (unsigned char)text.ptr[i] >= ' ';
        to[i] = is_plain ? text.ptr[i] : ' ';
    }
}

static size_t put_mark(char *to, const char *mark)
{
    size_t n = strlen(mark);

    memcpy(to, mark, n);
    return n;
}

static bool join(struct arena *a, struct column *c, struct span *out, struct error *err)
{
    const char *quote = c->are_codes ? "" : "\"";
    const size_t n = c->texts.n;
    char *text = arena_alloc(a, c->len + 1, err);
    size_t *starts = text == NULL ? NULL : arena_array(a, n + 1, sizeof(*starts), err);
    size_t at = 0;

    if (starts == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        struct span part = c->texts.x->channels[c->texts.channels[i]].text;
        part = c->are_codes ? array_part_code(part) : part;
        at += i > 0 ? put_mark(text + at, ARRAY_PART_JOINT) : 0;
        at += put_mark(text + at, quote);
        starts[i] = at;
        put_literal(text + at, part);
        at += part.len;
        at += put_mark(text + at, quote);
    }
    starts[n] = at;
    c->texts.starts = starts;
    *out = span_of(text, at);
    return true;
}

/* The next column that may be a secret; false: none is left. */
static bool next(const struct exchange *x, const struct columns *columns, size_t *number, uint32_t *channels, struct column *c)
{
    while (*number < columns->n) {
        if (read_column(x, columns, ++*number, channels, c)) {
            return true;
        }
    }
    return false;
}

/* Without the classifiers, which judge units of a text. */
bool joined_columns_find(struct finder *f, struct exchange *x, struct finding_list *list, struct error *err)
{
    struct columns columns;
    struct column c;
    size_t number = 0;

    if (x->is_request) {
        return true;
    }
    uint32_t *channels = arena_array(f->arena, x->n_channels + 1, sizeof(*channels), err);
    if (channels == NULL || !collect(f->arena, x, &columns, err)) {
        return false;
    }
    while (next(x, &columns, &number, channels, &c)) {
        struct finding_list found = {0};
        struct find_request request = {.rules = x->snapshot->rules,
                                       .has_rule = x->policy->has_rule,
                                       .channel = c.texts.channels[0],
                                       .is_parts = true,
                                       .stage_ns = x->stage_ns,
                                       .classify = {.is_off = true},
                                       .links = x->policy->links};
        if (!join(f->arena, &c, &request.text, err) || !find_in_text(f, &request, &found, err) ||
            !joined_texts_add(f, &c.texts, request.text, 0, &found, list, err)) {
            return false;
        }
    }
    return true;
}
