/* command_record_verify.c - filterctl record verify: all lines against tiles, checkpoints and whose signatures they need. */
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/plural.h"
#include "ctl/command.h"
#include "ctl/record/proven_log.h"
#include "record/checkpoint_store.h"
#include "record/log_check.h"
#include "record/log_policy.h"
#include "record/tiles.h"

enum { OUTPUT_MAX = 64 * 1024 };

static int run(const struct arguments *args);

const struct command command_record_verify = {
    .name = "record verify",
    .operands = "[DIR|FILE…]",
    .summary = "Compare all lines of the decision log with what was signed",
    .details = "DIR has the log's files and their record; FILE… are the log's files, with the record beside the first;\n"
               "without one, the log where filterd keeps it. Names the first line, tile or checkpoint that is not right.\n"
               "Exit code 0: all is as it was signed; 1: something is not; 2: it could not be verified.",
    .options = OPTION_BIT(OPTION_POLICY) | OPTION_BIT(OPTION_FROM) | OPTION_BIT(OPTION_RECORD),
    .texts = {{OPTION_POLICY, "whose signatures a checkpoint needs, as a tlog-policy (the key in the log's own first line)"}},
    .max_operands = -1,
    .run = run,
};

struct verify {
    const struct arguments *args;
    struct proven_log log;
    struct buf policy_text, from_note, cosigned;
    struct log_policy *policy;
    struct log_keys keys;
    struct checkpoint from, quorum; /* quorum: the newest that the policy accepts, borrowed from `cosigned` */
    bool has_quorum;
    uint64_t n_cosigned; /* lines that a checkpoint with the policy's quorum covers */
    char finding[600];   /* of checkpoints; "": none */
};

static void verify_deinit(struct verify *v)
{
    proven_log_close(&v->log);
    buf_deinit(&v->policy_text);
    buf_deinit(&v->from_note);
    buf_deinit(&v->cosigned);
    free(v->policy);
}

static bool read_policy(struct verify *v, struct error *err)
{
    buf_init(&v->policy_text, LOG_POLICY_MAX);
    v->policy = calloc(1, sizeof(*v->policy));
    if (v->policy == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "policy: no memory");
    }
    return file_read(v->args->policy, &v->policy_text, err) &&
           (log_policy_parse(buf_span(&v->policy_text), v->policy, err) || error_wrap(err, "%s", v->args->policy));
}

