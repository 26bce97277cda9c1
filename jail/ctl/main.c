/* main.c - filterd-jail(1): runs a command in a jail that one YAML file describes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/linux_calls.h"
#include "base/similar.h"
#include "jail/ctl/command.h"

static const struct jail_command *const commands[] = {&jail_command_run, &jail_command_check, &jail_command_doctor,
                                                      &jail_command_explain, &jail_command_describe,
                                                      &jail_command_learn, &jail_command_verify};

int jail_command_failed(const struct error *err)
{
    (void)fprintf(stderr, "filterd-jail: %s\n", err->text);
    return EXIT_FAILED;
}

int jail_command_finish(const struct buf *out, int code)
{
    bool is_written = out->len == 0 || fwrite(out->data, 1, out->len, stdout) == out->len;

    if (!is_written || fflush(stdout) != 0) {
        struct error err;
        error_errno(&err, "standard output");
        return jail_command_failed(&err);
    }
    return code;
}

static int print_overview(FILE *to, int code)
{
    (void)fprintf(to, "usage: filterd-jail COMMAND [OPTION…] [OPERAND…]\n\nCommands:\n");
    for (size_t i = 0; i < COUNT(commands); i++) {
        (void)fprintf(to, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    (void)fprintf(to, "\nfilterd-jail COMMAND --help shows details; filterd-jail --version prints the version.\n");
    return file_end_output(stdout, "filterd-jail", code);
}

static int print_help(const struct jail_command *c)
{
    (void)printf("usage: filterd-jail %s %s%s\n\n%s.\n", c->name, c->needs_policy ? "-p FILE " : "", c->operands,
                 c->summary);
    if (c->details != NULL) {
        (void)printf("\n%s", c->details);
    }
    (void)printf("\nOptions:\n%s  --help              this text\n",
                 c->needs_policy ? "  --policy FILE       the jail's policy; -p is the same\n" : "");
    return file_end_output(stdout, "filterd-jail", EXIT_CLEAN);
}

static int usage(const struct jail_command *c, const char *before, const char *what, const char *after)
{
    (void)fprintf(stderr, "filterd-jail %s: %s%s%s; see filterd-jail %s --help\n", c->name, before, what, after, c->name);
    return EXIT_FAILED;
}

static bool is_policy(const struct jail_command *c, const char *word)
{
    return c->needs_policy && (strcmp(word, "-p") == 0 || strcmp(word, "--policy") == 0);
}

/* Takes one option off the words; false when the command does not have it, or it has no value. */
static bool take_option(const struct jail_command *c, char ***word, struct jail_arguments *args)
{
    if (!is_policy(c, **word) || (*word)[1] == NULL) {
        return false;
    }
    args->policy = (*word)[1];
    *word += 2;
    return true;
}

/* Options end at "--" or at the first operand: what follows may have options of its own. */
static int run_command(const struct jail_command *c, char **word)
{
    struct jail_arguments args = {0};

    while (*word != NULL && (*word)[0] == '-' && strcmp(*word, "--") != 0) {
        if (strcmp(*word, "--help") == 0) {
            return print_help(c);
        }
        if (!take_option(c, &word, &args)) {
            return usage(c, is_policy(c, *word) ? "a file expected after '" : "unknown option '", *word, "'");
        }
    }
    word += *word != NULL && strcmp(*word, "--") == 0 ? 1 : 0;
    args.operands = word;
    while (word[args.n] != NULL) {
        args.n++;
    }
    if (c->needs_policy && args.policy == NULL) {
        return usage(c, "", "--policy FILE", " expected");
    }
    if (args.n < c->min_operands || (c->max_operands >= 0 && args.n > c->max_operands)) {
        return usage(c, "", c->operands, " expected");
    }
    return c->run(&args);
}

/* A descriptor that the caller left open is not the jail's business; one of the first three that it
 * closed would be the next file's. */
static void settle_descriptors(void)
{
    (void)close_range(3, ~0U, 0);
    for (int i = 0; i < 3; i++) {
        if (fcntl(i, F_GETFD) < 0 && errno == EBADF) {
            (void)!open("/dev/null", O_RDWR);
        }
    }
}

static int refuse_command(const char *name)
{
    char hint[SIMILAR_HINT_MAX];
    struct similar similar;

    similar_init(&similar, span_str(name));
    for (size_t i = 0; i < COUNT(commands); i++) {
        similar_offer(&similar, span_str(commands[i]->name));
    }
    (void)fprintf(stderr, "filterd-jail: unknown command '%s'%s; see filterd-jail --help\n", name, similar_hint(&similar, "", hint));
    return EXIT_FAILED;
}

int main(int argc, char **argv)
{
    settle_descriptors();
    if (argc < 2) {
        return print_overview(stderr, EXIT_FAILED);
    }
    if (strcmp(argv[1], "--help") == 0) {
        return print_overview(stdout, EXIT_CLEAN);
    }
    if (strcmp(argv[1], "--version") == 0) {
        (void)printf("filterd-jail %s\n", FILTERD_VERSION);
        return file_end_output(stdout, "filterd-jail", EXIT_CLEAN);
    }
    for (size_t i = 0; i < COUNT(commands); i++) {
        if (strcmp(commands[i]->name, argv[1]) == 0) {
            return run_command(commands[i], argv + 2);
        }
    }
    return refuse_command(argv[1]);
}
