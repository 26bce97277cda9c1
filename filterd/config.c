#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>

#include "base/file.h"
#include "base/similar.h"
#include "base/yaml.h"
#include "default_paths.h"

enum {
    CONFIG_MEMORY_MAX = 4 * 1024 * 1024,
    CONFIG_FILE_MAX = 256 * 1024,
};

#define KIB 1024ULL
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

enum option_type { OPTION_TEXT, OPTION_CHOICE, OPTION_NUMBER, OPTION_SIZE, OPTION_MODE };

struct service_option {
    const char *name;
    enum option_type type;
    uint64_t min, max;
    size_t offset;        /* in struct config: const char * for texts, uint64_t for numbers */
    const char *standard; /* the default; NULL: none, or found at start */
    const char *help;
};

#define SERVICE(member) offsetof(struct config, service.member)

static const struct service_option options[] = {
    {"listen", OPTION_TEXT, 0, 0, SERVICE(listen), "127.0.0.1:8470",
     "address for callers: address:port, localhost:port, port, unix:/path or none"},
    {"operators", OPTION_TEXT, 0, 0, SERVICE(operators), NULL,
     "address for operators; default: unix:operators.sock in the runtime directory"},
    {"agents", OPTION_TEXT, 0, 0, SERVICE(agents), NULL,
     "registration socket of jails: unix:/path or none; default: agents.sock in the directory of the operators' socket"},
    {"agents-mode", OPTION_MODE, 0, 0777, SERVICE(agents_mode), "0600",
     "mode of that socket: users with access can register a jail under any agent name"},
    {"socket-mode", OPTION_MODE, 0, 0777, SERVICE(socket_mode), "0600",
     "mode of the callers' Unix socket"},
    {"ext-proc", OPTION_TEXT, 0, 0, SERVICE(ext_proc), "none",
     "address for Envoy's external processing (gRPC): address:port, unix:/path or none; needs upstreams"},
    {"rules", OPTION_TEXT, 0, 0, SERVICE(rules), NULL,
     "directory of rule packs; default: the built-in rules"},
    {"bundles", OPTION_TEXT, 0, 0, SERVICE(bundles), NULL,
     "folder of signed policy bundles: rules and policy come from the newest one alone"},
    {"bundle-keys", OPTION_TEXT, 0, 0, SERVICE(bundle_keys), NULL,
     "file of the keys that must have signed a policy bundle"},
    {"bundle-expired", OPTION_CHOICE, 0, 0, SERVICE(on_expired), "serve",
     "when the policy bundle in force has expired: serve (an error in the log) or block (every exchange; not ready)"},
    {"policy", OPTION_TEXT, 0, 0, SERVICE(policy), NULL,
     "policy file; default: policy.yaml in the rules directory"},
    {"upstreams", OPTION_TEXT, 0, 0, SERVICE(upstreams), NULL,
     "file of upstreams: forward /NAME/... to them and judge their answers"},
    {"supervisors", OPTION_TEXT, 0, 0, SERVICE(supervisors), NULL,
     "file of supervisors: models that policies ask for a second opinion"},
    {"tokens", OPTION_TEXT, 0, 0, SERVICE(tokens), NULL,
     "file of hashed bearer tokens; without one only local addresses are accepted"},
    {"hosts", OPTION_TEXT, 0, 0, SERVICE(hosts), NULL,
     "host names that callers without tokens may use in addition to loopback, separated by commas"},
    {"origins", OPTION_TEXT, 0, 0, SERVICE(origins), NULL,
     "web origins that may call, such as https://chat.example:8443, separated by commas; default: none"},
    {"page-identity", OPTION_TEXT, 0, 0, SERVICE(page_identity), NULL,
     "file that says how an authenticating reverse proxy names who uses the review page: see filterd-page(7)"},
    {"page-session-limit", OPTION_NUMBER, 600, 2592000, SERVICE(page_session_limit), "86400",
     "seconds after which a session of the review page ends, however often it was extended"},
    {"page-passkeys", OPTION_CHOICE, 0, 0, SERVICE(page_passkeys), "off",
     "passkeys as the second factor of the review page: required, optional (for those who have one) or off"},
    {"page-origin", OPTION_TEXT, 0, 0, SERVICE(page_origin), NULL,
     "origin of the review page in browsers, such as https://review.example:8443: the only one where its passkeys work"},
    {"state-directory", OPTION_TEXT, 0, 0, SERVICE(state_directory), NULL,
     "keys and, by default, the decision log"},
    {"cache-directory", OPTION_TEXT, 0, 0, SERVICE(cache_directory), NULL,
     "compiled rules; none: compile at every start"},
    {"log", OPTION_TEXT, 0, 0, SERVICE(log), NULL,
     "the decision log; default: decisions.jsonl in the logs or state directory"},
    {"keep", OPTION_TEXT, 0, 0, SERVICE(keep), NULL,
     "how long lines of the log are kept: 400d, or 400d,review=6y; filterctl record prune removes files; default: for ever"},
    {"proof", OPTION_CHOICE, 0, 0, SERVICE(proof), "on",
     "on or off: keep a signed Merkle tree over the decision log, in the folder record beside it"},
    {"index", OPTION_CHOICE, 0, 0, SERVICE(index), "on",
     "on or off: keep an index of the decision log for /v1/records, in the folder record beside it"},
    {"receipts", OPTION_CHOICE, 0, 0, SERVICE(receipts), "held",
     "answers with a receipt of their record: held (those that wait for it), always (allows wait for it, too) or off"},
    {"signer-directory", OPTION_TEXT, 0, 0, SERVICE(signer_directory), NULL,
     "the key of the decision log, and what was signed; default: the state directory"},
    {"witnesses", OPTION_TEXT, 0, 0, SERVICE(witnesses), NULL,
     "file of witnesses that cosign the decision log's checkpoints"},
    {"witness-interval", OPTION_NUMBER, 1, 86400, SERVICE(witness_interval), "10",
     "seconds between requests for cosignatures"},
    {"witness-timeout", OPTION_NUMBER, 1, 60, SERVICE(witness_timeout), "5", "seconds for one of them"},
    {"witness-within", OPTION_NUMBER, 0, 31536000, SERVICE(witness_within), "0",
     "seconds without the quorum's cosignatures before the service is not ready; 0: any"},
    {"ship-required", OPTION_TEXT, 0, 0, SERVICE(ship_required), NULL,
     "sinks of filterd-ship, separated by commas: not ready while one is behind by more than ship-within"},
    {"ship-state", OPTION_TEXT, 0, 0, SERVICE(ship_state), NULL,
     "state directory of filterd-ship; default: ship in the state directory"},
    {"ship-within", OPTION_NUMBER, 15, 604800, SERVICE(ship_within), "300",
     "seconds that a required sink may be behind"},
    {"spans", OPTION_CHOICE, 0, 0, SERVICE(spans), "off",
     "on or off: record the times of exchanges whose trace is sampled, for sinks of filterd-ship with format otlp-traces"},
    {"trace-rate", OPTION_NUMBER, 0, 1000000, SERVICE(trace_rate), "0",
     "of a million requests without a valid traceparent, how many begin a sampled trace"},
    {"tls-certificate", OPTION_TEXT, 0, 0, SERVICE(tls_certificate), NULL,
     "certificate chain in PEM: TCP listeners speak TLS"},
    {"tls-key", OPTION_TEXT, 0, 0, SERVICE(tls_key), NULL, "its private key in PEM"},
    {"tls-client-ca", OPTION_TEXT, 0, 0, SERVICE(tls_client_ca), NULL,
     "CA that must have signed the certificates of callers over TCP"},
    {"text-max", OPTION_SIZE, 1, 64 * MIB, SERVICE(text_max), "64M", "text of one exchange"},
    {"body-max", OPTION_SIZE, KIB, 512 * MIB, SERVICE(body_max), "160M", "body of one request"},
    {"batch-body-max", OPTION_SIZE, KIB, 64 * GIB, SERVICE(batch_body_max), "1G",
     "body of one batch"},
    {"batch-line-max", OPTION_SIZE, KIB, 64 * MIB, SERVICE(batch_line_max), "1M",
     "line of a batch"},
    {"inline-max", OPTION_SIZE, 0, MIB, SERVICE(inline_max), "32K",
     "size above which the worker pool judges a body"},
    {"memory-max", OPTION_SIZE, MIB, 1024 * GIB, SERVICE(memory_max), "768M",
     "memory for the bodies of all requests and their answers; above this: 503"},
    {"connections", OPTION_NUMBER, 1, 65536, SERVICE(connections), "10240",
     "open connections per listener"},
    {"connections-per-ip", OPTION_NUMBER, 0, 65536, SERVICE(connections_per_ip), "0",
     "open connections per client address; 0: a quarter of all, but no limit on loopback"},
    {"connection-memory", OPTION_SIZE, 4 * KIB, MIB, SERVICE(connection_memory), "16K",
     "headers and input buffer of one connection"},
    {"proxy-streams", OPTION_NUMBER, 1, 1048576, SERVICE(proxy_streams), "10000",
     "concurrent requests to upstreams; above this: 503"},
    {"queue", OPTION_NUMBER, 1, 65536, SERVICE(queue), "256",
     "long texts that may wait for a worker; above this: 503"},
    {"streams", OPTION_NUMBER, 1, 1000000, SERVICE(streams), "10000",
     "open streams of /v1/streams; above this: 503"},
    {"node", OPTION_NUMBER, 0, 9999, SERVICE(node), "0",
     "number of this node, with which ids of its streams begin, so that a balancer finds it: 07-...; 0: none"},
    {"stream-timeout", OPTION_NUMBER, 1, 86400, SERVICE(stream_timeout), "60",
     "seconds without a request before an open stream is abandoned"},
    {"conversations", OPTION_NUMBER, 1, 1000000, SERVICE(conversations), "10000",
     "conversations whose masked values are kept; above this the one used least recently is dropped"},
    {"conversation-timeout", OPTION_NUMBER, 1, 7 * 86400, SERVICE(conversation_timeout), "3600",
     "seconds without a request before the masked values of a conversation are dropped"},
    {"conversation-memory", OPTION_SIZE, MIB, 64 * GIB, SERVICE(conversation_memory), "256M",
     "memory for the masked values of all conversations; above this those used least recently are dropped"},
    {"budget-memory", OPTION_SIZE, MIB, 64 * GIB, SERVICE(budget_memory), "64M",
     "memory for disclosure budgets; above this values that are new to an account exceed its budget"},
    {"kill-test", OPTION_NUMBER, 1, 86400, SERVICE(kill_test), "60",
     "seconds between self-tests of the kill on filterd's own child processes"},
    {"link", OPTION_TEXT, 0, 0, SERVICE(link), "none",
     "socket for filterd-link, through which nodes share scores of agents and kills: unix:/path or none"},
    {"on-loss", OPTION_CHOICE, 0, 0, SERVICE(on_loss), "local",
     "without contact for kill-lease: local (go on by what is known) or strict (block what names an agent, end the jails)"},
    {"kill-lease", OPTION_NUMBER, 2, 3600, SERVICE(kill_lease), "5",
     "seconds without contact to the database after which the fleet counts as lost"},
    {"copies", OPTION_TEXT, 0, 0, SERVICE(copies), NULL,
     "folder of the copies of all nodes' logs, as filterd-link keeps it: the review page shows the fleet"},
    {"console", OPTION_TEXT, 0, 0, SERVICE(console), NULL,
     "name of this review console, such as desk.example/review: the page may decide for other nodes"},
    {"console-key", OPTION_TEXT, 0, 0, SERVICE(console_key), NULL,
     "file of its private key, as filterctl bundle key makes it"},
    {"consoles", OPTION_TEXT, 0, 0, SERVICE(consoles), NULL,
     "file with the vkeys of the review consoles whose decisions this node records; default: none"},
    {"threads", OPTION_NUMBER, 0, 256, SERVICE(threads), "0",
     "threads that serve callers, and as many workers; 0: one per processor"},
    {"idle-timeout", OPTION_NUMBER, 1, 3600, SERVICE(idle_timeout), "30",
     "seconds without a byte, or without a whole head, before a connection closes"},
    {"request-timeout", OPTION_NUMBER, 1, 86400, SERVICE(request_timeout), "300",
     "seconds for a body to be complete"},
    {"rate-min", OPTION_SIZE, 0, MIB, SERVICE(rate_min), "256",
     "minimum bytes per second of a body, on average, after idle-timeout; 0: any"},
    {"drain-timeout", OPTION_NUMBER, 0, 3600, SERVICE(drain_timeout), "30",
     "seconds to finish requests after SIGTERM"},
    {"log-level", OPTION_CHOICE, 0, 0, offsetof(struct config, log_level), "info",
     "error, warn, info or debug"},
    {"log-format", OPTION_CHOICE, 0, 0, offsetof(struct config, log_format), "text",
     "format of the log on standard error: text or json"},
    {"sandbox", OPTION_CHOICE, 0, 0, offsetof(struct config, sandbox), "on",
     "on or off (for debugging): enter the sandbox after start"},
};

