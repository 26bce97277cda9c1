/* budgets.h - how many different values each user, session, agent or tenant was shown in a window of time.
 *
 * An account is one such subject under one budget of a policy. It has the keyed hashes of the values that were disclosed,
 * each with the time of its last disclosure; a value leaves the account when the window has passed since then. Of at most
 * BUDGET_EXACT values the count is exact. Beyond, it is estimated (budget/sketch.h) over nine slices of an eighth of the
 * window each, so that no value leaves before the window has passed, and each at most an eighth of it later.
 *
 * A value is reserved before it is released and committed after: what another exchange is about to disclose counts already,
 * so the sum of all exchanges never exceeds the budget, whatever their order.
 *
 * Memory is bounded: accounts lie in shards, each with its lock and its part of the memory. Where there is no room, accounts
 * whose values have all left make some; no other is given up. One caller has at most three quarters of a shard. A value
 * that cannot be counted is over the budget. Times are UTC seconds. Every function: any thread. */
#ifndef FILTERD_BUDGET_BUDGETS_H
#define FILTERD_BUDGET_BUDGETS_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum {
    BUDGET_EXACT = 1024,
    BUDGET_KEY = 16,
    BUDGET_SECRET = 32,
    BUDGET_IMAGE_MAX = 24 * 1024,
    BUDGET_CALLERS = 64, /* that are counted separately */
};

struct budgets;

struct budget_account_key {
    uint8_t bytes[BUDGET_KEY];
};

/* What a policy says of an account. */
struct budget_terms {
    uint64_t values;   /* at most so many */
    uint32_t window_s;
    bool is_observed;  /* the value that exceeds it is released, too, and counted */
    unsigned caller;   /* of identity: whose share of the memory a new account takes */
};

/* Zero is the strict value. */
enum budget_verdict { BUDGET_OVER, BUDGET_WITHIN };

/* A value of an exchange that is not over yet. */
struct budget_hold {
    bool is_held; /* to be committed or cancelled, once */
    bool is_new;  /* it was in no earlier exchange */
};

/* The time of windows: UTC as it was at the first call, and what has passed since, with the time of a suspended machine. Setting the
 * clock would empty the budgets, or fill them for as long as it was set back. */
int64_t budgets_now_ns(void);

/* `secret` is a key of the service: hashes are of no use without it. NULL with NO_MEMORY. */
struct budgets *budgets_new(size_t memory_max, const uint8_t secret[BUDGET_SECRET], struct error *err);
void budgets_free(struct budgets *b);

void budgets_key(const struct budgets *b, const struct span *parts, size_t n, struct budget_account_key *out);
uint64_t budgets_hash(const struct budgets *b, struct span value);

/* Counts the value if the account has it, or has room for it. */
enum budget_verdict budgets_reserve(struct budgets *b, const struct budget_account_key *key, const struct budget_terms *terms,
                                    uint64_t hash, uint32_t now_s, struct budget_hold *hold);
/* The value is released at that time. */
void budgets_commit(struct budgets *b, const struct budget_account_key *key, uint64_t hash, uint32_t now_s,
                    const struct budget_hold *hold);
/* It is not. */
void budgets_cancel(struct budgets *b, const struct budget_account_key *key, uint64_t hash, const struct budget_hold *hold);

struct budget_level {
    uint64_t values;
    bool is_estimated;
    uint32_t wait_s; /* until no more values than the terms allow are in the account; 0: no more are */
};
void budgets_look(struct budgets *b, const struct budget_account_key *key, const struct budget_terms *terms, uint32_t now_s,
                  struct budget_level *out);

/* Drops accounts whose values have all left. */
void budgets_sweep(struct budgets *b, uint32_t now_s);

struct budget_counts {
    uint64_t accounts, bytes;
    uint64_t refused;   /* values that were over because they could not be counted */
};
void budgets_count(struct budgets *b, struct budget_counts *out);

/* For the store: an account as it is stored. */
struct budget_image {
    struct budget_account_key key;
    bool is_gone; /* nothing is left of it */
    uint32_t window_s;
    size_t len;
    uint8_t bytes[BUDGET_IMAGE_MAX];
};

/* From now on changes are kept for budgets_take_changed, and `wake` is called after the first. Before any other use. */
void budgets_keep_changes(struct budgets *b, void (*wake)(void *context), void *context);
/* An account that changed since it was last taken. */
bool budgets_take_changed(struct budgets *b, struct budget_image *out);
/* It could not be stored: it is given again. */
void budgets_give_back(struct budgets *b, const struct budget_account_key *key);
/* All accounts are given. */
void budgets_give_all(struct budgets *b);
/* Before any other use. INVALID when the image is none: then some accounts may be there, and budgets_clear takes them away. */
MUST_CHECK bool budgets_restore(struct budgets *b, const struct budget_image *image, uint32_t now_s, struct error *err);
/* Takes all accounts away. No account is held (budgets_reserve). */
void budgets_clear(struct budgets *b);
/* While it is false, a value that is new to its account is over the budget: it would be forgotten by a crash. */
void budgets_set_stored(struct budgets *b, bool is_stored);

#endif
