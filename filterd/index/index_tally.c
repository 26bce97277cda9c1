#include "index/index_tally.h"

#include <stdlib.h>

enum { KINDS = 1024, KINDS_MAX = KINDS / 2 };

struct index_tally {
    sqlite3 *db;
    sqlite3_stmt *add;
    size_t n;
    struct index_count kinds[KINDS]; /* open addressing; n 0: free */
};

struct index_tally *index_tally_new(sqlite3 *db, struct error *err)
{
    static const char sql[] = "INSERT INTO tally VALUES(?1,?2,?3,?4,?5)"
                              " ON CONFLICT(hour, tenant, rule, action) DO UPDATE SET n = n + excluded.n";
    struct index_tally *t = calloc(1, sizeof(*t));

    if (t == NULL) {
        error_set(err, ERROR_NO_MEMORY, "index: no memory");
        return NULL;
    }
    t->db = db;
    if (!index_prepare(db, sql, &t->add, err)) {
        free(t);
        return NULL;
    }
    return t;
}

void index_tally_free(struct index_tally *t)
{
    if (t != NULL) {
        (void)sqlite3_finalize(t->add);
        free(t);
    }
}

bool index_tally_save(struct index_tally *t, struct error *err)
{
    for (size_t i = 0; t->n > 0 && i < KINDS; i++) {
        struct index_count *kind = &t->kinds[i];
        if (kind->n == 0) {
            continue;
        }
        (void)sqlite3_bind_int64(t->add, 1, kind->hour);
        (void)sqlite3_bind_int64(t->add, 2, kind->tenant);
        (void)sqlite3_bind_int64(t->add, 3, kind->rule);
        (void)sqlite3_bind_int(t->add, 4, kind->action);
        (void)sqlite3_bind_int64(t->add, 5, (sqlite3_int64)kind->n);
        if (!index_run(t->db, t->add, err)) {
            return false;
        }
        kind->n = 0;
    }
    t->n = 0;
    return true;
}

static size_t place_of(const struct index_count *k)
{
    uint64_t mixed = (uint64_t)k->hour * 31 + (uint64_t)k->tenant * 1009 + (uint64_t)k->rule * 65537 + (uint64_t)(k->action + 1);

    return (size_t)(mixed * UINT64_C(0x9e3779b97f4a7c15) >> 32) % KINDS;
}

static bool is_same(const struct index_count *a, const struct index_count *b)
{
    return a->hour == b->hour && a->tenant == b->tenant && a->rule == b->rule && a->action == b->action;
}

bool index_tally_add(struct index_tally *t, const struct index_count *kind, struct error *err)
{
    if (t->n == KINDS_MAX && !index_tally_save(t, err)) {
        return false;
    }
    size_t at = place_of(kind);
    while (t->kinds[at].n > 0 && !is_same(&t->kinds[at], kind)) {
        at = (at + 1) % KINDS;
    }
    if (t->kinds[at].n == 0) {
        t->kinds[at] = *kind;
        t->kinds[at].n = 0;
        t->n++;
    }
    t->kinds[at].n++;
    return true;
}
