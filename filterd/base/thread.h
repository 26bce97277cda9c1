/* thread.h - threads that take no signals, a number for each thread, and conditions with timed waits on the clock of base/clock.h.
 *
 * With the number, threads can use separate slots of shared data, which avoids moving cache lines
 * between processors: use slot thread_number() % n. Threads may still share a slot. */
#ifndef FILTERD_BASE_THREAD_H
#define FILTERD_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

#include "base/error.h"

/* Starts a thread with all signals blocked: they are the main thread's. Join it. */
MUST_CHECK bool thread_start(pthread_t *thread, void *(*run)(void *context), void *context, struct error *err);

/* Numbers threads from 0 at their first call; numbers are unique. */
unsigned thread_number(void);

/* Makes a condition with timed waits on the monotonic clock: with the realtime clock a wait would end early or never when the
 * date is changed. False: no resources. Destroy it with pthread_cond_destroy. */
bool condition_init(pthread_cond_t *condition);

#endif
