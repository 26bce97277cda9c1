#include "testing.h"

#include <hs.h>

#include <stdlib.h>

#include "scan/prefilter.h"

enum { N_TEXTS = 4000, TEXT_MAX = 600, SEED = 17, HITS_MAX = 64 * 1024 };

/* Of each gate, of class_runs, and of none. */
static const char *const expressions[] = {
    "密码", "(?i)ключ", "\\x{200B}", "(?i)(?:né|秘)x", "\\x1b", "\\r[^\\r\\n]", "[\\x{FE00}-\\x{FE0F}]{2}",
    "sk_[A-Za-z0-9]{24}", "\\bk[0-9a-f]{16}\\b", "(?:ab|c)-[A-Za-z0-9_-]{20}", "[a-z]{4}[0-9]{4}[A-Z_-]{8}", "[0-9a-f]{16}$",
    "[0-9]{2}[A-Z]{2}[0-9]{2}", "^[0-9]-?12", "a?[0-9]{3}\\.?[0-9]{3}-[0-9Kk]", "\\B12\\b",
    "[0-9](?:[ ().\\-/\\x{A0}]{0,2}[0-9]){8}", "[0-9]\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]",
    "[A-Za-z0-9+/]{32}", "[0-9a-f]{3}\\.[a-z]{16}",
    "(?i)secret", "key[ =]", "a.{0,40}sk", "\\bNIS\\b", "@[A-Za-z0-9]", "(?i)k",
};

struct hits {
    uint64_t items[HITS_MAX]; /* expression and end */
    size_t n, stop_at;
};

static bool note(void *context, uint32_t expression, uint32_t first, uint32_t last)
{
    struct hits *h = context;

    for (uint32_t end = first; end <= last; end++) {
        assert_true(h->n < HITS_MAX);
        h->items[h->n++] = (uint64_t)expression << 32 | end;
        if (h->n == h->stop_at) {
            return false;
        }
    }
    return true;
}

static int note_of_hyperscan(unsigned id, unsigned long long from, unsigned long long to, unsigned flags, void *context)
{
    (void)from;
    (void)flags;
    return !note(context, id, (uint32_t)to, (uint32_t)to);
}

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

static size_t make_text(uint32_t *random, char *text)
{
    static const char *const words[] = {
        "密码", "КлЮч", "\xe2\x80\x8b", "n\xc3\xa9x", "秘x", "\x1b", "\r", "\n", "\xef\xb8\x80", "\xef\xb8\x8f", "\xf0\x9f\x94\x93", "\xe2\x84\xaa", "\xc2\xa0",
        "sk_", "k", "ab-", "c-", "0123456789abcdef", "ABCDEFGHIJKLMNOPQRSTUVWX", "abcd", "abcd1234", "1234", "12", "AB", "7", "-", ".", "_", " ", " ", " ",
        "123", "456-K", "10.0.0.1", "+/", "abc.", "abcdefghijklmnop", "SECRET", "key=", "NIS", "@a", "plain words of a text, ", "and more of them ",
    };
    size_t len = 0, wanted = next_random(random) % TEXT_MAX;

    for (;;) {
        const char *word = words[next_random(random) % COUNT(words)];
        if (len + strlen(word) > wanted) {
            return len;
        }
        memcpy(text + len, word, strlen(word));
        len += strlen(word);
    }
}

static hs_database_t *one_database(void)
{
    unsigned flags[COUNT(expressions)], ids[COUNT(expressions)];
    hs_database_t *database = NULL;
    hs_compile_error_t *problem = NULL;

    for (unsigned i = 0; i < COUNT(expressions); i++) {
        flags[i] = HS_FLAG_DOTALL | HS_FLAG_MULTILINE | HS_FLAG_UTF8;
        ids[i] = i;
    }
    if (hs_compile_multi(expressions, flags, ids, COUNT(expressions), HS_MODE_BLOCK, NULL, &database, &problem) != HS_SUCCESS) {
        fail_msg("%s", problem->message);
    }
    return database;
}

struct fixture {
    struct prefilter *prefilter;
    struct prefilter_scratch *scratch;
    struct hits found, wanted;
};

static struct fixture *fixture_new(void)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct error err;
    uint32_t bad;

    assert_non_null(f);
    f->prefilter = prefilter_new(expressions, COUNT(expressions), NULL, &bad, &err);
    assert_non_null(f->prefilter);
    f->scratch = prefilter_scratch_new(&err);
    assert_non_null(f->scratch);
    return f;
}

static void fixture_free(struct fixture *f)
{
    prefilter_scratch_free(f->scratch);
    prefilter_free(f->prefilter);
    free(f);
}

static void hits_are_those_of_one_database(void **state)
{
    struct fixture *f = fixture_new();
    hs_database_t *database = one_database();
    hs_scratch_t *scratch = NULL;
    char text[TEXT_MAX];
    uint32_t random = SEED;
    size_t of[COUNT(expressions)] = {0};
    struct error err;

    (void)state;
    assert_int_equal(hs_alloc_scratch(database, &scratch), HS_SUCCESS);
    for (size_t i = 0; i < N_TEXTS; i++) {
        const struct span all = span_of(text, make_text(&random, text));
        f->found.n = f->wanted.n = 0;
        assert_true(prefilter_scan(f->prefilter, f->scratch, all, note, &f->found, &err));
        assert_int_equal(hs_scan(database, text, (unsigned)all.len, 0, scratch, note_of_hyperscan, &f->wanted), HS_SUCCESS);
        qsort(f->found.items, f->found.n, sizeof(uint64_t), compare);
        qsort(f->wanted.items, f->wanted.n, sizeof(uint64_t), compare);
        assert_int_equal(f->found.n, f->wanted.n);
        assert_memory_equal(f->found.items, f->wanted.items, f->found.n * sizeof(uint64_t));
        for (size_t k = 0; k < f->found.n; k++) {
            of[f->found.items[k] >> 32]++;
        }
    }
    for (size_t i = 0; i < COUNT(expressions); i++) {
        if (of[i] == 0) {
            fail_msg("%s: nowhere in the texts", expressions[i]);
        }
    }
    (void)hs_free_scratch(scratch);
    (void)hs_free_database(database);
    fixture_free(f);
}

static void a_scan_can_be_stopped(void **state)
{
    static const char *const texts[] = {"密码 密码", "secret secret", "12AB12 12AB12", "sk_ABCDEFGHIJKLMNOPQRSTUVWXYZ"};
    struct fixture *f = fixture_new();
    struct error err;

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        f->found.n = 0;
        f->found.stop_at = 1;
        assert_true(prefilter_scan(f->prefilter, f->scratch, span_str(texts[i]), note, &f->found, &err));
        assert_int_equal(f->found.n, 1);
    }
    fixture_free(f);
}

static void the_expression_at_fault_is_reported(void **state)
{
    static const char *const bad_ones[] = {"plain", "密码", "密[码", "(?i)plain"};
    struct error err;
    uint32_t bad = 0;

    (void)state;
    assert_null(prefilter_new(bad_ones, COUNT(bad_ones), NULL, &bad, &err));
    assert_int_equal(bad, 2);
    assert_int_equal(err.kind, ERROR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hits_are_those_of_one_database),
        cmocka_unit_test(a_scan_can_be_stopped),
        cmocka_unit_test(the_expression_at_fault_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
