/* token_keys.h - the keys of the record's value tokens: one for each epoch of 90 days.
 *
 * A token names its key ("e229-1a2b3c4d:…"). Equal values have equal tokens within an epoch only: deleting the key of an
 * epoch anonymizes the tokens of that epoch and no others. Epochs count from 1970. The files are <state>/keys/token-eN.key;
 * each key is random and independent of the others. Names of accounts (http/identities.h) always use token.key: a stopped
 * agent must not get a new account with a new epoch. */
#ifndef FILTERD_STATE_TOKEN_KEYS_H
#define FILTERD_STATE_TOKEN_KEYS_H

#include "decision_log/decision_log.h"

enum { TOKEN_EPOCH_DAYS = 90 };

struct token_keys;

unsigned token_epoch(int64_t utc_ns);
/* When it begins, UTC. */
int64_t token_epoch_begins_ns(unsigned epoch);

/* For the service: makes the key of the moment's epoch if it is missing. Without a directory it is random, and dies with
 * the process. NULL with what was expected. */
struct token_keys *token_keys_open(const char *state_directory, int64_t now_ns, struct error *err);
void token_keys_close(struct token_keys *t);

/* The keys of that time's epoch, or of a newer one that has begun since; a new epoch's are made by the first who asks. When
 * they cannot be, those of the last stay in use, and the tokens say so. Valid until the epoch after the next. Any thread. */
const struct decision_keys *token_keys_at(struct token_keys *t, int64_t now_ns);

/* For readers: calls `found` for each key that is there, oldest first, token.key before all (epoch 0). False when one of
 * them cannot be read. */
typedef void token_key_fn(void *context, unsigned epoch, const struct decision_keys *keys);
MUST_CHECK bool token_keys_each(const char *state_directory, token_key_fn *found, void *context, struct error *err);

/* Deletes the key of an epoch that is over at `now_ns`, overwriting the file first. NOT_FOUND when it is not there. */
MUST_CHECK bool token_keys_delete(const char *state_directory, unsigned epoch, int64_t now_ns, struct error *err);

#endif
