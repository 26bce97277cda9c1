/* cells_build.h - a dataset file of the cells of a CSV file. */
#ifndef FILTERD_DATASET_CELLS_BUILD_H
#define FILTERD_DATASET_CELLS_BUILD_H

#include <stdio.h>

#include "dataset/table.h"

struct cells_build {
    const char *name;    /* of the CSV file, for errors */
    FILE *csv;           /* the first row names the columns */
    char delimiter;
    struct span columns; /* "email:email,phone:phone+49": name in the file, kind */
    int64_t now_s;       /* UTC */
    const struct dataset_key *key;
    const char *path;    /* of the file that is written */
};

struct cells_built {
    struct table_header header;
    uint64_t skipped; /* cells that are empty, too short, too long or common words */
    uint64_t size;    /* bytes of the file */
};

MUST_CHECK bool cells_build(const struct cells_build *b, struct cells_built *out, struct error *err);

#endif
