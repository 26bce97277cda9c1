/* cleanup.h - local variables with automatic cleanup.
 *
 * CLEANUP(fn) calls fn(&variable) when the variable leaves its scope; TAKE(p) returns a pointer
 * and sets the variable to NULL. Destructors accept NULL, so goto is not needed. */
#ifndef FILTERD_BASE_CLEANUP_H
#define FILTERD_BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CLEANUP(fn) __attribute__((cleanup(fn)))
#define TAKE(p)                                                                                    \
    __extension__({                                                                                \
        __typeof__(p) taken_ = (p);                                                                \
        (p) = NULL;                                                                                \
        taken_;                                                                                    \
    })

static inline void cleanup_free(void *pointer_to_pointer)
{
    free(*(void **)pointer_to_pointer);
}

static inline void cleanup_fd(const int *fd)
{
    if (*fd >= 0) {
        close(*fd);
    }
}

static inline void cleanup_file(FILE **file)
{
    if (*file != NULL) {
        (void)fclose(*file);
    }
}

#endif
