#include "evidence/bundle_check.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/json.h"
#include "evidence/bundle.h"
#include "evidence/range_proof.h"
#include "evidence/ustar.h"
#include "query/query.h"
#include "record/log_files.h"
#include "record/manifest_note.h"
#include "record/proof.h"

struct check {
    struct ustar_entry *files; /* in order */
    bool *is_used;             /* a proof that a line needed */
    size_t n, room;
    json_t *manifest;
    struct span head; /* bytes of the checkpoint */
    struct checkpoint checkpoint;
    const struct log_policy *policy;
    struct log_policy own; /* that of the bundle */
    struct query *query;
    struct bundle_report *out;
    size_t n_used;
};

static void check_deinit(struct check *c)
{
    free(c->files);
    free(c->is_used);
    json_decref(c->manifest);
    query_free(c->query);
}

static bool finding(struct error *err, const char *file, const char *what)
{
    return error_set(err, ERROR_INVALID, "%s: %s", file, what);
}

/* --- files ---------------------------------------------------------------------- */

static bool read_files(struct check *c, struct span bundle, struct error *err)
{
    struct ustar_reader r = {.rest = bundle};
    struct ustar_entry entry;

    while (ustar_next(&r, &entry, err)) {
        if (entry.name.len == 0) {
            c->is_used = calloc(c->n + 1, sizeof(*c->is_used));
            return c->is_used != NULL || error_set(err, ERROR_NO_MEMORY, "no memory");
        }
        if (c->n == BUNDLE_FILES_MAX) {
            return error_set(err, ERROR_LIMIT, "at most %d files expected", BUNDLE_FILES_MAX);
        }
        if (c->n == c->room) {
            size_t room = c->room == 0 ? 64 : 2 * c->room;
            struct ustar_entry *files = reallocarray(c->files, room, sizeof(*files));
            if (files == NULL) {
                return error_set(err, ERROR_NO_MEMORY, "no memory");
            }
            c->files = files;
            c->room = room;
        }
        c->files[c->n++] = entry;
    }
    return false;
}

static int compare_name(const void *name, const void *entry)
{
    const struct span *a = name, *b = &((const struct ustar_entry *)entry)->name;
    size_t len = a->len < b->len ? a->len : b->len;
    int order = memcmp(a->ptr, b->ptr, len);

    return order != 0 ? order : (a->len > b->len) - (a->len < b->len);
}

static const struct ustar_entry *find_file(const struct check *c, const char *name)
{
    const struct span wanted = span_str(name);

    return c->n == 0 ? NULL : bsearch(&wanted, c->files, c->n, sizeof(*c->files), compare_name);
}

static struct span content(const struct check *c, const char *name)
{
    const struct ustar_entry *f = find_file(c, name);

    return f == NULL ? span_of(NULL, 0) : f->content;
}

static bool has_all(const struct check *c, struct error *err)
{
    static const char *const needed[] = {"README.txt", "access.jsonl", "checkpoint",   "manifest.json", "manifest.sig",
                                         "policy",     "records.jsonl", "review.jsonl", "verify.py"};

    for (size_t i = 0; i < COUNT(needed); i++) {
        if (find_file(c, needed[i]) == NULL) {
            return finding(err, needed[i], "it is missing");
        }
    }
    return true;
}

/* --- the manifest --------------------------------------------------------------- */

static bool check_listed(const struct check *c, const json_t *listed, struct error *err)
{
    const char *name = json_string_value(json_object_get(listed, "name"));
    const char *sha256 = json_string_value(json_object_get(listed, "sha256"));
    const struct ustar_entry *f = name == NULL ? NULL : find_file(c, name);
    char hex[DIGEST_SHA256_HEX + 1];

    if (f == NULL || sha256 == NULL) {
        return finding(err, "manifest.json", "it lists a file that is missing");
    }
    if (!digest_sha256(f->content, hex, err)) {
        return false;
    }
    return ((size_t)json_integer_value(json_object_get(listed, "bytes")) == f->content.len && strcmp(hex, sha256) == 0) ||
           finding(err, name, "it is not what the manifest lists");
}

/* The list has every file but itself and its signature, once: it is in the order of names. */
static bool check_list(const struct check *c, struct error *err)
{
    const json_t *files = json_object_get(c->manifest, "files");
    const char *last = "";

    if (json_array_size(files) + 2 != c->n) {
        return finding(err, "manifest.json", "it lists other files than there are");
    }
    for (size_t i = 0; i < json_array_size(files); i++) {
        const json_t *listed = json_array_get(files, i);
        const char *name = json_string_value(json_object_get(listed, "name"));
        if (name == NULL || strcmp(last, name) >= 0 || strncmp(name, "manifest.", 9) == 0) {
            return finding(err, "manifest.json", "a list of files in order, each once, expected");
        }
        if (!check_listed(c, listed, err)) {
            return false;
        }
        last = name;
    }
    return true;
}

