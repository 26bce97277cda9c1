/* thread.h - a number for each thread.
 *
 * What threads share can be kept apart by it, so that none waits until another processor hands over
 * what it wrote last: a place of many is thread_number() % so many, and may still be shared. */
#ifndef FILTERD_BASE_THREAD_H
#define FILTERD_BASE_THREAD_H

/* Threads are numbered from 0 as they first ask; no number is given twice. */
unsigned thread_number(void);

#endif
