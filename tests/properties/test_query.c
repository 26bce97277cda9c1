/* The laws of the query language, against an evaluator that knows nothing of how queries are compiled: a query is a list of
 * terms, a line a list of texts, and nothing else. FILTERD_SEED makes other queries. */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/json.h"
#include "query/query.h"
#include "support/random.h"

enum { FIELDS = 4, TERMS = 4, VALUES = 3, ROUNDS = 4000 };

static const char *const fields[FIELDS] = {"tenant", "agent", "rule", "token"};
static const char *const texts[] = {"a", "ab", "abc", "b", "a b", "a,b", "a*", "\"", "\\", "-", "ä", "a:b", ""};

/* What is meant, and what a line says: two findings have a rule and a token each. */
struct term {
    unsigned field, n;
    bool is_negated, is_prefix[VALUES];
    const char *values[VALUES];
};
struct says {
    const char *tenant, *agent, *rule[3], *token[3];
};

static uint64_t seed(void)
{
    const char *text = getenv("FILTERD_SEED");
    return text == NULL ? 117 : strtoull(text, NULL, 10);
}

static const char *any_text(struct random *r)
{
    return texts[random_below(r, COUNT(texts))];
}

static struct term any_term(struct random *r)
{
    struct term t = {.field = (unsigned)random_below(r, FIELDS), .n = 1 + (unsigned)random_below(r, VALUES), .is_negated = random_below(r, 2) == 1};

    for (unsigned i = 0; i < t.n; i++) {
        t.values[i] = any_text(r);
        t.is_prefix[i] = random_below(r, 3) == 0;
    }
    return t;
}

static struct says any_line(struct random *r)
{
    struct says s = {.tenant = any_text(r), .agent = random_below(r, 3) == 0 ? NULL : any_text(r)};

    for (size_t i = 0; i < 3; i++) {
        s.rule[i] = random_below(r, 2) == 0 ? NULL : any_text(r);
        s.token[i] = random_below(r, 2) == 0 ? NULL : any_text(r);
    }
    return s;
}

/* --- naively ------------------------------------------------------------------ */

static bool is_value(const struct term *t, unsigned i, const char *text)
{
    return t->is_prefix[i] ? strncmp(text, t->values[i], strlen(t->values[i])) == 0 : strcmp(text, t->values[i]) == 0;
}

static bool meets(const struct term *t, const struct says *s)
{
    const char *all[FIELDS][3] = {
        {s->tenant}, {s->agent}, {s->rule[0], s->rule[1], s->rule[2]}, {s->token[0], s->token[1], s->token[2]}};

    for (size_t k = 0; k < 3; k++) {
        for (unsigned i = 0; i < t->n; i++) {
            if (all[t->field][k] != NULL && is_value(t, i, all[t->field][k])) {
                return !t->is_negated;
            }
        }
    }
    return t->is_negated;
}

static bool means(const struct term *t, size_t n, const struct says *s)
{
    for (size_t i = 0; i < n; i++) {
        if (!meets(&t[i], s)) {
            return false;
        }
    }
    return true;
}

/* --- as texts ----------------------------------------------------------------- */

static void put(struct buf *out, const char *text)
{
    struct error err;
    assert_true(buf_append_str(out, text, &err));
}

static void put_value(struct buf *out, const char *text, bool is_prefix, bool is_quoted)
{
    bool needs = text[0] == '\0' ? !is_prefix : strpbrk(text, " ,*\"\\") != NULL;

    put(out, needs || is_quoted ? "\"" : "");
    for (; *text != '\0'; text++) {
        const char c[] = {*text, '\0'};
        put(out, *text == '"' || *text == '\\' ? "\\" : "");
        put(out, c);
    }
    put(out, needs || is_quoted ? "\"" : "");
    put(out, is_prefix ? "*" : "");
}

static void put_term(struct buf *out, const struct term *t, struct random *r)
{
    put(out, t->is_negated ? " -" : " ");
    put(out, fields[t->field]);
    for (unsigned i = 0; i < t->n; i++) {
        put(out, i == 0 ? ":" : ",");
        put_value(out, t->values[i], t->is_prefix[i], random_below(r, 2) == 1);
    }
}

static void put_member(struct buf *out, const char *name, const char *text)
{
    struct error err;

    if (text == NULL) {
        return;
    }
    put(out, out->data[out->len - 1] == '{' ? "\"" : ",\"");
    put(out, name);
    put(out, "\":");
    assert_true(json_append_string(out, span_str(text), &err));
}

static void put_line(struct buf *out, const struct says *s)
{
    put(out, "{");
    put_member(out, "tenant", s->tenant);
    put_member(out, "agent", s->agent);
    put_member(out, "rule", s->rule[0]);
    put_member(out, "input_tok", s->token[0]);
    put(out, out->len > 1 ? ",\"findings\":[{" : "\"findings\":[{");
    put_member(out, "rule", s->rule[1]);
    put_member(out, "value_tok", s->token[1]);
    put(out, "},{");
    put_member(out, "rule", s->rule[2]);
    put_member(out, "value_tok", s->token[2]);
    put(out, "}]}");
}

