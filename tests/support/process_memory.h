/* process_memory.h - what a test finds in the memory of its own process, and the flags of a mapping. */
#ifndef FILTERD_TESTS_PROCESS_MEMORY_H
#define FILTERD_TESTS_PROCESS_MEMORY_H

#include "testing.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SECRET = 24, STEP = 1 << 20, KEY = 0x5a, AREA_MAX = 1 << 30 };

/* Never in memory as it is, but where a test puts it. */
static const unsigned char hidden[SECRET] = {0x2b, 0x69, 0x2e, 0x30, 0x6c, 0x02, 0x2f, 0x6b, 0x68, 0x39, 0x3b, 0x0d,
                                             0x11, 0x22, 0x33, 0x6e, 0x6a, 0x1b, 0x2c, 0x3d, 0x4e, 0x1f, 0x70, 0x21};

static inline void put_secret(volatile char *out)
{
    for (size_t i = 0; i < SECRET; i++) {
        out[i] = (char)(hidden[i] ^ KEY);
    }
}

static inline size_t count_in(const unsigned char *bytes, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; i + SECRET <= len; i++) {
        size_t k = 0;
        while (k < SECRET && (bytes[i + k] ^ KEY) == hidden[k]) {
            k++;
        }
        n += k == SECRET;
    }
    return n;
}

/* In all writable memory of the process but what it is read into, and the shadow of a sanitizer, which is terabytes. */
static inline size_t count_in_process(void)
{
    static unsigned char bytes[STEP + SECRET];
    FILE *maps = fopen("/proc/self/maps", "re");
    int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    char line[512], mode[5];
    unsigned long from, to;
    size_t n = 0;

    assert_non_null(maps);
    assert_true(mem >= 0);
    while (fgets(line, sizeof(line), maps) != NULL) {
        if (sscanf(line, "%lx-%lx %4s", &from, &to, mode) != 3 || strncmp(mode, "rw", 2) != 0 || to - from > AREA_MAX) {
            continue;
        }
        for (unsigned long at = from; at < to; at += STEP) {
            bool is_own = at < (unsigned long)(bytes + sizeof(bytes)) && at + STEP + SECRET > (unsigned long)bytes;
            size_t len = to - at < STEP + SECRET - 1 ? to - at : STEP + SECRET - 1;
            ssize_t got = is_own ? 0 : pread(mem, bytes, len, (off_t)at);
            n += got > 0 ? count_in(bytes, (size_t)got) : 0;
            explicit_bzero(bytes, sizeof(bytes));
        }
    }
    (void)fclose(maps);
    (void)close(mem);
    return n;
}

static inline bool has_flags(const void *address, const char *wanted)
{
    FILE *maps = fopen("/proc/self/smaps", "re");
    char line[512];
    unsigned long from = 0, to = 0, a, b;
    bool has = false;

    assert_non_null(maps);
    while (fgets(line, sizeof(line), maps) != NULL) {
        if (sscanf(line, "%lx-%lx ", &a, &b) == 2 && strchr(line, '-') != NULL && strncmp(line, "VmFlags", 7) != 0) {
            from = a;
            to = b;
        }
        bool is_it = (unsigned long)address >= from && (unsigned long)address < to;
        has = has || (is_it && strncmp(line, "VmFlags", 7) == 0 && strstr(line, wanted) != NULL);
    }
    (void)fclose(maps);
    return has;
}

#endif
