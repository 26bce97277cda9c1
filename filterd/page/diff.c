#include "page/diff.h"

#include <stdint.h>

enum { CELLS_MAX = 512 * 1024 }; /* of the table of common lines: two bytes each */

struct lines {
    struct span *items;
    size_t n;
};

struct change {
    enum diff_kind kind;
    struct span line;
};

struct changes {
    struct change *items;
    size_t n;
};

static bool split(struct arena *a, struct span text, struct lines *out, struct error *err)
{
    size_t n = text.len > 0 && text.ptr[text.len - 1] != '\n';

    for (size_t i = 0; i < text.len; i++) {
        n += text.ptr[i] == '\n';
    }
    if (n > DIFF_LINES_MAX) {
        return error_set(err, ERROR_LIMIT, "diff: at most %d lines expected", DIFF_LINES_MAX);
    }
    *out = (struct lines){.items = arena_array(a, n + 1, sizeof(struct span), err)};
    while (out->items != NULL && text.len > 0) {
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t len = end == NULL ? text.len : (size_t)(end - text.ptr);
        out->items[out->n++] = span_slice(text, 0, len);
        text = span_slice(text, end == NULL ? len : len + 1, text.len);
    }
    return out->items != NULL;
}

static void add(struct changes *c, enum diff_kind kind, const struct span *lines, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        c->items[c->n++] = (struct change){kind, lines[i]};
    }
}

/* common[i][j]: length of the longest common subsequence of before[i..] and after[j..]. */
static void fill(uint16_t *common, const struct lines *before, const struct lines *after)
{
    size_t width = after->n + 1;

    for (size_t i = before->n; i-- > 0;) {
        for (size_t j = after->n; j-- > 0;) {
            uint16_t down = common[(i + 1) * width + j], right = common[i * width + j + 1];
            uint16_t both = (uint16_t)(common[(i + 1) * width + j + 1] + 1);
            bool is_same = span_equal(before->items[i], after->items[j]);
            common[i * width + j] = is_same ? both : down > right ? down : right;
        }
    }
}

static void walk(const uint16_t *common, const struct lines *before, const struct lines *after, struct changes *out)
{
    size_t width = after->n + 1, i = 0, j = 0;

    while (i < before->n && j < after->n) {
        if (span_equal(before->items[i], after->items[j])) {
            add(out, DIFF_SAME, &before->items[i++], 1);
            j++;
        } else if (common[(i + 1) * width + j] >= common[i * width + j + 1]) {
            add(out, DIFF_REMOVED, &before->items[i++], 1);
        } else {
            add(out, DIFF_ADDED, &after->items[j++], 1);
        }
    }
    add(out, DIFF_REMOVED, before->items + i, before->n - i);
    add(out, DIFF_ADDED, after->items + j, after->n - j);
}

static bool compare(struct arena *a, const struct lines *before, const struct lines *after, struct changes *out, struct error *err)
{
    size_t cells = (before->n + 1) * (after->n + 1);

    if (cells > CELLS_MAX) {
        add(out, DIFF_REMOVED, before->items, before->n);
        add(out, DIFF_ADDED, after->items, after->n);
        return true;
    }
    uint16_t *common = arena_array(a, cells, sizeof(*common), err);
    if (common == NULL) {
        return false;
    }
    memset(common, 0, cells * sizeof(*common));
    fill(common, before, after);
    walk(common, before, after, out);
    return true;
}

static bool is_near(const struct changes *c, size_t at)
{
    size_t from = at > DIFF_CONTEXT ? at - DIFF_CONTEXT : 0;

    for (size_t i = from; i < c->n && i <= at + DIFF_CONTEXT; i++) {
        if (c->items[i].kind != DIFF_SAME) {
            return true;
        }
    }
    return false;
}

static void give(const struct changes *c, diff_fn *take, void *context, size_t *n)
{
    bool is_gap = false;

    *n = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (is_near(c, i)) {
            take(context, c->items[i].kind, c->items[i].line);
            *n += c->items[i].kind != DIFF_SAME;
            is_gap = false;
        } else if (!is_gap) {
            take(context, DIFF_GAP, span_of("", 0));
            is_gap = true;
        }
    }
}

bool diff_texts(struct arena *a, struct span before, struct span after, diff_fn *take, void *context, size_t *n, struct error *err)
{
    struct lines old, new;
    size_t head = 0, tail = 0;

    if (!split(a, before, &old, err) || !split(a, after, &new, err)) {
        return false;
    }
    struct changes changes = {.items = arena_array(a, old.n + new.n + 1, sizeof(struct change), err)};
    if (changes.items == NULL) {
        return false;
    }
    size_t shorter = old.n < new.n ? old.n : new.n;
    while (head < shorter && span_equal(old.items[head], new.items[head])) {
        head++;
    }
    while (tail < shorter - head && span_equal(old.items[old.n - 1 - tail], new.items[new.n - 1 - tail])) {
        tail++;
    }
    const struct lines old_part = {old.items + head, old.n - head - tail}, new_part = {new.items + head, new.n - head - tail};
    add(&changes, DIFF_SAME, old.items, head);
    if (!compare(a, &old_part, &new_part, &changes, err)) {
        return false;
    }
    add(&changes, DIFF_SAME, old.items + old.n - tail, tail);
    give(&changes, take, context, n);
    return true;
}
