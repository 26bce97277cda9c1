/* keys.h - the service's secret keys: value tokens of the record, hash and encrypt operators.
 *
 * One file each in <state>/keys (0600), made at random on the first start; losing them means that
 * pseudonyms change and encrypted values stay closed, so they belong into the backup. */
#ifndef FILTERD_HTTP_KEYS_H
#define FILTERD_HTTP_KEYS_H

#include "enforce/decision_log.h"
#include "pipeline/worker.h"

struct keys {
    struct decision_keys decision;
    struct redaction_keys redaction;
};

/* With NULL the keys are random and die with the process. */
MUST_CHECK bool keys_load(const char *state_directory, struct keys *out, struct error *err);
void keys_wipe(struct keys *keys);

#endif
