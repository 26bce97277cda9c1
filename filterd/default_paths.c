#include "default_paths.h"

#include <stdio.h>
#include <unistd.h>

#include "base/directory.h"

/* NULL when memory is out. */
static const char *join(struct arena *a, const char *directory, const char *below)
{
    struct error err;
    size_t size = strlen(directory) + strlen(below) + 1;
    char *path = arena_alloc(a, size, &err);

    if (path != NULL) {
        (void)snprintf(path, size, "%s%s", directory, below);
    }
    return path;
}

static const char *default_directory(struct arena *a, enum directory which)
{
    char path[PATH_MAX];

    return directory_find(which, path) ? join(a, path, "") : NULL;
}

static const char *unless_none(const char *directory)
{
    return directory != NULL && strcmp(directory, "none") == 0 ? NULL : directory;
}

static void find_directories(struct arena *a, struct service_options *s)
{
    if (s->state_directory == NULL) {
        s->state_directory = default_directory(a, DIRECTORY_STATE);
    }
    if (s->cache_directory == NULL) {
        s->cache_directory = default_directory(a, DIRECTORY_CACHE);
    }
    s->state_directory = unless_none(s->state_directory);
    s->cache_directory = unless_none(s->cache_directory);
}

static void find_operators(struct arena *a, struct service_options *s)
{
    if (s->operators != NULL) {
        return;
    }
    const char *directory = default_directory(a, DIRECTORY_RUNTIME);
    directory = directory != NULL ? directory : s->state_directory;
    const char *prefix = directory == NULL ? NULL : join(a, "unix:", directory);
    s->operators = prefix == NULL ? "none" : join(a, prefix, "/operators.sock");
}

/* Beside the operators', when that is a file. */
static void find_agents(struct arena *a, struct service_options *s)
{
    const char *slash = strrchr(s->operators, '/');

    if (s->agents != NULL) {
        return;
    }
    s->agents = "none";
    if (strncmp(s->operators, "unix:/", 6) == 0 && slash != NULL) {
        size_t len = (size_t)(slash - s->operators);
        size_t size = len + sizeof("/agents.sock");
        struct error err;
        char *path = arena_alloc(a, size, &err);
        if (path != NULL) {
            (void)snprintf(path, size, "%.*s/agents.sock", (int)len, s->operators);
            s->agents = path;
        }
    }
}

static bool find_log(struct arena *a, struct service_options *s, struct error *err)
{
    const char *directory = default_directory(a, DIRECTORY_LOGS);

    if (s->log != NULL) {
        return true;
    }
    directory = directory != NULL ? directory : s->state_directory;
    s->log = directory == NULL ? NULL : join(a, directory, "/decisions.jsonl");
    return s->log != NULL || error_set(err, ERROR_INVALID,
                                       "log: a file expected: there is no state directory, "
                                       "and without a record nothing is released");
}

/* Rules and policy are in a signed bundle, or are not: the demand for signatures has no way around it. */
static bool find_bundled(struct arena *a, struct service_options *s, struct error *err)
{
    if (s->bundles == NULL && s->bundle_keys == NULL) {
        return true;
    }
    if (s->bundles == NULL || s->bundle_keys == NULL) {
        return error_set(err, ERROR_INVALID, "bundles and bundle-keys: both or neither expected");
    }
    if (s->rules != NULL || s->policy != NULL) {
        return error_set(err, ERROR_INVALID, "bundles: neither rules nor policy expected beside it, as a bundle has both");
    }
    if (s->state_directory == NULL) {
        return error_set(err, ERROR_INVALID, "bundles: a state directory expected for the bundle that was taken");
    }
    s->rules = join(a, s->state_directory, "/policy-bundles/rules");
    return s->rules != NULL || error_set(err, ERROR_NO_MEMORY, "bundles: no memory");
}

bool default_paths_set(struct arena *a, struct service_options *s, struct error *err)
{
    if (s->threads == 0) {
        long n = sysconf(_SC_NPROCESSORS_ONLN);
        s->threads = n < 1 ? 1 : (uint64_t)n;
    }
    find_directories(a, s);
    find_operators(a, s);
    if (s->operators == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "operators: no memory");
    }
    find_agents(a, s);
    if ((s->tls_certificate == NULL) != (s->tls_key == NULL)) {
        return error_set(err, ERROR_INVALID,
                         "tls-certificate and tls-key: both or neither expected");
    }
    return find_bundled(a, s, err) && find_log(a, s, err);
}
