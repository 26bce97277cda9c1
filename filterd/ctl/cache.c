#include "ctl/cache.h"

#include "base/directory.h"
#include "base/trusted_file.h"

const char *cache_directory(const struct arguments *args, char path[PATH_MAX])
{
    struct error ignored; /* the rules are compiled then */

    if (args->is_uncached || (args->cache != NULL && strcmp(args->cache, "none") == 0)) {
        return NULL;
    }
    if (args->cache == NULL && !directory_find(DIRECTORY_USER_CACHE, path)) {
        return NULL;
    }
    const char *directory = args->cache != NULL ? args->cache : path;
    return trusted_folder(directory, &ignored) ? directory : NULL;
}
