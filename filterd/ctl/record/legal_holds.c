#include "ctl/record/legal_holds.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "ctl/operators.h"
#include "query/timestamp.h"
#include "record/log_reader.h"

enum { HOLD_ID_MAX = 129, HOLDS_MAX = 4096, PATH_ROOM = 8192 };

struct hold {
    char id[HOLD_ID_MAX];
    struct query *filter; /* NULL: it was lifted, or is over */
    int64_t set_ns;
};

struct legal_holds {
    struct log_files files;
    struct hold *holds;
    size_t n_holds;
    int64_t now_ns;
};

/* --- holds -------------------------------------------------------------------- */

static const char *text_of(const json_t *record, const char *name)
{
    const char *text = json_string_value(json_object_get(record, name));

    return text == NULL ? "" : text;
}

static struct hold *hold_of(struct legal_holds *l, const char *id)
{
    for (size_t i = 0; i < l->n_holds; i++) {
        if (strcmp(l->holds[i].id, id) == 0) {
            return &l->holds[i];
        }
    }
    if (l->n_holds == HOLDS_MAX) {
        return NULL;
    }
    struct hold *h = &l->holds[l->n_holds++];
    (void)snprintf(h->id, sizeof(h->id), "%s", id);
    h->set_ns = INT64_MIN;
    return h;
}

struct folding {
    struct legal_holds *l;
    struct error *err;
    bool has_failed;
};

/* A hold without a filter holds everything; one whose filter cannot be read is an error, as it would hold nothing. */
static bool take_hold(void *context, struct span line, const json_t *record)
{
    struct folding *f = context;
    int64_t ts = 0, until = INT64_MAX;

    (void)line;
    if (strcmp(text_of(record, "type"), "hold") != 0) {
        return true;
    }
    struct hold *h = hold_of(f->l, text_of(record, "id"));
    const char *end = text_of(record, "until");
    bool is_read = h != NULL && timestamp_parse(span_str(text_of(record, "ts")), f->l->now_ns, &ts) &&
                   (end[0] == '\0' || timestamp_parse(span_str(end), f->l->now_ns, &until));
    if (!is_read) {
        f->has_failed = true;
        return error_set(f->err, ERROR_INVALID, "a line of type hold cannot be read");
    }
    if (ts < h->set_ns) {
        return true;
    }
    h->set_ns = ts;
    query_free(h->filter);
    h->filter = NULL;
    if (strcmp(text_of(record, "step"), "set") == 0 && until > f->l->now_ns) {
        h->filter = query_compile(span_str(text_of(record, "filter")), f->l->now_ns, f->err);
        f->has_failed = h->filter == NULL;
    }
    return !f->has_failed;
}

const char *legal_holds_match(const struct legal_holds *l, struct span line)
{
    for (size_t i = 0; i < l->n_holds; i++) {
        if (l->holds[i].filter != NULL && query_matches(l->holds[i].filter, line)) {
            return l->holds[i].id;
        }
    }
    return NULL;
}

bool legal_holds_has(const struct legal_holds *l, struct span id)
{
    for (size_t i = 0; i < l->n_holds; i++) {
        if (l->holds[i].filter != NULL && span_is(id, l->holds[i].id)) {
            return true;
        }
    }
    return false;
}

/* --- lines -------------------------------------------------------------------- */

static bool visit_line(struct span line, legal_holds_visit_fn *visit, void *context, bool *goes_on, struct error *err)
{
    if (!json_validate(line, err)) {
        return false;
    }
    json_t *record = json_loadb(line.ptr, line.len, 0, NULL);
    if (record == NULL) {
        return error_set(err, ERROR_MALFORMED, "a line of JSON expected");
    }
    *goes_on = visit(context, line, record);
    json_decref(record);
    return true;
}

bool legal_holds_each_line(struct legal_holds *l, legal_holds_visit_fn *visit, void *context, struct error *err)
{
    struct log_reader *reader = log_reader_new(&l->files, err);
    struct log_line line;
    bool is_good = reader != NULL, goes_on = true;

    while (is_good && goes_on && (is_good = log_reader_next(reader, &line, err)) && line.text.ptr != NULL) {
        if (line.fault == LOG_TORN) {
            continue; /* not written yet, or never */
        }
        bool is_line = line.fault == LOG_SOUND || line.fault == LOG_OUT_OF_ORDER; /* files of several logs */
        is_good = is_line ? visit_line(line.text, visit, context, &goes_on, err)
                          : error_set(err, ERROR_MALFORMED, "%s: line %" PRIu64 " %s", line.file->path, line.number,
                                      log_fault_text(line.fault));
    }
    log_reader_free(reader);
    return is_good;
}

static bool open_log(struct legal_holds *l, const char *log, struct error *err)
{
    const char *slash = strrchr(log, '/');
    char folder[PATH_MAX];
    struct folding f = {.l = l, .err = err};

    (void)snprintf(folder, sizeof(folder), "%.*s", slash == NULL ? 1 : (int)(slash - log), slash == NULL ? "." : log);
    l->now_ns = clock_utc_ns();
    l->holds = calloc(HOLDS_MAX, sizeof(*l->holds));
    if (l->holds == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "record: no memory");
    }
    return log_files_scan(&l->files, folder, err) &&
           (l->files.n > 0 || error_set(err, ERROR_NOT_FOUND, "%s: a decision log expected", log)) &&
           legal_holds_each_line(l, take_hold, &f, err) && !f.has_failed;
}

struct legal_holds *legal_holds_open(const char *log, struct error *err)
{
    struct legal_holds *l = calloc(1, sizeof(*l));

    if (l == NULL) {
        error_set(err, ERROR_NO_MEMORY, "record: no memory");
        return NULL;
    }
    if (log == NULL) {
        error_set(err, ERROR_INVALID, "--log FILE expected, the decision log");
        legal_holds_free(l);
        return NULL;
    }
    if (!open_log(l, log, err)) {
        legal_holds_free(l);
        return NULL;
    }
    return l;
}

void legal_holds_free(struct legal_holds *l)
{
    if (l == NULL) {
        return;
    }
    for (size_t i = 0; i < l->n_holds; i++) {
        query_free(l->holds[i].filter);
    }
    free(l->holds);
    log_files_deinit(&l->files);
    free(l);
}

/* --- the service -------------------------------------------------------------- */

bool legal_holds_record(const struct arguments *args, const char *route, const struct buf *parameters, struct error *err)
{
    struct buf path;

    buf_init(&path, PATH_ROOM);
    bool is_made = buf_append_str(&path, route, err) && buf_append(&path, buf_span(parameters), err) &&
                   buf_append_char(&path, '\0', err);
    json_t *answer = is_made ? operators_ask(args, "POST", path.data, err) : NULL;
    buf_deinit(&path);
    bool is_recorded = answer != NULL && json_is_true(json_object_get(answer, "recorded"));
    if (answer != NULL && !is_recorded) {
        error_set(err, ERROR_SYSTEM, "the line could not be put on record");
    }
    json_decref(answer);
    return is_recorded;
}
