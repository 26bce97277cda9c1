/* route_retention.c - lines about what is kept and removed, for the admin, and about who looks: POST /v1/holds, /v1/erasures,
 * /v1/rewraps, /v1/prunes, /v1/prunes/files and /v1/accesses put one on record, with the parameters of the query as its
 * members.
 *
 * What they tell of is done by filterctl, which has the files; the service is the only one who writes the log. The answer
 * leaves when the line is on disk. */
#include "base/ascii.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "decision_log/decision_line.h"
#include "http/fault.h"
#include "http/identities.h"
#include "http/parameters.h"
#include "query/query.h"
#include "query/timestamp.h"
#include "server/routes.h"
#include "service/access.h"
#include "decision_log/access_record.h"
#include "service/work.h"

enum { MEMBERS_MAX = 8, MEMORY_MAX = 64 * 1024, COUNT_DIGITS = 15, NAMES_MAX = 64 };

enum kind {
    KIND_NAME,   /* letters, digits, '-', '_', '.' */
    KIND_NAMES,  /* the same, with commas between */
    KIND_TOKEN,  /* the same, with a colon */
    KIND_TYPED,  /* a sentence of a person */
    KIND_QUERY,  /* as of filterctl log --query */
    KIND_TIME,
    KIND_COUNT,
};

struct row {
    const char *name;
    enum kind kind;
    bool is_required;
    const char *const *words; /* one of them; NULL: any */
};

static const char *const hold_steps[] = {"set", "lifted", NULL};
static const char *const erasure_steps[] = {"asked", "approved", "done", "blocked_by_hold", NULL};

static const char *const looks[] = {"export", NULL};

enum { ACCESS_WHAT, ACCESS_QUERY, ACCESS_PURPOSE, ACCESS_ROWS };
static const struct row access_rows[ACCESS_ROWS + 1] = {
    [ACCESS_WHAT] = {"what", KIND_NAME, true, looks},
    [ACCESS_QUERY] = {"query", KIND_QUERY, true, NULL},
    [ACCESS_PURPOSE] = {"purpose", KIND_TYPED, false, NULL},
};
static const struct row hold_rows[] = {
    {"id", KIND_NAME, true, NULL},      {"step", KIND_NAME, true, hold_steps}, {"filter", KIND_QUERY, false, NULL},
    {"until", KIND_TIME, false, NULL}, {"why", KIND_TYPED, false, NULL},      {0},
};
static const struct row erasure_rows[] = {
    {"subject_tok", KIND_TOKEN, true, NULL}, {"keks", KIND_NAMES, false, NULL}, {"blobs", KIND_COUNT, false, NULL},
    {"why", KIND_TYPED, false, NULL},        {"approver", KIND_NAME, false, NULL}, {"step", KIND_NAME, true, erasure_steps},
    {0},
};
static const struct row rewrap_rows[] = {
    {"blob", KIND_NAME, true, NULL}, {"old", KIND_NAME, true, NULL}, {"new", KIND_NAME, true, NULL}, {0},
};
static const struct row prune_rows[] = {
    {"originals", KIND_COUNT, true, NULL}, {"expired", KIND_TIME, true, NULL}, {0},
};
enum { PRUNE_FILES, PRUNE_SHA256, PRUNE_FIRST, PRUNE_LAST, PRUNE_LINES, PRUNE_ROWS };
static const struct row prune_files_rows[PRUNE_ROWS + 1] = {
    [PRUNE_FILES] = {"files", KIND_NAMES, true, NULL}, [PRUNE_SHA256] = {"sha256", KIND_NAMES, true, NULL},
    [PRUNE_FIRST] = {"first", KIND_COUNT, true, NULL}, [PRUNE_LAST] = {"last", KIND_COUNT, true, NULL},
    [PRUNE_LINES] = {"lines", KIND_COUNT, true, NULL},
};

struct kept_line {
    const char *type;
    const struct row *rows;
};

struct values {
    const struct kept_line *line;
    struct span of[MEMBERS_MAX];
};

static bool take_parameter(void *into, struct span name, struct span value, unsigned *seen, struct filter_fault *fault)
{
    struct values *v = into;

    for (unsigned i = 0; v->line->rows[i].name != NULL; i++) {
        if (span_is(name, v->line->rows[i].name) && (*seen >> i & 1U) == 0) {
            *seen |= 1U << i;
            v->of[i] = value;
            return true;
        }
    }
    return fault_set(fault, 422, "", "the parameters of a line of type %s expected, each once", v->line->type);
}

/* --- values ------------------------------------------------------------------- */

