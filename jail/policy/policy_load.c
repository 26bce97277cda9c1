/* policy_load.c - loads a jail's policy from a file that only its owner can change. */
#include "base/cleanup.h"
#include "base/trusted_file.h"
#include "jail/policy/policy.h"

struct jail_policy *jail_policy_load(const char *path, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);
    char folder[PATH_MAX];

    buf_init(&text, JAIL_POLICY_BYTES_MAX);
    if (!trusted_file_read(path, &text, err) || !trusted_file_folder(path, folder, err)) {
        return NULL;
    }
    return jail_policy_read(path, folder, buf_span(&text), err);
}
