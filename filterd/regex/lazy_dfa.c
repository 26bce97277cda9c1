/* lazy_dfa.c - the program of a pattern, sets of its places as states, and a table from state and byte to the next state.
 *
 * Invariants:
 *   - The program matches whatever the core does. A state is the set of its characters that may come next, sorted.
 *   - Entries of a table only change from unknown to what they are. A table that is full is copied to a larger one, and kept, as other
 *     threads may be reading it; entries are added to the newest alone.
 *   - A byte that is not the first of its character leaves the state as it is: a character beyond ASCII is one step, at its first byte.
 */
#include "regex/lazy_dfa.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "regex/pattern_program.h"

enum {
    STATES_MIN = 16, STATES_MAX = 256, /* an entry is a byte: a state lies in one line of the cache, or two */
    ASCII = 128,
    CLASSES_MAX = ASCII + 2,
    NO_CLASS = UINT8_MAX,
    SLOTS = 2 * STATES_MAX,
    WORD = 64, /* bits */
};

/* Of all tables of the process together, in bytes: texts that are made for it cannot have more. The shipped rules take 2 MB of it with
 * megabytes of texts. */
static const size_t tables_max = (size_t)32 << 20;
static _Atomic size_t tables_size;

/* What an entry may say in place of a state's number. */
enum { UNKNOWN, DEAD, ACCEPT, START };

struct table {
    struct table *older;
    size_t size;            /* bytes */
    _Atomic uint8_t next[]; /* width entries for each state */
};

/* Where the state's set is among the places. */
struct state {
    uint32_t first;
    uint16_t n;
};

struct lazy_dfa {
    _Atomic(struct table *) table;
    uint16_t width; /* classes of bytes */
    uint8_t class_of[UINT8_MAX + 1];
    /* What follows is for making states, under the lock. */
    pthread_mutex_t making;
    unsigned char example[CLASSES_MAX]; /* a byte of each class */
    struct pattern_set *sets;
    struct pattern_program program;
    struct state *states; /* from START on */
    uint16_t n_states, max_states;
    uint16_t *places;
    uint32_t n_places, max_places;
    uint16_t *slots; /* states by the hash of their sets */
    uint16_t *stack, *found; /* as many as instructions */
    uint64_t *is_found;      /* a bit of each instruction */
};

/* --- classes of bytes -------------------------------------------------------------- */

/* Bytes of ASCII that no set tells apart. */
struct kinds {
    struct byte_set items[ASCII];
    uint16_t n;
};

/* Divides each kind that has bytes in the set and others. */
static void divide(struct kinds *kinds, const struct byte_set *set)
{
    const uint16_t n = kinds->n;

    for (uint16_t i = 0; i < n; i++) {
        struct byte_set *kind = &kinds->items[i], rest = *kind;
        const uint64_t in[] = {kind->bits[0] & set->bits[0], kind->bits[1] & set->bits[1]};
        rest.bits[0] &= ~in[0];
        rest.bits[1] &= ~in[1];
        if ((in[0] | in[1]) != 0 && (rest.bits[0] | rest.bits[1]) != 0) {
            kind->bits[0] = in[0];
            kind->bits[1] = in[1];
            kinds->items[kinds->n++] = rest;
        }
    }
}

/* The byte's kind becomes the next class, unless it is one. */
static void add_class(struct lazy_dfa *d, const struct kinds *kinds, unsigned char byte)
{
    uint16_t kind = 0;

    if (d->class_of[byte] != NO_CLASS) {
        return;
    }
    while (!byte_set_has(&kinds->items[kind], byte)) {
        kind++;
    }
    for (unsigned other = 0; other < ASCII; other++) {
        if (byte_set_has(&kinds->items[kind], (unsigned char)other)) {
            d->class_of[other] = (uint8_t)d->width;
        }
    }
    d->example[d->width++] = byte;
}

/* Small letters come first, which are together in a state's entries then. The last two classes are first bytes of characters beyond ASCII,
 * and what follows those. */
