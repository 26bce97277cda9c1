/* command_fleet.c - filterctl fleet: the nodes of a fleet and its policy bundles, as a running filterd last received them. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "ctl/command.h"
#include "ctl/complain.h"
#include "ctl/mask.h"
#include "ctl/operators.h"
#include "query/timestamp.h"

enum { OUTPUT_MAX = 1024 * 1024, AGE_TEXT = 24, OLD_S = 30 };

static int run(const struct arguments *args);

const struct command command_fleet = {
    .name = "fleet",
    .operands = "",
    .summary = "List the nodes of the fleet and its policy bundles",
    .details = "A line for each node: name; alive, lost or left; how long ago its last heartbeat was; filterd's version; lines of its log, how many of\n"
               "them the database lacks, how many a checkpoint there covers; its lease (local: agents go on there without contact); its policy bundle,\n"
               "and what is wrong with that. Then a line for each of the newest bundles: version, state, stage, why it was stopped. Exit code 1\n"
               "when this node is without contact, a node is lost, or one has refused its bundle or goes on past its expiry.",
    .options = OPTION_BIT(OPTION_OPERATORS) | OPTION_BIT(OPTION_TOKEN),
    .formats = "text|json",
    .run = run,
};

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text == NULL ? "" : text;
}

static long long number_of(const json_t *object, const char *key)
{
    return (long long)json_integer_value(json_object_get(object, key));
}

static int64_t age_s(const json_t *object, const char *key, int64_t now_ns)
{
    int64_t ns = 0;

    return timestamp_parse(span_str(text_of(object, key)), 0, &ns) ? (now_ns - ns) / 1000000000 : INT64_MAX;
}

static bool is_expired(const json_t *node, int64_t now_ns)
{
    return json_object_get(node, "bundle_expires") != NULL && age_s(node, "bundle_expires", now_ns) >= 0;
}

static bool needs_attention(const json_t *node, int64_t now_ns)
{
    return strcmp(text_of(node, "state"), "lost") == 0 || json_object_get(node, "bundle_refused") != NULL ||
           (strcmp(text_of(node, "state"), "alive") == 0 && is_expired(node, now_ns));
}

/* Names and reasons come from a database: nothing in them may reach the terminal as a command. */
static bool append_node(struct buf *out, const json_t *node, int64_t now_ns, struct error *err)
{
    int64_t age = age_s(node, "heartbeat", now_ns);
    char heartbeat[AGE_TEXT] = "-", lease[AGE_TEXT] = "local", bundle[AGE_TEXT] = "-";

    if (age != INT64_MAX) {
        (void)snprintf(heartbeat, sizeof(heartbeat), "%lld s", (long long)(age < 0 ? 0 : age));
    }
    if (number_of(node, "lease_ms") > 0) {
        (void)snprintf(lease, sizeof(lease), "%lld s", number_of(node, "lease_ms") / 1000);
    }
    if (number_of(node, "bundle") > 0) {
        (void)snprintf(bundle, sizeof(bundle), "%lld", number_of(node, "bundle"));
    }
    return mask_append_visible(out, span_str(text_of(node, "node")), err) &&
           buf_appendf(out, err, "  %-5s  %6s  ", text_of(node, "state"), heartbeat) &&
           mask_append_visible(out, span_str(text_of(node, "version")[0] == '\0' ? "-" : text_of(node, "version")), err) &&
           buf_appendf(out, err, "  lines %lld  lag %lld  signed %lld  lease %s  bundle %s", number_of(node, "lines"), number_of(node, "lag"),
                       number_of(node, "signed"), lease, bundle) &&
           (!is_expired(node, now_ns) || buf_append_str(out, "  expired", err)) &&
           (json_object_get(node, "bundle_refused") == NULL ||
            (buf_appendf(out, err, "  refused %lld: ", number_of(node, "bundle_refused")) &&
             mask_append_visible(out, span_str(text_of(node, "why")), err))) &&
           buf_append_char(out, '\n', err);
}

static bool append_bundle(struct buf *out, const json_t *bundle, struct error *err)
{
    return buf_appendf(out, err, "bundle %lld  %s", number_of(bundle, "version"), text_of(bundle, "state")) &&
           (json_object_get(bundle, "stage") == NULL ||
            buf_appendf(out, err, "  stage %lld of %lld", number_of(bundle, "stage"), number_of(bundle, "stages"))) &&
           (text_of(bundle, "why")[0] == '\0' || buf_append_str(out, "  ", err)) && mask_append_visible(out, span_str(text_of(bundle, "why")), err) &&
           buf_append_char(out, '\n', err);
}

static bool append_all(struct buf *out, const json_t *answer, int64_t now_ns, int *code, struct error *err)
{
    const json_t *nodes = json_object_get(answer, "nodes"), *bundles = json_object_get(answer, "bundles");
    bool is_good = true;

    *code = strcmp(text_of(answer, "contact"), "fine") == 0 ? EXIT_CLEAN : EXIT_FOUND;
    for (size_t i = 0; i < json_array_size(nodes) && is_good; i++) {
        *code = needs_attention(json_array_get(nodes, i), now_ns) ? EXIT_FOUND : *code;
        is_good = append_node(out, json_array_get(nodes, i), now_ns, err);
    }
    for (size_t i = 0; i < json_array_size(bundles) && is_good; i++) {
        is_good = append_bundle(out, json_array_get(bundles, i), err);
    }
    return is_good;
}

static int print(const struct arguments *args, const json_t *answer)
{
    int64_t now_ns = clock_utc_ns();
    struct buf out CLEANUP(buf_deinit);
    struct error err;
    int code;

    buf_init(&out, OUTPUT_MAX);
    if (strcmp(text_of(answer, "contact"), "none") == 0) {
        error_set(&err, ERROR_NOT_FOUND, "this filterd is in no fleet (its option link)");
        return command_failed(&err);
    }
    if (!append_all(&out, answer, now_ns, &code, &err)) {
        return command_failed(&err);
    }
    if (strcmp(text_of(answer, "contact"), "fine") != 0) {
        complain("%s has no contact with the fleet: what follows is what it received last", text_of(answer, "node"));
    } else if (age_s(answer, "as_of", now_ns) > OLD_S) {
        complain("there has been no contact to the other nodes for a while: is the database at version 5 (operations.sql)?");
    }
    return args->format != NULL && strcmp(args->format, "json") == 0 ? operators_print(answer, code) : command_finish(&out, code);
}

static int run(const struct arguments *args)
{
    struct error err;
    json_t *answer = operators_ask(args, "GET", "/v1/fleet", &err);

    if (answer == NULL) {
        return command_failed(&err);
    }
    int code = print(args, answer);
    json_decref(answer);
    return code;
}