static const struct choice {
    const char *option;
    const char *const *values;
} choices[] = {
    {"proof", (const char *const[]){"on", "off", NULL}},
    {"index", (const char *const[]){"on", "off", NULL}},
    {"page-passkeys", (const char *const[]){"required", "optional", "off", NULL}},
    {"receipts", (const char *const[]){"held", "always", "off", NULL}},
    {"spans", (const char *const[]){"on", "off", NULL}},
    {"bundle-expired", (const char *const[]){"serve", "block", NULL}},
    {"on-loss", (const char *const[]){"local", "strict", NULL}},
    {"log-level", (const char *const[]){"error", "warn", "info", "debug", NULL}},
    {"log-format", (const char *const[]){"text", "json", NULL}},
    {"sandbox", (const char *const[]){"on", "off", NULL}},
};

static const struct {
    const char *argument;
    enum command command;
    const char *help;
} commands[] = {
    {"--help", COMMAND_HELP, "print this help"},
    {"--version", COMMAND_VERSION, "print the version"},
    {"--check", COMMAND_CHECK, "validate configuration, rules and policy, then exit"},
    {"--print-defaults", COMMAND_PRINT_DEFAULTS, "print a configuration file with the defaults"},
    {"--hash-token", COMMAND_HASH_TOKEN,
     "read a token from standard input and print its line for the tokens file"},
};

