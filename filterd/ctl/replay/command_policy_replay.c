/* command_policy_replay.c - filterctl policy replay: judges sealed exchanges under a candidate policy and lists changed verdicts. */
#include <inttypes.h>
#include <jansson.h>
#include <libgen.h>
#include <limits.h>
#include <sodium.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "ctl/command.h"
#include "ctl/complain.h"
#include "ctl/progress.h"
#include "ctl/record/log_place.h"
#include "ctl/record/proven_log.h"
#include "ctl/replay/replay_sum.h"
#include "ctl/replay/replay_text.h"
#include "ctl/session.h"
#include "state/original_json.h"
#include "query/query.h"
#include "record/log_reader.h"
#include "seal/blobs.h"
#include "seal/sealed.h"

enum {
    SEALED_MAX = ORIGINAL_JSON_MAX + ORIGINAL_JSON_MAX / 32 + SEALED_OVERHEAD,
    IDENTITY_FILE_MAX = 64 * 1024,
    SUMMARY_MAX = 8 * 1024 * 1024,
};

static int run(const struct arguments *args);

const struct command command_policy_replay = {
    .name = "policy replay",
    .operands = "CANDIDATE [FOLDER]",
    .summary = "List the verdicts that a candidate policy would change, by judging sealed exchanges again",
    .details = "FOLDER has a decision log and its folder seal (default: filterd's). Only exchanges that were sealed whole\n"
               "(seal: {what: exchange}) are judged. Originals are decrypted in memory only; no text is printed or written.\n"
               "Supervisors are not asked.\n"
               "Exit code 0: no verdict changes; 1: some do; 2: an original could not be opened, or there was none.",
    .options = OPTIONS_RULES | OPTION_BIT(OPTION_KEYS) | OPTION_BIT(OPTION_IDENTITY) | OPTION_BIT(OPTION_SHRED) |
               OPTION_BIT(OPTION_QUERY) | OPTION_BIT(OPTION_SINCE) | OPTION_BIT(OPTION_UNTIL) | OPTION_BIT(OPTION_OUT) |
               OPTION_BIT(OPTION_CONFIG) | OPTION_BIT(OPTION_OPERATORS) | OPTION_BIT(OPTION_TOKEN) | OPTION_BIT(OPTION_QUIET),
    .texts = {{OPTION_POLICY, "judge with this policy as well, and compare with it instead of the record"},
              {OPTION_SHRED, "the keys of originals (shred/shred.db in FOLDER or in filterd's state)"},
              {OPTION_OUT, "also write the result to this file, as JSON"}},
    .formats = "text|json",
    .min_operands = 1,
    .max_operands = 2,
    .run = run,
};

struct replay {
    const struct arguments *args;
    char folder[PATH_MAX], shred[PATH_MAX];
    struct log_files files;
    struct query *query;
    struct age_identity identities[AGE_IDENTITIES_MAX];
    size_t n_identities;
    struct shred_store *keys;
    struct session candidate, in_force; /* in_force.snapshot NULL: compare with the record */
    struct worker *worker;
    struct progress progress;
    struct replay_sum sum;
    struct buf out;
};

static void replay_deinit(struct replay *r)
{
    worker_free(r->worker);
    session_close(&r->candidate);
    session_close(&r->in_force);
    shred_close(r->keys);
    query_free(r->query);
    log_files_deinit(&r->files);
    sodium_memzero(r->identities, sizeof(r->identities));
    replay_sum_deinit(&r->sum);
    buf_deinit(&r->out);
}

/* --- what is read ------------------------------------------------------------- */

static bool set_path(char path[PATH_MAX], const char *folder, const char *name, struct error *err)
{
    return (size_t)snprintf(path, PATH_MAX, "%s%s", folder, name) < PATH_MAX || error_set(err, ERROR_INVALID, "a shorter path expected");
}

/* The log's folder, and that of the service's state. */
static bool find_folder(struct replay *r, struct error *err)
{
    const struct arguments *a = r->args;
    struct log_place place;

    if (a->n_operands > 1) {
        return set_path(r->folder, a->operands[1], "", err) && set_path(r->shred, a->operands[1], "/" SHRED_FOLDER "/" SHRED_FILE, err);
    }
    return log_place_find(a, &place, err) && set_path(r->folder, dirname(place.log), "", err) &&
           set_path(r->shred, place.state, "/" SHRED_FOLDER "/" SHRED_FILE, err);
}

