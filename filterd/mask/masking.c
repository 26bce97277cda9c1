#include "mask/masking.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/locked_pages.h"
#include "mask/masking_parts.h"
#include "mask/pseudonym.h"

enum { FORM_TRIES = 16 };

const struct masking_limits masking_limits_default = {.entries = 4096, .bytes = 4 * 1024 * 1024};

enum masking_form masking_form_of_rule(struct span rule_id)
{
    static const struct {
        const char *rule;
        enum masking_form form;
    } rows[] = {
        {"payment-card", MASKING_CARD},        {"iban", MASKING_IBAN},           {"email-address", MASKING_EMAIL},
        {"phone-international", MASKING_PHONE}, {"phone-national", MASKING_PHONE},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (span_is(rule_id, rows[i].rule)) {
            return rows[i].form;
        }
    }
    return MASKING_LABEL;
}

/* --- life ------------------------------------------------------------------------ */

/* Charges the budget with what the memory has taken since; false when that is too much. */
static bool charge(struct masking *m, struct error *err)
{
    struct masking_budget *b = m->limits.budget;
    uint64_t more = m->memory.used - m->charged;

    if (b == NULL || more == 0) {
        return true;
    }
    m->charged += more;
    return atomic_fetch_add(&b->used, more) + more <= b->max ||
           error_set(err, ERROR_LIMIT, "masking: the values of all conversations take more than %" PRIu64 " bytes", b->max);
}

static void wipe(struct masking *m)
{
    if (m->limits.budget != NULL) {
        (void)atomic_fetch_sub(&m->limits.budget->used, m->charged);
    }
    arena_deinit(&m->memory);
    pthread_mutex_destroy(&m->lock);
    locked_pages_free(m, locked_pages_size(sizeof(*m)));
}

static _Atomic uint64_t last_number;

/* Nettle's has the processor's SHA instructions. */
static void set_key(struct masking *m, const uint8_t *key)
{
    uint8_t drawn[MASKING_KEY + sizeof(m->places)];

    randombytes_buf(drawn, sizeof(drawn));
    hmac_sha256_set_key(&m->keyed, MASKING_KEY, key != NULL ? key : drawn);
    memcpy(m->places, drawn + MASKING_KEY, sizeof(m->places));
    sodium_memzero(drawn, sizeof(drawn));
}

struct masking *masking_new(const uint8_t key[MASKING_KEY], const struct masking_limits *limits, struct error *err)
{
    struct masking *m = locked_pages_new(locked_pages_size(sizeof(*m)));

    if (m == NULL || pthread_mutex_init(&m->lock, NULL) != 0) {
        locked_pages_free(m, locked_pages_size(sizeof(*m)));
        error_set(err, ERROR_NO_MEMORY, "masking: no memory");
        return NULL;
    }
    atomic_init(&m->references, 1);
    m->number = atomic_fetch_add(&last_number, 1) + 1;
    m->limits = *limits;
    arena_init(&m->memory, 0, limits->bytes);
    arena_lock(&m->memory);
    set_key(m, key);
    m->buckets = arena_array(&m->memory, MASKING_BUCKETS, sizeof(struct masking_entry *), err);
    if (m->buckets == NULL) {
        wipe(m);
        return NULL;
    }
    memset(m->buckets, 0, MASKING_BUCKETS * sizeof(struct masking_entry *));
    return m;
}

struct masking *masking_ref(struct masking *m)
{
    (void)atomic_fetch_add_explicit(&m->references, 1, memory_order_relaxed);
    return m;
}

void masking_unref(struct masking *m)
{
    if (m != NULL && atomic_fetch_sub_explicit(&m->references, 1, memory_order_acq_rel) == 1) {
        wipe(m);
    }
}

bool masking_is_shared(const struct masking *m)
{
    return atomic_load(&m->references) > 1;
}

/* --- the tree -------------------------------------------------------------------- */

/* Whether no pseudonym is the beginning of the candidate, nor the candidate of one. */
static bool is_free(const struct masking *m, struct span candidate)
{
    const struct masking_node *n = &m->root;

    for (size_t i = 0; i < candidate.len; i++) {
        n = masking_child(n, (unsigned char)ascii_lower(candidate.ptr[i]));
        if (n == NULL) {
            return true;
        }
        if (n->entry != NULL) {
            return false;
        }
    }
    return false;
}

