#include "state/policy_texts.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"

/* False: it is no digest, or there is no folder. */
static bool make_path(const char *state_directory, struct span digest, char path[PATH_MAX])
{
    static const char prefix[] = "sha256:", digits[] = "0123456789abcdef";

    if (span_starts_with(digest, span_str(prefix))) {
        digest = span_slice(digest, sizeof(prefix) - 1, digest.len);
    }
    bool is_digest = digest.len == DIGEST_SHA256_HEX && state_directory != NULL;
    for (size_t i = 0; i < digest.len && is_digest; i++) {
        is_digest = digest.ptr[i] != '\0' && strchr(digits, digest.ptr[i]) != NULL;
    }
    return is_digest &&
           snprintf(path, PATH_MAX, "%s/policies/" SPAN_FMT ".yaml", state_directory, SPAN_ARG(digest)) < PATH_MAX;
}

bool policy_text_keep(const char *state_directory, struct span digest, struct span text, struct error *err)
{
    char path[PATH_MAX], folder[PATH_MAX];

    if (!make_path(state_directory, digest, path)) {
        return error_set(err, ERROR_INVALID, "policies: a state directory and a digest expected");
    }
    if (access(path, F_OK) == 0) {
        return true;
    }
    (void)snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
    return file_make_directory(folder, err) && file_write_atomic(path, text, 0600, err);
}

bool policy_text_read(const char *state_directory, struct span digest, struct buf *out, struct error *err)
{
    char path[PATH_MAX];

    return make_path(state_directory, digest, path) ? file_read(path, out, err)
                                                    : error_set(err, ERROR_NOT_FOUND, "policies: there is none of that digest");
}
