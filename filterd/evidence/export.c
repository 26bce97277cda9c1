#include "evidence/export.h"

#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "evidence/bundle.h"
#include "evidence/export_texts.h"
#include "evidence/range_proof.h"
#include "record/checkpoint_store.h"
#include "record/log_reader.h"
#include "record/manifest_note.h"
#include "record/proof.h"
#include "record/tiles.h"

enum { SIDE_MAX = 64 * 1024 * 1024, MANIFEST_MAX = 512 * 1024 * 1024, POLICIES_MAX = 64, SIDES = 2 };

/* Lines about the selected ones: who looked, and what reviewers said. */
static const char *const side_names[SIDES] = {"access.jsonl", "review.jsonl"};
static const char *const side_queries[SIDES] = {"type:access,reveal", "type:review"};

struct export {
    const struct export_request *request;
    struct export_result *result;
    char folder[PATH_MAX], record[PATH_MAX + 8];
    struct buf newest, cosigned;
    struct checkpoint checkpoint; /* the one that proofs are for */
    uint64_t readable;            /* size of the newest: lines up to it are proven */
    struct note_key key;
    struct bundle bundle;
    uint64_t *chosen, *proven; /* seqs: of records.jsonl; with a proof of their own */
    size_t n_chosen, n_proven;
    struct query *side_query[SIDES];
    struct buf side[SIDES];
    struct span policies[POLICIES_MAX]; /* digests, as decisions have them */
    size_t n_policies;
    bool has_texts; /* of rules and policies in force */
    struct arena memory;
};

/* --- what there is -------------------------------------------------------------- */

static bool read_head(struct export *e, struct error *err)
{
    struct checkpoint cosigned;
    struct error none;

    if (!checkpoint_store_newest(e->record, &e->newest, err) || !checkpoint_parse(buf_span(&e->newest), &e->checkpoint, err)) {
        return false;
    }
    e->readable = e->checkpoint.size;
    /* One that others have cosigned says more, where it has all lines of the newest. */
    if (checkpoint_store_cosigned(e->record, &e->cosigned, &none) && checkpoint_parse(buf_span(&e->cosigned), &cosigned, &none) &&
        cosigned.size == e->checkpoint.size && span_equal(cosigned.origin, e->checkpoint.origin) &&
        tree_hash_equal(&cosigned.root, &e->checkpoint.root)) {
        e->checkpoint = cosigned;
    }
    return true;
}

static bool read_key(struct export *e, struct error *err)
{
    const struct export_signer *s = e->request->signer;

    return s->key(s->context, e->checkpoint.origin, &e->key, err) &&
           (checkpoint_verify(&e->checkpoint, &e->key, err) || error_wrap(err, "not the key of this log"));
}

static bool open_parts(struct export *e, struct error *err)
{
    const struct bundle_limits limits = {.folder = e->request->folder, .bytes_max = e->request->bytes_max,
                                         .free_min = e->request->free_min,
                                         .is_stopped = e->request->progress == NULL ? NULL : &e->request->progress->is_stopped};
    const int64_t no_time = 0;
    char copy[PATH_MAX];

    (void)snprintf(copy, sizeof(copy), "%s", e->request->log);
    (void)snprintf(e->folder, sizeof(e->folder), "%s", dirname(copy));
    (void)snprintf(e->record, sizeof(e->record), "%s/record", e->folder);
    e->chosen = calloc(EXPORT_LINES_MAX, sizeof(*e->chosen));
    e->proven = calloc(EXPORT_PROOFS_MAX, sizeof(*e->proven));
    if (e->chosen == NULL || e->proven == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "export: no memory");
    }
    for (size_t i = 0; i < SIDES; i++) {
        e->side_query[i] = query_compile(span_str(side_queries[i]), no_time, err);
        if (e->side_query[i] == NULL) {
            return false;
        }
    }
    return read_head(e, err) && read_key(e, err) && bundle_open(&e->bundle, &limits, err);
}

/* --- lines ---------------------------------------------------------------------- */

static bool is_chosen(const struct export *e, uint64_t seq)
{
    size_t from = 0, to = e->n_chosen;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (e->chosen[middle] == seq) {
            return true;
        }
        from = e->chosen[middle] < seq ? middle + 1 : from;
        to = e->chosen[middle] < seq ? to : middle;
    }
    return false;
}

static uint64_t number_of(struct json_value v)
{
    uint64_t n = 0;

    for (size_t i = 0; v.kind == JSON_KIND_NUMBER && i < v.raw.len && i < 18; i++) {
        n = v.raw.ptr[i] >= '0' && v.raw.ptr[i] <= '9' ? n * 10 + (uint64_t)(v.raw.ptr[i] - '0') : 0;
    }
    return n;
}