static void *field(struct config *c, const struct service_option *o)
{
    return (char *)c + o->offset;
}

static const struct service_option *find_option(struct span name)
{
    for (size_t i = 0; i < COUNT(options); i++) {
        if (span_is(name, options[i].name)) {
            return &options[i];
        }
    }
    return NULL;
}

static bool parse_number(const struct service_option *o, const char *text, uint64_t *value)
{
    static const char units[] = "KMG";
    char *end = NULL;

    if (text[0] < '0' || text[0] > '9') {
        return false;
    }
    errno = 0;
    *value = strtoull(text, &end, o->type == OPTION_MODE ? 8 : 10);
    if (errno != 0) {
        return false;
    }
    const char *unit = *end == '\0' ? NULL : strchr(units, *end);
    if (o->type == OPTION_SIZE && unit != NULL) {
        unsigned shift = 10U * (unsigned)(unit - units + 1);
        if (*value > UINT64_MAX >> shift) {
            return false;
        }
        *value <<= shift;
        end++;
    }
    return *end == '\0' && *value >= o->min && *value <= o->max;
}

static const char *const *choices_of(const struct service_option *o)
{
    for (size_t i = 0; i < COUNT(choices); i++) {
        if (strcmp(choices[i].option, o->name) == 0) {
            return choices[i].values;
        }
    }
    return NULL;
}

