/* budget_store.h - the budgets on disk, so that what was disclosed is counted after a restart, too.
 *
 * One SQLite file, written by one thread behind the accounts: what changed is written together, in one transaction, within
 * milliseconds; a crash loses at most what changed since. The file has keyed hashes and times, no value and no name. The
 * same thread drops accounts whose values have all left, once a minute. While it cannot be written the budgets are strict
 * (budgets_set_stored), and the store says so. */
#ifndef FILTERD_BUDGET_BUDGET_STORE_H
#define FILTERD_BUDGET_BUDGET_STORE_H

#include "budget/budgets.h"

struct budget_store;

/* Opens or creates the file (0600) and fills the budgets, which have no account yet and live longer. INVALID when the file is
 * something else, DENIED when another process has it, LIMIT when its accounts need more memory. NULL with err;
 * the budgets are then empty, and the file can be opened again. */
struct budget_store *budget_store_open(const char *path, struct budgets *budgets, struct error *err);
MUST_CHECK bool budget_store_start(struct budget_store *s, struct error *err);
/* Writes what is left. Accepts NULL. */
void budget_store_close(struct budget_store *s);
/* False after a write failed, until one succeeds; it is tried again once a second. Any thread. */
bool budget_store_is_healthy(const struct budget_store *s);

#endif
