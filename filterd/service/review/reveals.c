#include "service/review/reveals.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/uuid.h"
#include "decision_log/decision_line.h"
#include "index/index_find.h"
#include "seal/blobs.h"
#include "service/access.h"
#include "decision_log/access_record.h"
#include "state/sealer.h"

enum { LINE_BYTES_MAX = 4096, DECISION_MAX = 65536, MEMORY_MAX = 256 * 1024 };

static bool refuse(struct reveal_answer *out, unsigned status, const char *detail)
{
    out->status = status;
    (void)snprintf(out->detail, sizeof(out->detail), "%s", detail);
    return false;
}

static bool refuse_error(struct reveal_answer *out, const struct error *err)
{
    unsigned status = err->kind == ERROR_NOT_FOUND   ? 404
                      : err->kind == ERROR_INVALID   ? 409
                      : err->kind == ERROR_DENIED    ? 403
                      : err->kind == ERROR_MALFORMED ? 422
                                                     : 503;

    return refuse(out, status, err->text);
}

/* --- the line ----------------------------------------------------------------- */

static bool format(const struct reveal_row *row, const struct reveal_event *e, const struct caller *c, int64_t now_ns, struct buf *out,
                   struct error *err)
{
    struct decision_line l = {.out = out, .err = err};
    const struct reveal_scope *s = &row->reveal.scope;

    line_open(&l, NULL, '{');
    line_number(&l, "v", DECISION_VERSION);
    line_text(&l, "type", span_str("reveal"));
    line_time(&l, "ts", now_ns);
    line_text(&l, "request", span_str(row->id));
    line_text(&l, "step", span_str(reveal_verb_name(e->verb)));
    line_text(&l, "tenant", span_str(s->tenant));
    line_number(&l, "item", s->item);
    line_text(&l, "blob", span_str(s->blob));
    line_text(&l, "purpose", span_str(reveal_purpose_name(s->purpose)));
    line_text(&l, "case", span_str(s->matter));
    if (e->verb == REVEAL_APPROVE) {
        line_time(&l, "until", e->until_ms * 1000000);
    }
    line_text(&l, "why", e->why);
    line_text(&l, "by", e->by);
    line_text(&l, "role", span_str(caller_role(c, ROLE_ADMIN)));
    reviews_put_order(&l, c);
    line_close(&l, '}');
    return !l.has_failed;
}

/* With the lock held: tries the step, writes its line, and returns the new state. */
static bool take_step(struct service *s, const struct caller *c, struct reveal_event *e, struct reveal_row *row, struct reveal_answer *out)
{
    struct buf line CLEANUP(buf_deinit);
    int64_t now_ns = clock_utc_ns();
    bool is_behind = false;
    struct error err;

    e->ts_ms = now_ns / 1000000;
    e->by = span_str(c->name);
    e->until_ms = e->verb == REVEAL_APPROVE ? e->ts_ms + REVEAL_GRANT_MS : 0;
    buf_init(&line, LINE_BYTES_MAX);
    if (!reveal_step(&row->reveal, e, &row->reveal, &err)) {
        return refuse_error(out, &err);
    }
    if (!format(row, e, c, now_ns, &line, &err) || !reviews_record(s, buf_span(&line), &is_behind, &err)) {
        return refuse(out, 503, "the step could not be recorded");
    }
    row->changed_ms = e->ts_ms;
    out->row = *row;
    out->has_row = true;
    out->status = 200;
    return !is_behind || refuse(out, 503, "the step is recorded; the list does not show it yet");
}

/* --- asking ------------------------------------------------------------------- */

static bool text_of(struct arena *memory, struct json_value value, struct span *out, struct error *err)
{
    return value.kind != JSON_KIND_STRING || json_unquote(memory, value, out, err);
}

static bool copy(char *to, size_t size, struct span from)
{
    if (from.len >= size || (from.len > 0 && memchr(from.ptr, '\0', from.len) != NULL)) {
        return false;
    }
    (void)snprintf(to, size, SPAN_FMT, SPAN_ARG(from));
    return true;
}

/* What a decision says of its original. */
struct original {
    struct span tenant, blob, kek;
};

