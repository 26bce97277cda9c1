/* same.h - how much of two texts is the same. */
#ifndef FILTERD_CTL_SOURCE_SAME_H
#define FILTERD_CTL_SOURCE_SAME_H

#include <stddef.h>

/* Bytes at the front of what begins at a and b, of `len` at most. */
size_t same_front(const char *a, const char *b, size_t len);
/* Bytes at the end of what ends at a and b, likewise. */
size_t same_end(const char *a, const char *b, size_t len);

#endif
