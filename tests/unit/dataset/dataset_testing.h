/* dataset_testing.h - datasets for tests, in a folder of their own. */
#ifndef FILTERD_TESTS_DATASET_TESTING_H
#define FILTERD_TESTS_DATASET_TESTING_H

#include "testing.h"

#include <limits.h>
#include <sodium.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "dataset/cells_build.h"
#include "dataset/cells_find.h"

static char folder[64];

__attribute__((unused)) static const char *path_of(const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % COUNT(paths)];

    (void)snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

__attribute__((unused)) static void make_key(const char *name, struct dataset_key *key)
{
    struct error err;
    bool is_new;

    if (!dataset_key_make(path_of(name), key, &is_new, &err)) {
        fail_msg("%s", err.text);
    }
}

__attribute__((unused)) static int make_folder(void **state)
{
    (void)state;
    assert_true(sodium_init() >= 0);
    (void)snprintf(folder, sizeof(folder), "/tmp/filterd-dataset.XXXXXX");
    assert_non_null(mkdtemp(folder));
    return 0;
}

__attribute__((unused)) static int remove_folder(void **state)
{
    char command[PATH_MAX];
    static const char *const names[] = {"set.edm", "other.edm", "key", "other.key", "set.idm", "one.idm", "old.idm"};

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        (void)snprintf(command, sizeof(command), "%s/%s", folder, names[i]);
        (void)unlink(command);
    }
    return rmdir(folder);
}

/* Builds set.edm under the key "key". */
__attribute__((unused)) static bool build_cells(const char *csv, const char *columns, struct cells_built *built, struct error *err)
{
    struct dataset_key key;
    FILE *file = fmemopen((void *)(uintptr_t)csv, strlen(csv), "r");
    char path[128];

    assert_non_null(file);
    make_key("key", &key);
    (void)snprintf(path, sizeof(path), "%s", path_of("set.edm"));
    const struct cells_build b = {.name = "set.csv", .csv = file, .delimiter = ',', .columns = span_str(columns),
                                  .now_s = 1795000000, .key = &key, .path = path};
    bool is_built = cells_build(&b, built, err);
    (void)fclose(file);
    return is_built;
}

__attribute__((unused)) static struct table *open_cells(void)
{
    struct error err;
    struct table *t = table_open(path_of("set.edm"), path_of("key"), TABLE_CELLS, &err);

    if (t == NULL) {
        fail_msg("%s", err.text);
    }
    return t;
}

#endif