static bool read_sealed(struct json_value sealed, struct arena *memory, struct original *o, struct error *err)
{
    struct json_value value;
    struct span name;

    struct json_iterator it = json_iterate(sealed);
    while (sealed.kind == JSON_KIND_OBJECT && json_next(&it, &name, &value)) {
        if ((span_is(name, "blob") && !text_of(memory, value, &o->blob, err)) ||
            (span_is(name, "kek") && !text_of(memory, value, &o->kek, err))) {
            return false;
        }
    }
    return true;
}

static bool read_decision(struct span line, struct arena *memory, struct original *o, struct error *err)
{
    struct json_value value;
    struct span name;

    if (!json_validate(line, err)) {
        return error_set(err, ERROR_NOT_FOUND, "no decision with that number");
    }
    struct json_iterator it = json_iterate(json_root(line));
    while (json_next(&it, &name, &value)) {
        if ((span_is(name, "tenant") && !text_of(memory, value, &o->tenant, err)) ||
            (span_is(name, "sealed") && !read_sealed(value, memory, o, err))) {
            return false;
        }
    }
    return true;
}

/* With the key's id; NULL: not needed. */
static bool find_decision(struct service *s, const struct caller *c, uint64_t item, struct arena *memory, struct reveal_scope *scope,
                          char kek[SHRED_ID + 1], struct reveal_answer *out)
{
    struct buf line CLEANUP(buf_deinit);
    struct original o = {.kek = {NULL, 0}};
    struct error err;

    buf_init(&line, DECISION_MAX + 1);
    if (!s->following.is_on) {
        return refuse(out, 404, "the service has no index: index=on expected");
    }
    struct index_reader *index = index_reader_open(s->following.path, s->following.place.folder, &err);
    bool is_read = index != NULL && index_line_at(index, item, &line, &err) && read_decision(buf_span(&line), memory, &o, &err);
    index_reader_close(index);
    if (!is_read) {
        return refuse_error(out, &err);
    }
    if (!copy(scope->tenant, sizeof(scope->tenant), o.tenant) || !copy(scope->blob, sizeof(scope->blob), o.blob) ||
        (kek != NULL && !copy(kek, SHRED_ID + 1, o.kek))) {
        return refuse(out, 404, "no decision with that number");
    }
    scope->item = item;
    return caller_sees(c, span_str(scope->tenant)) || refuse(out, 404, "no decision with that number");
}

static bool show_typed(struct service *s, struct arena *memory, struct span *text, struct reveal_answer *out)
{
    struct filter_fault fault;

    if (!reviews_show_text(s, memory, text, &fault)) {
        return refuse(out, fault.status, fault.detail);
    }
    return text->len <= REVEAL_TEXT || refuse(out, 422, "case and why: at most 128 bytes expected");
}

static void ask(struct service *s, const struct caller *c, const struct reveal_question *q, struct arena *memory, struct reveal_answer *out)
{
    struct reveal_scope scope = {.purpose = q->purpose};
    struct reveal_row row = {.seq = 0};
    struct span matter = q->matter, why = q->why;
    uint8_t uuid[UUID_BYTES];
    struct error err;

    if (!caller_has(c, ROLE_REVIEWER | ROLE_APPROVER)) {
        (void)refuse(out, 403, "the role reviewer expected");
        return;
    }
    if (!find_decision(s, c, q->item, memory, &scope, NULL, out) || !show_typed(s, memory, &matter, out) || !show_typed(s, memory, &why, out)) {
        return;
    }
    if (!copy(scope.matter, sizeof(scope.matter), matter) || !copy(row.why, sizeof(row.why), why)) {
        (void)refuse(out, 422, "case and why: text expected");
        return;
    }
    if (!uuid_make(clock_utc_ns(), uuid, &err)) {
        (void)refuse_error(out, &err);
        return;
    }
    uuid_format(uuid, row.id);
    row.asked_ms = clock_utc_ns() / 1000000;
    row.reveal.scope = scope; /* of the line; the step takes it over */
    struct reveal_event e = {.verb = REVEAL_ASK, .why = why, .scope = &scope};
    (void)take_step(s, c, &e, &row, out);
}