/* `item`, or any of `items`: lines name only lines before them, so all that may be chosen has been seen. */
static bool names_chosen(const struct export *e, struct span line)
{
    struct json_iterator it = json_iterate(json_root(line));
    struct json_value value, item;
    struct span name, none;

    while (json_next(&it, &name, &value)) {
        if (span_is(name, "item") && is_chosen(e, number_of(value))) {
            return true;
        }
        struct json_iterator items = json_iterate(value);
        while (span_is(name, "items") && json_next(&items, &none, &item)) {
            if (is_chosen(e, number_of(item))) {
                return true;
            }
        }
    }
    return false;
}

/* The digest of the policy that a decision was made under, each once. */
static bool note_policy(struct export *e, struct span line, struct error *err)
{
    struct json_iterator it = json_iterate(json_root(line));
    struct json_value value, digest;
    struct span name, member;

    while (json_next(&it, &name, &value)) {
        struct json_iterator members = json_iterate(value);
        while (span_is(name, "policy") && value.kind == JSON_KIND_OBJECT && json_next(&members, &member, &digest)) {
            struct span text = digest.raw.len > 2 ? span_slice(digest.raw, 1, digest.raw.len - 1) : digest.raw;
            bool is_known = !span_is(member, "digest") || e->n_policies == POLICIES_MAX;
            for (size_t i = 0; i < e->n_policies; i++) {
                is_known |= span_equal(e->policies[i], text);
            }
            if (!is_known && !arena_copy(&e->memory, text, &e->policies[e->n_policies++], err)) {
                return false;
            }
        }
    }
    return true;
}

static bool is_wanted(const struct export *e, uint64_t seq, struct span line)
{
    const struct export_request *r = e->request;

    return r->query != NULL ? query_matches(r->query, line) : seq >= r->first && seq <= r->last;
}

/* Gets a proof of its own; a line that is a record and about another has one. */
static bool add_proven(struct export *e, uint64_t seq, struct error *err)
{
    if (e->n_proven > 0 && e->proven[e->n_proven - 1] == seq) {
        return true;
    }
    if (e->n_proven == EXPORT_PROOFS_MAX) {
        return error_set(err, ERROR_LIMIT, "at most %d lines with a proof each expected; a range needs one for all", EXPORT_PROOFS_MAX);
    }
    e->proven[e->n_proven++] = seq;
    return true;
}

static bool put_line(struct export *e, uint64_t seq, struct span line, struct error *err)
{
    if (e->n_chosen == EXPORT_LINES_MAX) {
        return error_set(err, ERROR_LIMIT, "at most %d lines expected in a bundle", EXPORT_LINES_MAX);
    }
    e->chosen[e->n_chosen++] = seq;
    return (e->request->query == NULL || add_proven(e, seq, err)) && note_policy(e, line, err) && bundle_add(&e->bundle, line, err) && bundle_add(&e->bundle, span_of("\n", 1), err);
}

static bool put_side(struct export *e, uint64_t seq, struct span line, struct error *err)
{
    for (size_t i = 0; i < SIDES; i++) {
        bool is_visible = e->request->visible == NULL || query_matches(e->request->visible, line);
        if (!is_visible || !query_matches(e->side_query[i], line) || !names_chosen(e, line)) {
            continue;
        }
        return add_proven(e, seq, err) && buf_append(&e->side[i], line, err) && buf_append_char(&e->side[i], '\n', err);
    }
    return true;
}

/* For who asks how far it is. */
static bool report(const struct export *e, uint64_t seq, struct error *err)
{
    struct export_progress *p = e->request->progress;

    if (p == NULL) {
        return true;
    }
    atomic_store(&p->read, seq);
    atomic_store(&p->taken, e->n_chosen);
    return !atomic_load(&p->is_stopped) || error_set(err, ERROR_DENIED, "the export was stopped");
}

static bool take_line(struct export *e, const struct log_line *l, struct error *err)
{
    if (l->fault != LOG_SOUND || !json_validate(l->text, err)) {
        return error_set(err, ERROR_MALFORMED, "line %" PRIu64 " of %s %s; see filterctl record verify", l->seq, l->file->path,
                         l->fault == LOG_SOUND ? "is not JSON" : log_fault_text(l->fault));
    }
    bool is_it = is_wanted(e, l->seq, l->text);
    if (l->seq > e->readable) {
        e->result->newer += is_it;
        return true;
    }
    return report(e, l->seq, err) && (!is_it || put_line(e, l->seq, l->text, err)) && put_side(e, l->seq, l->text, err);
}

