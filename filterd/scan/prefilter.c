#include "scan/prefilter.h"

#include <hs.h>
#include <sodium.h>

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "regex/class_runs.h"
#include "regex/stretches.h"
#include "scan/child.h"
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

/* What expressions may require. The last part of a prefilter has those that require nothing of it. */
static const struct {
    struct requirement required;
    uint32_t width_max; /* of a match; wider ones would have most of a text scanned */
} gates[] = {
    /* Beyond ASCII, and control characters but tab and newline. */
    {{.class = {{0xfffff9ff, UINT64_C(1) << 63, UINT64_MAX, UINT64_MAX}}, .n = 1, .within = 1}, 64},
    /* Letters, digits, _ and - of a token. */
    {{.class = {{UINT64_C(0x03ff200000000000), UINT64_C(0x07fffffe87fffffe), 0, 0}}, .n = 16, .within = 16}, 128},
    {{.class = {{UINT64_C(0x03ff000000000000), 0, 0, 0}}, .n = 2, .within = 2}, 32},
    {{.class = {{UINT64_C(0x03ff000000000000), 0, 0, 0}}, .n = 4, .within = 28}, 80},
};

enum { EVERYWHERE = COUNT(gates), PARTS };

/* Expressions of one gate; of the last part, those that are looked for everywhere. */
struct part {
    hs_database_t *database; /* NULL when there is no expression */
    uint32_t first, n; /* of `numbers` */
};

struct prefilter {
    struct part parts[PARTS];
    struct stretches stretches; /* of the gates, by their numbers */
    struct class_runs class_runs;
    uint32_t *numbers; /* of the databases' expressions */
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
    for (;;) {
        hs_database_t *database = NULL;
        hs_compile_error_t *problem = NULL;
        hs_error_t status =
            hs_compile_multi((const char *const *)e->texts, e->flags, e->ids, e->n, HS_MODE_BLOCK, NULL, &database, &problem);
        if (status == HS_SUCCESS) {
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

static void cache_key(const struct prefilter *p, const char *const *expressions, uint8_t key[DIGEST_SIZE])
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
    for (size_t k = 0; k < PARTS; k++) {
        const struct part *part = &p->parts[k];
        (void)crypto_hash_sha256_update(&state, (const uint8_t *)&part->n, sizeof(part->n));
        for (uint32_t i = part->first; i < part->first + part->n; i++) {
            const char *text = expressions[p->numbers[i]];
            (void)crypto_hash_sha256_update(&state, (const uint8_t *)text, strlen(text) + 1);
        }
    }
    (void)crypto_hash_sha256_final(&state, key);
}

static void drop_databases(struct prefilter *p)
{
    for (size_t k = 0; k < PARTS; k++) {
        (void)hs_free_database(p->parts[k].database);
        p->parts[k].database = NULL;
    }
}

/* The next database of the body, behind its length. */
static bool read_database(struct span *body, hs_database_t **database)
{
    uint64_t len;

    if (body->len < sizeof(len)) {
        return false;
    }
    memcpy(&len, body->ptr, sizeof(len));
    *body = span_slice(*body, sizeof(len), body->len);
    if (len > body->len || hs_deserialize_database(body->ptr, len, database) != HS_SUCCESS) {
        return false;
    }
    *body = span_slice(*body, len, body->len);
    return true;
}

/* False when it is not there, or is none. */
static bool cache_load(struct prefilter *p, const char *directory, const uint8_t key[DIGEST_SIZE])
{
    struct buf file CLEANUP(buf_deinit);
    struct span body = {0};

    buf_init(&file, DATABASE_CACHE_FILE_MAX);
    bool is_read = database_cache_read(directory, key, &file, &body);
    for (size_t k = 0; is_read && k < PARTS; k++) {
        is_read = p->parts[k].n == 0 || read_database(&body, &p->parts[k].database);
    }
    if (!is_read || body.len > 0) {
        drop_databases(p);
    }
    return is_read && body.len == 0;
}

static bool append_database(struct buf *out, const hs_database_t *database)
{
    char *bytes CLEANUP(cleanup_free) = NULL;
    size_t len = 0;
    struct error ignored;

    if (hs_serialize_database(database, &bytes, &len) != HS_SUCCESS) {
        return false;
    }
    const uint64_t wide = len;
    return buf_append(out, span_of((const char *)&wide, sizeof(wide)), &ignored) && buf_append(out, span_of(bytes, len), &ignored);
}

static void cache_store(const struct prefilter *p, const char *directory, const uint8_t key[DIGEST_SIZE])
{
    struct buf body CLEANUP(buf_deinit);
    bool is_whole = true;

    buf_init(&body, DATABASE_CACHE_FILE_MAX);
    for (size_t k = 0; is_whole && k < PARTS; k++) {
        is_whole = p->parts[k].n == 0 || append_database(&body, p->parts[k].database);
    }
    if (is_whole) {
        database_cache_write(directory, key, buf_span(&body));
    }
}

/* --- parts ------------------------------------------------------------------ */

/* The first gate that an expression allows, and how far a match reaches. */
static size_t part_of(struct span expression, uint32_t *width)
{
    for (size_t gate = 0; gate < COUNT(gates); gate++) {
        if (requirement_holds(expression, &gates[gate].required, width) && *width <= gates[gate].width_max) {
            return gate;
        }
    }
    return EVERYWHERE;
}

/* Where the expressions of class_runs go. */
enum { NOWHERE = PARTS };

/* Chooses for each expression. In a database they have the numbers of their part, so the cache's key need not know others. */
static bool choose(struct prefilter *p, const char *const *expressions, uint32_t n, uint8_t *parts, struct error *err)
{
    uint32_t reach[PARTS] = {0};
    uint32_t at = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t width = 0;
        bool is_taken = class_runs_take(&p->class_runs, span_str(expressions[i]), i);
        parts[i] = (uint8_t)(is_taken ? NOWHERE : part_of(span_str(expressions[i]), &width));
        if (!is_taken && parts[i] != EVERYWHERE) {
            reach[parts[i]] = width > reach[parts[i]] ? width : reach[parts[i]];
        }
    }
    for (size_t k = 0; k < PARTS; k++) {
        p->parts[k].first = at;
        for (uint32_t i = 0; i < n; i++) {
            if (parts[i] == k) {
                p->numbers[at++] = i;
            }
        }
        p->parts[k].n = at - p->parts[k].first;
        if (k != EVERYWHERE && !stretches_add(&p->stretches, &gates[k].required, reach[k])) {
            return error_set(err, ERROR_INTERNAL, "triggers: gate %zu", k);
        }
    }
    return true;
}

static bool expressions_init(struct expressions *e, uint32_t n, struct error *err)
{
    e->texts = calloc((size_t)n + 1, sizeof(*e->texts));
    e->flags = calloc((size_t)n + 1, sizeof(*e->flags));
    e->ids = calloc((size_t)n + 1, sizeof(*e->ids));
    e->n = n;
    return (e->texts != NULL && e->flags != NULL && e->ids != NULL) || error_set(err, ERROR_NO_MEMORY, "triggers: no memory");
}

static void expressions_deinit(struct expressions *e)
{
    free(e->texts);
    free(e->flags);
    free(e->ids);
}

static bool compile_part(const struct prefilter *p, struct part *part, const char *const *expressions, uint32_t *bad,
                         struct error *err)
{
    struct expressions e CLEANUP(expressions_deinit) = {0};
    uint32_t bad_text = part->n;

