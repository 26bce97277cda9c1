/* review_find.h - the queue, its items and groups, as review.db has them.
 *
 * Everything shown is of one tenant, or of all: a reader that is limited to a tenant finds nothing of another, and is
 * answered as if it was not there. What depends on time (leases, due dates) is computed with the caller's `now`. Pages go on
 * by key, never by offset, and what a page may cost is limited: a filter that few match may give a page with fewer items than
 * wanted, even none, and the place to go on from. One reader is used by one thread. */
#ifndef FILTERD_REVIEW_REVIEW_FIND_H
#define FILTERD_REVIEW_REVIEW_FIND_H

#include "review/review_store.h"

enum { REVIEW_PAGE_MAX = 500, REVIEW_ROWS_MAX = 1000 /* looked at for one page */, REVIEW_COUNT_MAX = 10000, REVIEW_DAYS = 30 };

struct review_reader;
/* NOT_FOUND: there is no review.db. NULL on failure. It shows one state until it is closed. */
struct review_reader *review_reader_open(const char *path, struct error *err);
void review_reader_close(struct review_reader *r); /* accepts NULL */
uint64_t review_reader_seq(const struct review_reader *r); /* the last line that is in it */
/* For readers of other tables of the file. */
sqlite3 *review_reader_db(struct review_reader *r);

/* --- items ---------------------------------------------------------------------- */

enum review_states { /* which items; a lease that has ended makes an item new */
    REVIEW_ITEMS_OPEN,
    REVIEW_ITEMS_NEW,
    REVIEW_ITEMS_CLAIMED,
    REVIEW_ITEMS_CLOSED,
    REVIEW_ITEMS_STATES
};
/* False: it is none of open, new, claimed, closed. */
bool review_states_of(struct span name, enum review_states *out);

struct review_items_key {
    int64_t rank; /* below zero: its priority */
    uint64_t seq;
};

struct review_items_query {
    enum review_states states;
    struct span tenant;         /* ptr NULL: all */
    struct span assignee, rule; /* likewise */
    const uint8_t *group;       /* NULL: all; else REVIEW_GROUP bytes */
    enum review_why why;        /* REVIEW_NOT: all */
    bool is_overdue;            /* only those */
    int64_t now_ms;             /* UTC */
    bool has_after;
    struct review_items_key after; /* of has_after: where the page before ended */
    unsigned limit;                /* 1 to REVIEW_PAGE_MAX */
};
/* Called with each item, the most urgent first; valid during the call. */
typedef bool review_item_fn(void *context, const struct review_item *item, struct error *err);
/* *has_next: more may follow behind *next. */
MUST_CHECK bool review_items(struct review_reader *r, const struct review_items_query *q, review_item_fn *take, void *context,
                             bool *has_next, struct review_items_key *next, struct error *err);

/* With its opinions. NOT_FOUND: there is none, or it is of another tenant. */
MUST_CHECK bool review_item_at(struct review_reader *r, uint64_t seq, struct span tenant, struct review_item *out, struct error *err);
/* The numbers of the lines that changed it, in order, those of its group included; the first `max`. */
MUST_CHECK bool review_item_history(struct review_reader *r, const struct review_item *item, uint64_t *seqs, size_t max, size_t *n,
                                    struct error *err);

/* The last line that changed one of these items, or without items the group as a whole; 0: none did. */
MUST_CHECK bool review_last_step(struct review_reader *r, const uint64_t *items, size_t n, const uint8_t group[REVIEW_GROUP],
                                 uint64_t *line, struct error *err);
/* How many items that line was the last one to change. */
MUST_CHECK bool review_changed_by(struct review_reader *r, uint64_t line, uint64_t *n, struct error *err);

/* --- groups --------------------------------------------------------------------- */

struct review_groups_query {
    struct span tenant, rule; /* ptr NULL: all */
    bool is_open;             /* only those with open items */
    uint64_t before;          /* number of the last hit; 0: from the newest on */
    unsigned limit;
};
typedef bool review_group_fn(void *context, const struct review_group *group, struct error *err);
/* The group with the latest hit first. *next: `before` of the next page; 0: this is the last. */
MUST_CHECK bool review_groups(struct review_reader *r, const struct review_groups_query *q, review_group_fn *take, void *context,
                              uint64_t *next, struct error *err);
MUST_CHECK bool review_group_at(struct review_reader *r, const uint8_t id[REVIEW_GROUP], struct span tenant, struct review_group *out,
                                struct error *err);
/* Hits of each of the REVIEW_DAYS days up to and with that of `now_ms`, the earliest first. */
MUST_CHECK bool review_group_trend(struct review_reader *r, int64_t group_row, int64_t now_ms, uint64_t hits[REVIEW_DAYS],
                                   struct error *err);

/* --- counts --------------------------------------------------------------------- */

struct review_counts {
    uint64_t n[ITEM_STATES]; /* as last written: an ended lease counts as claimed */
    uint64_t n_overdue;      /* REVIEW_COUNT_MAX: that many, or more */
    int64_t oldest_ms;       /* of the open items; 0: there is none */
};
MUST_CHECK bool review_counts(struct review_reader *r, struct span tenant, int64_t now_ms, struct review_counts *out, struct error *err);

/* At most `max`. */
MUST_CHECK bool review_count_overdue(struct review_reader *r, struct span tenant, int64_t now_ms, unsigned max, uint64_t *out,
                                     struct error *err);

/* How well two people agree on the items that both have disposed of. */
struct review_agreement {
    const char *first, *second; /* valid during the call */
    uint64_t n, n_same;
    double kappa; /* Cohen's; 1 when both always gave the same one disposition */
};
typedef bool review_agreement_fn(void *context, const struct review_agreement *pair, struct error *err);
MUST_CHECK bool review_agreements(struct review_reader *r, struct span tenant, review_agreement_fn *take, void *context,
                                  struct error *err);

#endif
