#include "testing.h"

#include "base/ascii.h"
#include "scan/hint_literals.h"

enum { N_TEXTS = 20000, TEXT_MAX = 300, FOUND_MAX = 4096, SEED = 11 };

static const struct hint_literal literals[] = {
    {"tuc_", 4, false, VIEW_HINT_ROT13},     {"uc_", 3, false, VIEW_HINT_ROT13},
    {"F3.", 3, false, VIEW_HINT_ROT13},      {"tuc_", 4, false, VIEW_HINT_ROT13},
    {"_phg", 4, true, VIEW_HINT_REVERSED},   {"_phg_tap", 8, true, VIEW_HINT_REVERSED},
    {"_ph", 3, true, VIEW_HINT_REVERSED},    {"-ks", 3, true, VIEW_HINT_ROT13},
    {"|ylzf", 5, true, VIEW_HINT_ROT13},     {"aaa", 3, false, VIEW_HINT_ROT13},
    {"aaa", 3, true, VIEW_HINT_REVERSED},    {"=q b", 4, true, VIEW_HINT_REVERSED},
};

struct found {
    uint32_t ends[FOUND_MAX];
    enum view_hint_kind kinds[FOUND_MAX];
    size_t n;
};

static void note(void *context, enum view_hint_kind kind, uint32_t end)
{
    struct found *f = context;

    assert_true(f->n == 0 || f->ends[f->n - 1] <= end);
    assert_true(f->n < FOUND_MAX);
    f->ends[f->n] = end;
    f->kinds[f->n++] = kind;
}

static bool is_token(struct span text, size_t from)
{
    size_t at = from;

    while (at < text.len && at - from < HINT_TOKEN_MIN &&
           (ascii_is_alnum(text.ptr[at]) || text.ptr[at] == '_' || text.ptr[at] == '-')) {
        at++;
    }
    return at - from == HINT_TOKEN_MIN;
}

static bool is_at(struct span text, size_t at, const struct hint_literal *l)
{
    return text.len - at >= l->len && memcmp(text.ptr + at, l->text, l->len) == 0;
}

/* How often a hint of the kind ends there; equal literals count once. */
static size_t count_expected(struct span text, size_t end, enum view_hint_kind kind)
{
    size_t n = 0;

    for (size_t i = 0; i < COUNT(literals); i++) {
        const struct hint_literal *l = &literals[i];
        bool is_twice = i == 3;
        size_t width = l->len + HINT_TOKEN_MIN;
        if (l->kind != kind || is_twice || end < width) {
            continue;
        }
        size_t from = end - width;
        n += l->is_behind ? is_token(text, from) && is_at(span_slice(text, 0, end), end - l->len, l)
                          : is_at(text, from, l) && is_token(span_slice(text, 0, end), from + l->len);
    }
    return n;
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

static size_t make_text(uint32_t *random, char *text)
{
    static const char *const parts[] = {"tuc_", "F3.", "_phg", "_tap", "-ks", "|ylzf", "a", "aaaa", "xE7zKd2Ig9", "K7_-mPq2Rs8T",
                                        " ", ".", "=q b", "\xc3\xa4", "\n", "uc_"};
    size_t len = 0, wanted = next_random(random) % TEXT_MAX;

    while (len < wanted) {
        const char *part = parts[next_random(random) % COUNT(parts)];
        if (len + strlen(part) > TEXT_MAX) {
            break;
        }
        memcpy(text + len, part, strlen(part));
        len += strlen(part);
    }
    return len;
}

static void every_literal_beside_a_token_is_found(void **state)
{
    struct error err;
    struct hint_literals *h = hint_literals_new(literals, COUNT(literals), &err);
    uint32_t random = SEED;
    size_t n_found = 0;

    (void)state;
    assert_non_null(h);
    for (size_t i = 0; i < N_TEXTS; i++) {
        char bytes[TEXT_MAX];
        struct span text = span_of(bytes, make_text(&random, bytes));
        static struct found found;
        found.n = 0;
        hint_literals_scan(h, text, note, &found);
        size_t n_expected = 0;
        for (size_t end = 0; end <= text.len; end++) {
            for (enum view_hint_kind kind = VIEW_HINT_ROT13; kind <= VIEW_HINT_REVERSED; kind++) {
                size_t expected = count_expected(text, end, kind), n = 0;
                for (size_t k = 0; k < found.n; k++) {
                    n += found.ends[k] == end && found.kinds[k] == kind;
                }
                assert_int_equal(n, expected);
                n_expected += expected;
            }
        }
        assert_int_equal(found.n, n_expected);
        n_found += n_expected;
    }
    assert_true(n_found > N_TEXTS / 4);
    hint_literals_free(h);
}

static void without_literals_nothing_is_found(void **state)
{
    struct error err;
    struct hint_literals *h = hint_literals_new(NULL, 0, &err);
    struct found found = {.n = 0};

    (void)state;
    assert_non_null(h);
    hint_literals_scan(h, span_str("tuc_xE7zKd2Ig9YjM4oAp8WqLf3UsCn6"), note, &found);
    assert_int_equal(found.n, 0);
    hint_literals_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_literal_beside_a_token_is_found),
        cmocka_unit_test(without_literals_nothing_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
