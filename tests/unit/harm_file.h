/* harm_file.h - what an accident does to a file of SQLite and to its log while they are open. */
#ifndef FILTERD_TESTS_UNIT_HARM_FILE_H
#define FILTERD_TESTS_UNIT_HARM_FILE_H

#include "testing.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum harm { HARM_REMOVED, HARM_TRUNCATED, HARM_WRITTEN, HARMS };

static inline void harm_one(const char *file, enum harm how)
{
    static const char bytes[64] = "written by somebody else";
    struct stat s;

    int fd = open(file, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &s) != 0) {
        return;
    }
    bool is_harmed = how == HARM_REMOVED     ? unlink(file) == 0
                     : how == HARM_TRUNCATED ? ftruncate(fd, 0) == 0
                                             : pwrite(fd, bytes, sizeof(bytes), s.st_size / 2) == (ssize_t)sizeof(bytes);
    assert_true(is_harmed);
    close(fd);
}

static inline void harm_file(const char *path, enum harm how)
{
    char log[128];

    (void)snprintf(log, sizeof(log), "%s-wal", path);
    harm_one(path, how);
    harm_one(log, how);
}

#endif