static bool has_only(struct span text, const char *besides)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (!ascii_is_letter(c) && !ascii_is_digit(c) && (c == '\0' || strchr(besides, c) == NULL)) {
            return false;
        }
    }
    return text.len > 0;
}

static bool is_one_of(const char *const *words, struct span text)
{
    for (size_t i = 0; words != NULL && words[i] != NULL; i++) {
        if (span_is(text, words[i])) {
            return true;
        }
    }
    return words == NULL;
}

static bool is_query(struct span text)
{
    struct error err;
    struct query *q = query_compile(text, clock_utc_ns(), &err);

    query_free(q);
    return q != NULL;
}

static bool is_count(struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!ascii_is_digit(text.ptr[i])) {
            return false;
        }
    }
    return text.len > 0 && text.len <= COUNT_DIGITS;
}

static bool is_value(const struct row *row, struct span text)
{
    int64_t ns;
    bool fits = text.len <= (row->kind == KIND_NAMES ? (size_t)NAMES_MAX * DECISION_TEXT_MAX : (size_t)DECISION_TEXT_MAX);

    switch (row->kind) {
    case KIND_NAME:
        return fits && has_only(text, "-_. ") && is_one_of(row->words, text);
    case KIND_NAMES:
        return fits && has_only(text, "-_.,");
    case KIND_TOKEN:
        return fits && has_only(text, "-_:");
    case KIND_QUERY:
        return fits && is_query(text);
    case KIND_TIME:
        return timestamp_parse(text, clock_utc_ns(), &ns);
    case KIND_COUNT:
        return is_count(text);
    case KIND_TYPED:
    default:
        return fits;
    }
}

static bool check_values(const struct values *v, struct filter_fault *fault)
{
    for (unsigned i = 0; v->line->rows[i].name != NULL; i++) {
        const struct row *row = &v->line->rows[i];
        if (v->of[i].ptr == NULL && !row->is_required) {
            continue;
        }
        if (v->of[i].ptr == NULL || !is_value(row, v->of[i])) {
            return fault_set(fault, 422, "", "%s: %s expected", row->name,
                             row->kind == KIND_QUERY ? "a query of at most 128 bytes" : "what filterd(8) says of it");
        }
    }
    return true;
}

static uint64_t count_of(struct span digits)
{
    uint64_t n = 0;

    for (size_t i = 0; i < digits.len; i++) {
        n = n * 10 + (uint64_t)(digits.ptr[i] - '0');
    }
    return n;
}

static size_t names_in(struct span list)
{
    size_t n = 1;

    for (size_t i = 0; i < list.len; i++) {
        n += list.ptr[i] == ',';
    }
    return n;
}

/* A digest for each file, and as many lines as there are from the first to the last. */
static bool check_files(const struct values *v, struct filter_fault *fault)
{
    if (v->line->rows != prune_files_rows) {
        return true;
    }
    uint64_t first = count_of(v->of[PRUNE_FIRST]), last = count_of(v->of[PRUNE_LAST]), lines = count_of(v->of[PRUNE_LINES]);
    bool is_range = first > 0 && first <= last && lines == last - first + 1;
    return (is_range && names_in(v->of[PRUNE_FILES]) == names_in(v->of[PRUNE_SHA256])) ||
           fault_set(fault, 422, "", "a digest for each file, and the number of lines from first to last expected");
}

/* What a person typed is judged as what an agent wrote: it goes on record as it may be shown. A query that may not be shown
 * would mean something else then. */
static bool show_typed(struct request *r, struct arena *a, struct values *v, struct filter_fault *fault)
{
    for (unsigned i = 0; v->line->rows[i].name != NULL; i++) {
        enum kind kind = v->line->rows[i].kind;
        struct span before = v->of[i];
        if (before.ptr == NULL || (kind != KIND_TYPED && kind != KIND_QUERY && kind != KIND_NAME)) {
            continue;
        }
        if (!identity_show_text(r->service->identities, r->snapshot, a, &v->of[i], fault)) {
            return false;
        }
        if (kind != KIND_TYPED && !span_equal(before, v->of[i])) {
            return fault_set(fault, 422, "", "%s: text that may stand in the record expected", v->line->rows[i].name);
        }
    }
    return true;
}

/* Compared by name: a person does not approve what the same person asks for. */
static bool check_approver(const struct values *v, const char *by, struct filter_fault *fault)
{
    for (unsigned i = 0; v->line->rows[i].name != NULL; i++) {
        if (strcmp(v->line->rows[i].name, "approver") == 0 && v->of[i].ptr != NULL && span_is(v->of[i], by)) {
            return fault_set(fault, 422, "", "approver: another person than the one who asks expected");
        }
    }
    return true;
}

