#include "budget/budget_account.h"

#include <stdlib.h>
#include <string.h>

enum { ALLOCATION = 16 /* what an allocation takes besides */ };

static size_t values_size(uint32_t cap)
{
    return cap <= ACCOUNT_FIRST ? 0 : cap * sizeof(struct account_value) + ALLOCATION;
}

size_t account_size(const struct account *a)
{
    return sizeof(*a) + ALLOCATION + values_size(a->cap) + (a->sketch != NULL ? sizeof(*a->sketch) + ALLOCATION : 0);
}

static void drop_values(struct account *a)
{
    if (a->values != a->first) {
        free(a->values);
    }
    a->values = a->first;
    a->cap = ACCOUNT_FIRST;
    a->n = 0;
}

void account_free(struct account *a)
{
    drop_values(a);
    free(a->sketch);
    free(a);
}

/* --- the sketch ------------------------------------------------------------------ */

static uint32_t slice_of(const struct account *a, uint32_t at_s)
{
    return at_s / ((a->window_s + ACCOUNT_SLICES - 1) / ACCOUNT_SLICES);
}

/* Zeroed slices have number 0, which left every window long ago. */
static bool is_alive(const struct account *a, unsigned slot, uint32_t now_s)
{
    return a->sketch->numbers[slot] + ACCOUNT_SLICES >= slice_of(a, now_s);
}

static void merge_alive(const struct account *a, uint32_t now_s, struct sketch *out)
{
    memset(out, 0, sizeof(*out));
    for (unsigned i = 0; i <= ACCOUNT_SLICES; i++) {
        if (is_alive(a, i, now_s)) {
            sketch_merge(out, &a->sketch->slices[i]);
        }
    }
}

bool account_has_seen(const struct account *a, uint64_t hash, uint32_t now_s)
{
    for (unsigned i = 0; i <= ACCOUNT_SLICES; i++) {
        if (is_alive(a, i, now_s) && sketch_has(&a->sketch->slices[i], hash)) {
            return true;
        }
    }
    return false;
}

/* A clock that was set back finds a newer slice in that place. */
void account_see(struct account *a, uint64_t hash, uint32_t at_s)
{
    uint32_t number = slice_of(a, at_s);
    unsigned slot = number % (ACCOUNT_SLICES + 1);

    if (a->sketch->numbers[slot] < number) {
        a->sketch->numbers[slot] = number;
        memset(&a->sketch->slices[slot], 0, sizeof(a->sketch->slices[slot]));
    }
    sketch_add(&a->sketch->slices[slot], hash);
}

/* What is only reserved stays so, as a number. */
static bool turn_into_sketch(struct account *a)
{
    a->sketch = calloc(1, sizeof(*a->sketch));
    if (a->sketch == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < a->n; i++) {
        if (a->values[i].at_s > 0) {
            account_see(a, a->values[i].hash, a->values[i].at_s);
        } else {
            a->reserved++;
        }
    }
    drop_values(a);
    return true;
}

/* --- time -------------------------------------------------------------------------- */

static bool has_left(const struct account *a, const struct account_value *v, uint32_t now_s)
{
    return v->holds == 0 && (uint64_t)v->at_s + a->window_s <= now_s;
}

void account_be_past(struct account *a, uint32_t now_s)
{
    for (uint32_t i = 0; i < a->n; i++) {
        a->values[i].at_s = a->values[i].at_s < now_s ? a->values[i].at_s : now_s;
    }
}

void account_expire(struct account *a, uint32_t now_s)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < a->n; i++) {
        if (!has_left(a, &a->values[i], now_s)) {
            a->values[kept++] = a->values[i];
        }
    }
    a->n = kept;
    if (a->sketch == NULL || a->holds > 0) {
        return;
    }
    for (unsigned i = 0; i <= ACCOUNT_SLICES; i++) {
        if (is_alive(a, i, now_s)) {
            return;
        }
    }
    free(a->sketch);
    a->sketch = NULL;
    a->reserved = 0;
}

bool account_is_empty(const struct account *a)
{
    return a->n == 0 && a->sketch == NULL && a->holds == 0;
}

double account_count(const struct account *a, uint32_t now_s)
{
    struct sketch all;

    if (a->sketch == NULL) {
        return a->n;
    }
    merge_alive(a, now_s, &all);
    return sketch_estimate(&all) + a->reserved;
}

static int compare_times(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

    return (a > b) - (a < b);
}

/* Of a sketch until its oldest slice leaves, after which it is looked at again. */
static uint32_t wait_for_slice(const struct account *a, uint32_t now_s)
{
    uint32_t oldest = UINT32_MAX, length = (a->window_s + ACCOUNT_SLICES - 1) / ACCOUNT_SLICES;

    for (unsigned i = 0; i <= ACCOUNT_SLICES; i++) {
        bool is_older = is_alive(a, i, now_s) && a->sketch->numbers[i] < oldest;
        oldest = is_older ? a->sketch->numbers[i] : oldest;
    }
    uint64_t until = ((uint64_t)oldest + ACCOUNT_SLICES + 1) * length;
    return oldest == UINT32_MAX || until <= now_s ? 1 : (uint32_t)(until - now_s);
}

uint32_t account_wait(const struct account *a, uint64_t values, uint32_t now_s)
{
    uint32_t times[BUDGET_EXACT];

    if (account_count(a, now_s) <= (double)values) {
        return 0;
    }
    if (a->sketch != NULL) {
        return wait_for_slice(a, now_s);
    }
    for (uint32_t i = 0; i < a->n; i++) {
        times[i] = a->values[i].at_s > 0 ? a->values[i].at_s : now_s;
    }
    qsort(times, a->n, sizeof(*times), compare_times);
    uint64_t until = (uint64_t)times[a->n - values - 1] + a->window_s;
    return until <= now_s ? 1 : (uint32_t)(until - now_s);
}

/* --- values ------------------------------------------------------------------------ */

struct account_value *account_find(struct account *a, uint64_t hash)
{
    for (uint32_t i = 0; i < a->n; i++) {
        if (a->values[i].hash == hash) {
            return &a->values[i];
        }
    }
    return NULL;
}

size_t account_growth(const struct account *a)
{
    if (a->sketch != NULL || a->n < a->cap) {
        return 0;
    }
    return a->n == BUDGET_EXACT ? sizeof(*a->sketch) : values_size(2 * a->cap);
}

static bool grow(struct account *a)
{
    struct account_value *values = malloc(2 * a->cap * sizeof(*values));

    if (values == NULL) {
        return false;
    }
    memcpy(values, a->values, a->n * sizeof(*values));
    uint32_t n = a->n, cap = a->cap;
    drop_values(a);
    a->values = values;
    a->cap = 2 * cap;
    a->n = n;
    return true;
}

struct account_value *account_add(struct account *a, uint64_t hash, bool *is_full)
{
    *is_full = false;
    if (a->sketch == NULL && a->n == BUDGET_EXACT) {
        *is_full = !turn_into_sketch(a);
    } else if (a->sketch == NULL && a->n == a->cap) {
        *is_full = !grow(a);
    }
    if (*is_full || a->sketch != NULL) {
        return NULL;
    }
    a->values[a->n] = (struct account_value){.hash = hash};
    return &a->values[a->n++];
}
