/* review_find.h - reads the queue, items and groups from review.db.
 *
 * Queries are limited to one tenant, or return all: items and groups of another tenant are treated as nonexistent. Values that
 * depend on time (leases, due times) are computed from the caller's `now`. Pagination is by key, not by offset, and a page
 * examines at most REVIEW_ROWS_MAX rows: a selective filter may return fewer items than `limit`, or none, together with the key
 * to continue from. One thread per reader. */
#ifndef FILTERD_REVIEW_REVIEW_FIND_H
#define FILTERD_REVIEW_REVIEW_FIND_H

#include "review/review_store.h"

enum { REVIEW_PAGE_MAX = 500, REVIEW_ROWS_MAX = 1000 /* examined for one page */, REVIEW_COUNT_MAX = 10000, REVIEW_DAYS = 30 };

struct review_reader;
/* NULL on failure; NOT_FOUND: there is no review.db. A reader sees one snapshot of the database until it is closed. */
struct review_reader *review_reader_open(const char *path, struct error *err);
void review_reader_close(struct review_reader *r); /* accepts NULL */
uint64_t review_reader_seq(const struct review_reader *r); /* the last line folded into it */
/* For readers of other tables of the file. */
sqlite3 *review_reader_db(struct review_reader *r);

/* --- items ---------------------------------------------------------------------- */

enum review_states { /* an item with an expired lease counts as new */
    REVIEW_ITEMS_OPEN,
    REVIEW_ITEMS_NEW,
    REVIEW_ITEMS_CLAIMED,
    REVIEW_ITEMS_CLOSED,
    REVIEW_ITEMS_STATES
};
/* Names: open, new, claimed, closed. False: another name. */
bool review_states_of(struct span name, enum review_states *out);

struct review_items_key {
    int64_t rank; /* the negated priority */
    uint64_t seq;
};

struct review_items_query {
    enum review_states states;
    struct span tenant;         /* ptr NULL: all */
    struct span assignee, rule; /* likewise */
    const uint8_t *group;       /* NULL: all; else REVIEW_GROUP bytes */
    enum review_why why;        /* REVIEW_NOT: all */
    bool is_overdue;            /* overdue items only */
    int64_t now_ms;             /* UTC */
    bool has_after;
    struct review_items_key after; /* with has_after: the last key of the previous page */
    unsigned limit;                /* 1 to REVIEW_PAGE_MAX */
};
/* Called with each item, most urgent first; the item is valid during the call. */
typedef bool review_item_fn(void *context, const struct review_item *item, struct error *err);
/* *has_next: more items may follow *next. */
MUST_CHECK bool review_items(struct review_reader *r, const struct review_items_query *q, review_item_fn *take, void *context,
                             bool *has_next, struct review_items_key *next, struct error *err);

/* With its opinions. NOT_FOUND: no such item, or of another tenant. */
MUST_CHECK bool review_item_at(struct review_reader *r, uint64_t seq, struct span tenant, struct review_item *out, struct error *err);
/* The numbers of the first `max` lines that changed the item or its group, in order. */
MUST_CHECK bool review_item_history(struct review_reader *r, const struct review_item *item, uint64_t *seqs, size_t max, size_t *n,
                                    struct error *err);

/* The last line that changed one of these items or, if n is 0, the group as a whole; 0: none. */
MUST_CHECK bool review_last_step(struct review_reader *r, const uint64_t *items, size_t n, const uint8_t group[REVIEW_GROUP],
                                 uint64_t *line, struct error *err);
/* The number of items whose last change is that line. */
MUST_CHECK bool review_changed_by(struct review_reader *r, uint64_t line, uint64_t *n, struct error *err);

/* The line that carried out the order of a review console with that id; 0: none. */
MUST_CHECK bool review_ordered(struct review_reader *r, struct span id, uint64_t *line, struct error *err);

/* --- groups --------------------------------------------------------------------- */

struct review_groups_query {
    struct span tenant, rule; /* ptr NULL: all */
    bool is_open;             /* groups with open items only */
    uint64_t before;          /* number of the last hit; 0: from the newest on */
    unsigned limit;
};
typedef bool review_group_fn(void *context, const struct review_group *group, struct error *err);
/* Latest hit first. *next: `before` of the next page; 0: this is the last page. */
MUST_CHECK bool review_groups(struct review_reader *r, const struct review_groups_query *q, review_group_fn *take, void *context,
                              uint64_t *next, struct error *err);
MUST_CHECK bool review_group_at(struct review_reader *r, const uint8_t id[REVIEW_GROUP], struct span tenant, struct review_group *out,
                                struct error *err);
/* Hits per day, for the REVIEW_DAYS days that end with that of `now_ms`, earliest first. */
MUST_CHECK bool review_group_trend(struct review_reader *r, int64_t group_row, int64_t now_ms, uint64_t hits[REVIEW_DAYS],
                                   struct error *err);

/* --- counts --------------------------------------------------------------------- */

struct review_counts {
    uint64_t n[ITEM_STATES]; /* as stored: an item with an expired lease counts as claimed */
    uint64_t n_overdue;      /* REVIEW_COUNT_MAX: that many or more */
    int64_t oldest_ms;       /* of the open items; 0: none */
};
MUST_CHECK bool review_counts(struct review_reader *r, struct span tenant, int64_t now_ms, struct review_counts *out, struct error *err);

/* Counts up to `max`. */
MUST_CHECK bool review_count_overdue(struct review_reader *r, struct span tenant, int64_t now_ms, unsigned max, uint64_t *out,
                                     struct error *err);

/* Agreement of two people on the items that both disposed of. */
struct review_agreement {
    const char *first, *second; /* valid during the call */
    uint64_t n, n_same;
    double kappa; /* Cohen's; 1 if both always chose one and the same disposition */
};
typedef bool review_agreement_fn(void *context, const struct review_agreement *pair, struct error *err);
MUST_CHECK bool review_agreements(struct review_reader *r, struct span tenant, review_agreement_fn *take, void *context,
                                  struct error *err);

#endif
