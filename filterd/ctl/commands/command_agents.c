/* command_agents.c - filterctl agents list, show, kill, revive: what a running filterd knows of agents, and what is done
 * about one. */
#include <time.h>

#include "base/cleanup.h"
#include "ctl/command.h"
#include "ctl/complain.h"
#include "ctl/mask.h"
#include "ctl/operators.h"

enum { OUTPUT_MAX = 256 * 1024 * 1024, PATH_MAX_BYTES = 4096, WAIT_STEPS = 100, STEP_NS = 50000000 };

#define OPTIONS_ASKING (OPTION_BIT(OPTION_OPERATORS) | OPTION_BIT(OPTION_TOKEN) | OPTION_BIT(OPTION_TENANT))

static int run_list(const struct arguments *args);
static int run_show(const struct arguments *args);
static int run_kill(const struct arguments *args);
static int run_revive(const struct arguments *args);

const struct command command_agents_list = {
    .name = "agents list",
    .operands = "",
    .summary = "List the agents that have an account or run in a jail",
    .details = "Each line has the state, violations, running jails, tenant and agent. Exit code 1 when one is\n"
               "frozen, killed or revoked.",
    .options = OPTIONS_ASKING,
    .texts = {{OPTION_TENANT, "only agents of this tenant"}},
    .formats = "text|json",
    .run = run_list,
};

const struct command command_agents_show = {
    .name = "agents show",
    .operands = "AGENT",
    .summary = "Show an agent's account as JSON",
    .details = "Exit code 1 when the agent is frozen, killed or revoked.",
    .options = OPTIONS_ASKING,
    .texts = {{OPTION_TENANT, "the agent's tenant"}},
    .min_operands = 1,
    .max_operands = 1,
    .run = run_show,
};

const struct command command_agents_kill = {
    .name = "agents kill",
    .operands = "AGENT",
    .summary = "Kill every process of an agent and block the agent",
    .details = "Exit code 0 when filterd has verified that no process is left, 2 when it has not within five\n"
               "seconds.\n"
               "An agent without a jail is blocked, too.",
    .options = OPTIONS_ASKING | OPTION_BIT(OPTION_WHY),
    .texts = {{OPTION_TENANT, "the agent's tenant"}},
    .min_operands = 1,
    .max_operands = 1,
    .run = run_kill,
};

const struct command command_agents_revive = {
    .name = "agents revive",
    .operands = "AGENT",
    .summary = "Reset an agent's account: active, with 0 violations",
    .details = "Frozen processes continue; killed ones may be started again.",
    .options = OPTIONS_ASKING,
    .texts = {{OPTION_TENANT, "the agent's tenant"}},
    .min_operands = 1,
    .max_operands = 1,
    .run = run_revive,
};

/* "/v1/agents/a%2Fb/kill?tenant=…&why=…", NUL-terminated; agent NULL: all of them. */
static bool make_path(const struct arguments *args, const char *agent, const char *verb, struct buf *out,
                      struct error *err)
{
    buf_clear(out);
    return buf_append_str(out, "/v1/agents", err) &&
           (agent == NULL || (buf_append_char(out, '/', err) && operators_append(out, agent, err))) &&
           buf_append_str(out, verb, err) && operators_add(out, "tenant", args->tenant, err) &&
           operators_add(out, "why", verb[0] != '\0' ? args->why : NULL, err) && buf_append_char(out, '\0', err);
}

static json_t *ask(const struct arguments *args, const char *method, const char *agent, const char *verb,
                   struct error *err)
{
    struct buf path CLEANUP(buf_deinit);

    buf_init(&path, PATH_MAX_BYTES);
    return make_path(args, agent, verb, &path, err) ? operators_ask(args, method, path.data, err) : NULL;
}

static const char *text_of(const json_t *agent, const char *key)
{
    const char *text = json_string_value(json_object_get(agent, key));

    return text == NULL ? "" : text;
}

