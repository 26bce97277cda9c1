/* query_canonical.c - one order and one text for every query. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "query/query_parts.h"

static int compare_spans(struct span a, struct span b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len == 0 ? 0 : memcmp(a.ptr, b.ptr, len);

    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static int compare_values(const struct query_value *a, const struct query_value *b, enum query_kind kind)
{
    if (kind == QUERY_IS_TIME) {
        return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
    }
    if (kind == QUERY_IS_RANGE) {
        int order = (a->from > b->from) - (a->from < b->from);
        return order != 0 ? order : (a->to > b->to) - (a->to < b->to);
    }
    int order = compare_spans(a->text, b->text);
    return order != 0 ? order : a->is_prefix - b->is_prefix;
}

/* Insertion sort: stable, and queries are short. Each value stays once. */
static void sort_values(struct query_term *t, struct query_value *values)
{
    enum query_kind kind = query_fields[t->field].kind;
    size_t n = 0;

    for (size_t i = 0; i < t->n; i++) {
        struct query_value v = values[i];
        size_t at = n;
        while (at > 0 && compare_values(&values[at - 1], &v, kind) > 0) {
            at--;
        }
        if (at > 0 && compare_values(&values[at - 1], &v, kind) == 0) {
            continue;
        }
        memmove(values + at + 1, values + at, (n - at) * sizeof(*values));
        values[at] = v;
        n++;
    }
    t->n = n;
}

/* Of two lists of values, as sorted. */
static int compare_terms(const struct query *q, const struct query_term *a, const struct query_term *b)
{
    enum query_kind kind = query_fields[a->field].kind;
    int order = a->field != b->field ? (int)a->field - (int)b->field : a->is_negated - b->is_negated;

    for (size_t i = 0; order == 0 && i < a->n && i < b->n; i++) {
        order = compare_values(&q->values[a->first + i], &q->values[b->first + i], kind);
    }
    return order != 0 ? order : (a->n > b->n) - (a->n < b->n);
}

/* Whether two terms in a row are one: neither of these, nor of those; the later since, the earlier until. */
static bool are_one(const struct query_term *a, const struct query_term *b)
{
    bool is_time = query_fields[a->field].kind == QUERY_IS_TIME;

    return a->field == b->field && a->is_negated == b->is_negated && (a->is_negated || is_time);
}

/* The values of a negated term move behind each other, so that it is one list. */
static void gather_negated(struct query *q)
{
    struct query_value values[QUERY_VALUES_MAX];
    size_t n = 0, n_terms = 0;

    for (size_t i = 0; i < q->n_terms; i++) {
        struct query_term t = q->terms[i];
        bool joins = n_terms > 0 && are_one(&q->terms[n_terms - 1], &t);
        memcpy(values + n, q->values + t.first, t.n * sizeof(*values));
        if (joins) {
            q->terms[n_terms - 1].n += t.n;
        } else {
            q->terms[n_terms] = t;
            q->terms[n_terms++].first = n;
        }
        n += t.n;
    }
    memcpy(q->values, values, n * sizeof(*values));
    q->n_terms = n_terms;
    q->n_values = n;
}

static void sort_terms(struct query *q)
{
    size_t n = 0;

    for (size_t i = 0; i < q->n_terms; i++) {
        struct query_term t = q->terms[i];
        size_t at = n;
        while (at > 0 && compare_terms(q, &q->terms[at - 1], &t) > 0) {
            at--;
        }
        if (at > 0 && compare_terms(q, &q->terms[at - 1], &t) == 0) {
            continue;
        }
        memmove(q->terms + at + 1, q->terms + at, (n - at) * sizeof(*q->terms));
        q->terms[at] = t;
        n++;
    }
    q->n_terms = n;
}

