/* command.h - what an operator does with the database: filterd-link publish, publish-keys, fetch, stop, status, gather.
 *
 * Prints to standard output. One thread. */
#ifndef FILTERD_LINK_COMMAND_H
#define FILTERD_LINK_COMMAND_H

#include "base/similar.h"
#include "link/config.h"
#include "link/session.h"

struct link_command {
    const char *name;   /* NULL: none, the service */
    const char *stages; /* NULL: all nodes at once */
    char **operands;
    int n_operands;
};

typedef bool link_command_run(const struct link_command *c, const struct link_config *config, struct link_session *s, struct error *err);
/* NULL: there is no such command. */
link_command_run *link_command_find(const char *name);
/* Its similar ones, as similar_hint. */
const char *link_command_hint(const char *name, char text[SIMILAR_HINT_MAX]);

#endif
