/* descriptors_open.h - how many descriptors this process has open, so that a test can see that none is left. */
#ifndef FILTERD_TESTS_SUPPORT_DESCRIPTORS_OPEN_H
#define FILTERD_TESTS_SUPPORT_DESCRIPTORS_OPEN_H

#include <fcntl.h>

/* Of the first 256: a test has few. */
static inline int descriptors_open(void)
{
    int n = 0;

    for (int fd = 0; fd < 256; fd++) {
        n += fcntl(fd, F_GETFD) >= 0;
    }
    return n;
}

#endif
