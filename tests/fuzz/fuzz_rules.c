/* A rule file of any bytes is loaded or refused with a reason that has a place. */
#include <stdlib.h>

#include "policy/rule_set.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct rule_file file = {.path = "rules/fuzz/f.yaml", .content = span_of((const char *)data, size)};
    const struct rule_set_options options = {0};
    struct error err = {0};

    struct rule_set *set = rule_set_load(&file, 1, &options, &err);
    if (set == NULL && strncmp(err.text, file.path, strlen(file.path)) != 0 && err.kind != ERROR_NO_MEMORY &&
        err.kind != ERROR_LIMIT) {
        abort();
    }
    rule_set_unref(set);
    return 0;
}