static bool set_choice(const struct service_option *o, const char *text, const char **out, struct error *err)
{
    char expected[64] = "";
    size_t len = 0;

    for (const char *const *v = choices_of(o); *v != NULL; v++) {
        if (strcmp(*v, text) == 0) {
            *out = text;
            return true;
        }
        len += (size_t)snprintf(expected + len, sizeof(expected) - len, "%s%s", len == 0 ? "" : v[1] == NULL ? " or " : ", ", *v);
    }
    return error_set(err, ERROR_INVALID, "%s: %s expected", o->name, expected);
}

static bool set_option(struct config *c, const struct service_option *o, const char *text,
                       struct error *err)
{
    uint64_t value = 0;

    if (o->type == OPTION_CHOICE) {
        return set_choice(o, text, field(c, o), err);
    }
    if (o->type == OPTION_TEXT) {
        if (text[0] == '\0') {
            return error_set(err, ERROR_INVALID, "%s: a value expected", o->name);
        }
        *(const char **)field(c, o) = text;
        return true;
    }
    if (!parse_number(o, text, &value)) {
        return o->type == OPTION_MODE
                   ? error_set(err, ERROR_INVALID,
                               "%s: an octal number up to %#" PRIo64 " expected", o->name, o->max)
                   : error_set(err, ERROR_INVALID,
                               "%s: a number from %" PRIu64 " to %" PRIu64 " expected", o->name,
                               o->min, o->max);
    }
    *(uint64_t *)field(c, o) = value;
    return true;
}