/* On failure some nodes lead nowhere; they begin no pseudonym that ends. */
static bool add_to_tree(struct masking *m, const struct masking_entry *e, size_t stem, struct error *err)
{
    struct masking_node *n = &m->root;

    for (size_t i = 0; i < e->pseudonym.len; i++) {
        unsigned char byte = (unsigned char)ascii_lower(e->pseudonym.ptr[i]);
        struct masking_node *child = n->first;
        while (child != NULL && child->byte != byte) {
            child = child->next;
        }
        if (child == NULL) {
            child = arena_alloc(&m->memory, sizeof(*child), err);
            if (child == NULL) {
                return false;
            }
            *child = (struct masking_node){.byte = byte, .next = n->first};
            n->first = child;
        }
        n = child;
        n->is_stem |= i + 1 == stem;
    }
    n->entry = e;
    unsigned char first = (unsigned char)e->pseudonym.ptr[0];
    m->starts[first] = m->starts[(unsigned char)ascii_lower((char)first)] = true;
    if (ascii_is_letter((char)first)) {
        m->starts[first ^ 0x20] = true;
    }
    return true;
}

/* --- issuing --------------------------------------------------------------------- */

static void keyed_digest(const struct masking *m, unsigned attempt, struct span value, uint8_t digest[PSEUDONYM_DIGEST])
{
    struct hmac_sha256_ctx state = m->keyed;
    uint8_t number[] = {(uint8_t)attempt};

    hmac_sha256_update(&state, sizeof(number), number);
    hmac_sha256_update(&state, value.len, (const uint8_t *)value.ptr);
    hmac_sha256_digest(&state, PSEUDONYM_DIGEST, digest);
    sodium_memzero(&state, sizeof(state));
}

/* A client sends the whole conversation each time, so that nearly every value has its pseudonym already and is found without a digest. */
static uint64_t hash_of(const struct masking *m, struct span value)
{
    uint64_t hash;

    (void)crypto_shorthash((uint8_t *)&hash, (const uint8_t *)value.ptr, value.len, m->places);
    return hash;
}

static bool same_ignoring_case(const char *a, const char *b, size_t n)
{
    while (n > 0 && ascii_lower(*a) == ascii_lower(*b)) {
        a++;
        b++;
        n--;
    }
    return n == 0;
}

static bool occurs_in(struct span text, struct span candidate)
{
    char first = candidate.ptr[0];
    char other = ascii_is_letter(first) ? (char)(first ^ 0x20) : first;

    for (size_t i = 0; i + candidate.len <= text.len; i++) {
        const char *at = text.ptr + i;
        if (other == first) {
            at = memchr(at, first, text.len - candidate.len + 1 - i);
            if (at == NULL) {
                return false;
            }
            i = (size_t)(at - text.ptr);
        }
        if ((*at == first || *at == other) && same_ignoring_case(at, candidate.ptr, candidate.len)) {
            return true;
        }
    }
    return false;
}

static bool may_be_issued(const struct masking *m, const struct pseudonym *p, const struct span *texts, size_t n_texts)
{
    struct span candidate = span_of(p->text, p->len);

    if (!is_free(m, candidate)) {
        return false;
    }
    for (size_t i = 0; i < n_texts; i++) {
        if (occurs_in(texts[i], candidate)) {
            return false;
        }
    }
    return true;
}

/* Tries the value's form some times, then ever longer labels. */
static bool choose(const struct masking *m, const struct masked_value *v, const struct span *texts, size_t n_texts,
                   struct pseudonym *out, struct error *err)
{
    uint8_t digest[PSEUDONYM_DIGEST];

    for (unsigned i = 0; i < FORM_TRIES && v->form != MASKING_LABEL; i++) {
        keyed_digest(m, i, v->value, digest);
        if (!pseudonym_form(v, digest, out)) {
            break;
        }
        if (may_be_issued(m, out, texts, n_texts)) {
            return true;
        }
    }
    keyed_digest(m, 0, v->value, digest);
    for (unsigned i = 0; i < PSEUDONYM_LABELS; i++) {
        pseudonym_label(v, digest, i, out);
        if (may_be_issued(m, out, texts, n_texts)) {
            return true;
        }
    }
    return error_set(err, ERROR_LIMIT, "masking: no pseudonym of that kind is free");
}

