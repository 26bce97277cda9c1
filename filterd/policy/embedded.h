/* embedded.h - the built-in rules, policy, names and samples. */
#ifndef FILTERD_POLICY_EMBEDDED_H
#define FILTERD_POLICY_EMBEDDED_H

#include <stddef.h>

struct embedded_file {
    const char *path; /* "rules/secrets/aws.yaml", "rules/policy.yaml", "rules/samples/01-clean-python.txt" */
    const char *content;
    size_t len;
};

extern const struct embedded_file embedded_files[];
extern const unsigned embedded_file_count;

#endif