void reveals_ask(struct service *s, const struct caller *c, const struct reveal_question *q, struct reveal_answer *out)
{
    struct arena memory CLEANUP(arena_deinit);

    *out = (struct reveal_answer){.status = 503};
    arena_init(&memory, 0, MEMORY_MAX);
    reviews_lock(s);
    ask(s, c, q, &memory, out);
    reviews_unlock(s);
}

/* --- deciding ----------------------------------------------------------------- */

static bool find(struct service *s, const struct caller *c, struct span id, struct reveal_row *row, struct reveal_answer *out)
{
    struct span tenant = c->tenant[0] == '\0' ? span_of(NULL, 0) : span_str(c->tenant);
    struct error err;
    struct review_reader *r = reviews_open(s, &err);

    bool is_found = r != NULL && reveals_at(r, id, tenant, row, &err);
    review_reader_close(r);
    return is_found || refuse_error(out, &err);
}

void reveals_change(struct service *s, const struct caller *c, enum reveal_verb verb, struct span id, struct reveal_answer *out)
{
    unsigned roles = verb == REVEAL_CLOSE ? ROLE_REVIEWER | ROLE_APPROVER : ROLE_APPROVER;
    struct reveal_event e = {.verb = verb, .why = {NULL, 0}};
    struct reveal_row row;

    *out = (struct reveal_answer){.status = 503};
    reviews_lock(s);
    if (reviews_is_done(s, c, &out->line)) {
        out->status = 200;
    } else if (!caller_has(c, roles)) {
        (void)refuse(out, 403, "the role approver expected");
    } else if (find(s, c, id, &row, out)) {
        (void)take_step(s, c, &e, &row, out);
        (void)reviews_is_done(s, c, &out->line);
    }
    reviews_unlock(s);
}

/* --- opening ------------------------------------------------------------------ */

/* The sealer's folder, next to the decision log. */
static bool read_file(struct service *s, const char *blob, struct buf *file, struct reveal_answer *out)
{
    const char *log = s->options->log, *slash = strrchr(log, '/');
    char folder[PATH_MAX], path[PATH_MAX];
    struct error err;

    int len = snprintf(folder, sizeof(folder), "%.*s" BLOBS_FOLDER, slash == NULL ? 0 : (int)(slash + 1 - log), log);
    bool is_read = len > 0 && (size_t)len < sizeof(folder) && blobs_path(folder, span_str(blob), path) && file_read(path, file, &err);
    return is_read || refuse(out, 404, "the original has been deleted");
}

/* Of the file, or of its key: `kek` is the id. */
static bool record_access(struct service *s, const struct caller *c, const struct reveal_row *row, const char *kek,
                          struct reveal_answer *out)
{
    const struct reveal_scope *x = &row->reveal.scope;
    struct access_event e = {.by = c->name, .role = caller_role(c, ROLE_ADMIN), .what = "reveal", .item = x->item,
                             .purpose = span_str(reveal_purpose_name(x->purpose)), .request = span_str(row->id),
                             .now_ns = clock_utc_ns()};
    struct error err;

    if (kek != NULL) {
        e.what = "key";
        e.kek = span_str(kek);
        e.blob = span_str(x->blob);
    }
    return access_record_write(s->log, &e, &err) || refuse(out, 503, "the access to the original could not be recorded");
}

/* Checks that the step is possible before the file is read or a line written. */
static bool may_open(const struct caller *c, const struct reveal_row *row, struct span why, struct reveal_answer *out)
{
    const struct reveal_event e = {.verb = REVEAL_OPEN, .ts_ms = clock_utc_ns() / 1000000, .by = span_str(c->name), .why = why};
    struct reveal after;
    struct error err;

    return reveal_step(&row->reveal, &e, &after, &err) || refuse_error(out, &err);
}

static void open_file(struct service *s, const struct caller *c, struct span id, struct span why, struct buf *file,
                      struct arena *memory, struct reveal_answer *out)
{
    struct reveal_row row;

