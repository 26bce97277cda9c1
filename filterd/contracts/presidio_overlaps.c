/* presidio_overlaps.c - a tree of maxima (a Fenwick tree) for each entity.
 *
 * Places are taken in the order of the array. The tree of an entity has, at the rank of where a place begins among those of the
 * entity, the furthest end of those taken so far: a place is contained when the maximum over the ranks up to its own reaches its end. */
#include "contracts/presidio_overlaps.h"

#include <stdlib.h>

#include "contracts/presidio.h"

struct ranked {
    struct presidio_place *place;
    size_t rank;       /* 1 is the first beginning */
    size_t base, size; /* its entity's part of `furthest`, from index base + 1 */
};

/* By entity, then by where it begins. */
static int compare(const void *left, const void *right)
{
    const struct presidio_place *a = (*(struct ranked *const *)left)->place, *b = (*(struct ranked *const *)right)->place;
    int order = presidio_compare(&a->entity, &b->entity);

    return order != 0 ? order : (a->from > b->from) - (a->from < b->from);
}

static void rank_all(struct ranked *const *sorted, size_t n)
{
    for (size_t base = 0, end; base < n; base = end) {
        size_t rank = 0;
        for (end = base; end < n && span_equal(sorted[end]->place->entity, sorted[base]->place->entity); end++) {
            rank += end == base || sorted[end]->place->from != sorted[end - 1]->place->from;
            sorted[end]->rank = rank;
            sorted[end]->base = base;
        }
        for (size_t i = base; i < end; i++) {
            sorted[i]->size = rank;
        }
    }
}

static size_t furthest_until(const size_t *furthest, const struct ranked *r)
{
    size_t to = 0;

    for (size_t i = r->rank; i > 0; i &= i - 1) {
        to = furthest[r->base + i] > to ? furthest[r->base + i] : to;
    }
    return to;
}

static void take(size_t *furthest, const struct ranked *r, size_t to)
{
    for (size_t i = r->rank; i <= r->size; i += i & (~i + 1)) {
        furthest[r->base + i] = furthest[r->base + i] > to ? furthest[r->base + i] : to;
    }
}

bool presidio_mark_repeated(struct presidio_place *places, size_t n, struct arena *a, struct error *err)
{
    struct ranked *ranked = arena_array(a, n + 1, sizeof(*ranked), err);
    struct ranked **sorted = ranked == NULL ? NULL : arena_array(a, n + 1, sizeof(*sorted), err);
    size_t *furthest = sorted == NULL ? NULL : arena_array(a, n + 1, sizeof(*furthest), err);

    if (furthest == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        ranked[i].place = &places[i];
        sorted[i] = &ranked[i];
        furthest[i + 1] = 0; /* nothing was taken: ends count from 1 */
    }
    if (n > 1) {
        qsort(sorted, n, sizeof(*sorted), compare);
    }
    rank_all(sorted, n);
    for (size_t i = 0; i < n; i++) {
        places[i].is_repeated = furthest_until(furthest, &ranked[i]) > places[i].to;
        take(furthest, &ranked[i], places[i].to + 1);
    }
    return true;
}
