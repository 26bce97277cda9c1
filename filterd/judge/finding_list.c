#include "judge/find.h"

#include <stdlib.h>

bool finding_list_add(struct finder *f, struct finding_list *list, const struct finding *finding, struct error *err)
{
    if (list->n == f->findings_max) {
        return error_set(err, ERROR_LIMIT, "more than %zu findings", f->findings_max);
    }
    if (list->n == list->cap) {
        size_t cap = list->cap == 0 ? 16 : list->cap * 2;
        struct finding *items = arena_array(f->arena, cap, sizeof(*items), err);
        if (items == NULL) {
            return false;
        }
        if (list->n > 0) {
            memcpy(items, list->items, list->n * sizeof(*items));
        }
        list->items = items;
        list->cap = cap;
    }
    list->items[list->n++] = *finding;
    return true;
}

static int compare_numbers(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int compare_places(const struct finding *a, const struct finding *b)
{
    int order = compare_numbers(a->channel, b->channel);

    order = order != 0 ? order : compare_numbers(a->from, b->from);
    order = order != 0 ? order : compare_numbers(a->to, b->to);
    return order != 0 ? order : rule_compare(a->rule, b->rule);
}

static int compare_findings(const void *x, const void *y)
{
    const struct finding *a = x, *b = y;
    int order = compare_places(a, b);

    if (order == 0) {
        order = (a->confidence < b->confidence) - (a->confidence > b->confidence);
    }
    return order != 0 ? order : (int)a->view - (int)b->view;
}

/* The library's sort allocates for long lists; ordinary exchanges have short ones. */
static void sort_findings(struct finding *items, size_t n)
{
    enum { INSERTION_MAX = 24 };

    if (n > INSERTION_MAX) {
        qsort(items, n, sizeof(*items), compare_findings);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        struct finding item = items[i];
        size_t k = i;
        for (; k > 0 && compare_findings(&items[k - 1], &item) > 0; k--) {
            items[k] = items[k - 1];
        }
        items[k] = item;
    }
}

/* Whether a link is a part of another one: the URL in its brackets, the image in it. `outer`: the link before it that
 * reaches furthest; it may have no rule. */
static bool is_nested(const struct finding_list *list, size_t i, const struct finding *outer)
{
    const struct finding *f = &list->items[i];

    for (size_t k = i + 1; k < list->n && list->items[k].channel == f->channel && list->items[k].from == f->from; k++) {
        if (list->items[k].rule->link != LINK_NONE && list->items[k].to > f->to) {
            return true;
        }
    }
    return outer->rule != NULL && outer->channel == f->channel && outer->from < f->from && outer->to >= f->to;
}

/* A link is one finding, though its parts are links, too. */
static void drop_nested_links(struct finding_list *list)
{
    struct finding outer = {0};
    size_t kept = 0;

    for (size_t i = 0; i < list->n; i++) {
        const struct finding f = list->items[i];
        if (f.rule->link != LINK_NONE) {
            if (is_nested(list, i, &outer)) {
                continue;
            }
            outer = outer.rule == NULL || outer.channel != f.channel || f.to > outer.to ? f : outer;
        }
        list->items[kept++] = f;
    }
    list->n = kept;
}

void finding_list_settle(struct finding_list *list)
{
    size_t kept = 0;

    sort_findings(list->items, list->n);
    for (size_t i = 0; i < list->n; i++) {
        if (kept == 0 || compare_places(&list->items[kept - 1], &list->items[i]) != 0) {
            list->items[kept++] = list->items[i];
        }
    }
    list->n = kept;
    drop_nested_links(list);
}

bool finding_list_has(const struct finding_list *list, size_t n, const struct finding *finding)
{
    size_t low = 0;

    for (size_t high = n; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (compare_places(&list->items[middle], finding) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < n && compare_places(&list->items[low], finding) == 0 &&
           list->items[low].confidence >= finding->confidence;
}