    if (part->n == 0) {
        return true;
    }
    if (!expressions_init(&e, part->n, err)) {
        return false;
    }
    for (uint32_t i = 0; i < part->n; i++) {
        e.texts[i] = expressions[p->numbers[part->first + i]];
        e.flags[i] = EXACT_FLAGS;
        e.ids[i] = i;
    }
    part->database = compile(&e, &bad_text, err);
    if (part->database == NULL && bad_text < part->n) {
        *bad = p->numbers[part->first + bad_text];
    }
    return part->database != NULL;
}

static bool compile_all(struct prefilter *p, const char *const *expressions, uint32_t *bad, struct error *err)
{
    if (on_compile != NULL) {
        on_compile();
    }
    for (size_t k = 0; k < PARTS; k++) {
        if (!compile_part(p, &p->parts[k], expressions, bad, err)) {
            return false;
        }
    }
    /* The compiler's working memory is many times the databases; give it back. */
    (void)malloc_trim(0);
    return true;
}

struct compilation {
    struct prefilter *p;
    const char *const *expressions;
    const char *directory;
    const uint8_t *key;
};

static void compile_and_store(void *context)
{
    const struct compilation *c = context;
    uint32_t bad = 0;
    struct error ignored; /* who asked compiles again, and reports it */

    if (compile_all(c->p, c->expressions, &bad, &ignored)) {
        cache_store(c->p, c->directory, c->key);
    }
}

/* The compiler leaves many times the databases in memory. */
static bool compile_in_child(struct prefilter *p, const char *const *expressions, const char *directory, const uint8_t key[DIGEST_SIZE])
{
    struct compilation c = {.p = p, .expressions = expressions, .directory = directory, .key = key};

    return directory != NULL && child_run(compile_and_store, &c) && cache_load(p, directory, key);
}

static bool load_or_compile(struct prefilter *p, const char *const *expressions, const char *directory, uint32_t *bad,
                            struct error *err)
{
    uint8_t key[DIGEST_SIZE];

