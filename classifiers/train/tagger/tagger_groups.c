#include "classifiers/train/tagger/tagger_groups.h"

#include <stdlib.h>

enum { SMALL = 1 << 16, LINE_TOKENS = 4096 };

struct neighbour {
    uint32_t word, count;
};

/* What is beside a word, as a piece of one array. */
struct side {
    uint32_t first, n;
};

struct grouping {
    struct word_entry **words; /* commonest first; index 0: line edges and all words that have no
                                  group of their own */
    size_t n;
    uint16_t *group; /* of each word, 0-based */
    struct side *after, *before;
    struct neighbour *neighbours;
    uint32_t *self; /* how often the word is beside itself */
    uint64_t *total;
    int64_t pairs[GROUPS][GROUPS];
    int64_t sizes[GROUPS];
    double *small; /* x log x of small x */
};

/* By the basic operations alone, so that every machine gets the same. */
static double natural_log(double x)
{
    int k = 0;

    while (x > 1.5) {
        x *= 0.5;
        k++;
    }
    double z = (x - 1) / (x + 1);
    double zz = z * z;
    double sum = 0;
    double power = z;
    for (int i = 1; i < 40; i += 2) {
        sum += power / i;
        power *= zz;
    }
    return 2 * sum + k * 0.69314718055994530942;
}

static double x_log_x(const struct grouping *g, int64_t x)
{
    if (x <= 0) {
        return 0;
    }
    return x < SMALL ? g->small[x] : (double)x * natural_log((double)x);
}

/* --- counting ------------------------------------------------------------------ */

