/* thread.h - a number for each thread, and conditions that wait by the clock of base/clock.h.
 *
 * What threads share can be kept apart by the number, so that none waits until another processor hands over
 * what it wrote last: a place of many is thread_number() % so many, and may still be shared. */
#ifndef FILTERD_BASE_THREAD_H
#define FILTERD_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Threads are numbered from 0 as they first ask; no number is given twice. */
unsigned thread_number(void);

/* A condition whose timed waits are by the monotonic clock: one by the date would end early or never when the date is
 * changed. False: the system has no room for one. Destroyed with pthread_cond_destroy. */
bool condition_init(pthread_cond_t *condition);

#endif