    cache_key(p, expressions, key);
    if (p->parts[PARTS - 1].first + p->parts[PARTS - 1].n == 0 || (directory != NULL && cache_load(p, directory, key))) {
        return true;
    }
    if (compile_in_child(p, expressions, directory, key)) {
        return true;
    }
    if (!compile_all(p, expressions, bad, err)) {
        return false;
    }
    if (directory != NULL) {
        cache_store(p, directory, key);
    }
    return true;
}

struct prefilter *prefilter_new(const char *const *expressions, uint32_t n, const char *directory, uint32_t *bad,
                                struct error *err)
{
    struct prefilter *p = calloc(1, sizeof(*p));
    uint8_t *parts CLEANUP(cleanup_free) = calloc((size_t)n + 1, sizeof(*parts));

    *bad = n;
    if (p == NULL || parts == NULL || (p->numbers = calloc((size_t)n + 1, sizeof(*p->numbers))) == NULL) {
        prefilter_free(p);
        error_set(err, ERROR_NO_MEMORY, "triggers: no memory");
        return NULL;
    }
    p->serial = atomic_fetch_add(&last_serial, 1) + 1;
    if (!choose(p, expressions, n, parts, err) || !load_or_compile(p, expressions, directory, bad, err)) {
        prefilter_free(p);
        return NULL;
    }
    return p;
}

void prefilter_free(struct prefilter *p)
{
    if (p != NULL) {
        drop_databases(p);
        free(p->numbers);
        free(p);
    }
}

size_t prefilter_size(const struct prefilter *p)
{
    size_t all = 0;

    for (size_t k = 0; k < PARTS; k++) {
        size_t size = 0;
        if (p->parts[k].database != NULL) {
            (void)hs_database_size(p->parts[k].database, &size);
        }
        all += size;
    }
    return all;
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
    const struct prefilter *prefilter;
    const struct part *part;
    hs_scratch_t *scratch;
    struct span text;
    size_t base; /* of the stretch at hand in the text */
    prefilter_hit_fn *hit;
    void *context;
    bool was_stopped;
    hs_error_t status;
};

static int on_match(unsigned id, unsigned long long from, unsigned long long to, unsigned flags, void *context)
{
    struct hit_context *c = context;

    (void)from;
    (void)flags;
    uint32_t end = (uint32_t)(c->base + to);
    c->was_stopped = !c->hit(c->context, c->prefilter->numbers[c->part->first + id], end, end);
    return c->was_stopped;
}

static bool scan_stretch(void *context, size_t part, size_t from, size_t to)
{
    struct hit_context *c = context;

    c->part = &c->prefilter->parts[part];
    c->base = from;
    if (c->part->database != NULL) {
        c->status = hs_scan(c->part->database, c->text.ptr + from, (unsigned)(to - from), 0, c->scratch, on_match, c);
    }
    return c->status == HS_SUCCESS;
}

static bool scratch_fit(struct prefilter_scratch *s, const struct prefilter *p, struct error *err)
{
    for (size_t k = 0; s->sized_for != p->serial && k < PARTS; k++) {
        hs_error_t status = p->parts[k].database != NULL ? hs_alloc_scratch(p->parts[k].database, &s->scratch) : HS_SUCCESS;
        if (status != HS_SUCCESS) {
            s->sized_for = 0;
            return library_error(err, "scan", status);
        }
    }
    s->sized_for = p->serial;
    return true;
}

bool prefilter_scan(const struct prefilter *p, struct prefilter_scratch *s, struct span text,
                    prefilter_hit_fn *hit, void *context, struct error *err)
{
    if (text.len >= UINT32_MAX) {
        return error_set(err, ERROR_LIMIT, "scan: fewer than 4 GiB expected");
    }
    if (!class_runs_scan(&p->class_runs, text, hit, context) || text.len == 0) {
        return true;
    }
    if (!scratch_fit(s, p, err)) {
        return false;
    }
    struct hit_context c = {.prefilter = p, .scratch = s->scratch, .text = text, .hit = hit, .context = context};
    (void)(scan_stretch(&c, EVERYWHERE, 0, text.len) && stretches_each(&p->stretches, text, scan_stretch, &c));
    return c.status == HS_SUCCESS || (c.status == HS_SCAN_TERMINATED && c.was_stopped) || library_error(err, "scan", c.status);
}