/* --- the line ----------------------------------------------------------------- */

static void put_names(struct decision_line *l, const char *name, struct span list)
{
    line_open(l, name, '[');
    while (list.len > 0) {
        const char *comma = memchr(list.ptr, ',', list.len);
        size_t len = comma == NULL ? list.len : (size_t)(comma - list.ptr);
        line_text(l, NULL, span_slice(list, 0, len));
        list = span_slice(list, comma == NULL ? len : len + 1, list.len);
    }
    line_close(l, ']');
}

static void put_value(struct decision_line *l, const struct row *row, struct span text)
{
    int64_t ns = 0;

    if (row->kind == KIND_NAMES) {
        put_names(l, row->name, text);
    } else if (row->kind == KIND_COUNT) {
        line_number(l, row->name, count_of(text));
    } else if (row->kind == KIND_TIME && timestamp_parse(text, clock_utc_ns(), &ns)) {
        line_time(l, row->name, ns);
    } else {
        line_text(l, row->name, text);
    }
}

/* The line of every look at records. */
static bool write_access(const struct request *r, const struct values *v, const char *by, struct buf *out, struct error *err)
{
    const struct access_event e = {.by = by, .role = access_role(r), .what = looks[0], .query = v->of[ACCESS_QUERY],
                                   .purpose = v->of[ACCESS_PURPOSE], .now_ns = clock_utc_ns()};

    return access_record_format(&e, out, err);
}

static bool write_line(const struct request *r, const struct values *v, const char *by, struct buf *out, struct error *err)
{
    struct decision_line l = {.out = out, .err = err};

    if (v->line->rows == access_rows) {
        return write_access(r, v, by, out, err);
    }
    buf_clear(out);
    line_open(&l, NULL, '{');
    line_number(&l, "v", DECISION_VERSION);
    line_text(&l, "type", span_str(v->line->type));
    line_time(&l, "ts", clock_utc_ns());
    for (unsigned i = 0; v->line->rows[i].name != NULL; i++) {
        if (v->of[i].ptr != NULL) {
            put_value(&l, &v->line->rows[i], v->of[i]);
        }
    }
    line_text(&l, "by", span_str(by));
    line_close(&l, '}');
    return !l.has_failed;
}

/* --- the request -------------------------------------------------------------- */

static void record(struct request *r, const struct kept_line *line)
{
    struct arena memory CLEANUP(arena_deinit);
    struct values v = {.line = line};
    struct filter_fault fault;
    struct error err;
    char by[ACCESS_NAME];

    arena_init(&memory, 0, MEMORY_MAX);
    access_name(r, by);
    if (!parameters_read(r->connection, take_parameter, &v, &fault) || !check_values(&v, &fault) ||
        !check_files(&v, &fault) || !check_approver(&v, by, &fault) || !show_typed(r, &memory, &v, &fault)) {
        request_problem(r, fault.status, fault.detail, NULL);
        return;
    }
    r->reply = (struct reply){.status = 200, .type = "application/json"};
    if (!write_line(r, &v, by, &r->record, &err) || !buf_append_str(&r->answer, "{\"recorded\":true}\n", &err)) {
        buf_clear(&r->record);
    }
}

static void fail(struct request *r)
{
    struct error err;

    buf_clear(&r->answer);
    r->reply = (struct reply){.status = 503, .type = "application/json"};
    if (!buf_append_str(&r->answer, "{\"recorded\":false}\n", &err)) {
        buf_clear(&r->answer);
    }
}

#define KEEPING(name, type, rows)                                                                                          \
    static void name(struct request *r, struct worker *w)                                                                  \
    {                                                                                                                      \
        static const struct kept_line line = {type, rows};                                                                \
        (void)w;                                                                                                          \
        record(r, &line);                                                                                                 \
    }                                                                                                                      \
    enum step route_##name##_run(struct request *r)                                                                       \
    {                                                                                                                      \
        static const struct work work = {.record = WORK_DURABLE, .judge = name, .fail = fail};                            \
        r->snapshot = service_snapshot(r->service);                                                                       \
        return work_run(r, &work);                                                                                        \
    }

KEEPING(look, "access", access_rows)
KEEPING(hold, "hold", hold_rows)
KEEPING(erasure, "erasure", erasure_rows)
KEEPING(rewrap, "rewrap", rewrap_rows)
KEEPING(prune, "prune", prune_rows)
KEEPING(prune_files, "prune", prune_files_rows)