static void make_classes(struct lazy_dfa *d, const struct pattern_tree *tree)
{
    struct kinds kinds = {.items = {{{UINT64_MAX, UINT64_MAX, 0, 0}}}, .n = 1};

    for (uint16_t i = 0; i < tree->n_sets; i++) {
        divide(&kinds, &tree->sets[i].ascii);
    }
    memset(d->class_of, NO_CLASS, ASCII);
    for (unsigned i = 0; i < ASCII; i++) {
        add_class(d, &kinds, (unsigned char)((i + 'a') % ASCII));
    }
    for (unsigned byte = ASCII; byte <= UINT8_MAX; byte++) {
        d->class_of[byte] = (uint8_t)(d->width + (byte < 0xc0));
    }
    d->example[d->width] = 0xc0;
    d->width = (uint16_t)(d->width + 2);
}

/* --- states ------------------------------------------------------------------------ */

static size_t words_of(const struct pattern_program *program)
{
    return (size_t)program->n / WORD + 1;
}

static bool set_has(const struct pattern_set *set, unsigned char byte)
{
    return byte < ASCII ? byte_set_has(&set->ascii, byte) : set->is_wide;
}

/* Adds what may come next from an instruction on to `is_found`; true when that is a match. */
static bool follow(struct lazy_dfa *d, uint16_t from)
{
    size_t depth = 0;

    d->stack[depth++] = from;
    while (depth > 0) {
        uint16_t at = d->stack[--depth];
        const struct instruction *i = &d->program.code[at];
        if (i->operation == OPERATION_MATCH) {
            return true;
        }
        const uint64_t bit = (uint64_t)1 << at % WORD;
        if ((d->is_found[at / WORD] & bit) != 0) {
            continue;
        }
        d->is_found[at / WORD] |= bit;
        if (i->operation == OPERATION_SPLIT) {
            d->stack[depth++] = i->other;
            d->stack[depth++] = i->next;
        }
    }
    return false;
}

/* Moves the characters of `is_found` to `found`, in the order of their numbers; returns how many. */
static uint16_t keep_characters(struct lazy_dfa *d)
{
    uint16_t n = 0;

    for (size_t word = 0; word < words_of(&d->program); word++) {
        for (uint64_t bits = d->is_found[word]; bits != 0; bits &= bits - 1) {
            const uint16_t at = (uint16_t)(word * WORD + (size_t)__builtin_ctzll(bits));
            d->found[n] = at;
            n = (uint16_t)(n + (d->program.code[at].operation == OPERATION_CHARACTER));
        }
        d->is_found[word] = 0;
    }
    return n;
}

static uint32_t hash(const uint16_t *places, uint16_t n)
{
    uint32_t h = 2166136261; /* FNV-1a, by places */

    for (uint16_t i = 0; i < n; i++) {
        h = (h ^ places[i]) * 16777619;
    }
    return h;
}

static void table_free(struct table *table)
{
    atomic_fetch_sub(&tables_size, table->size);
    free(table);
}

static struct table *table_new(const struct lazy_dfa *d, uint16_t max_states, struct table *older)
{
    const size_t size = sizeof(struct table) + (size_t)max_states * d->width * sizeof(older->next[0]);
    struct table *table = atomic_fetch_add(&tables_size, size) < tables_max ? calloc(1, size) : NULL;

    if (table == NULL) {
        atomic_fetch_sub(&tables_size, size);
        return NULL;
    }
    table->older = older;
    table->size = size;
    for (size_t i = 0; older != NULL && i < (size_t)d->n_states * d->width; i++) {
        atomic_init(&table->next[i], atomic_load_explicit(&older->next[i], memory_order_relaxed));
    }
    return table;
}

/* Makes room for one state more, with n places. */
static bool make_room(struct lazy_dfa *d, uint16_t n)
{
    if (d->n_places + n > d->max_places) {
        uint32_t max = (d->n_places + n) * 2;
        uint16_t *places = realloc(d->places, max * sizeof(*places));
        if (places == NULL) {
            return false;
        }
        d->places = places;
        d->max_places = max;
    }
    if (d->n_states < d->max_states) {
        return true;
    }
    uint16_t max = d->max_states == 0 ? STATES_MIN : (uint16_t)(d->max_states * 2);
    struct state *states = max <= STATES_MAX ? realloc(d->states, max * sizeof(*states)) : NULL;
    if (states == NULL) {
        return false;
    }
    d->states = states;
    struct table *table = table_new(d, max, atomic_load(&d->table));
    if (table == NULL) {
        return false;
    }
    d->max_states = max;
    atomic_store_explicit(&d->table, table, memory_order_release);
    return true;
}

