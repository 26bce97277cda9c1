/* pack_folder.h - for fuzz targets of packs: a folder of objects with one pack, removed at the end. */
#ifndef FILTERD_TESTS_FUZZ_SOURCE_PACK_FOLDER_H
#define FILTERD_TESTS_FUZZ_SOURCE_PACK_FOLDER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

static char folder[64];

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void remove_folder(void)
{
    static const char *const names[] = {"pack/1.pack", "pack/1.idx", "pack", ""};
    char path[128];

    for (size_t i = 0; i < COUNT(names); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        (void)remove(path);
    }
}

static void make_folder(void)
{
    const char *temporary = getenv("TMPDIR");
    char path[128];

    if (folder[0] != '\0') {
        return;
    }
    (void)snprintf(folder, sizeof(folder), "%s/fuzz-pack-XXXXXX", temporary != NULL ? temporary : "/tmp");
    require(mkdtemp(folder) != NULL);
    (void)snprintf(path, sizeof(path), "%s/pack", folder);
    require(mkdir(path, 0700) == 0 && atexit(remove_folder) == 0);
}

static void write_file(const char *name, const uint8_t *bytes, size_t len)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "%s/pack/%s", folder, name);
    FILE *file CLEANUP(cleanup_file) = fopen(path, "w");
    require(file != NULL && fwrite(bytes, 1, len, file) == len);
}

#endif