static bool set_from_node(struct config *c, const struct yaml_node *node, struct error *err)
{
    const struct service_option *o = find_option(node->key);

    if (o == NULL) {
        char hint[SIMILAR_HINT_MAX];
        struct similar similar;
        similar_init(&similar, node->key);
        for (size_t i = 0; i < COUNT(options); i++) {
            similar_offer(&similar, span_str(options[i].name));
        }
        return error_set(err, ERROR_INVALID, "%s:%u:%u: unknown option '" SPAN_FMT "'%s; see --print-defaults", c->file,
                         node->key_line, node->key_column, SPAN_ARG(node->key), similar_hint(&similar, "", hint));
    }
    /* A scalar is text until somebody types it: `30`, `64M` and `0600` are all read here. */
    if (node->kind != YAML_SCALAR) {
        return yaml_error(node, err, "%s: one value expected", o->name);
    }
    const char *text = arena_string(&c->memory, node->text, err);
    if (text == NULL) {
        return false;
    }
    return set_option(c, o, text, err) ||
           error_wrap(err, "%s:%u:%u", c->file, node->line, node->column);
}

static bool read_file(struct config *c, struct error *err)
{
    struct yaml_node *root = NULL;
    struct buf text;

    buf_init(&text, CONFIG_FILE_MAX);
    bool is_read = file_read(c->file, &text, err) &&
                   yaml_parse(&c->memory, c->file, buf_span(&text), &root, err) &&
                   (root == NULL || yaml_expect(root, YAML_MAPPING, "options", err));
    for (const struct yaml_node *n = is_read && root != NULL ? root->first : NULL;
         n != NULL && is_read; n = n->next) {
        is_read = set_from_node(c, n, err);
    }
    buf_deinit(&text);
    return is_read;
}

/* --- the command line ------------------------------------------------------ */

/* Arguments that are no option of the table, and have a value. */
static const struct {
    const char *name;
    size_t offset; /* of a const char * in struct config */
} specials[] = {
    {"config", offsetof(struct config, file)},
    {"role", offsetof(struct config, role)},
    {"name", offsetof(struct config, name)},
    {"new-record", offsetof(struct config, service.new_record)},
};

/* What getopt_long returns: numbers that are no character. */
enum {
    FIRST_OPTION = 256,
    FIRST_SPECIAL = FIRST_OPTION + COUNT(options),
    FIRST_COMMAND = FIRST_SPECIAL + COUNT(specials),
    END_OF_OPTIONS = FIRST_COMMAND + COUNT(commands),
};

static void fill_long_options(struct option out[END_OF_OPTIONS - FIRST_OPTION + 1])
{
    for (int i = FIRST_OPTION; i < END_OF_OPTIONS; i++) {
        *out++ = i < FIRST_SPECIAL   ? (struct option){options[i - FIRST_OPTION].name, required_argument, NULL, i}
                 : i < FIRST_COMMAND ? (struct option){specials[i - FIRST_SPECIAL].name, required_argument, NULL, i}
                                     : (struct option){commands[i - FIRST_COMMAND].argument + 2, no_argument, NULL, i};
    }
    *out = (struct option){0};
}

/* What getopt_long made nothing of. */
static bool refuse(const char *word, bool lacks_value, const struct option *known, struct error *err)
{
    char hint[SIMILAR_HINT_MAX];
    size_t len = strcspn(word, "=");
    struct similar similar;

    if (lacks_value) {
        return error_set(err, ERROR_INVALID, "command line: %s: a value expected, as %s=VALUE", word, word);
    }
    similar_init(&similar, len > 2 ? span_of(word + 2, len - 2) : span_of(word, len));
    for (; known->name != NULL; known++) {
        if (known->has_arg == no_argument && span_is(similar.word, known->name)) {
            return error_set(err, ERROR_INVALID, "command line: --%s: no value expected", known->name);
        }
        similar_offer(&similar, span_str(known->name));
    }
    return error_set(err, ERROR_INVALID, "command line: unknown option '%.*s'%s; see --help", (int)len, word,
                     similar_hint(&similar, "--", hint));
}