/* The files of a proven log; else all logs in the folder. */
static bool find_files(struct replay *r, struct error *err)
{
    char *folder = r->folder;
    struct proven_log proven;
    bool is_proven = proven_log_open(&proven, &folder, 1, NULL, err);

    if (is_proven) {
        r->files = proven.files;
        proven.files = (struct log_files){0};
    }
    proven_log_close(&proven);
    if (is_proven || err->kind != ERROR_NOT_FOUND) {
        return is_proven;
    }
    if (!log_files_scan(&r->files, r->folder, err)) {
        return false;
    }
    log_files_select(&r->files, span_of("", 0));
    return true;
}

static bool append_term(struct buf *text, const char *field, const char *value, struct error *err)
{
    return value == NULL || buf_appendf(text, err, " %s:\"%s\"", field, value);
}

static bool compile_query(struct replay *r, struct error *err)
{
    const struct arguments *a = r->args;
    struct buf text CLEANUP(buf_deinit);

    buf_init(&text, 2 * QUERY_TEXT_MAX);
    if (!buf_append_str(&text, a->query == NULL ? "" : a->query, err) || !append_term(&text, "since", a->since, err) ||
        !append_term(&text, "until", a->until, err)) {
        return false;
    }
    r->query = query_compile(buf_span(&text), clock_utc_ns(), err);
    return r->query != NULL;
}

static bool read_identities(struct replay *r, struct error *err)
{
    const char *path = r->args->identity;
    struct buf file CLEANUP(buf_deinit);

    buf_init(&file, IDENTITY_FILE_MAX);
    if (path == NULL) {
        return error_set(err, ERROR_INVALID, "--identity FILE expected, which has the private keys of recipients");
    }
    bool is_read = file_read(path, &file, err) && age_identities_read(path, buf_span(&file), r->identities, &r->n_identities, err);
    if (file.data != NULL) {
        sodium_memzero(file.data, file.cap);
    }
    return is_read;
}

static bool open_sessions(struct replay *r, struct error *err)
{
    const struct arguments *a = r->args;
    const struct worker_limits limits = worker_limits_default();

    if (!session_open_policy(&r->candidate, a, a->operands[0], err) ||
        (a->policy != NULL && !session_open_beside(&r->in_force, &r->candidate, a, a->policy, err))) {
        return false;
    }
    r->worker = worker_new(&limits, &r->candidate.keys, err);
    return r->worker != NULL;
}

static bool open_all(struct replay *r, struct error *err)
{
    const struct arguments *a = r->args;

    if (!replay_guard_memory(err) || !compile_query(r, err) || !read_identities(r, err) || !find_folder(r, err) ||
        !find_files(r, err)) {
        return false;
    }
    r->keys = shred_open_file(a->shred != NULL ? a->shred : r->shred, err);
    return r->keys != NULL && open_sessions(r, err);
}

/* --- one exchange ------------------------------------------------------------- */

/* Members of a decision's line; texts are borrowed from the line. */
struct decided {
    json_t *line;
    uint64_t seq;
    int64_t ts_ns;
    const char *req_id, *blob;
    bool is_partial;
    struct identity who;
    struct replay_verdict verdict;
};

static struct span member(const json_t *line, const char *name)
{
    const char *text = json_string_value(json_object_get(line, name));

    return text == NULL ? span_of("", 0) : span_str(text);
}

static int64_t time_of(struct span ts)
{
    struct tm when = {0};
    char text[32];

    (void)snprintf(text, sizeof(text), SPAN_FMT, SPAN_ARG(ts));
    return strptime(text, "%Y-%m-%dT%H:%M:%S", &when) == NULL ? 0 : (int64_t)timegm(&when) * 1000000000;
}

static bool read_action(struct span text, enum action *out)
{
    for (int i = 0; action_names[i] != NULL; i++) {
        if (span_is(text, action_names[i])) {
            *out = (enum action)i;
            return true;
        }
    }
    return false;
}

/* False: no verdict with an original. The caller must release `line` in any case. */
static bool read_line(const struct log_line *from, struct decided *out)
{
    struct error err;
    json_t *line = json_validate(from->text, &err) ? json_loadb(from->text.ptr, from->text.len, 0, NULL) : NULL;
    const json_t *sealed = json_object_get(line, "sealed");

    *out = (struct decided){.line = line,
                            .seq = from->seq,
                            .ts_ns = time_of(member(line, "ts")),
                            .req_id = json_string_value(json_object_get(line, "req_id")),
                            .blob = json_string_value(json_object_get(sealed, "blob")),
                            .is_partial = json_is_true(json_object_get(sealed, "partial")),
                            .who = {.tenant = member(line, "tenant"),
                                    .app = member(line, "app"),
                                    .route = member(line, "route"),
                                    .agent = member(line, "agent"),
                                    .session = span_of("", 0)}};
    (void)snprintf(out->verdict.rule, sizeof(out->verdict.rule), SPAN_FMT, SPAN_ARG(member(line, "rule")));
    return out->req_id != NULL && out->blob != NULL && read_action(member(line, "action"), &out->verdict.action);
}