/* The number of the state that has these places; ACCEPT when there is no room for it. */
static uint8_t state_of(struct lazy_dfa *d, const uint16_t *places, uint16_t n)
{
    uint32_t slot = hash(places, n) % SLOTS;

    for (; d->slots[slot] != 0; slot = (slot + 1) % SLOTS) {
        const struct state *s = &d->states[d->slots[slot]];
        if (s->n == n && memcmp(d->places + s->first, places, n * sizeof(*places)) == 0) {
            return (uint8_t)d->slots[slot];
        }
    }
    if (!make_room(d, n)) {
        return ACCEPT;
    }
    memcpy(d->places + d->n_places, places, n * sizeof(*places));
    d->states[d->n_states] = (struct state){.first = d->n_places, .n = n};
    d->n_places += n;
    d->slots[slot] = d->n_states;
    struct table *table = atomic_load(&d->table);
    const uint8_t number = (uint8_t)d->n_states++;
    atomic_store_explicit(&table->next[(size_t)(number + 1) * d->width - 1], number, memory_order_relaxed); /* goes on */
    return number;
}

static uint8_t next_state(struct lazy_dfa *d, uint16_t from, uint16_t class)
{
    const struct state *s = &d->states[from];
    const unsigned char byte = d->example[class];
    bool is_match = false;

    for (uint16_t i = 0; i < s->n && !is_match; i++) {
        const struct instruction *character = &d->program.code[d->places[s->first + i]];
        is_match = set_has(&d->sets[character->other], byte) && follow(d, character->next);
    }
    const uint16_t n = keep_characters(d);
    return is_match ? ACCEPT : n == 0 ? DEAD : state_of(d, d->found, n);
}

/* Makes the entry, unless another thread has. *table is the newest then. */
static uint8_t make_entry(struct lazy_dfa *d, uint16_t from, uint16_t class, struct table **table)
{
    (void)pthread_mutex_lock(&d->making);
    *table = atomic_load(&d->table);
    uint8_t next = atomic_load_explicit(&(*table)->next[(size_t)from * d->width + class], memory_order_relaxed);
    if (next == UNKNOWN) {
        next = next_state(d, from, class);
        *table = atomic_load(&d->table);
        atomic_store_explicit(&(*table)->next[(size_t)from * d->width + class], next, memory_order_release);
    }
    (void)pthread_mutex_unlock(&d->making);
    return next;
}

/* --- all ------------------------------------------------------------------------------ */

/* The state in which nothing has been read. False when the pattern may match nothing. */
static bool make_start(struct lazy_dfa *d)
{
    const bool is_match = follow(d, d->program.start);
    const uint16_t n = keep_characters(d);

    d->n_states = START;
    return !is_match && state_of(d, d->found, n) == START;
}

static bool make(struct lazy_dfa *d, struct span core)
{
    struct pattern_tree tree;
    bool is_made = pattern_tree_read(core, &tree) && pattern_program_make(&tree, &d->program);

    if (is_made) {
        const size_t n = (size_t)d->program.n + 1;
        make_classes(d, &tree);
        d->sets = malloc((tree.n_sets + 1U) * sizeof(*d->sets));
        d->slots = calloc(SLOTS, sizeof(*d->slots));
        d->stack = calloc(2 * n, sizeof(*d->stack)); /* a SPLIT leaves two, and is passed once */
        d->found = calloc(n, sizeof(*d->found));
        d->is_found = calloc(words_of(&d->program), sizeof(*d->is_found));
        is_made = d->sets != NULL && d->slots != NULL && d->stack != NULL && d->found != NULL && d->is_found != NULL;
    }
    if (is_made) {
        memcpy(d->sets, tree.sets, tree.n_sets * sizeof(*d->sets));
        is_made = make_start(d);
    }
    pattern_tree_deinit(&tree);
    return is_made;
}

struct lazy_dfa *lazy_dfa_new(struct span core)
{
    struct lazy_dfa *d = calloc(1, sizeof(*d));

    if (d == NULL) {
        return NULL;
    }
    (void)pthread_mutex_init(&d->making, NULL);
    if (!make(d, core)) {
        lazy_dfa_free(d);
        return NULL;
    }
    return d;
}

