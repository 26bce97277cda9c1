#include "query/query.h"

#include "query/query_parts.h"

struct query *query_compile(struct span text, int64_t now_ns, struct error *err)
{
    struct query *q = calloc(1, sizeof(*q));

    if (q == NULL) {
        error_set(err, ERROR_NO_MEMORY, "query: no memory");
        return NULL;
    }
    if (!query_parse(q, text, now_ns, err)) {
        query_free(q);
        return NULL;
    }
    query_sort(q);
    if (!query_print(q, err)) {
        query_free(q);
        return NULL;
    }
    return q;
}

void query_free(struct query *q)
{
    free(q);
}

struct span query_canonical(const struct query *q)
{
    return span_of(q->canonical, q->canonical_len);
}

struct query_bounds query_bounds(const struct query *q)
{
    struct query_bounds b = {INT64_MIN, INT64_MAX, 0, UINT64_MAX};

    for (size_t i = 0; i < q->n_terms; i++) {
        const struct query_term *t = &q->terms[i];
        const struct query_value *first = &q->values[t->first], *last = first + t->n - 1;
        if (t->field == QUERY_SINCE) {
            b.since_ns = first->time_ns;
        } else if (t->field == QUERY_UNTIL) {
            b.until_ns = first->time_ns;
        } else if (t->field == QUERY_SEQ && !t->is_negated) {
            uint64_t end = 0;
            for (const struct query_value *v = first; v <= last; v++) {
                uint64_t behind = v->to == UINT64_MAX ? UINT64_MAX : v->to + 1;
                end = behind > end ? behind : end;
            }
            b.first = first->from > b.first ? first->from : b.first; /* sorted by it */
            b.end = end < b.end ? end : b.end;
        }
    }
    return b;
}
