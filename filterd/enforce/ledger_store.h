/* ledger_store.h - the ledger on disk, so that what was counted, and who is stopped, outlives a restart.
 *
 * One SQLite file, written by one thread behind the ledger: what changed is written together, in one
 * transaction, within milliseconds; a crash loses at most what changed since. The account is restored
 * with the times of its last event, so that what passed meanwhile is forgotten as if nothing had
 * happened. While it cannot be written the store says so, and the caller is strict. */
#ifndef FILTERD_ENFORCE_LEDGER_STORE_H
#define FILTERD_ENFORCE_LEDGER_STORE_H

#include "enforce/ledger.h"

struct ledger_store;

/* Opens or creates the file (0600) and fills the ledger, which is empty and lives longer. INVALID when the file is
 * something else, DENIED when another process has it. NULL with err. */
struct ledger_store *ledger_store_open(const char *path, struct ledger *ledger, struct error *err);
MUST_CHECK bool ledger_store_start(struct ledger_store *s, struct error *err);
/* Writes what is left. Accepts NULL. */
void ledger_store_close(struct ledger_store *s);

/* Something changed. Any thread. */
void ledger_store_wake(struct ledger_store *s);
/* False after a write failed, until one succeeds; it is tried again once a second. Any thread. */
bool ledger_store_is_healthy(const struct ledger_store *s);

#endif