static bool issue(struct masking *m, const struct masked_value *v, uint64_t hash, const struct pseudonym *p, struct span *out,
                  struct error *err)
{
    struct masking_entry *e = arena_alloc(&m->memory, sizeof(*e), err);

    if (e == NULL) {
        return false;
    }
    *e = (struct masking_entry){.categories = v->categories, .hash = hash};
    if (!arena_copy(&m->memory, v->value, &e->value, err) ||
        !arena_copy(&m->memory, span_of(p->text, p->len), &e->pseudonym, err) || !charge(m, err) ||
        !add_to_tree(m, e, p->stem, err)) {
        return false;
    }
    e->chain = m->buckets[hash % MASKING_BUCKETS];
    m->buckets[hash % MASKING_BUCKETS] = e;
    m->n++;
    *out = e->pseudonym;
    return true;
}

static struct masking_entry *find_value(const struct masking *m, uint64_t hash, struct span value)
{
    struct masking_entry *e = m->buckets[hash % MASKING_BUCKETS];

    while (e != NULL && !(e->hash == hash && span_equal(e->value, value))) {
        e = e->chain;
    }
    return e;
}

static bool find_or_issue(struct masking *m, const struct masked_value *v, const struct span *texts, size_t n_texts,
                          struct span *out, struct error *err)
{
    uint64_t hash = hash_of(m, v->value);
    struct masking_entry *known = find_value(m, hash, v->value);
    struct pseudonym p;

    if (known != NULL) {
        known->categories |= v->categories;
        *out = known->pseudonym;
        return true;
    }
    if (m->n == m->limits.entries) {
        return error_set(err, ERROR_LIMIT, "masking: more than %zu values in one conversation", m->limits.entries);
    }
    return choose(m, v, texts, n_texts, &p, err) && issue(m, v, hash, &p, out, err);
}

bool masking_pseudonym(struct masking *m, const struct masked_value *v, const struct span *texts, size_t n_texts,
                       struct span *out, struct error *err)
{
    if (v->value.len == 0 || v->value.len > MASKING_VALUE_MAX) {
        return error_set(err, ERROR_LIMIT, "masking: a value of 1 to %d bytes expected", MASKING_VALUE_MAX);
    }
    (void)pthread_mutex_lock(&m->lock);
    bool is_done = find_or_issue(m, v, texts, n_texts, out, err);
    (void)pthread_mutex_unlock(&m->lock);
    return is_done;
}

/* --- finding --------------------------------------------------------------------- */

/* The length of the pseudonym that begins the text; 0: none does. */
static size_t pseudonym_at(const struct masking *m, struct span text)
{
    const struct masking_node *n = &m->root;

    for (size_t i = 0; i < text.len && n != NULL; i++) {
        n = masking_child(n, (unsigned char)ascii_lower(text.ptr[i]));
        if (n != NULL && n->entry != NULL) {
            return i + 1;
        }
    }
    return 0;
}

bool masking_covers(struct masking *m, struct span text, size_t from, size_t to)
{
    bool is_covered = false;

    (void)pthread_mutex_lock(&m->lock);
    size_t at = from > MASKING_PSEUDONYM_MAX ? from - MASKING_PSEUDONYM_MAX : 0;
    for (; at <= from && at < text.len && !is_covered && m->n > 0; at++) {
        size_t len = m->starts[(unsigned char)text.ptr[at]] ? pseudonym_at(m, span_slice(text, at, text.len)) : 0;
        is_covered = len > 0 && at + len >= to && from < to;
    }
    (void)pthread_mutex_unlock(&m->lock);
    return is_covered;
}

bool masking_find_pseudonym(struct masking *m, struct span text)
{
    (void)pthread_mutex_lock(&m->lock);
    bool is_one = text.len > 0 && pseudonym_at(m, text) == text.len;
    (void)pthread_mutex_unlock(&m->lock);
    return is_one;
}

uint64_t masking_number(const struct masking *m)
{
    return m->number;
}

size_t masking_count(struct masking *m)
{
    (void)pthread_mutex_lock(&m->lock);
    size_t n = m->n;
    (void)pthread_mutex_unlock(&m->lock);
    return n;
}
