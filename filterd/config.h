/* config.h - the service's options: one table drives the command line, the YAML file, --help,
 * --print-defaults, --check and the man page. */
#ifndef FILTERD_CONFIG_H
#define FILTERD_CONFIG_H

#include <stdio.h>

#include "base/arena.h"
#include "service/service.h"

enum command {
    COMMAND_RUN,
    COMMAND_CHECK,
    COMMAND_HELP,
    COMMAND_VERSION,
    COMMAND_PRINT_DEFAULTS,
    COMMAND_HASH_TOKEN,
};

/* Texts live in the arena or in argv; they last as long as the configuration. */
struct config {
    struct arena memory;
    enum command command;
    const char *file; /* --config */
    const char *role; /* of --hash-token */
    const char *name; /* of --hash-token */
    const char *log_level;
    const char *log_format;
    const char *sandbox;
    struct service_options service;
};

/* Defaults, then the file, then the command line. On failure err says which option and what was
 * expected of it. Either way config_deinit releases. */
MUST_CHECK bool config_init(struct config *c, int argc, char **argv, struct error *err);
void config_deinit(struct config *c);

void config_print_help(FILE *out);
/* As a configuration file. */
void config_print_defaults(FILE *out);

#endif
