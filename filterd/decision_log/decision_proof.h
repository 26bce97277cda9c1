/* decision_proof.h - the thread that proves a log: it reads back what is durable, hashes it, and has checkpoints signed; used
 * only by decision_*.c.
 *
 * The writer says how far the file is on disk and goes on; everything else is done here: tiles, syncs of their own, the
 * signer. A checkpoint covers only lines that are on disk. At most one a second while lines come; one at each switch of
 * files, at the end, and when asked for. */
#ifndef FILTERD_DECISION_LOG_DECISION_PROOF_H
#define FILTERD_DECISION_LOG_DECISION_PROOF_H

#include "decision_log/decision_start.h"

enum { DECISION_PROOF_MS = 1000 };

struct decision_proof;

/* Takes the tiles over, whatever comes of it. Lines to f->seq are in them. The file is borrowed until the switch to
 * another. */
struct decision_proof *decision_proof_new(const struct decision_place *place, const struct decision_proving *proving,
                                          const char *origin, struct decision_start *start, const struct decision_file *f,
                                          struct error *err);
/* Proves what is left, then ends the thread. False: not all of it has a checkpoint; err says why. Accepts NULL. */
bool decision_proof_close(struct decision_proof *p, struct error *err);

/* f->synced lines are on disk. Never waits for the disk. From the writer's thread. */
void decision_proof_publish(struct decision_proof *p, const struct decision_file *f);
/* Whether the file before the current one is closed: there is at most one. Any thread. */
bool decision_proof_can_switch(struct decision_proof *p);
/* The writer goes on in `next`; `old` is complete and synced, and closed here once its lines are proven. */
void decision_proof_switch(struct decision_proof *p, struct decision_file *old, const struct decision_file *next);

/* Returns when a checkpoint covers what was published, or says why none does. Not from the writer's thread. */
MUST_CHECK bool decision_proof_wait(struct decision_proof *p, struct error *err);

bool decision_proof_is_healthy(const struct decision_proof *p); /* any thread */
uint64_t decision_proof_signed(const struct decision_proof *p); /* any thread */
uint64_t decision_proof_signed_before(const struct decision_proof *p); /* when it was opened; any thread */

#endif
