/* config.h - the configuration file of a witness (filterd-witness(8)). Read once, never changed after. */
#ifndef FILTERD_WITNESS_CONFIG_H
#define FILTERD_WITNESS_CONFIG_H

#include "base/fields.h"
#include "record/note.h"

enum { WITNESS_LOGS_MAX = 1024 };

struct witness_config {
    struct span name;
    const char *key, *state, *listen;
    const struct span *logs; /* vkeys, as written */
    size_t n_logs;
    struct note_key *keys; /* n_logs of them */
};

extern const struct field witness_config_fields[];

/* Everything lives in the arena. */
MUST_CHECK bool witness_config_read(struct arena *a, const char *path, struct witness_config *out, struct error *err);

#endif
