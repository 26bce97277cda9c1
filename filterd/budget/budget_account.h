/* budget_account.h - the values of one account; for budgets.c and budget_image.c alone. With its shard's lock held. */
#ifndef FILTERD_BUDGET_BUDGET_ACCOUNT_H
#define FILTERD_BUDGET_BUDGET_ACCOUNT_H

#include "budget/budgets.h"
#include "budget/sketch.h"

enum { ACCOUNT_SLICES = 8, ACCOUNT_FIRST = 2 };

struct account_value {
    uint64_t hash;
    uint32_t at_s; /* of the last disclosure; 0: only reserved */
    uint32_t holds;
};

/* The slices of a window, by number modulo; a slice's number is its time divided by its length. */
struct account_sketch {
    uint32_t numbers[ACCOUNT_SLICES + 1];
    struct sketch slices[ACCOUNT_SLICES + 1];
};

struct account {
    struct budget_account_key key;
    struct account *next, *next_changed;
    struct account_value *values; /* `first`, or from the heap */
    struct account_sketch *sketch; /* NULL: the values are exact */
    uint32_t n, cap;
    uint32_t window_s, last_s;
    uint32_t holds;    /* over all values */
    uint32_t reserved; /* values that are only reserved; with a sketch */
    uint8_t caller;
    bool is_changed, is_gone;
    struct account_value first[ACCOUNT_FIRST];
};

size_t account_size(const struct account *a);
void account_free(struct account *a);

/* Drops the values that have left the window. */
void account_expire(struct account *a, uint32_t now_s);
bool account_is_empty(const struct account *a);
double account_count(const struct account *a, uint32_t now_s);
/* NULL: it is not there, or the account has a sketch. */
struct account_value *account_find(struct account *a, uint64_t hash);
/* Of a sketch. */
bool account_has_seen(const struct account *a, uint64_t hash, uint32_t now_s);
/* What was disclosed in the future, by a clock that has been set back since, was so now: it leaves with the window. */
void account_be_past(struct account *a, uint32_t now_s);
void account_see(struct account *a, uint64_t hash, uint32_t at_s);
/* Seconds until at most `values` are left. */
uint32_t account_wait(const struct account *a, uint64_t values, uint32_t now_s);

/* How many bytes account_add takes. */
size_t account_growth(const struct account *a);
/* Adds a value, to the sketch if there is no room for more: NULL then, and when memory is out, which *is_full says. */
struct account_value *account_add(struct account *a, uint64_t hash, bool *is_full);

void account_write(const struct account *a, struct budget_image *out);
/* Into an empty account. False: it is no image. */
bool account_read(struct account *a, const struct budget_image *image, bool *is_full);

#endif
