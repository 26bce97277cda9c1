#include "scan/prefilter.h"

#include <hs.h>
#include <sodium.h>

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "regex/class_runs.h"
#include "scan/database_cache.h"

/* Vectorscan has the same interface on arm64, but a match that it does not report is a leak, and only here do the tests compare
 * what is found with it and without. */
#ifndef __x86_64__
#error "x86-64 expected: see docs/decisions/160-packages-for-amd64.md"
#endif

enum {
    DIGEST_SIZE = DATABASE_CACHE_KEY,
    /* Supersets of PCRE2's meaning: a dot may be a line end, and expressions are Unicode. */
    EXACT_FLAGS = HS_FLAG_DOTALL | HS_FLAG_MULTILINE | HS_FLAG_UTF8,
    LOOSE_FLAGS = EXACT_FLAGS | HS_FLAG_PREFILTER,
};

struct prefilter {
    hs_database_t *database; /* NULL when class_runs finds all expressions */
    struct class_runs class_runs;
    uint32_t *numbers; /* of the database's expressions */
    uint64_t serial;   /* never used twice, as the address of a freed one may be */
};

struct prefilter_scratch {
    hs_scratch_t *scratch;
    uint64_t sized_for; /* serial */
};

static _Atomic uint64_t last_serial;
static void (*on_compile)(void);

void prefilter_tell_compile(void (*tell)(void))
{
    on_compile = tell;
}

static bool library_error(struct error *err, const char *what, hs_error_t status)
{
    enum error_kind kind = status == HS_NOMEM ? ERROR_NO_MEMORY : ERROR_INTERNAL;

    return error_set(err, kind, "%s: pattern library error %d", what, status);
}

struct expressions {
    const char **texts;
    unsigned *flags, *ids;
    uint32_t n;
};

static bool keep_problem(hs_compile_error_t *problem, hs_error_t status, uint32_t n, uint32_t *bad, struct error *err)
{
    if (problem == NULL) {
        return library_error(err, "compile", status);
    }
    *bad = problem->expression >= 0 ? (uint32_t)problem->expression : n;
    error_set(err, ERROR_INVALID, "trigger: %s", problem->message);
    (void)hs_free_compile_error(problem);
    return false;
}

/* What only the loose mode takes is compiled so; there are few such expressions, if any. */
static hs_database_t *compile(const struct expressions *e, uint32_t *bad, struct error *err)
{
    if (on_compile != NULL) {
        on_compile();
    }
    for (;;) {
        hs_database_t *database = NULL;
        hs_compile_error_t *problem = NULL;
        hs_error_t status =
            hs_compile_multi((const char *const *)e->texts, e->flags, e->ids, e->n, HS_MODE_BLOCK, NULL, &database, &problem);
        if (status == HS_SUCCESS) {
            /* The compiler's working memory is many times the database; give it back. */
            (void)malloc_trim(0);
            return database;
        }
        (void)keep_problem(problem, status, e->n, bad, err);
        if (*bad >= e->n || e->flags[*bad] == LOOSE_FLAGS) {
            return NULL;
        }
        e->flags[*bad] = LOOSE_FLAGS;
    }
}

/* --- cache ---------------------------------------------------------------- */

static void cache_key(const struct expressions *e, uint8_t key[DIGEST_SIZE])
{
    crypto_hash_sha256_state state;
    hs_platform_info_t platform = {0};
    const char *version = hs_version();

    (void)hs_populate_platform(&platform);
    (void)crypto_hash_sha256_init(&state);
    (void)crypto_hash_sha256_update(&state, (const uint8_t *)database_cache_magic, sizeof(database_cache_magic));
    (void)crypto_hash_sha256_update(&state, (const uint8_t *)version, strlen(version) + 1);
    (void)crypto_hash_sha256_update(&state, (const uint8_t *)&platform.tune, sizeof(platform.tune));
    (void)crypto_hash_sha256_update(&state, (const uint8_t *)&platform.cpu_features, sizeof(platform.cpu_features));
    for (uint32_t i = 0; i < e->n; i++) {
        (void)crypto_hash_sha256_update(&state, (const uint8_t *)e->texts[i], strlen(e->texts[i]) + 1);
    }
    (void)crypto_hash_sha256_final(&state, key);
}

/* NULL when it is not there, or is none. */
static hs_database_t *cache_load(const char *directory, const uint8_t key[DIGEST_SIZE])
{
    hs_database_t *database = NULL;
    struct buf file CLEANUP(buf_deinit);
    struct span body;

    buf_init(&file, DATABASE_CACHE_FILE_MAX);
    if (!database_cache_read(directory, key, &file, &body) ||
        hs_deserialize_database(body.ptr, body.len, &database) != HS_SUCCESS) {
        return NULL;
    }
    return database;
}

static void cache_store(const char *directory, const uint8_t key[DIGEST_SIZE], const hs_database_t *database)
{
    char *body CLEANUP(cleanup_free) = NULL;
    size_t len = 0;

    if (hs_serialize_database(database, &body, &len) == HS_SUCCESS) {
        database_cache_write(directory, key, span_of(body, len));
    }
}

