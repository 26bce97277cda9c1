/* filterctl - scan texts, test and explain rules, compare policies, query the decision log. */
#include <signal.h>
#include <sodium.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/similar.h"
#include "ctl/command.h"
#include "ctl/complain.h"

enum { HELP_MAX = 64 * 1024 };

static int print_overview(FILE *to, int code)
{
    (void)fprintf(to, "usage: filterctl COMMAND [OPTION…] [OPERAND…]\n\nCommands:\n");
    for (size_t i = 0; command_at(i) != NULL; i++) {
        (void)fprintf(to, "  %-21s %s\n", command_at(i)->name, command_at(i)->summary);
    }
    (void)fprintf(to,
                  "\nfilterctl COMMAND --help shows details; filterctl --version prints the version.\n"
                  "Exit code: 0 clean, 1 something was found, 2 error.\n");
    return file_end_output(stdout, "filterctl", code);
}

/* A command's name is one or two of the words; *words says how many. */
static const struct command *find_command(int argc, char **argv, int *words)
{
    for (size_t i = 0; command_at(i) != NULL; i++) {
        const struct command *command = command_at(i);
        const char *space = strchr(command->name, ' ');
        size_t first = space != NULL ? (size_t)(space - command->name) : strlen(command->name);
        if (strlen(argv[1]) != first || memcmp(argv[1], command->name, first) != 0) {
            continue;
        }
        if (space == NULL || (argc > 2 && strcmp(argv[2], space + 1) == 0)) {
            *words = space == NULL ? 1 : 2;
            return command;
        }
    }
    return NULL;
}

/* The commands that begin with this word; false when there is none. */
static bool print_group(FILE *to, const char *group)
{
    size_t len = strlen(group);
    bool is_group = false;

    for (size_t i = 0; command_at(i) != NULL; i++) {
        if (strncmp(command_at(i)->name, group, len) == 0 && command_at(i)->name[len] == ' ') {
            (void)fprintf(to, "  filterctl %-21s %s\n", command_at(i)->name, command_at(i)->summary);
            is_group = true;
        }
    }
    return is_group;
}

/* "rules" alone, "rules lst", or a word that is none. */
static int refuse_command(int argc, char **argv)
{
    char words[2 * SIMILAR_WORD_MAX], hint[SIMILAR_HINT_MAX];
    const char *second = argc > 2 && argv[2][0] != '-' ? argv[2] : NULL;
    struct similar one, two;

    if (second == NULL && print_group(stderr, argv[1])) {
        return EXIT_FAILED;
    }
    (void)snprintf(words, sizeof(words), "%s%s%s", argv[1], second != NULL ? " " : "", second != NULL ? second : "");
    similar_init(&one, span_str(argv[1]));
    similar_init(&two, span_str(words));
    for (size_t i = 0; command_at(i) != NULL; i++) {
        bool has_two = strchr(command_at(i)->name, ' ') != NULL;
        similar_offer(has_two && second != NULL ? &two : &one, span_str(command_at(i)->name));
    }
    complain("unknown command '%s'%s; see filterctl --help", two.n > 0 ? words : argv[1],
             similar_hint(two.n > 0 ? &two : &one, "", hint));
    return EXIT_FAILED;
}

static int print_help(const struct command *command)
{
    struct buf help CLEANUP(buf_deinit);
    struct error err;

    buf_init(&help, HELP_MAX);
    return options_help(command, &help, &err) ? command_finish(&help, EXIT_CLEAN)
                                              : command_failed(&err);
}

int main(int argc, char **argv)
{
    struct arguments args;
    int words = 0;

    (void)signal(SIGPIPE,
                 SIG_IGN); /* a reader that goes away is an error of fwrite, with our exit code */
    if (sodium_init() < 0) {
        complain("libsodium: cannot start");
        return EXIT_FAILED;
    }
    if (argc < 2) {
        return print_overview(stderr, EXIT_FAILED);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        return print_overview(stdout, EXIT_CLEAN);
    }
    if (strcmp(argv[1], "--version") == 0) {
        (void)printf("filterctl %s\n", FILTERD_VERSION);
        return file_end_output(stdout, "filterctl", EXIT_CLEAN);
    }
    const struct command *command = find_command(argc, argv, &words);
    if (command == NULL) {
        bool is_help = argc > 2 && strcmp(argv[2], "--help") == 0;
        return is_help && print_group(stdout, argv[1]) ? file_end_output(stdout, "filterctl", EXIT_CLEAN) : refuse_command(argc, argv);
    }
    argv[words] = argv[0];
    if (!options_parse(command, argc - words, argv + words, &args)) {
        return EXIT_FAILED;
    }
    return args.help ? print_help(command) : command->run(&args);
}
