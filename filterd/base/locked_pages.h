/* locked_pages.h - memory for text that must not be left behind: left out of core dumps, locked against swapping as far as
 * the limit of locked memory allows, wiped when it is given back. Whole pages of their own: not for many small pieces. Any
 * thread. */
#ifndef FILTERD_BASE_LOCKED_PAGES_H
#define FILTERD_BASE_LOCKED_PAGES_H

#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "base/buf.h"

/* Some could not be locked, as the limit of locked memory was reached: they may have been swapped. */
extern atomic_bool locked_pages_exceeded; /* all of it is in buf.c */

/* What whole pages for `size` bytes have. */
static inline size_t locked_pages_size(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return (size + page - 1) / page * page;
}

/* Zeroed; NULL when memory is out. `size` is one of locked_pages_size. */
void *locked_pages_new(size_t size);

/* Wipes them. A few of each small size stay mapped and locked, as the next exchange needs as many. Accepts NULL. */
void locked_pages_free(void *pages, size_t size);

/* As buf_init, for text of exchanges that stays longer than a call: in locked pages once buf_lock_texts was called. Not for many
 * short-lived ones: each growth is a system call then. */
void buf_init_text(struct buf *b, size_t max);
void buf_lock_texts(void);

#endif