static bool is_in_policy(const struct verify *v, const struct note_key *key)
{
    for (size_t i = 0; i < v->policy->n_logs; i++) {
        const struct note_key *k = &v->policy->logs[i].key;
        if (note_key_same(k, key) && strcmp(k->name, key->name) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_announced(const struct log_keys *announced, const struct note_key *key)
{
    for (size_t i = 0; i < announced->n; i++) {
        if (note_key_same(&announced->list[i].key, key)) {
            return true;
        }
    }
    return false;
}

/* The policy's key of this origin that no line announces. */
static const struct note_key *first_of_policy(const struct verify *v, const struct log_keys *announced)
{
    for (size_t i = 0; i < v->policy->n_logs; i++) {
        const struct note_key *key = &v->policy->logs[i].key;
        if (span_is(v->log.newest.origin, key->name) && !is_announced(announced, key)) {
            return key;
        }
    }
    return NULL;
}

/* A policy may leave out keys that were retired; the one that signs now must be in it. */
static bool find_policy_keys(struct verify *v, struct error *err)
{
    struct log_keys announced;

    if (!log_keys_read_announced(v->log.record, &announced, err)) {
        return false;
    }
    const struct note_key *first = first_of_policy(v, &announced);
    if (first == NULL && announced.n == 0) {
        (void)snprintf(v->finding, sizeof(v->finding), "the policy has no key of the log " SPAN_FMT, SPAN_ARG(v->log.newest.origin));
        return true;
    }
    if (!log_keys_read(v->log.record, &v->log.files, first, &v->keys, err)) {
        return false;
    }
    uint64_t size = v->log.newest.size;
    if (!is_in_policy(v, log_keys_at(&v->keys, size))) {
        (void)snprintf(v->finding, sizeof(v->finding), "the policy has no key of the log " SPAN_FMT " that signs %" PRIu64 " lines: it was rotated",
                       SPAN_ARG(v->log.newest.origin), size);
    }
    return true;
}

/* The policy's for this origin, or what the log says of itself. */
static bool find_keys(struct verify *v, struct error *err)
{
    if (v->args->policy == NULL) {
        return log_keys_read(v->log.record, &v->log.files, NULL, &v->keys, err);
    }
    return read_policy(v, err) && find_policy_keys(v, err);
}

/* The newest checkpoint may not have been cosigned yet; the newest of those that have been is kept beside it. */
static void check_quorum(struct verify *v)
{
    struct log_policy_result result;
    struct error err, ignored;

    if (v->policy == NULL) {
        return;
    }
    if (log_policy_verify(v->policy, &v->log.newest, &result, &err)) {
        v->n_cosigned = v->log.newest.size;
        return;
    }
    buf_init(&v->cosigned, NOTE_MAX);
    if (checkpoint_store_cosigned(v->log.record, &v->cosigned, &ignored) &&
        checkpoint_parse(buf_span(&v->cosigned), &v->quorum, &ignored) &&
        span_equal(v->quorum.origin, v->log.newest.origin) &&
        log_policy_verify(v->policy, &v->quorum, &result, &ignored)) {
        v->has_quorum = true;
        v->n_cosigned = v->quorum.size;
        return;
    }
    (void)snprintf(v->finding, sizeof(v->finding), "no checkpoint is what the policy asks for: %s", err.text);
}

/* What witnesses cosigned is this log, and not one that somebody with its key signed instead. The tiles are sound by now. */
static bool compare_quorum(struct verify *v, struct log_finding *finding, struct error *err)
{
    const struct checkpoint *old = &v->quorum, *newest = &v->log.newest;
    struct tree_proof proof;
    struct error why;

    if (!v->has_quorum) {
        return true;
    }
    finding->is_there = old->size > newest->size;
    if (finding->is_there) {
        (void)snprintf(finding->text, sizeof(finding->text),
                       "lines are missing: %" PRIu64 " were cosigned, and the newest checkpoint here is of %" PRIu64, old->size,
                       newest->size);
        return true;
    }
    struct tile_reader *tiles = tile_reader_open(v->log.record, newest->size, err);
    if (tiles == NULL) {
        return false;
    }
    struct tree_source source = tile_reader_source(tiles);
    bool is_made = tree_prove_consistency(&source, old->size, newest->size, &proof, err);
    tile_reader_close(tiles);
    finding->is_there =
        is_made && !tree_verify_consistency(old->size, &old->root, newest->size, &newest->root, &proof, &why);
    if (finding->is_there) {
        (void)snprintf(finding->text, sizeof(finding->text),
                       "lines 1 to %" PRIu64 " are not what was cosigned, though the log's key signed them: a fork", old->size);
    }
    return is_made || error_wrap(err, "cosigned checkpoint");
}

static bool check_from(struct verify *v, struct error *err)
{
    struct error why;

    buf_init(&v->from_note, NOTE_MAX);
    if (v->args->from == NULL) {
        return true;
    }
    if (!file_read(v->args->from, &v->from_note, err) ||
        (!checkpoint_parse(buf_span(&v->from_note), &v->from, err) && !error_wrap(err, "%s", v->args->from))) {
        return false;
    }
    if (!log_keys_verify(&v->keys, &v->from, v->from.size, &why)) {
        return error_set(err, why.kind, "%s: %s", v->args->from, why.text);
    }
    if (v->from.size > v->log.newest.size) {
        (void)snprintf(v->finding, sizeof(v->finding),
                       "lines are missing: %s is of %" PRIu64 " lines, and the newest checkpoint here of %" PRIu64,
                       v->args->from, v->from.size, v->log.newest.size);
    }
    return true;
}

/* Signatures, before anything is compared with what they sign. */
static bool check_signatures(struct verify *v, struct error *err)
{
    struct error why;

    if (!find_keys(v, err)) {
        return false;
    }
    if (v->finding[0] == '\0' && !log_keys_verify(&v->keys, &v->log.newest, v->log.newest.size, &why)) {
        (void)snprintf(v->finding, sizeof(v->finding), "%s/checkpoint: %s", v->log.record, why.text);
    }
    if (v->finding[0] == '\0') {
        check_quorum(v);
    }
    return v->finding[0] != '\0' || check_from(v, err);
}

/* --- output ------------------------------------------------------------------------- */

static const char *file_of(const struct verify *v, uint64_t seq)
{
    const char *path = NULL;

    for (size_t i = 0; i < v->log.files.n && v->log.files.items[i].first_seq <= seq; i++) {
        path = v->log.files.items[i].path;
    }
    return path;
}

static bool append_finding(const struct verify *v, const struct log_finding *finding, struct buf *out, struct error *err)
{
    const char *path = finding->first == 0 ? NULL : file_of(v, finding->first);

    return buf_appendf(out, err, "record: %s%s%s%s\n", finding->text, path == NULL ? "" : " (", path == NULL ? "" : path,
                       path == NULL ? "" : ")");
}

static bool append_sound(const struct verify *v, const struct log_check_result *r, struct buf *out, struct error *err)
{
    char vkey[NOTE_VKEY_MAX + 1];
    uint64_t size = v->log.newest.size, unsigned_lines = r->last > size ? r->last - size : 0;

    note_key_format(log_keys_at(&v->keys, size), vkey);
    return buf_appendf(out, err, "record: %" PRIu64 " line%s in %zu file%s are what was signed, to line %" PRIu64 "; %" PRIu64 " checkpoint%s\n",
                       r->lines, plural_s((size_t)r->lines), v->log.files.n, plural_s(v->log.files.n), size, r->checkpoints,
                       plural_s((size_t)r->checkpoints)) &&
           buf_appendf(out, err, "key: %s%s\n", vkey, v->policy == NULL ? " (as the log itself says; --policy names keys that you trust)" : "") &&
           (v->policy == NULL || !v->policy->has_quorum ||
            buf_appendf(out, err, "cosigned: to line %" PRIu64 "\n", v->n_cosigned)) &&
           (unsigned_lines == 0 || buf_appendf(out, err, "not signed yet: %" PRIu64 " line%s\n", unsigned_lines, plural_s((size_t)unsigned_lines))) &&
           (r->missing_tiles == 0 ||
            buf_appendf(out, err, "missing: %" PRIu64 " tile%s, which filterd makes again\n", r->missing_tiles, plural_s((size_t)r->missing_tiles))) &&
           (v->log.minimum == 0 || buf_appendf(out, err, "removed by retention: lines 1 to %" PRIu64 "\n", v->log.minimum));
}

/* The text and the exit code: EXIT_FAILED with err. */
static int verify(struct verify *v, struct buf *out, struct error *err)
{
    struct log_finding finding = {.is_there = true};
    struct log_check_result result;

    if (!proven_log_open(&v->log, v->args->operands, v->args->n_operands, v->args->record, err) || !check_signatures(v, err)) {
        return EXIT_FAILED;
    }
    if (v->finding[0] != '\0') {
        (void)snprintf(finding.text, sizeof(finding.text), "%s", v->finding);
        return append_finding(v, &finding, out, err) ? EXIT_FOUND : EXIT_FAILED;
    }
    const struct log_check check = {.files = &v->log.files, .record = v->log.record, .newest = &v->log.newest, .keys = &v->keys,
                                    .from = v->args->from == NULL ? NULL : &v->from, .minimum = v->log.minimum};
    if (!log_check(&check, &result, err) || (!result.finding.is_there && !compare_quorum(v, &result.finding, err))) {
        return EXIT_FAILED;
    }
    if (result.finding.is_there) {
        return append_finding(v, &result.finding, out, err) ? EXIT_FOUND : EXIT_FAILED;
    }
    return append_sound(v, &result, out, err) ? EXIT_CLEAN : EXIT_FAILED;
}

static bool are_same_files(const struct log_files *a, const struct log_files *b)
{
    bool are_same = a->n == b->n;

    for (size_t i = 0; are_same && i < a->n; i++) {
        are_same = a->items[i].first_seq == b->items[i].first_seq && strcmp(a->items[i].path, b->items[i].path) == 0;
    }
    return are_same;
}

/* Files were rotated, compressed or removed meanwhile: what was not right may be that. */
static bool is_overtaken(const struct verify *v)
{
    struct proven_log now CLEANUP(proven_log_close) = {.minimum = 0};
    struct error ignored;

    return proven_log_open(&now, v->args->operands, v->args->n_operands, v->args->record, &ignored) &&
           (now.minimum != v->log.minimum || !are_same_files(&now.files, &v->log.files));
}

static int run(const struct arguments *args)
{
    struct buf out CLEANUP(buf_deinit);
    struct error err;
    int code = EXIT_FAILED;

    buf_init(&out, OUTPUT_MAX);
    for (bool is_over = false; !is_over;) {
        struct verify v CLEANUP(verify_deinit) = {.args = args};
        buf_clear(&out);
        code = verify(&v, &out, &err);
        is_over = code == EXIT_CLEAN || !is_overtaken(&v);
    }
    return code == EXIT_FAILED ? command_failed(&err) : command_finish(&out, code);
}