/* The plaintext. *skip: the reason if there is none and that is not an error. */
static bool open_original(const struct replay *r, const struct decided *d, struct secret *plain, enum replay_skip *skip,
                          struct error *err)
{
    struct buf file CLEANUP(buf_deinit);
    struct secret box CLEANUP(secret_deinit) = {0};
    char folder[PATH_MAX], path[PATH_MAX], id[SHRED_ID + 1];
    struct shred_key key;

    buf_init(&file, SEALED_MAX);
    *skip = REPLAY_REMOVED;
    if (!set_path(folder, r->folder, "/" BLOBS_FOLDER, err) || !blobs_path(folder, span_str(d->blob), path)) {
        return error_set(err, ERROR_MALFORMED, "the name of an original expected");
    }
    if (!file_read(path, &file, err)) {
        return false;
    }
    *skip = REPLAY_ERASED;
    if (!sealed_open_layers(r->identities, r->n_identities, buf_span(&file), &box, err)) {
        return false;
    }
    if (!sealed_key_id(secret_span(&box), id)) {
        return error_set(err, ERROR_DENIED, "an identity of each of the groups expected");
    }
    bool is_open = shred_find(r->keys, id, &key, err) && sealed_open_box(&key, secret_span(&box), plain, err);
    sodium_memzero(&key, sizeof(key));
    return is_open;
}

/* By name if the caller selected the policy by name, which differs from the tenant's mapping; else by tenant. */
static const struct policy *policy_for(const struct replay *r, const struct session *s, struct span name, struct span tenant)
{
    const struct span none = span_of("", 0);
    const struct policy *mapped = r->in_force.snapshot == NULL ? NULL : snapshot_policy(r->in_force.snapshot, none, tenant);
    bool is_named = mapped != NULL && name.len > 0 && !span_equal(mapped->name, name);
    const struct policy *named = is_named ? snapshot_policy(s->snapshot, name, tenant) : NULL;

    return named != NULL ? named : snapshot_policy(s->snapshot, none, tenant);
}

static bool judge(struct replay *r, const struct session *s, const struct decided *d, struct span plain, struct replay_verdict *out,
                  struct error *err)
{
    struct replay_text text;

    if (!replay_text_read(worker_begin(r->worker), plain, &text, err)) {
        return false;
    }
    if (!span_is(text.req_id, d->req_id)) {
        return error_set(err, ERROR_MALFORMED, "the original of another exchange");
    }
    const struct identity who = text.has_names ? text.who : d->who;
    struct exchange x = {.snapshot = s->snapshot, .policy = policy_for(r, s, text.policy_name, who.tenant), .who = who,
                         .now_ns = d->ts_ns, .channels = text.channels, .n_channels = text.n};
    if (x.policy == NULL) {
        return error_set(err, ERROR_NOT_FOUND, "the policy has none for this tenant");
    }
    pipeline_judge(r->worker, &x);
    out->action = x.action;
    (void)snprintf(out->rule, sizeof(out->rule), SPAN_FMT, SPAN_ARG(x.rule));
    return true;
}

static bool is_json(const struct replay *r)
{
    return r->args->format != NULL && strcmp(r->args->format, "json") == 0;
}

static bool is_whole(struct replay *r, struct span plain, bool *out, struct error *err)
{
    struct replay_text text;

    if (!replay_text_read(worker_begin(r->worker), plain, &text, err)) {
        return false;
    }
    *out = text.is_whole;
    return true;
}

static bool compare(struct replay *r, const struct decided *d, struct span plain, struct error *err)
{
    struct replay_change c = {.seq = d->seq, .before = d->verdict};
    bool has_policy = r->in_force.snapshot != NULL;

    if (!judge(r, &r->candidate, d, plain, &c.after, err) ||
        (has_policy && !judge(r, &r->in_force, d, plain, &c.before, err)) || !replay_sum_add(&r->sum, &c, err)) {
        return false;
    }
    r->sum.n_by_policy += has_policy;
    r->sum.n_unlike_record += has_policy && replay_is_change(&d->verdict, &c.before);
    if (r->args->is_quiet || is_json(r) || !replay_is_change(&c.before, &c.after)) {
        return true;
    }
    buf_clear(&r->out);
    progress_clear(&r->progress);
    if (!replay_append_change(&r->out, &c, err)) {
        return false;
    }
    print_line(SPAN_FMT, SPAN_ARG(buf_span(&r->out)));
    return true;
}