    if (!caller_has(c, ROLE_REVIEWER | ROLE_APPROVER)) {
        (void)refuse(out, 403, "the role reviewer expected");
        return;
    }
    if (!show_typed(s, memory, &why, out) || !find(s, c, id, &row, out) || !may_open(c, &row, why, out) ||
        !read_file(s, row.reveal.scope.blob, file, out) || !record_access(s, c, &row, NULL, out)) {
        return;
    }
    struct reveal_event e = {.verb = REVEAL_OPEN, .why = why};
    (void)take_step(s, c, &e, &row, out);
}

void reveals_open(struct service *s, const struct caller *c, struct span id, struct span why, struct buf *file, struct reveal_answer *out)
{
    struct arena memory CLEANUP(arena_deinit);

    *out = (struct reveal_answer){.status = 503};
    arena_init(&memory, 0, MEMORY_MAX);
    reviews_lock(s);
    open_file(s, c, id, why, file, &memory, out);
    reviews_unlock(s);
    if (out->status != 200) {
        buf_clear(file);
    }
}

/* --- its key ------------------------------------------------------------------ */

/* That of the line which was asked for: who asks does not choose. */
static bool find_key(struct service *s, const struct caller *c, const struct reveal_row *row, struct arena *memory,
                     struct shred_key *key, struct reveal_answer *out)
{
    struct reveal_scope scope = {.item = 0};
    char kek[SHRED_ID + 1] = "";
    struct error err;

    if (!find_decision(s, c, row->reveal.scope.item, memory, &scope, kek, out)) {
        return false;
    }
    if (kek[0] == '\0' || strcmp(scope.blob, row->reveal.scope.blob) != 0) {
        return refuse(out, 404, "the line has no such original");
    }
    if (!sealer_find_key(s->sealer, kek, key, &err)) {
        return err.kind == ERROR_NOT_FOUND ? refuse(out, 410, "the key of the original was erased") : refuse_error(out, &err);
    }
    return true;
}

/* A grant that was closed since is a grant no more: all that is on record has to be known. */
static bool may_have_key(struct service *s, const struct caller *c, struct span id, struct reveal_row *row, struct reveal_answer *out)
{
    struct error err;

    if (!caller_has(c, ROLE_REVIEWER | ROLE_APPROVER)) {
        return refuse(out, 403, "the role reviewer expected");
    }
    if (!s->reviews.is_current) {
        return refuse(out, 503, "review: all that is on record expected");
    }
    return find(s, c, id, row, out) &&
           (reveal_may_have_key(&row->reveal, span_str(c->name), clock_utc_ns() / 1000000, &err) || refuse_error(out, &err));
}

static bool put_key(const struct shred_key *key, const struct reveal_row *row, struct buf *json, struct reveal_answer *out)
{
    int64_t left_ms = row->reveal.until_ms - clock_utc_ns() / 1000000;
    char hex[2 * SHRED_KEY + 1];
    struct error err;

    (void)sodium_bin2hex(hex, sizeof(hex), key->key, sizeof(key->key));
    bool is_put = buf_appendf(json, &err, "{\"kek\":\"%s\",\"key\":\"%s\",\"left_ms\":%" PRId64 "}\n", key->id, hex,
                              left_ms > 0 ? left_ms : 0);
    sodium_memzero(hex, sizeof(hex));
    return is_put || refuse_error(out, &err);
}

static void give_key(struct service *s, const struct caller *c, struct span id, struct arena *memory, struct buf *json,
                     struct reveal_answer *out)
{
    struct reveal_row row;
    struct shred_key key;

    if (!may_have_key(s, c, id, &row, out) || !find_key(s, c, &row, memory, &key, out)) {
        return;
    }
    if (record_access(s, c, &row, key.id, out) && put_key(&key, &row, json, out)) {
        out->row = row;
        out->has_row = true;
        out->status = 200;
    }
    sodium_memzero(&key, sizeof(key));
}

void reveals_key(struct service *s, const struct caller *c, struct span id, struct buf *json, struct reveal_answer *out)
{
    struct arena memory CLEANUP(arena_deinit);

    *out = (struct reveal_answer){.status = 503};
    arena_init(&memory, 0, MEMORY_MAX);
    reviews_lock(s);
    give_key(s, c, id, &memory, json, out);
    reviews_unlock(s);
}
