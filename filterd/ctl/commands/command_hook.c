/* command_hook.c - filterctl hook: an event of a coding agent, judged by a running filterd, for agents whose hooks are commands.
 *
 * The agent writes the event to standard input and reads the answer from standard output; exit code 2 denies, with the reason on
 * standard error. So nothing passes that was not judged. No rules are loaded here, as an agent waits for each of its hooks. */
#include <stdio.h>

#include "base/cleanup.h"
#include "ctl/command.h"
#include "ctl/complain.h"
#include "ctl/operators.h"

enum { EVENT_MAX = 64 * 1024 * 1024, ANSWER_MAX = 2 * EVENT_MAX, CHUNK = 64 * 1024 };

static const char default_address[] = "http://127.0.0.1:8470";

/* With a NUL behind it. */
static bool read_event(struct buf *out, struct error *err)
{
    size_t n;

    do {
        if (!buf_reserve(out, CHUNK, err)) {
            return false;
        }
        n = fread(out->data + out->len, 1, CHUNK, stdin);
        out->len += n;
    } while (n > 0);
    if (ferror(stdin)) {
        return error_errno(err, "standard input");
    }
    if (memchr(out->data, '\0', out->len) != NULL) {
        return error_set(err, ERROR_INVALID, "standard input: an event in JSON expected");
    }
    return buf_append_char(out, '\0', err);
}

static bool path_of(const char *product, const char **path, struct error *err)
{
    static const char *const products[][2] = {{"claude-code", "/v1/hooks/claude-code"}, {"codex", "/v1/hooks/codex"}};

    for (size_t i = 0; i < COUNT(products); i++) {
        if (strcmp(product, products[i][0]) == 0) {
            *path = products[i][1];
            return true;
        }
    }
    return error_set(err, ERROR_INVALID, "%s: claude-code or codex expected", product);
}

/* The answer as it is: it repeats what a tool said, and a reader may take another number or name for the same. */
static bool judge(const struct arguments *service, const char *path, const char *event, struct error *err)
{
    struct buf answer CLEANUP(buf_deinit);

    buf_init(&answer, ANSWER_MAX);
    return operators_post(service, path, event, &answer, err) && buf_append_char(&answer, '\n', err) &&
           command_print(buf_span(&answer), err);
}

static int run(const struct arguments *args)
{
    struct arguments service = *args;
    struct buf event CLEANUP(buf_deinit);
    const char *path = NULL;
    struct error err = {0};

    buf_init(&event, EVENT_MAX);
    service.operators = args->n_operands > 1 ? args->operands[1] : default_address;
    service.operators += strncmp(service.operators, "http://", 7) == 0 ? 7 : 0;
    if (!path_of(args->operands[0], &path, &err) || !read_event(&event, &err)) {
        return command_failed(&err);
    }
    if (!judge(&service, path, event.data, &err)) {
        complain("%s; without a verdict the call is denied", err.text);
        return EXIT_FAILED;
    }
    return EXIT_CLEAN;
}

const struct command command_hook = {
    .name = "hook",
    .operands = "claude-code|codex [ADDRESS]",
    .summary = "Have a running filterd judge an event of a coding agent, as a hook of the agent",
    .details = "Reads the event from standard input and prints the answer in the agent's form. ADDRESS is that of the callers' listener:\n"
               "http://127.0.0.1:8470 by default, https://HOST:PORT or unix:PATH. Exit code 2, which denies the call, when filterd\n"
               "does not answer or cannot read the event.",
    .options = OPTION_BIT(OPTION_TOKEN),
    .min_operands = 1,
    .max_operands = 2,
    .run = run,
};