static void replay_one(struct replay *r, const struct decided *d)
{
    struct secret plain CLEANUP(secret_deinit) = {0};
    bool is_complete = false;
    enum replay_skip skip;
    struct error err;

    if (d->is_partial) {
        r->sum.skipped[REPLAY_IN_PART]++;
        return;
    }
    if (r->in_force.snapshot == NULL && strncmp(d->verdict.rule, "filterd.", strlen("filterd.")) == 0) {
        r->sum.skipped[REPLAY_OTHER]++;
        return;
    }
    bool is_open = open_original(r, d, &plain, &skip, &err);
    if (!is_open && err.kind == ERROR_NOT_FOUND) {
        r->sum.skipped[skip]++;
        return;
    }
    is_open = is_open && is_whole(r, secret_span(&plain), &is_complete, &err);
    if (is_open && !is_complete) {
        r->sum.skipped[REPLAY_IN_PART]++;
    } else if (!is_open || !compare(r, d, secret_span(&plain), &err)) {
        r->sum.n_failed++;
        progress_clear(&r->progress);
        complain("line %" PRIu64 ": %s", d->seq, err.text);
    }
}

/* --- all of them -------------------------------------------------------------- */

static bool replay_lines(struct replay *r, struct log_reader *lines, struct error *err)
{
    struct query_bounds bounds = query_bounds(r->query);
    struct log_line line;

    while (log_reader_next(lines, &line, err)) {
        struct decided d;
        if (line.text.ptr == NULL || line.seq >= bounds.end) {
            return true;
        }
        progress_add(&r->progress, line.text.len + 1);
        if (line.fault != LOG_SOUND || line.seq < bounds.first) {
            continue;
        }
        bool is_meant = read_line(&line, &d) && query_matches(r->query, line.text);
        if (is_meant) {
            replay_one(r, &d);
        }
        json_decref(d.line);
    }
    return false;
}

static uint64_t size_of(const struct log_files *files)
{
    struct stat info;
    uint64_t bytes = 0;

    for (size_t i = 0; i < files->n; i++) {
        bytes += stat(files->items[i].path, &info) == 0 ? (uint64_t)info.st_size : 0;
    }
    return bytes;
}

static bool replay_all(struct replay *r, struct error *err)
{
    struct log_reader *lines = r->files.n == 0 ? NULL : log_reader_new(&r->files, err);

    if (r->files.n == 0) {
        return error_set(err, ERROR_NOT_FOUND, "%s: a decision log expected", r->folder);
    }
    progress_init(&r->progress, size_of(&r->files), !r->args->is_quiet);
    bool is_done = lines != NULL && replay_lines(r, lines, err);
    log_reader_free(lines);
    progress_clear(&r->progress);
    return is_done;
}

static bool print_result(struct replay *r, struct error *err)
{
    const struct replay_head head = {r->args->operands[0], r->candidate.policy->digest};
    struct buf json CLEANUP(buf_deinit);

    buf_init(&json, SUMMARY_MAX);
    buf_clear(&r->out);
    if (!replay_append_json(&json, &head, &r->sum, err) ||
        (r->args->out != NULL && !file_write_atomic(r->args->out, buf_span(&json), 0644, err))) {
        return false;
    }
    if (is_json(r)) {
        return command_print(buf_span(&json), err);
    }
    return r->args->is_quiet || (replay_append_text(&r->out, &r->sum, err) && command_print(buf_span(&r->out), err));
}

static int run(const struct arguments *args)
{
    struct replay r CLEANUP(replay_deinit) = {.args = args};
    struct error err;

    buf_init(&r.out, SUMMARY_MAX);
    if (!open_all(&r, &err) || !replay_all(&r, &err) || !print_result(&r, &err)) {
        return command_failed(&err);
    }
    if (r.sum.n == 0 && r.sum.n_failed == 0) {
        (void)error_set(&err, ERROR_NOT_FOUND, "no exchange could be judged again: none is kept whole (filterd-policy(5), seal)");
        return command_failed(&err);
    }
    return r.sum.n_failed > 0 ? EXIT_FAILED : r.sum.n_changed > 0 ? EXIT_FOUND : EXIT_CLEAN;
}