static bool says(const struct check *c, const char *name, struct span text)
{
    const char *value = json_string_value(json_object_get(c->manifest, name));

    return value != NULL && span_is(text, value);
}

static bool check_manifest(struct check *c, struct error *err)
{
    struct span text = content(c, "manifest.json");
    char root[TREE_HASH_TEXT + 1];
    json_error_t why;

    c->manifest = json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES, &why);
    if (!json_is_object(c->manifest)) {
        return finding(err, "manifest.json", "a JSON object expected");
    }
    tree_hash_format(&c->checkpoint.root, root);
    if (!says(c, "origin", c->checkpoint.origin) || !says(c, "root", span_str(root)) ||
        (uint64_t)json_integer_value(json_object_get(c->manifest, "size")) != c->checkpoint.size) {
        return finding(err, "manifest.json", "the checkpoint of the bundle expected");
    }
    return check_list(c, err);
}

/* --- signatures ----------------------------------------------------------------- */

static bool check_signature(const struct check *c, const struct note_key *key, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);
    char sha256[DIGEST_SHA256_HEX + 1];
    struct note note;

    buf_init(&text, 256);
    if (!note_parse(content(c, "manifest.sig"), &note, err)) {
        return error_wrap(err, "manifest.sig");
    }
    if (!digest_sha256(content(c, "manifest.json"), sha256, err) || !manifest_note_text(sha256, &text, err)) {
        return false;
    }
    if (!span_equal(note.text, buf_span(&text))) {
        return finding(err, "manifest.sig", "it is for another manifest");
    }
    return note_verify(&note, key, NULL) == NOTE_GOOD || finding(err, "manifest.sig", "the log's signature expected");
}

static bool check_signatures(struct check *c, struct error *err)
{
    struct log_policy_result result;

    if (c->policy == NULL) {
        c->policy = &c->own;
        if (!log_policy_parse(content(c, "policy"), &c->own, err)) {
            return error_wrap(err, "policy");
        }
    }
    if (!log_policy_verify(c->policy, &c->checkpoint, &result, err)) {
        return error_wrap(err, "checkpoint");
    }
    for (size_t i = 0; i < c->policy->n_members; i++) {
        c->out->witnesses += !c->policy->members[i].is_group && (result.witnesses >> i & 1U) != 0;
    }
    return check_signature(c, &result.log->key, err);
}

/* --- lines ---------------------------------------------------------------------- */

struct lines {
    const char *file;
    struct span rest;
    uint64_t last; /* seq of the line before */
    size_t n;
};

/* The next line; *seq 0 at the end. */
static bool next_line(struct lines *l, struct span *line, uint64_t *seq, struct error *err)
{
    const char *newline = l->rest.len == 0 ? NULL : memchr(l->rest.ptr, '\n', l->rest.len);

    *seq = 0;
    if (l->rest.len == 0) {
        return true;
    }
    if (newline == NULL) {
        return finding(err, l->file, "a newline at the end expected");
    }
    *line = span_of(l->rest.ptr, (size_t)(newline - l->rest.ptr));
    l->rest = span_slice(l->rest, line->len + 1, l->rest.len);
    l->n++;
    if (line->len > TREE_LEAF_MAX || !log_line_seq(*line, seq) || *seq <= l->last || !json_validate(*line, err)) {
        return error_set(err, ERROR_INVALID, "%s:%zu: a line of the log, behind that before it, expected", l->file, l->n);
    }
    l->last = *seq;
    return true;
}

static bool check_proof(struct check *c, struct span line, uint64_t seq, struct error *err)
{
    char name[BUNDLE_NAME_MAX];
    struct tree_hash leaf;
    struct proof proof;

    (void)snprintf(name, sizeof(name), "proofs/%020" PRIu64 ".tlog-proof", seq);
    const struct ustar_entry *f = find_file(c, name);
    if (f == NULL) {
        return finding(err, name, "it is missing");
    }
    if (!proof_parse(f->content, &proof, err)) {
        return error_wrap(err, "%s", name);
    }
    struct span head = span_of(proof.checkpoint.note.text.ptr, (size_t)(f->content.ptr + f->content.len - proof.checkpoint.note.text.ptr));
    if (proof.index != seq - 1 || proof.has_extra || !span_equal(head, c->head)) {
        return finding(err, name, "it is not for this line under the bundle's checkpoint");
    }
    tree_hash_leaf(line, &leaf);
    c->n_used += !c->is_used[f - c->files];
    c->is_used[f - c->files] = true;
    return proof_verify(&proof, &leaf, err) || error_wrap(err, "%s: line %" PRIu64, name, seq);
}

