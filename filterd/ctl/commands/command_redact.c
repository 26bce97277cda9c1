/* command_redact.c - filterctl redact: standard input, as it may be delivered, to standard output.
 */
#include "base/cleanup.h"
#include "base/json.h"
#include "ctl/command.h"
#include "ctl/follow.h"
#include "ctl/input.h"
#include "ctl/judging.h"

enum { OUTPUT_MAX = 512 * 1024 * 1024 };

static int run(const struct arguments *args);

const struct command command_redact = {
    .name = "redact",
    .operands = "",
    .summary = "Copy standard input to standard output, redacted",
    .details = "Exit code 1 when anything was redacted or blocked, 2 when it could not be judged.\n"
               "Text from a pipe or a terminal is written as it arrives, as soon as no rule can change it. A block\n"
               "ends the output; its notice goes to standard error.\n"
               "A file and a document (--to-json) are read completely before anything is written; the output for a\n"
               "blocked one is only its notice.",
    .options = OPTIONS_RULES | OPTIONS_JUDGING | OPTION_BIT(OPTION_TO_JSON),
    .run = run,
};

/* A notice in the place of a document is a JSON string: the output stays JSON. */
static bool append_output(const struct judging *j, struct buf *out, struct error *err)
{
    if (j->is_document && j->exchange.action == ACTION_BLOCK) {
        return json_append_string(out, j->exchange.notice, err) && buf_append_char(out, '\n', err);
    }
    return judging_deliver(j, out, err);
}

static bool judge(const struct session *s, struct worker *w, const struct arguments *args,
                  struct span input, struct judging *j, struct error *err)
{
    if (args->to_json) {
        return judging_document(s, w, input, span_of("", 0), j, err) || error_wrap(err, "<stdin>");
    }
    judging_text(s, w, input, j);
    return true;
}

static int exit_code(const struct judging *j)
{
    if (!judging_is_complete(j)) {
        (void)fprintf(stderr, "filterctl: <stdin>: could not be judged: %s\n",
                      j->exchange.unjudged_reason != NULL ? j->exchange.unjudged_reason : "error");
        return EXIT_FAILED;
    }
    return j->exchange.action == ACTION_ALLOW ? EXIT_CLEAN : EXIT_FOUND;
}

static int redact_whole(const struct session *s, struct worker *w, const struct arguments *args)
{
    struct buf input CLEANUP(buf_deinit), output CLEANUP(buf_deinit);
    struct span text;
    struct judging j;
    struct error err;

    buf_init(&input, INPUT_MAX);
    buf_init(&output, OUTPUT_MAX);
    if (!input_text("-", &input, &text, &err) || !judge(s, w, args, text, &j, &err) ||
        !append_output(&j, &output, &err)) {
        return command_failed(&err);
    }
    return command_finish(&output, exit_code(&j));
}

static int run(const struct arguments *args)
{
    struct session session CLEANUP(session_close) = {0};
    struct worker_limits limits = worker_limits_default();
    struct error err;

    struct worker *worker CLEANUP(input_free_worker) = worker_new(&limits, &session.keys, &err);
    if (worker == NULL || !session_open_judge(&session, args, &err)) {
        return command_failed(&err);
    }
    return follow_is_due() && !args->to_json ? follow_redact(&session, worker)
                                             : redact_whole(&session, worker, args);
}
