/* command.h - the commands of filterd-jail.
 *
 * Each command has its own file; main.c lists them. run() returns the program's exit code. */
#ifndef FILTERD_JAIL_CTL_COMMAND_H
#define FILTERD_JAIL_CTL_COMMAND_H

#include "base/buf.h"
#include "jail/policy/policy.h"

enum { EXIT_CLEAN = 0, EXIT_FOUND = 1, EXIT_FAILED = 2, PRINT_MAX = 1024 * 1024 };

struct jail_arguments {
    const char *policy; /* path; NULL: not given */
    char **operands;    /* NULL-terminated */
    int n;
};

struct jail_command {
    const char *name, *operands, *summary;
    const char *details; /* more lines for --help; may be NULL */
    bool needs_policy;
    int min_operands, max_operands; /* max -1: any number */
    int (*run)(const struct jail_arguments *args);
};

extern const struct jail_command jail_command_run, jail_command_check, jail_command_doctor, jail_command_explain,
    jail_command_describe, jail_command_learn, jail_command_verify;

/* Prints "filterd-jail: text" to stderr; returns EXIT_FAILED. */
int jail_command_failed(const struct error *err);
/* Writes the buffer to standard output; returns `code`, or EXIT_FAILED when that fails. */
int jail_command_finish(const struct buf *out, int code);

#endif