static hs_database_t *load_or_compile(const struct expressions *e, const char *directory, uint32_t *bad,
                                      struct error *err)
{
    uint8_t key[DIGEST_SIZE];

    cache_key(e, key);
    hs_database_t *database = directory != NULL ? cache_load(directory, key) : NULL;
    if (database == NULL) {
        database = compile(e, bad, err);
        if (database != NULL && directory != NULL) {
            cache_store(directory, key, database);
        }
    }
    return database;
}

/* What is left for Hyperscan: its expression i is numbers[i]. The numbers in the database do not depend on what is found
 * without it, so the cache's key need not. */
static bool choose(struct prefilter *p, const char *const *expressions, uint32_t n, struct expressions *e, struct error *err)
{
    p->numbers = calloc((size_t)n + 1, sizeof(*p->numbers));
    e->texts = calloc((size_t)n + 1, sizeof(*e->texts));
    e->flags = calloc((size_t)n + 1, sizeof(*e->flags));
    e->ids = calloc((size_t)n + 1, sizeof(*e->ids));
    if (p->numbers == NULL || e->texts == NULL || e->flags == NULL || e->ids == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "triggers: no memory");
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!class_runs_take(&p->class_runs, span_str(expressions[i]), i)) {
            p->numbers[e->n] = i;
            e->texts[e->n] = expressions[i];
            e->flags[e->n] = EXACT_FLAGS;
            e->ids[e->n] = e->n;
            e->n++;
        }
    }
    return true;
}

static void expressions_deinit(struct expressions *e)
{
    free(e->texts);
    free(e->flags);
    free(e->ids);
}

struct prefilter *prefilter_new(const char *const *expressions, uint32_t n, const char *directory, uint32_t *bad,
                                struct error *err)
{
    struct prefilter *p = calloc(1, sizeof(*p));
    struct expressions e CLEANUP(expressions_deinit) = {0};
    uint32_t bad_text = 0;

    *bad = n;
    if (p == NULL) {
        error_set(err, ERROR_NO_MEMORY, "triggers: no memory");
        return NULL;
    }
    if (!choose(p, expressions, n, &e, err)) {
        prefilter_free(p);
        return NULL;
    }
    p->serial = atomic_fetch_add(&last_serial, 1) + 1;
    bad_text = e.n;
    if (e.n > 0 && (p->database = load_or_compile(&e, directory, &bad_text, err)) == NULL) {
        *bad = bad_text < e.n ? p->numbers[bad_text] : n;
        prefilter_free(p);
        return NULL;
    }
    return p;
}

void prefilter_free(struct prefilter *p)
{
    if (p != NULL) {
        (void)hs_free_database(p->database);
        free(p->numbers);
        free(p);
    }
}

size_t prefilter_size(const struct prefilter *p)
{
    size_t size = 0;

    if (p->database != NULL) {
        (void)hs_database_size(p->database, &size);
    }
    return size;
}

struct prefilter_scratch *prefilter_scratch_new(struct error *err)
{
    struct prefilter_scratch *s = calloc(1, sizeof(*s));

    if (s == NULL) {
        error_set(err, ERROR_NO_MEMORY, "scan: no memory");
    }
    return s;
}

void prefilter_scratch_free(struct prefilter_scratch *s)
{
    if (s != NULL) {
        (void)hs_free_scratch(s->scratch);
        free(s);
    }
}

struct hit_context {
    prefilter_hit_fn *hit;
    void *context;
    const uint32_t *numbers;
    bool was_stopped;
};

static int on_match(unsigned id, unsigned long long from, unsigned long long to, unsigned flags, void *context)
{
    struct hit_context *c = context;

    (void)from;
    (void)flags;
    c->was_stopped = !c->hit(c->context, c->numbers[id], (uint32_t)to);
    return c->was_stopped;
}

bool prefilter_scan(const struct prefilter *p, struct prefilter_scratch *s, struct span text,
                    prefilter_hit_fn *hit, void *context, struct error *err)
{
    struct hit_context c = {.hit = hit, .context = context, .numbers = p->numbers};

    if (text.len >= UINT32_MAX) {
        return error_set(err, ERROR_LIMIT, "scan: fewer than 4 GiB expected");
    }
    if (!class_runs_scan(&p->class_runs, text, hit, context) || p->database == NULL || text.len == 0) {
        return true;
    }
    if (s->sized_for != p->serial) {
        hs_error_t status = hs_alloc_scratch(p->database, &s->scratch);
        if (status != HS_SUCCESS) {
            return library_error(err, "scan", status);
        }
        s->sized_for = p->serial;
    }
    hs_error_t status = hs_scan(p->database, text.ptr, (unsigned)text.len, 0, s->scratch, on_match, &c);
    if (status != HS_SUCCESS && !(status == HS_SCAN_TERMINATED && c.was_stopped)) {
        return library_error(err, "scan", status);
    }
    return true;
}
