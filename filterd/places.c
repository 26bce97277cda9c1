#include "places.h"

#include <stdio.h>
#include <unistd.h>

#include "base/directories.h"

/* "none" is said of a directory that is not wanted: nothing is looked for in its place. */
static void find_directories(struct arena *a, struct service_options *s)
{
    struct directories d = {.state = s->state_directory, .cache = s->cache_directory};

    directories_find(a, &d);
    bool has_state = d.state != NULL && strcmp(d.state, "none") != 0;
    bool has_cache = d.cache != NULL && strcmp(d.cache, "none") != 0;
    s->state_directory = has_state ? d.state : NULL;
    s->cache_directory = has_cache ? d.cache : NULL;
    d.runtime = d.runtime != d.state || has_state ? d.runtime : NULL;
    d.logs = d.logs != d.state || has_state ? d.logs : NULL;
    if (s->operators == NULL) {
        s->operators = d.runtime == NULL ? "none" : directories_operators(a, &d);
    }
    s->log = s->log != NULL ? s->log : directories_log(a, &d);
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

bool places_find(struct arena *a, struct service_options *s, struct error *err)
{
    if (s->threads == 0) {
        long n = sysconf(_SC_NPROCESSORS_ONLN);
        s->threads = n < 1 ? 1 : (uint64_t)n;
    }
    find_directories(a, s);
    if (s->operators == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "operators: no memory");
    }
    find_agents(a, s);
    if ((s->tls_certificate == NULL) != (s->tls_key == NULL)) {
        return error_set(err, ERROR_INVALID,
                         "tls-certificate and tls-key: both or neither expected");
    }
    return s->log != NULL || error_set(err, ERROR_INVALID,
                                       "log: a file expected: there is no state directory, "
                                       "and without a record nothing is released");
}
