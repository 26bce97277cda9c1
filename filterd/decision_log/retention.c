#include "decision_log/retention.h"

#include <stdio.h>
#include <string.h>

#include "query/query.h"

static const struct unit {
    char letter;
    int64_t seconds;
} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', INT64_C(7) * 86400}, {'y', INT64_C(366) * 86400}};

static bool refuse(struct error *err)
{
    return error_set(err, ERROR_INVALID, "keep: a term for all lines expected, such as 400d, and terms of types behind it, such as "
                                         "400d,review=6y");
}

static bool parse_term(struct span text, int64_t *ns)
{
    int64_t n = 0;

    for (size_t i = 0; i + 1 < text.len; i++) {
        char c = text.ptr[i];
        if (c < '0' || c > '9' || __builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, c - '0', &n)) {
            return false;
        }
    }
    for (size_t i = 0; n > 0 && i < COUNT(units); i++) {
        if (text.ptr[text.len - 1] == units[i].letter) {
            return !__builtin_mul_overflow(n, units[i].seconds, &n) && !__builtin_mul_overflow(n, INT64_C(1000000000), ns);
        }
    }
    return false;
}

/* A type is one that queries know. */
static bool is_type(const char *type)
{
    char text[RETENTION_TYPE_LEN + 8];
    struct error ignored;

    if (type[strspn(type, "abcdefghijklmnopqrstuvwxyz-")] != '\0') {
        return false;
    }
    (void)snprintf(text, sizeof(text), "type:%s", type);
    struct query *q = query_compile(span_str(text), 0, &ignored);
    query_free(q);
    return q != NULL;
}

static bool has_term(const struct retention *r, const char *type)
{
    for (size_t i = 0; i < r->n; i++) {
        if (strcmp(r->terms[i].type, type) == 0) {
            return true;
        }
    }
    return false;
}

static bool add_type(struct retention *r, struct span type, struct span term)
{
    struct retention_term *t = &r->terms[r->n];

    if (r->n == RETENTION_TYPES_MAX || type.len == 0 || type.len >= sizeof(t->type)) {
        return false;
    }
    memcpy(t->type, type.ptr, type.len);
    t->type[type.len] = '\0';
    if (!is_type(t->type) || has_term(r, t->type) || !parse_term(term, &t->ns)) {
        return false;
    }
    r->n++;
    return true;
}

bool retention_parse(struct span text, struct retention *out, struct error *err)
{
    struct retention r = {.all_ns = 0};

    for (bool is_first = true;; is_first = false) {
        const char *comma = text.len == 0 ? NULL : memchr(text.ptr, ',', text.len);
        struct span part = span_slice(text, 0, comma == NULL ? text.len : (size_t)(comma - text.ptr));
        const char *equals = part.len == 0 ? NULL : memchr(part.ptr, '=', part.len);
        size_t name = equals == NULL ? 0 : (size_t)(equals - part.ptr);
        bool is_good = is_first ? parse_term(part, &r.all_ns)
                                : equals != NULL && add_type(&r, span_slice(part, 0, name), span_slice(part, name + 1, part.len));
        if (!is_good) {
            return refuse(err);
        }
        if (comma == NULL) {
            *out = r;
            return true;
        }
        text = span_slice(text, part.len + 1, text.len);
    }
}

int64_t retention_term(const struct retention *r, struct span type)
{
    for (size_t i = 0; i < r->n; i++) {
        if (span_is(type, r->terms[i].type)) {
            return r->terms[i].ns;
        }
    }
    return r->all_ns;
}
