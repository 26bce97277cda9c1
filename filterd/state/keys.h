/* keys.h - the service's secret keys: tokens of names, hash and encrypt operators; token_keys.h has those of values.
 *
 * One file each in <state>/keys (0600), made at random on the first start; losing them means that
 * pseudonyms change and encrypted values stay closed, so they belong into the backup. */
#ifndef FILTERD_STATE_KEYS_H
#define FILTERD_STATE_KEYS_H

#include "decision_log/decision_log.h"
#include "enforce/redact.h"

struct keys {
    struct decision_keys decision;
    struct redaction_keys redaction;
};

/* For the service: makes what is missing. With NULL the keys are random, and die with it. */
MUST_CHECK bool keys_load(const char *state_directory, struct keys *out, struct error *err);

/* For readers of a service's keys: a file that is missing is an error, not a new key, as a mistyped
 * directory would otherwise give pseudonyms that agree with nothing. With NULL likewise random. */
MUST_CHECK bool keys_read(const char *state_directory, struct redaction_keys *out,
                          struct error *err);
/* encrypt.key alone, all that opening values takes; the rest of *out stays as it is. */
MUST_CHECK bool keys_read_encrypt(const char *state_directory, struct redaction_keys *out,
                                  struct error *err);

/* One key, <directory>/keys/<name>.key: made when it is missing; or read. The folder must be there. */
MUST_CHECK bool keys_load_named(const char *directory, const char *name, uint8_t key[32], struct error *err);
MUST_CHECK bool keys_read_named(const char *directory, const char *name, uint8_t key[32], struct error *err);
/* Sets key_id, which says which key it is without saying anything of it: eight hexadecimal digits. */
void keys_name(struct decision_keys *keys);

void keys_wipe(struct keys *keys);

#endif