static bool is_stopped(const json_t *agent)
{
    return options_is_one_of("frozen|killed|revoked", text_of(agent, "state"));
}

/* Agents choose their names: nothing in them may reach the terminal as a command. */
static bool append_row(struct buf *out, const json_t *agent, struct error *err)
{
    const char *tenant = text_of(agent, "tenant");

    return buf_appendf(out, err, "%-9s  %10.1f  %3lld  ", text_of(agent, "state"),
                       json_number_value(json_object_get(agent, "violations")),
                       (long long)json_integer_value(json_object_get(agent, "jails"))) &&
           mask_append_visible(out, span_str(tenant[0] == '\0' ? "-" : tenant), err) &&
           buf_append_str(out, "  ", err) && mask_append_visible(out, span_str(text_of(agent, "id")), err) &&
           buf_append_char(out, '\n', err);
}

static int print_list(const struct arguments *args, const json_t *answer)
{
    const json_t *agents = json_object_get(answer, "agents");
    struct buf out CLEANUP(buf_deinit);
    struct error err;
    int code = EXIT_CLEAN;

    buf_init(&out, OUTPUT_MAX);
    bool is_good = true;
    for (size_t i = 0; i < json_array_size(agents) && is_good; i++) {
        code = is_stopped(json_array_get(agents, i)) ? EXIT_FOUND : code;
        is_good = append_row(&out, json_array_get(agents, i), &err);
    }
    if (args->format != NULL && strcmp(args->format, "json") == 0) {
        return operators_print(agents, code);
    }
    if (json_array_size(agents) == 0) {
        complain("no agent has an account or runs in a jail");
    }
    return is_good ? command_finish(&out, code) : command_failed(&err);
}

static int run_list(const struct arguments *args)
{
    struct error err;
    json_t *answer = ask(args, "GET", NULL, "", &err);

    if (answer == NULL) {
        return command_failed(&err);
    }
    int code = print_list(args, answer);
    json_decref(answer);
    return code;
}

static int run_show(const struct arguments *args)
{
    struct error err;
    json_t *agent = ask(args, "GET", args->operands[0], "", &err);

    if (agent == NULL) {
        return command_failed(&err);
    }
    int code = operators_print(agent, is_stopped(agent) ? EXIT_FOUND : EXIT_CLEAN);
    json_decref(agent);
    return code;
}

static long long running(const json_t *agent)
{
    const json_t *jails = json_object_get(agent, "jails");

    return json_is_integer(jails) ? (long long)json_integer_value(jails) : -1;
}

/* The kill is filterd's; this waits until filterd has seen its end. */
static int run_kill(const struct arguments *args)
{
    const struct timespec step = {.tv_nsec = STEP_NS};
    const char *name = args->operands[0];
    struct error err;
    json_t *agent = ask(args, "POST", name, "/kill", &err);

    for (int i = 0; agent != NULL && running(agent) != 0 && i < WAIT_STEPS; i++) {
        json_decref(agent);
        (void)nanosleep(&step, NULL);
        agent = ask(args, "GET", name, "", &err);
    }
    if (agent == NULL) {
        return command_failed(&err);
    }
    long long left = running(agent);
    json_decref(agent);
    if (left != 0) {
        error_set(&err, ERROR_INTERNAL, "NOT VERIFIED: %lld of its jails may still run", left);
        return command_failed(&err);
    }
    return command_print(span_str("killed: no process is left\n"), &err) ? EXIT_CLEAN : command_failed(&err);
}

static int run_revive(const struct arguments *args)
{
    struct error err;
    json_t *agent = ask(args, "POST", args->operands[0], "/revive", &err);

    if (agent == NULL) {
        return command_failed(&err);
    }
    json_decref(agent);
    return command_print(span_str("revived: active, with 0 violations\n"), &err) ? EXIT_CLEAN : command_failed(&err);
}
