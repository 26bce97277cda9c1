#include "link/command.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "bundle/archive.h"
#include "bundle/keys.h"
#include "bundle/statement.h"
#include "bundle/store.h"
#include "link/bundles.h"
#include "link/gather.h"
#include "link/stages.h"
#include "record/note_text.h"

enum { NUMBER_MAX = 24 };

/* --- publishing ----------------------------------------------------------------------------- */

static bool expect_operands(const struct link_command *c, int n, const char *what, struct error *err)
{
    return c->n_operands == n || error_set(err, ERROR_INVALID, "%s expected; see --help", what);
}

/* What no node would take is not published; only nodes have the keys that decide. */
static bool read_bundle(char **files, struct buf *note, struct buf *archive, struct policy_bundle *b, struct error *err)
{
    char sha256[DIGEST_SHA256_HEX + 1];
    struct note parsed;

    if (!file_read(files[0], note, err) || !file_read(files[1], archive, err)) {
        return false;
    }
    if (!note_parse(buf_span(note), &parsed, err) || !policy_bundle_parse(parsed.text, b, err) ||
        !policy_bundle_check(b, clock_utc_ns(), FILTERD_VERSION, err)) {
        return error_wrap(err, "%s", files[0]);
    }
    return digest_sha256(buf_span(archive), sha256, err) &&
           (strcmp(sha256, b->sha256) == 0 || error_set(err, ERROR_INVALID, "%s: the archive of the note expected", files[1]));
}

static bool append_hex(struct buf *out, struct span bytes, struct error *err)
{
    static const char digits[] = "0123456789abcdef";

    if (!buf_append_str(out, "\\x", err)) {
        return false;
    }
    for (size_t i = 0; i < bytes.len; i++) {
        const char two[] = {digits[(unsigned char)bytes.ptr[i] >> 4], digits[(unsigned char)bytes.ptr[i] & 15]};
        if (!buf_append(out, span_of(two, sizeof(two)), err)) {
            return false;
        }
    }
    return buf_append(out, span_of("", 1), err);
}

static bool publish(const struct link_command *c, const struct link_config *config, struct link_session *s, struct error *err)
{
    struct buf note CLEANUP(buf_deinit), archive CLEANUP(buf_deinit), hex CLEANUP(buf_deinit);
    char version[NUMBER_MAX];
    struct policy_bundle b;

    (void)config;
    buf_init(&note, NOTE_MAX);
    buf_init(&archive, POLICY_BUNDLE_BYTES_MAX);
    buf_init(&hex, 2 * (size_t)POLICY_BUNDLE_BYTES_MAX + 16);
    if (!expect_operands(c, 2, "publish: a note and an archive", err) || (c->stages != NULL && !link_stages_check(c->stages, err)) ||
        !read_bundle(c->operands, &note, &archive, &b, err) || !append_hex(&hex, buf_span(&archive), err)) {
        return false;
    }
    (void)snprintf(version, sizeof(version), "%" PRIu64, b.version);
    if (!buf_append(&note, span_of("", 1), err)) {
        return false;
    }
    const char *const values[] = {version, note.data, hex.data, c->stages == NULL ? "" : c->stages};
    PGresult *row CLEANUP(link_result_clear) = link_session_ask(s, "SELECT filterd.publish($1::bigint, $2, $3::bytea, $4)", COUNT(values),
                                                                values, "publish", err);
    if (row == NULL) {
        return false;
    }
    if (PQgetlength(row, 0, 0) > 0) {
        return error_set(err, ERROR_DENIED, "version %s: %s", version, link_value(row, 0, 0));
    }
    printf("published: version %s, %s\n", version, c->stages == NULL ? "all nodes" : c->stages);
    return true;
}

static bool publish_keys(const struct link_command *c, const struct link_config *config, struct link_session *s, struct error *err)
{
    struct buf note CLEANUP(buf_deinit);
    struct policy_bundle_keys keys;
    char generation[NUMBER_MAX];
    struct note parsed;

    (void)config;
    buf_init(&note, NOTE_MAX);
    if (!expect_operands(c, 1, "publish-keys: a signed note of keys", err) || !file_read(c->operands[0], &note, err)) {
        return false;
    }
    if (!note_parse(buf_span(&note), &parsed, err) || !policy_bundle_keys_parse(parsed.text, &keys, err)) {
        return error_wrap(err, "%s", c->operands[0]);
    }
    (void)snprintf(generation, sizeof(generation), "%" PRIu64, keys.generation);
    if (!buf_append(&note, span_of("", 1), err)) {
        return false;
    }
    const char *const values[] = {generation, note.data};
    if (!link_session_run(s, "INSERT INTO filterd.bundle_keys (generation, note) VALUES ($1::bigint, $2)", COUNT(values), values,
                          "publish-keys", err)) {
        return false;
    }
    printf("published: generation %s of the keys\n", generation);
    return true;
}