static bool read_log(struct export *e, struct log_reader *r, struct error *err)
{
    struct log_line line;
    bool is_first = true;

    while (log_reader_next(r, &line, err)) {
        if (line.text.ptr == NULL || (line.fault == LOG_TORN && line.seq > e->readable)) {
            return true;
        }
        /* The first line that is kept follows nothing. */
        if (is_first && line.fault == LOG_OUT_OF_ORDER) {
            line.fault = LOG_SOUND;
        }
        is_first = false;
        if (!take_line(e, &line, err)) {
            return false;
        }
    }
    return false;
}

static bool gather_lines(struct export *e, struct error *err)
{
    struct log_files files CLEANUP(log_files_deinit) = {0};
    char origin[CHECKPOINT_ORIGIN_MAX + 1];

    (void)snprintf(origin, sizeof(origin), SPAN_FMT, SPAN_ARG(e->checkpoint.origin));
    if (!log_files_scan(&files, e->folder, err)) {
        return false;
    }
    log_files_select(&files, e->checkpoint.origin);
    if (files.n == 0) {
        return error_set(err, ERROR_NOT_FOUND, "%s: files of the log %s expected", e->folder, origin);
    }
    struct log_reader *r = log_reader_new(&files, err);
    bool is_read = r != NULL && bundle_begin(&e->bundle, "records.jsonl", err) && read_log(e, r, err);
    log_reader_free(r);
    if (is_read) {
        bundle_end(&e->bundle);
    }
    for (size_t i = 0; i < SIDES && is_read; i++) {
        is_read = bundle_put(&e->bundle, side_names[i], buf_span(&e->side[i]), err);
    }
    e->result->n = e->n_chosen;
    return is_read && (e->n_chosen > 0 || error_set(err, ERROR_NOT_FOUND, "no line up to the newest checkpoint (%" PRIu64 ") matches", e->readable));
}

/* --- proofs --------------------------------------------------------------------- */

static struct span head_bytes(const struct export *e)
{
    return e->checkpoint.note.text.ptr == e->cosigned.data ? buf_span(&e->cosigned) : buf_span(&e->newest);
}

static bool put_proof(struct export *e, const struct tree_source *tiles, uint64_t seq, struct buf *text, struct error *err)
{
    struct tree_proof path;
    char name[BUNDLE_NAME_MAX];

    buf_clear(text);
    (void)snprintf(name, sizeof(name), "proofs/%020" PRIu64 ".tlog-proof", seq);
    return tree_prove_inclusion(tiles, seq - 1, e->checkpoint.size, &path, err) &&
           proof_format(span_of(NULL, 0), seq - 1, &path, head_bytes(e), text, err) && bundle_put(&e->bundle, name, buf_span(text), err);
}

static bool put_range(struct export *e, const struct tree_source *tiles, struct buf *text, struct error *err)
{
    struct range_proof p;

    buf_clear(text);
    if (e->request->query != NULL) {
        return true;
    }
    if (e->n_chosen != e->request->last - e->request->first + 1) {
        return error_set(err, ERROR_NOT_FOUND, "lines %" PRIu64 " to %" PRIu64 " expected, all of them up to the newest checkpoint (%" PRIu64 ")",
                         e->request->first, e->request->last, e->readable);
    }
    if (!range_proof_make(tiles, e->request->first, e->request->last, e->checkpoint.size, &p, err)) {
        return false;
    }
    p.checkpoint = head_bytes(e);
    return range_proof_format(&p, text, err) && bundle_put(&e->bundle, "range.proof", buf_span(text), err);
}

static bool gather_proofs(struct export *e, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);
    struct tile_reader *reader = tile_reader_open(e->record, e->checkpoint.size, err);

    buf_init(&text, PROOF_MAX);
    if (reader == NULL) {
        return false;
    }
    struct tree_source tiles = tile_reader_source(reader);
    bool is_put = put_range(e, &tiles, &text, err);
    for (size_t i = 0; i < e->n_proven && is_put; i++) {
        is_put = report(e, e->readable, err) && put_proof(e, &tiles, e->proven[i], &text, err);
    }
    tile_reader_close(reader);
    return is_put;
}

/* --- the rest ------------------------------------------------------------------- */

/* The witnesses that the service has, else the log's key alone. */
static bool put_policy(struct export *e, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);
    char path[PATH_MAX + 16], vkey[NOTE_VKEY_MAX + 1];
    struct error none;

    buf_init(&text, 64 * 1024);
    (void)snprintf(path, sizeof(path), "%s/policy", e->record);
    if (!file_read(path, &text, &none)) {
        note_key_format(&e->key, vkey);
        buf_clear(&text);
        if (!buf_appendf(&text, err, "log %s\nquorum none\n", vkey)) {
            return false;
        }
    }
    return bundle_put(&e->bundle, "policy", buf_span(&text), err) && bundle_put(&e->bundle, "checkpoint", head_bytes(e), err);
}

