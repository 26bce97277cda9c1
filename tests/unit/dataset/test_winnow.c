/* test_winnow.c - fingerprints are what winnowing says, computed without any of its shortcuts. */
#include "dataset_testing.h"

#include "dataset/winnow.h"
#include "support/random.h"

enum { TEXT_MAX = 12000, TEXTS = 300 };

struct fingerprint {
    size_t letter;
    uint64_t gram;
};

struct letters {
    size_t n;
    struct {
        size_t from, to;
        uint64_t value;
    } items[TEXT_MAX];
};

struct list {
    size_t n;
    struct fingerprint items[TEXT_MAX];
};

static uint64_t rotate(uint64_t x, unsigned n)
{
    return n % 64 == 0 ? x : x << n % 64 | x >> (64 - n % 64);
}

static void read_letters(const struct dataset_key *key, struct span text, struct letters *out)
{
    out->n = 0;
    for (size_t at = 0; at < text.len;) {
        struct letter letter = letter_at(text, at);
        uint64_t value = 0;
        for (unsigned i = 0; i < letter.n; i++) {
            const bool is_ascii = (unsigned char)letter.bytes[0] < 0x80;
            value = rotate(is_ascii ? 0 : value, 9) ^ key->letters[(unsigned char)letter.bytes[i]];
            if (is_ascii || i + 1 == letter.n) {
                out->items[out->n].from = at;
                out->items[out->n].to = at + letter.len;
                out->items[out->n++].value = value;
            }
        }
        at += letter.len;
    }
}

static uint64_t gram_of(const struct letters *l, size_t first)
{
    uint64_t gram = 0;

    for (size_t i = first; i < first + WINNOW_GRAM; i++) {
        gram = rotate(gram, 1) ^ l->items[i].value;
    }
    return gram;
}

/* Hashes are compared without their last five bits. */
static size_t least_of(const struct letters *l, size_t from, size_t to)
{
    size_t least = from;

    for (size_t g = from + 1; g < to; g++) {
        least = gram_of(l, g) >> 5 < gram_of(l, least) >> 5 ? g : least;
    }
    return least;
}

static void add(const struct letters *l, size_t gram, struct list *out)
{
    if (out->n == 0 || out->items[out->n - 1].letter != gram) {
        out->items[out->n++] = (struct fingerprint){gram, gram_of(l, gram)};
    }
}

static void reference(const struct letters *l, struct list *out)
{
    out->n = 0;
    for (size_t from = 0, to; from < l->n; from = to) {
        for (to = from + 1; to < l->n && l->items[to].from <= l->items[to - 1].to + WINNOW_GAP_MAX; to++) {
        }
        size_t n_grams = to - from < WINNOW_GRAM ? 0 : to - from - WINNOW_GRAM + 1;
        if (n_grams > 0 && n_grams < WINNOW_WINDOW) {
            add(l, least_of(l, from, from + n_grams), out);
        }
        for (size_t g = from; g + WINNOW_WINDOW <= from + n_grams; g++) {
            add(l, least_of(l, g, g + WINNOW_WINDOW), out);
        }
    }
}

static void take(const struct winnow *w, const struct letters *l, struct list *out)
{
    for (size_t i = 0; i < w->n_chosen; i++) {
        const size_t gram = w->chosen[i];
        assert_int_equal(winnow_from(w, gram), l->items[gram].from);
        assert_int_equal(winnow_to(w, gram + WINNOW_GRAM - 1), l->items[gram + WINNOW_GRAM - 1].to);
        out->items[out->n++] = (struct fingerprint){gram, w->gram[gram % WINNOW_RING]};
    }
}

static void winnow_all(const struct dataset_key *key, struct span text, const struct letters *l, struct list *out)
{
    enum winnow_event event;
    struct winnow w;

    out->n = 0;
    winnow_begin(&w, key, text, 0);
    do {
        event = winnow_next(&w);
        take(&w, l, out);
    } while (event != WINNOW_END);
    winnow_finish(&w);
    take(&w, l, out);
}

static size_t make_text(struct random *r, char *text)
{
    static const char *const parts[] = {"a",  "a",  "b",     "e",        "T",        "9",  " ",    " ", "\n", "-", "\xc3\xa9",
                                        "\xd0\xb0", "\xe4\xb8\xad", "\xe2\x80\x8b", "\xf0\x9d\x94\x8a", "\xef\xac\x83", "\xc3\x9f", "xyzzy", "."};
    const size_t wanted = random_below(r, 3) == 0 ? 100 : random_below(r, TEXT_MAX / 2), kinds = 1 + random_below(r, COUNT(parts));
    size_t n = 0;

    while (n < wanted) {
        const char *part = parts[random_below(r, kinds)];
        size_t times = random_below(r, 40) == 0 ? 1 + random_below(r, 50) : 1;
        for (; times > 0 && n < wanted; times--) {
            memcpy(text + n, part, strlen(part));
            n += strlen(part);
        }
        if (random_below(r, 200) == 0) {
            size_t gap = random_below(r, WINNOW_GAP_MAX + 20);
            memset(text + n, ' ', gap);
            n += gap;
        }
    }
    return n;
}

static void fingerprints_are_those_of_a_plain_search(void **state)
{
    static char text[TEXT_MAX];
    static struct letters l;
    static struct list expected, got;
    struct random r = {.state = 4242};
    struct dataset_key key;
    static const uint8_t secret[DATASET_KEY] = "any key will do for this purpose";

    (void)state;
    dataset_key_derive(secret, &key);
    for (unsigned i = 0; i < TEXTS; i++) {
        struct span all = span_of(text, make_text(&r, text));
        read_letters(&key, all, &l);
        reference(&l, &expected);
        winnow_all(&key, all, &l, &got);
        if (got.n != expected.n || memcmp(got.items, expected.items, got.n * sizeof(got.items[0])) != 0) {
            fail_msg("text %u of %zu bytes: %zu fingerprints, not %zu", i, all.len, got.n, expected.n);
        }
    }
}

static void a_permutation_is_read_back(void **state)
{
    struct random r = {.state = 5};
    struct dataset_key key;
    static const uint8_t secret[DATASET_KEY] = "any key will do for this purpose";

    (void)state;
    dataset_key_derive(secret, &key);
    for (unsigned i = 0; i < 1000; i++) {
        uint64_t x = i < 10 ? i : random_next(&r);
        assert_true(dataset_permute(&key, x) != x);
        assert_true(dataset_permute_back(&key, dataset_permute(&key, x)) == x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fingerprints_are_those_of_a_plain_search),
        cmocka_unit_test(a_permutation_is_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