/* --- the rest -------------------------------------------------------------------------------- */

static bool fetch(const struct link_command *c, const struct link_config *config, struct link_session *s, struct error *err)
{
    uint64_t version;

    if (!expect_operands(c, 0, "fetch: no operands", err)) {
        return false;
    }
    if (config->bundles == NULL) {
        return error_set(err, ERROR_INVALID, "fetch: the key bundles expected in the configuration");
    }
    if (!link_bundles_fetch_first(config->bundles, s, &version, err)) {
        return false;
    }
    printf("fetched: version %" PRIu64 "\n", version);
    return true;
}

static bool stop(const struct link_command *c, const struct link_config *config, struct link_session *s, struct error *err)
{
    uint64_t version;

    (void)config;
    if (!expect_operands(c, 1, "stop: the version of a rollout", err)) {
        return false;
    }
    if (!note_read_number(span_str(c->operands[0]), &version) || version > INT64_MAX) {
        return error_set(err, ERROR_INVALID, "stop: the version of a rollout expected");
    }
    const char *const values[] = {c->operands[0]};
    PGresult *row CLEANUP(link_result_clear) =
        link_session_ask(s, "SELECT filterd.stop_bundle($1::bigint, 'an operator stopped it')", COUNT(values), values, "stop", err);
    if (row == NULL) {
        return false;
    }
    if (link_value(row, 0, 0)[0] != 't') {
        return error_set(err, ERROR_NOT_FOUND, "stop: no rollout of version %s is in progress", c->operands[0]);
    }
    printf("stopped: version %s\n", c->operands[0]);
    return true;
}

static void print_rows(const PGresult *rows)
{
    for (int i = 0; i < PQntuples(rows); i++) {
        for (int k = 0; k < PQnfields(rows); k++) {
            printf("%s%s", k == 0 ? "" : "\t", link_value(rows, i, k));
        }
        putchar('\n');
    }
}

static bool status(const struct link_command *c, const struct link_config *config, struct link_session *s, struct error *err)
{
    static const char *const statements[] = {
        "SELECT 'bundle', version, state, CASE WHEN state = 'staged' THEN 'stage ' || stage || ' of ' || "
        "(SELECT count(*) FROM filterd.bundle_stage s WHERE s.version = b.version) ELSE why END FROM filterd.bundle b ORDER BY version",
        "SELECT 'node', node, CASE WHEN alive IS NULL THEN 'left' WHEN alive > clock_timestamp() - interval '5 seconds' THEN 'alive' ELSE 'lost' END, "
        "coalesce(bundle, 0), coalesce(CASE WHEN bundle_expires < clock_timestamp() THEN 'expired ' END, '') || "
        "coalesce('refused ' || bundle_refused || ': ' || bundle_why, '') FROM filterd.node ORDER BY node",
    };

    (void)config;
    if (!expect_operands(c, 0, "status: no operands", err)) {
        return false;
    }
    for (size_t i = 0; i < COUNT(statements); i++) {
        PGresult *rows CLEANUP(link_result_clear) = link_session_ask(s, statements[i], 0, NULL, "status", err);
        if (rows == NULL) {
            return false;
        }
        print_rows(rows);
    }
    return true;
}

static bool print_gathered(void *context, const struct gathered *g, struct error *err)
{
    (void)context, (void)err;
    printf("%s: %" PRIu64 " lines, %" PRIu64 " of them new\n", g->node, g->last, g->added);
    if (g->missing > 0) {
        printf("%s: the database does not have line %" PRIu64 "\n", g->node, g->missing);
    }
    return true;
}

static bool gather(const struct link_command *c, const struct link_config *config, struct link_session *s, struct error *err)
{
    (void)config;
    return expect_operands(c, 1, "gather: a folder", err) && gather_all(c->operands[0], s, NULL, print_gathered, NULL, err);
}

static const struct {
    const char *name;
    link_command_run *run;
} commands[] = {{"gather", gather}, {"publish", publish}, {"publish-keys", publish_keys}, {"fetch", fetch}, {"stop", stop}, {"status", status}};

link_command_run *link_command_find(const char *name)
{
    for (size_t i = 0; i < COUNT(commands); i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return commands[i].run;
        }
    }
    return NULL;
}

const char *link_command_hint(const char *name, char text[SIMILAR_HINT_MAX])
{
    struct similar similar;

    similar_init(&similar, span_str(name));
    for (size_t i = 0; i < COUNT(commands); i++) {
        similar_offer(&similar, span_str(commands[i].name));
    }
    return similar_hint(&similar, "", text);
}