static struct query *compile(const struct term *t, size_t n, struct random *r)
{
    struct buf text;
    struct error err;

    buf_init(&text, QUERY_TEXT_MAX);
    for (size_t i = 0; i < n; i++) {
        put_term(&text, &t[i], r);
    }
    struct query *q = query_compile(buf_span(&text), 0, &err);
    if (q == NULL) {
        fail_msg("%s: " SPAN_FMT, err.text, SPAN_ARG(buf_span(&text)));
    }
    buf_deinit(&text);
    return q;
}

static bool matches(const struct query *q, const struct says *s)
{
    struct buf line;
    struct error err;

    buf_init(&line, 4096);
    put_line(&line, s);
    assert_true(json_validate(buf_span(&line), &err));
    bool is_match = query_matches(q, buf_span(&line));
    buf_deinit(&line);
    return is_match;
}

/* --- laws --------------------------------------------------------------------- */

static void a_query_matches_what_its_terms_mean(void **state)
{
    struct random r = {seed()};
    size_t n_matches = 0;

    (void)state;
    for (size_t round = 0; round < ROUNDS; round++) {
        struct term t[TERMS];
        size_t n = random_below(&r, TERMS + 1);
        for (size_t i = 0; i < n; i++) {
            t[i] = any_term(&r);
        }
        struct query *q = compile(t, n, &r);
        const struct says s = any_line(&r);
        bool is_match = matches(q, &s);
        if (is_match != means(t, n, &s)) {
            fail_msg("another answer: " SPAN_FMT, SPAN_ARG(query_canonical(q)));
        }
        n_matches += is_match;
        query_free(q);
    }
    assert_in_range(n_matches, ROUNDS / 10, ROUNDS - ROUNDS / 10); /* both answers were tried */
}

static void the_canonical_text_is_a_fixed_point_and_means_the_same(void **state)
{
    struct random r = {seed()};

    (void)state;
    for (size_t round = 0; round < ROUNDS; round++) {
        struct term t[TERMS];
        for (size_t i = 0; i < TERMS; i++) {
            t[i] = any_term(&r);
        }
        struct query *q = compile(t, TERMS, &r);
        struct error err;
        struct query *again = query_compile(query_canonical(q), 1, &err);
        assert_non_null(again);
        assert_true(span_equal(query_canonical(q), query_canonical(again)));
        const struct says s = any_line(&r);
        assert_int_equal(matches(q, &s), matches(again, &s));
        query_free(again);
        query_free(q);
    }
}

static void the_order_of_terms_and_values_says_nothing(void **state)
{
    struct random r = {seed()};

    (void)state;
    for (size_t round = 0; round < ROUNDS; round++) {
        struct term t[TERMS], other[TERMS];
        for (size_t i = 0; i < TERMS; i++) {
            t[i] = any_term(&r);
            other[TERMS - 1 - i] = t[i];
        }
        for (size_t i = 0; i < TERMS; i++) {
            unsigned last = other[i].n - 1;
            const char *value = other[i].values[0];
            bool is_prefix = other[i].is_prefix[0];
            other[i].values[0] = other[i].values[last];
            other[i].is_prefix[0] = other[i].is_prefix[last];
            other[i].values[last] = value;
            other[i].is_prefix[last] = is_prefix;
        }
        struct query *q = compile(t, TERMS, &r), *p = compile(other, TERMS, &r);
        assert_true(span_equal(query_canonical(q), query_canonical(p)));
        query_free(p);
        query_free(q);
    }
}

static void not_is_the_complement_and_or_the_union(void **state)
{
    struct random r = {seed()};

    (void)state;
    for (size_t round = 0; round < ROUNDS; round++) {
        struct term whole = any_term(&r), not_it = whole, one = whole;
        const struct says s = any_line(&r);
        bool is_any = false;
        not_it.is_negated = !whole.is_negated;
        struct query *q = compile(&whole, 1, &r), *p = compile(&not_it, 1, &r);
        bool is_match = matches(q, &s);
        assert_int_equal(is_match, !matches(p, &s));
        one.is_negated = false;
        one.n = 1;
        for (unsigned i = 0; i < whole.n; i++) {
            one.values[0] = whole.values[i];
            one.is_prefix[0] = whole.is_prefix[i];
            struct query *part = compile(&one, 1, &r);
            is_any |= matches(part, &s);
            query_free(part);
        }
        assert_int_equal(is_match, is_any != whole.is_negated);
        query_free(p);
        query_free(q);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_query_matches_what_its_terms_mean),
        cmocka_unit_test(the_canonical_text_is_a_fixed_point_and_means_the_same),
        cmocka_unit_test(the_order_of_terms_and_values_says_nothing),
        cmocka_unit_test(not_is_the_complement_and_or_the_union),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