static int by_count(const void *a, const void *b)
{
    const struct word_entry *x = *(struct word_entry *const *)a;
    const struct word_entry *y = *(struct word_entry *const *)b;

    if (x->n_all != y->n_all) {
        return x->n_all < y->n_all ? 1 : -1;
    }
    return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static void choose_words(struct grouping *g, struct word_list *w, size_t max_words)
{
    size_t n = 0;

    g->words = need_memory(w->n + 1, sizeof(*g->words));
    for (size_t i = 0; i < w->cap; i++) {
        w->entries[i].group = 0;
        if (w->entries[i].hash != 0 && w->entries[i].n_all > 5) {
            g->words[++n] = &w->entries[i];
        }
    }
    qsort(g->words + 1, n, sizeof(*g->words), by_count);
    g->n = (n < max_words ? n : max_words) + 1;
    for (size_t i = 1; i < g->n; i++) {
        g->words[i]->group = (uint16_t)i; /* its number, until the groups are known */
    }
}

static int by_pair(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

struct pair_list {
    uint64_t *items;
    size_t n, cap;
};

static void add_pair(struct pair_list *p, uint32_t first, uint32_t second)
{
    if (p->n == p->cap) {
        p->cap = p->cap == 0 ? 1 << 20 : p->cap * 2;
        p->items = realloc(p->items, p->cap * sizeof(*p->items));
        if (p->items == NULL) {
            give_up("out of memory");
        }
    }
    p->items[p->n++] = (uint64_t)first << 32 | second;
}

static struct pair_list read_pairs(struct word_list *w, const struct examples *lines)
{
    struct tagger_token *tokens = need_memory(LINE_TOKENS, sizeof(*tokens));
    struct pair_list pairs = {0};

    for (size_t i = 0; i < lines->n; i++) {
        size_t next = 0;
        size_t n = tagger_tokenize(lines->items[i].text, 0, tokens, LINE_TOKENS, &next);
        uint32_t before = 0;
        for (size_t k = 0; k < n; k++) {
            const struct word_entry *e = word_list_find(w, tokens[k].hash, false);
            uint32_t word = e == NULL ? 0 : e->group;
            add_pair(&pairs, before, word);
            before = word;
        }
        add_pair(&pairs, before, 0);
    }
    free(tokens);
    qsort(pairs.items, pairs.n, sizeof(*pairs.items), by_pair);
    return pairs;
}

/* Fills one side from sorted pairs, of which the higher half is the word. */
static size_t fill_side(struct grouping *g, const struct pair_list *pairs, struct side *sides,
                        size_t used, bool is_after)
{
    for (size_t i = 0; i < pairs->n;) {
        size_t end = i;
        while (end < pairs->n && pairs->items[end] == pairs->items[i]) {
            end++;
        }
        uint32_t word = (uint32_t)(pairs->items[i] >> 32);
        uint32_t other = (uint32_t)pairs->items[i];
        if (is_after) {
            g->total[word] += end - i;
        }
        if (word == other) {
            g->self[word] = (uint32_t)(end - i);
        } else {
            if (sides[word].n == 0) {
                sides[word].first = (uint32_t)used;
            }
            sides[word].n++;
            g->neighbours[used++] = (struct neighbour){other, (uint32_t)(end - i)};
        }
        i = end;
    }
    return used;
}

static void count_neighbours(struct grouping *g, struct word_list *w, const struct examples *lines)
{
    struct pair_list pairs = read_pairs(w, lines);

    g->neighbours = need_memory(2 * pairs.n, sizeof(*g->neighbours));
    g->after = need_memory(g->n, sizeof(*g->after));
    g->before = need_memory(g->n, sizeof(*g->before));
    g->self = need_memory(g->n, sizeof(*g->self));
    g->total = need_memory(g->n, sizeof(*g->total));
    size_t used = fill_side(g, &pairs, g->after, 0, true);
    for (size_t i = 0; i < pairs.n; i++) {
        pairs.items[i] = pairs.items[i] >> 32 | pairs.items[i] << 32;
    }
    qsort(pairs.items, pairs.n, sizeof(*pairs.items), by_pair);
    (void)fill_side(g, &pairs, g->before, used, false);
    free(pairs.items);
}

/* --- exchanging ------------------------------------------------------------------ */

struct beside {
    int64_t after[GROUPS], before[GROUPS]; /* the word's neighbours by group, without itself */
    uint16_t used[GROUPS];
    size_t n_used;
    int64_t self, total;
};

static void look_beside(const struct grouping *g, size_t word, struct beside *b)
{
    memset(b, 0, sizeof(*b));
    b->self = g->self[word];
    b->total = (int64_t)g->total[word];
    for (uint32_t i = 0; i < g->after[word].n; i++) {
        const struct neighbour *n = &g->neighbours[g->after[word].first + i];
        b->after[g->group[n->word]] += n->count;
    }
    for (uint32_t i = 0; i < g->before[word].n; i++) {
        const struct neighbour *n = &g->neighbours[g->before[word].first + i];
        b->before[g->group[n->word]] += n->count;
    }
    for (uint16_t d = 0; d < GROUPS; d++) {
        if (b->after[d] + b->before[d] > 0) {
            b->used[b->n_used++] = d;
        }
    }
}

/* sign 1 puts the word into the group, -1 takes it out. */
static void shift_word(struct grouping *g, const struct beside *b, size_t group, int64_t sign)
{
    for (size_t i = 0; i < b->n_used; i++) {
        size_t d = b->used[i];
        g->pairs[group][d] += sign * b->after[d];
        g->pairs[d][group] += sign * b->before[d];
    }
    g->pairs[group][group] += sign * b->self;
    g->sizes[group] += sign * b->total;
}

/* How much likelier the texts get when the word, now in no group, goes into this one. */
static double gain_of(const struct grouping *g, const struct beside *b, size_t group)
{
    double gain = -2 * (x_log_x(g, g->sizes[group] + b->total) - x_log_x(g, g->sizes[group]));

    for (size_t i = 0; i < b->n_used; i++) {
        size_t d = b->used[i];
        if (d == group) {
            continue;
        }
        if (b->after[d] > 0) {
            gain += x_log_x(g, g->pairs[group][d] + b->after[d]) - x_log_x(g, g->pairs[group][d]);
        }
        if (b->before[d] > 0) {
            gain += x_log_x(g, g->pairs[d][group] + b->before[d]) - x_log_x(g, g->pairs[d][group]);
        }
    }
    int64_t own = b->after[group] + b->before[group] + b->self;
    return gain + x_log_x(g, g->pairs[group][group] + own) - x_log_x(g, g->pairs[group][group]);
}

static bool exchange(struct grouping *g, size_t word)
{
    static struct beside b;
    size_t old = g->group[word];
    size_t best = old;

    look_beside(g, word, &b);
    shift_word(g, &b, old, -1);
    double best_gain = gain_of(g, &b, old);
    for (size_t group = 1; group < GROUPS; group++) {
        double gain = gain_of(g, &b, group);
        if (gain > best_gain + 1e-6) {
            best_gain = gain;
            best = group;
        }
    }
    shift_word(g, &b, best, 1);
    g->group[word] = (uint16_t)best;
    return best != old;
}

static void start_groups(struct grouping *g)
{
    g->group = need_memory(g->n, sizeof(*g->group));
    for (size_t i = 1; i < g->n; i++) {
        g->group[i] = (uint16_t)(1 + (i - 1) % (GROUPS - 1)); /* group 0 is the rest's alone */
    }
    for (size_t i = 0; i < g->n; i++) {
        g->sizes[g->group[i]] += (int64_t)g->total[i];
        g->pairs[g->group[i]][g->group[i]] += g->self[i];
        for (uint32_t k = 0; k < g->after[i].n; k++) {
            const struct neighbour *n = &g->neighbours[g->after[i].first + k];
            g->pairs[g->group[i]][g->group[n->word]] += n->count;
        }
    }
}

void make_groups(struct word_list *w, const struct examples *lines, size_t max_words,
                 unsigned rounds)
{
    struct grouping *g = need_memory(1, sizeof(*g));

    g->small = need_memory(SMALL, sizeof(*g->small));
    for (int64_t x = 2; x < SMALL; x++) {
        g->small[x] = (double)x * natural_log((double)x);
    }
    choose_words(g, w, max_words < UINT16_MAX ? max_words : UINT16_MAX - 1);
    count_neighbours(g, w, lines);
    start_groups(g);
    for (unsigned round = 0; round < rounds; round++) {
        size_t n_moved = 0;
        for (size_t word = 1; word < g->n; word++) {
            n_moved += exchange(g, word);
        }
        (void)fprintf(stderr, "groups: round %u, %zu of %zu words moved\n", round + 1, n_moved,
                      g->n - 1);
    }
    for (size_t i = 1; i < g->n; i++) {
        g->words[i]->group = g->group[i];
    }
}
