/* decision_repair.h - exchanges that a crash left open are ended on record; used only by
 * decision_*.c.
 *
 * They are looked for in the last REPAIR_SCAN_MAX bytes of the file, with memory for
 * OPEN_EXCHANGES_MAX of them and one step of the scan. One that began further back stays open. */
#ifndef FILTERD_DECISION_LOG_DECISION_REPAIR_H
#define FILTERD_DECISION_LOG_DECISION_REPAIR_H

#include "decision_log/decision_batch.h"

enum { REPAIR_SCAN_MAX = 256 * 1024 * 1024 };

/* Appends an aborted record for each and a recovery record that says how many; synced. Sets their
 * number. Nothing is appended when there is none. Only before the file's writer has begun:
 * active exchanges are open, too. */
MUST_CHECK bool decision_repair(struct decision_batch *b, struct decision_file *f,
                                size_t *n_aborted, struct error *err);

#endif