/* The file's name has to be known before the file is read, and what it says gives way to the command line. */
static bool take_argument(struct config *c, int id, const char *value, bool is_first, struct error *err)
{
    if (id >= FIRST_COMMAND) {
        c->command = commands[id - FIRST_COMMAND].command;
    } else if (id >= FIRST_SPECIAL) {
        *(const char **)(void *)((char *)c + specials[id - FIRST_SPECIAL].offset) = value;
    } else if (!is_first) {
        return set_option(c, &options[id - FIRST_OPTION], value, err) || error_wrap(err, "command line");
    }
    return true;
}

static bool read_arguments(struct config *c, int argc, char **argv, bool is_first, struct error *err)
{
    struct option known[END_OF_OPTIONS - FIRST_OPTION + 1];
    int id;

    fill_long_options(known);
    optind = 0; /* GNU: start anew */
    opterr = 0;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): no thread has started */
    while ((id = getopt_long(argc, argv, ":", known, NULL)) != -1) {
        if (id == '?' || id == ':') {
            const char letter[] = {'-', (char)optopt, '\0'}; /* it may be among others in one word */
            bool is_letter = optopt > 0 && optopt < FIRST_OPTION;
            return refuse(is_letter ? letter : argv[optind - 1], id == ':', known, err);
        }
        if (!take_argument(c, id, optarg, is_first, err)) {
            return false;
        }
    }
    return optind == argc || error_set(err, ERROR_INVALID, "command line: no operand expected, but there is '%s'; see --help",
                                       argv[optind]);
}

bool config_init(struct config *c, int argc, char **argv, struct error *err)
{
    *c = (struct config){.command = COMMAND_RUN, .role = "caller", .name = "default"};
    arena_init(&c->memory, 0, CONFIG_MEMORY_MAX);
    for (size_t i = 0; i < COUNT(options); i++) {
        if (options[i].standard != NULL && !set_option(c, &options[i], options[i].standard, err)) {
            return false;
        }
    }
    if (!read_arguments(c, argc, argv, true, err) || (c->file != NULL && !read_file(c, err)) ||
        !read_arguments(c, argc, argv, false, err)) {
        return false;
    }
    return (c->command != COMMAND_RUN && c->command != COMMAND_CHECK) ||
           default_paths_set(&c->memory, &c->service, err);
}

void config_deinit(struct config *c)
{
    arena_deinit(&c->memory);
}

void config_print_help(FILE *out)
{
    (void)fprintf(out, "usage: filterd [--config FILE] [--OPTION=VALUE | --OPTION VALUE]…\n\n"
                       "Judge the output of language models: allow, redact or block.\n"
                       "No argument is required. See filterd(8).\n\n");
    for (size_t i = 0; i < COUNT(commands); i++) {
        (void)fprintf(out, "  %-22s %s\n", commands[i].argument, commands[i].help);
    }
    (void)fprintf(out, "  %-22s %s\n\n", "--role=, --name=",
                  "with --hash-token: the role (caller, proxy, reviewer, approver, auditor, reporter, operator or admin), and any name");
    (void)fprintf(out, "  %-22s %s\n", "--new-record=REASON",
                  "close the decision log as it is and begin a new one that names it, and why");
    (void)fprintf(out, "  %-22s %s\n", "--config FILE", "read options from a YAML file");
    for (size_t i = 0; i < COUNT(options); i++) {
        const struct service_option *o = &options[i];
        (void)fprintf(out, "  --%-20s %s%s%s%s\n", o->name, o->help,
                      o->standard == NULL ? "" : " [", o->standard == NULL ? "" : o->standard,
                      o->standard == NULL ? "" : "]");
    }
}

void config_print_defaults(FILE *out)
{
    for (size_t i = 0; i < COUNT(options); i++) {
        const struct service_option *o = &options[i];
        (void)fprintf(out, "# %s\n%s%s: %s\n", o->help, o->standard == NULL ? "# " : "", o->name,
                      o->standard == NULL ? "" : o->standard);
    }
}