void lazy_dfa_free(struct lazy_dfa *d)
{
    if (d == NULL) {
        return;
    }
    for (struct table *table = atomic_load(&d->table), *older; table != NULL; table = older) {
        older = table->older;
        table_free(table);
    }
    (void)pthread_mutex_destroy(&d->making);
    free(d->sets);
    pattern_program_deinit(&d->program);
    free(d->states);
    free(d->places);
    free(d->slots);
    free(d->stack);
    free(d->found);
    free(d->is_found);
    free(d);
}

/* Goes on from a state to the end, making the entries that are not known. */
__attribute__((noinline)) static uint8_t make_states_behind(struct lazy_dfa *d, struct span text, size_t at, size_t end, uint8_t state)
{
    struct table *table = atomic_load_explicit(&d->table, memory_order_acquire);

    for (; at < end && state >= START; at++) {
        const uint16_t class = d->class_of[(unsigned char)text.ptr[at]];
        uint8_t next = atomic_load_explicit(&table->next[(size_t)state * d->width + class], memory_order_acquire);
        state = next != UNKNOWN ? next : make_entry(d, state, class, &table);
    }
    return state;
}

/* The state behind the bytes from `at` on, LAZY_DFA_BYTES of them at most; DEAD or ACCEPT as soon as it is reached. Each byte waits for the
 * state before it, so nothing but a product and a load depends on that. */
static inline uint8_t state_behind(struct lazy_dfa *d, struct span text, size_t at)
{
    const struct table *table = atomic_load_explicit(&d->table, memory_order_acquire);
    const size_t end = text.len - at < LAZY_DFA_BYTES ? text.len : at + LAZY_DFA_BYTES, width = d->width;
    uint8_t state = START;

    for (; at < end; at++) {
        const _Atomic uint8_t *column = &table->next[d->class_of[(unsigned char)text.ptr[at]]];
        const uint8_t next = atomic_load_explicit(column + state * width, memory_order_acquire);
        if (next < START) {
            return next != UNKNOWN ? next : make_states_behind(d, text, at, end, state);
        }
        state = next;
    }
    return state;
}

bool lazy_dfa_may_begin(struct lazy_dfa *d, struct span text, size_t at)
{
    const uint8_t state = state_behind(d, text, at);

    return state == ACCEPT || (state >= START && text.len - at > LAZY_DFA_BYTES);
}

bool lazy_dfa_may_go_on(struct lazy_dfa *d, struct span text, size_t at)
{
    const uint8_t state = state_behind(d, text, at);

    return state != DEAD;
}

static void add_set(const struct pattern_set *set, struct byte_set *to)
{
    byte_set_add_all(to, &set->ascii);
    for (unsigned byte = ASCII; set->is_wide && byte <= UINT8_MAX; byte++) {
        byte_set_add(to, (unsigned char)byte);
    }
}

static void add_all(struct byte_set *to)
{
    memset(to->bits, 0xff, sizeof(to->bits));
}

/* Nothing is known of what follows the first byte of a character beyond ASCII, but that it is none of its own. */
void lazy_dfa_add_second(struct lazy_dfa *d, unsigned char first, struct byte_set *second)
{
    const struct state *start;

    (void)pthread_mutex_lock(&d->making);
    start = &d->states[START];
    for (uint16_t i = 0; i < start->n; i++) {
        const struct instruction *character = &d->program.code[d->places[start->first + i]];
        if (set_has(&d->sets[character->other], first) && (first >= ASCII || follow(d, character->next))) {
            add_all(second);
        }
    }
    const uint16_t n = keep_characters(d);
    for (uint16_t i = 0; i < n; i++) {
        add_set(&d->sets[d->program.code[d->found[i]].other], second);
    }
    (void)pthread_mutex_unlock(&d->making);
}

void lazy_dfa_fetch(const struct lazy_dfa *d)
{
    const struct table *table = atomic_load_explicit(&d->table, memory_order_relaxed);

    __builtin_prefetch(&d->class_of[' ']);
    __builtin_prefetch(&d->class_of['a']);
    __builtin_prefetch(&table->next[START * d->width]);
    __builtin_prefetch(&table->next[(START + 1) * d->width - 1]);
}
