/* command_record_export.c - filterctl record export: an evidence bundle of lines of the decision log. */
#include <inttypes.h>
#include <pwd.h>
#include <sodium.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/plural.h"
#include "ctl/command.h"
#include "ctl/complain.h"
#include "evidence/export.h"
#include "ctl/record/log_place.h"
#include "ctl/operators.h"
#include "ctl/session.h"
#include "record/manifest_note.h"
#include "witness/cosign.h"
#include "record/key_file.h"

static int run(const struct arguments *args);

const struct command command_record_export = {
    .name = "record export",
    .operands = "",
    .summary = "Write an evidence bundle: lines of the decision log, with what proves them",
    .details = "--query QUERY, as of filterctl log, gives a selection, each line with its proof; --range A..B all lines from number A up\n"
               "to B, with one proof that none is left out. The bundle is signed with the log's key, in the keys of the state\n"
               "directory (--keys), and has a program that verifies it. Exit code 1 when no line matches.",
    .options = OPTIONS_RULES | OPTION_BIT(OPTION_QUERY) | OPTION_BIT(OPTION_RANGE) | OPTION_BIT(OPTION_OUT) | OPTION_BIT(OPTION_WHY) |
               OPTION_BIT(OPTION_KEYS) | OPTION_BIT(OPTION_CONFIG) | OPTION_BIT(OPTION_OPERATORS) | OPTION_BIT(OPTION_TOKEN),
    .texts = {{OPTION_KEYS, "the state directory of the service, with keys/log.key"},
              {OPTION_WHY, "the purpose, for the manifest"},
              {OPTION_POLICY, "policy file whose text is added where it was in force"}},
    .run = run,
};

struct export_parts {
    struct query *query;
    struct snapshot *snapshot;
};

static void parts_deinit(struct export_parts *p)
{
    query_free(p->query);
    snapshot_unref(p->snapshot);
}

static bool read_question(const struct arguments *args, struct export_parts *p, struct export_request *r, struct error *err)
{
    char behind = '\0';

    if ((args->query == NULL) == (args->range == NULL)) {
        return error_set(err, ERROR_INVALID, "either --query or --range expected");
    }
    if (args->out == NULL) {
        return error_set(err, ERROR_INVALID, "--out FILE expected");
    }
    if (args->range != NULL) {
        bool is_range = args->range[0] >= '0' && args->range[0] <= '9' &&
                        sscanf(args->range, "%18" SCNu64 "..%18" SCNu64 "%c", &r->first, &r->last, &behind) == 2 && r->first > 0 &&
                        r->first <= r->last;
        return is_range || error_set(err, ERROR_INVALID, "--range: two numbers of lines, as 1..100, expected");
    }
    p->query = query_compile(span_str(args->query), clock_utc_ns(), err);
    r->query = p->query;
    return p->query != NULL;
}

/* The texts of rules and policy are worth having, and no condition. They need no key: --keys may be the signer's directory, which has
 * that of the log alone. */
static void load_texts(const struct arguments *args, struct export_parts *p, struct export_request *r)
{
    struct arguments without_keys = *args;
    struct session session;
    struct error err;

    without_keys.keys = NULL;
    if (!session_open_judge(&session, &without_keys, &err)) {
        complain("the bundle will have no texts of rules: %s", err.text);
        return;
    }
    p->snapshot = snapshot_ref(session.snapshot);
    session_close(&session);
    r->snapshot = p->snapshot;
    r->rules = args->rules;
    r->policy = args->policy;
}

/* The log's key in a file. */
struct key_file {
    char path[PATH_MAX + 16];
    uint8_t seed[NOTE_SEED];
};

static void key_file_wipe(struct key_file *f)
{
    sodium_memzero(f->seed, sizeof(f->seed));
}

static bool read_key(void *context, struct span origin, struct note_key *out, struct error *err)
{
    struct key_file *f = context;
    uint8_t public[NOTE_PUBLIC];

    if (!key_file_read(f->path, f->seed, err)) {
        return false;
    }
    note_public(f->seed, public);
    return note_key_make(origin, NOTE_ED25519, public, out, err);
}

static bool sign(void *context, const struct note_key *key, const char *sha256, struct buf *lines, struct error *err)
{
    const struct key_file *f = context;
    struct buf text CLEANUP(buf_deinit);

    buf_init(&text, NOTE_LINE_MAX);
    return manifest_note_text(sha256, &text, err) && note_sign(key, f->seed, buf_span(&text), 0, lines, err);
}

struct asking {
    const struct arguments *args;
    const struct export_request *request;
};

/* The service writes the log: it is asked for the line that says who looks at what, and what for. */
static bool put_on_record(void *context, struct error *err)
{
    const struct asking *a = context;
    const struct export_request *r = a->request;
    struct buf path CLEANUP(buf_deinit);
    char query[QUERY_TEXT_MAX + 1];

    if (r->query != NULL) {
        (void)snprintf(query, sizeof(query), SPAN_FMT, SPAN_ARG(query_canonical(r->query)));
    } else {
        (void)snprintf(query, sizeof(query), "seq:%" PRIu64 "..%" PRIu64, r->first, r->last);
    }
    buf_init(&path, 4 * QUERY_TEXT_MAX);
    if (!buf_append_str(&path, "/v1/accesses?what=export", err) || !operators_add(&path, "query", query, err) ||
        !operators_add(&path, "purpose", r->purpose, err) || !buf_append_char(&path, '\0', err)) {
        return false;
    }
    json_t *answer = operators_ask(a->args, "POST", path.data, err);
    bool is_recorded = answer != NULL;
    json_decref(answer);
    return is_recorded || error_wrap(err, "the export could not be put on record");
}

static int run_export(const struct arguments *args, struct export_parts *p, struct export_request *r, struct error *err)
{
    static struct log_place place;
    struct key_file key CLEANUP(key_file_wipe) = {.path = ""};
    const struct export_signer signer = {read_key, sign, &key};
    struct export_result result;
    struct passwd *user = getpwuid(getuid()); /* NOLINT(concurrency-mt-unsafe): no thread */
    char number[16];

    (void)snprintf(number, sizeof(number), "uid %u", getuid());
    r->by = user != NULL ? user->pw_name : number;
    r->purpose = args->why;
    r->out = args->out;
    r->log = place.log;
    r->signer = &signer;
    if (!read_question(args, p, r, err) || !log_place_find(args, &place, err)) {
        return command_failed(err);
    }
    (void)snprintf(key.path, sizeof(key.path), "%s/keys/log.key", args->keys != NULL ? args->keys : place.state);
    struct asking asking = {args, r};
    if (place.is_asked) {
        r->record = put_on_record;
        r->context = &asking;
    } else {
        complain("the export is not on record, as no filterd was asked");
    }
    load_texts(args, p, r);
    if (!export_bundle(r, &result, err)) {
        (void)command_failed(err);
        return err->kind == ERROR_NOT_FOUND && result.size > 0 && result.n == 0 ? EXIT_FOUND : EXIT_FAILED;
    }
    printf("%s: %" PRIu64 " line%s under the checkpoint of size %" PRIu64 "\n", r->out, result.n, plural_s(result.n), result.size);
    if (result.newer > 0) {
        complain("%" PRIu64 " line%s newer than the checkpoint, and not in the bundle", result.newer, result.newer == 1 ? " that matches is" : "s that match are");
    }
    return EXIT_CLEAN;
}

static int run(const struct arguments *args)
{
    struct export_parts parts CLEANUP(parts_deinit) = {NULL, NULL};
    struct export_request request = {.log = NULL};
    struct error err;

    return run_export(args, &parts, &request, &err);
}