static void sort_all_values(struct query *q)
{
    for (size_t i = 0; i < q->n_terms; i++) {
        struct query_term *t = &q->terms[i];
        sort_values(t, q->values + t->first);
        if (t->field == QUERY_SINCE) {
            t->first += t->n - 1; /* the latest; of until the earliest is first */
        }
        t->n = query_fields[t->field].kind == QUERY_IS_TIME ? 1 : t->n;
    }
}

void query_sort(struct query *q)
{
    sort_all_values(q);
    sort_terms(q);
    gather_negated(q);
    sort_all_values(q);
}

/* --- text --------------------------------------------------------------------- */

struct printer {
    struct query *q;
    bool is_full;
};

static void put(struct printer *p, char c)
{
    if (p->q->canonical_len < sizeof(p->q->canonical)) {
        p->q->canonical[p->q->canonical_len++] = c;
    } else {
        p->is_full = true;
    }
}

static void put_text(struct printer *p, const char *text)
{
    for (; *text != '\0'; text++) {
        put(p, *text);
    }
}

static void put_number(struct printer *p, uint64_t number)
{
    char digits[24];

    (void)snprintf(digits, sizeof(digits), "%" PRIu64, number);
    put_text(p, digits);
}

/* Without the zeros at the end of the fraction. */
static void put_time(struct printer *p, int64_t ns)
{
    int64_t seconds = ns / 1000000000, rest = ns % 1000000000;
    char text[64];
    struct tm t;

    if (rest < 0) {
        rest += 1000000000;
        seconds--;
    }
    time_t when = (time_t)seconds;
    (void)gmtime_r(&when, &t);
    int len = snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d.%09d", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour,
                       t.tm_min, t.tm_sec, (int)rest);
    while (len > 0 && (text[len - 1] == '0' || text[len - 1] == '.') && strchr(text, '.') != NULL) {
        text[--len] = '\0';
    }
    put_text(p, text);
    put(p, 'Z');
}

static void put_range(struct printer *p, const struct query_value *v)
{
    if (v->from > 0 || v->to == 0) {
        put_number(p, v->from);
    }
    if (v->from != v->to) {
        put_text(p, "..");
    }
    if (v->to != UINT64_MAX && v->from != v->to) {
        put_number(p, v->to);
    }
}

static bool needs_quotes(struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (strchr(" ,\"\\*", text.ptr[i]) != NULL) {
            return true;
        }
    }
    return false;
}

static void put_string(struct printer *p, const struct query_value *v)
{
    bool is_quoted = needs_quotes(v->text) || (v->text.len == 0 && !v->is_prefix);

    if (is_quoted) {
        put(p, '"');
    }
    for (size_t i = 0; i < v->text.len; i++) {
        if (v->text.ptr[i] == '"' || v->text.ptr[i] == '\\') {
            put(p, '\\');
        }
        put(p, v->text.ptr[i]);
    }
    if (is_quoted) {
        put(p, '"');
    }
    if (v->is_prefix) {
        put(p, '*');
    }
}

static void put_value(struct printer *p, enum query_kind kind, const struct query_value *v)
{
    if (kind == QUERY_IS_TIME) {
        put_time(p, v->time_ns);
    } else if (kind == QUERY_IS_RANGE) {
        put_range(p, v);
    } else {
        put_string(p, v);
    }
}

bool query_print(struct query *q, struct error *err)
{
    struct printer p = {.q = q};

    for (size_t i = 0; i < q->n_terms; i++) {
        const struct query_term *t = &q->terms[i];
        put_text(&p, i > 0 ? " " : "");
        put_text(&p, t->is_negated ? "-" : "");
        put_text(&p, query_fields[t->field].name);
        for (size_t k = 0; k < t->n; k++) {
            put(&p, k == 0 ? ':' : ',');
            put_value(&p, query_fields[t->field].kind, &q->values[t->first + k]);
        }
    }
    return !p.is_full || error_set(err, ERROR_LIMIT, "query: at most %d bytes in its canonical form expected", QUERY_TEXT_MAX);
}