static bool put_member(struct buf *out, const char *name, struct span text, struct error *err)
{
    return buf_appendf(out, err, ",\n \"%s\": ", name) && json_append_string(out, text, err);
}

static bool put_question(struct export *e, struct buf *out, struct error *err)
{
    const struct export_request *r = e->request;
    char root[TREE_HASH_TEXT + 1];

    tree_hash_format(&e->checkpoint.root, root);
    bool is_put = buf_append_str(out, "{\"v\": 1", err) && put_member(out, "origin", e->checkpoint.origin, err) &&
                  buf_appendf(out, err, ",\n \"size\": %" PRIu64, e->checkpoint.size) && put_member(out, "root", span_str(root), err) &&
                  (r->query != NULL ? put_member(out, "query", query_canonical(r->query), err)
                                    : buf_appendf(out, err, ",\n \"range\": [%" PRIu64 ", %" PRIu64 "]", r->first, r->last)) &&
                  buf_appendf(out, err, ",\n \"count\": %zu", e->n_chosen) && put_member(out, "by", span_str(r->by), err);
    return is_put && (r->purpose == NULL || put_member(out, "purpose", span_str(r->purpose), err));
}

static bool put_policies(struct export *e, struct buf *out, struct error *err)
{
    bool is_put = buf_append_str(out, ",\n \"policies\": [", err);

    for (size_t i = 0; i < e->n_policies && is_put; i++) {
        is_put = buf_append_str(out, i > 0 ? ", " : "", err) && json_append_string(out, e->policies[i], err);
    }
    return is_put && buf_appendf(out, err, "],\n \"texts\": %s", e->has_texts ? "true" : "false");
}

static bool put_files(struct export *e, struct buf *out, struct error *err)
{
    bool is_put = buf_append_str(out, ",\n \"files\": [", err);

    bundle_sort(&e->bundle);
    for (size_t i = 0; i < e->bundle.n && is_put; i++) {
        const struct bundle_file *f = &e->bundle.files[i];
        is_put = buf_appendf(out, err, "%s\n  {\"name\": \"%s\", \"bytes\": %" PRIu64 ", \"sha256\": \"%s\"}", i > 0 ? "," : "", f->name, f->size,
                             f->sha256);
    }
    return is_put && buf_append_str(out, "\n ]}\n", err);
}

static bool put_manifest(struct export *e, struct error *err)
{
    const struct export_signer *s = e->request->signer;
    struct buf manifest CLEANUP(buf_deinit), note CLEANUP(buf_deinit);
    char sha256[DIGEST_SHA256_HEX + 1];

    buf_init(&manifest, MANIFEST_MAX);
    buf_init(&note, NOTE_MAX);
    return put_question(e, &manifest, err) && put_policies(e, &manifest, err) && put_files(e, &manifest, err) &&
           bundle_put(&e->bundle, "manifest.json", buf_span(&manifest), err) &&
           digest_sha256(buf_span(&manifest), sha256, err) && manifest_note_text(sha256, &note, err) &&
           buf_append_char(&note, '\n', err) && s->sign(s->context, &e->key, sha256, &note, err) &&
           bundle_put(&e->bundle, "manifest.sig", buf_span(&note), err);
}

static void export_deinit(struct export *e)
{
    bundle_close(&e->bundle);
    for (size_t i = 0; i < SIDES; i++) {
        query_free(e->side_query[i]);
        buf_deinit(&e->side[i]);
    }
    free(e->chosen);
    free(e->proven);
    buf_deinit(&e->newest);
    buf_deinit(&e->cosigned);
    arena_deinit(&e->memory);
}

bool export_bundle(const struct export_request *request, struct export_result *out, struct error *err)
{
    struct export e CLEANUP(export_deinit) = {.request = request, .result = out, .bundle = {.spool = -1}};

    *out = (struct export_result){0};
    buf_init(&e.newest, NOTE_MAX);
    buf_init(&e.cosigned, NOTE_MAX);
    buf_init(&e.bundle.out, 1);
    for (size_t i = 0; i < SIDES; i++) {
        buf_init(&e.side[i], SIDE_MAX);
    }
    arena_init(&e.memory, 0, (size_t)POLICIES_MAX * 4096);
    if (!open_parts(&e, err)) {
        return false;
    }
    out->size = e.checkpoint.size;
    return (request->record == NULL || request->record(request->context, err)) && gather_lines(&e, err) && gather_proofs(&e, err) && put_policy(&e, err) &&
           export_texts_put(&e.bundle, request->query == NULL, err) &&
           export_texts_put_rules(&e.bundle, request, e.policies, e.n_policies, &e.has_texts, err) && put_manifest(&e, err) &&
           bundle_write(&e.bundle, request->out, err);
}