/* Each line of a file with its proof. */
static bool check_proofs(struct check *c, const char *file, struct error *err)
{
    struct lines l = {.file = file, .rest = content(c, file)};
    struct span line;
    uint64_t seq;

    while (next_line(&l, &line, &seq, err)) {
        if (seq == 0) {
            return true;
        }
        if (!check_proof(c, line, seq, err)) {
            return false;
        }
    }
    return false;
}

static bool take_leaf(void *context, struct tree_hash *out, struct error *err)
{
    struct lines *l = context;
    struct span line;
    uint64_t seq = 0, expected = l->last + 1;

    if (!next_line(l, &line, &seq, err)) {
        return false;
    }
    if (seq != expected) {
        return error_set(err, ERROR_INVALID, "%s: line %" PRIu64 " expected", l->file, expected);
    }
    tree_hash_leaf(line, out);
    return true;
}

static bool check_range(struct check *c, const json_t *range, struct error *err)
{
    struct range_proof p;

    if (!range_proof_parse(content(c, "range.proof"), &p, err)) {
        return error_wrap(err, "range.proof");
    }
    if ((uint64_t)json_integer_value(json_array_get(range, 0)) != p.first || (uint64_t)json_integer_value(json_array_get(range, 1)) != p.last ||
        !span_equal(p.checkpoint, c->head)) {
        return finding(err, "range.proof", "it is not for the manifest's range under the bundle's checkpoint");
    }
    if (p.first == 0) {
        return finding(err, "range.proof", "a range from line 1 on expected");
    }
    struct lines l = {.file = "records.jsonl", .rest = content(c, "records.jsonl"), .last = p.first - 1};
    if (!range_proof_verify(&p, c->checkpoint.size, &c->checkpoint.root, take_leaf, &l, err)) {
        return error_wrap(err, "range.proof");
    }
    c->out->lines = l.n;
    return l.rest.len == 0 || finding(err, "records.jsonl", "it has lines behind the range");
}

/* Each line is one that was asked for. */
static bool check_selection(struct check *c, struct error *err)
{
    const char *text = json_string_value(json_object_get(c->manifest, "query"));
    struct lines l = {.file = "records.jsonl", .rest = content(c, "records.jsonl")};
    struct span line;
    uint64_t seq;

    c->query = text == NULL ? NULL : query_compile(span_str(text), 0, err);
    if (c->query == NULL || !span_is(query_canonical(c->query), text)) {
        return finding(err, "manifest.json", "a query in its canonical form, or a range, expected");
    }
    while (next_line(&l, &line, &seq, err)) {
        if (seq == 0) {
            c->out->lines = l.n;
            return check_proofs(c, l.file, err);
        }
        if (!query_matches(c->query, line)) {
            return error_set(err, ERROR_INVALID, "%s: line %" PRIu64 " is not one that the query asks for", l.file, seq);
        }
    }
    return false;
}

static size_t count_proofs(const struct check *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++) {
        n += span_starts_with(c->files[i].name, span_of("proofs/", 7));
    }
    return n;
}

static bool check_lines(struct check *c, struct error *err)
{
    const json_t *range = json_object_get(c->manifest, "range");

    if ((range != NULL) != (find_file(c, "range.proof") != NULL)) {
        return finding(err, "range.proof", range != NULL ? "it is missing" : "none expected, as the manifest has a query");
    }
    if (!(range != NULL ? check_range(c, range, err) : check_selection(c, err))) {
        return false;
    }
    if (c->out->lines == 0 || c->out->lines != (uint64_t)json_integer_value(json_object_get(c->manifest, "count"))) {
        return finding(err, "records.jsonl", "at least one line, and as many as the manifest says, expected");
    }
    return true;
}

/* A line of them may be among the records, and has one proof then. */
static bool check_sides(struct check *c, struct error *err)
{
    return check_proofs(c, "access.jsonl", err) && check_proofs(c, "review.jsonl", err) &&
           (count_proofs(c) == c->n_used || finding(err, "proofs", "one for each line, and no other, expected"));
}

bool bundle_check(struct span bundle, const struct log_policy *policy, struct bundle_report *out, struct error *err)
{
    struct check c CLEANUP(check_deinit) = {.policy = policy, .out = out};

    *out = (struct bundle_report){0};
    if (!read_files(&c, bundle, err) || !has_all(&c, err)) {
        return false;
    }
    c.head = content(&c, "checkpoint");
    if (!checkpoint_parse(c.head, &c.checkpoint, err)) {
        return error_wrap(err, "checkpoint");
    }
    out->size = c.checkpoint.size;
    (void)snprintf(out->origin, sizeof(out->origin), SPAN_FMT, SPAN_ARG(c.checkpoint.origin));
    return check_manifest(&c, err) && check_signatures(&c, err) && check_lines(&c, err) && check_sides(&c, err);
}
