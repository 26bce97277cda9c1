#include "base/directory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* `systemd` and `user` are variables of the environment, `home` is below HOME; NULL: there is no such place. */
static const struct place {
    const char *systemd, *user, *home, *root;
} places[DIRECTORY_COUNT] = {
    [DIRECTORY_STATE] = {"STATE_DIRECTORY", "XDG_STATE_HOME", "/.local/state/filterd", "/var/lib/filterd"},
    [DIRECTORY_CACHE] = {"CACHE_DIRECTORY", "XDG_CACHE_HOME", "/.cache/filterd", "/var/cache/filterd"},
    [DIRECTORY_USER_CACHE] = {NULL, "XDG_CACHE_HOME", "/.cache/filterd", NULL},
    [DIRECTORY_RUNTIME] = {"RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR", NULL, "/run/filterd"},
    [DIRECTORY_LOGS] = {"LOGS_DIRECTORY", NULL, NULL, NULL},
};

/* An absolute path, or NULL. */
static const char *environment(const char *name)
{
    const char *path = name == NULL ? NULL : getenv(name); /* NOLINT(concurrency-mt-unsafe): no thread yet */

    return path != NULL && path[0] == '/' ? path : NULL;
}

static bool join(const char *directory, const char *below, char path[PATH_MAX])
{
    return directory != NULL && below != NULL &&
           (size_t)snprintf(path, PATH_MAX, "%s%s", directory, below) < PATH_MAX;
}

static bool find_of_user(const struct place *p, char path[PATH_MAX])
{
    return join(environment(p->user), "/filterd", path) || join(environment("HOME"), p->home, path);
}

/* Of several directories of a unit systemd gives a list, separated by colons; the first is the one. */
static bool find_of_systemd(const struct place *p, char path[PATH_MAX])
{
    if (!join(environment(p->systemd), "", path)) {
        return false;
    }
    path[strcspn(path, ":")] = '\0';
    return true;
}

bool directory_find(enum directory which, char path[PATH_MAX])
{
    const struct place *p = &places[which];

    return find_of_systemd(p, path) ||
           (geteuid() == 0 && p->root != NULL ? join(p->root, "", path) : find_of_user(p, path));
}

/* Takes the next path of `c` into the list, unless it is there. */
static void keep(struct directory_candidates *c, bool is_made)
{
    bool is_new = is_made && c->n < DIRECTORY_CANDIDATES_MAX - 1;

    for (unsigned i = 0; i < c->n && is_new; i++) {
        is_new = strcmp(c->paths[i], c->paths[c->n]) != 0;
    }
    c->n += is_new ? 1 : 0;
}

void directory_candidates(enum directory which, struct directory_candidates *out)
{
    const bool is_root = geteuid() == 0, is_logs = which == DIRECTORY_LOGS;
    char user[64];

    (void)snprintf(user, sizeof(user), "/run/user/%u/filterd", (unsigned)geteuid());
    out->n = 0;
    keep(out, directory_find(which, out->paths[out->n]));
    keep(out, !is_root && which == DIRECTORY_RUNTIME && join(user, "", out->paths[out->n]));
    keep(out, (!is_root || is_logs) && directory_find(DIRECTORY_STATE, out->paths[out->n]));
    keep(out, !is_root && join(environment("HOME"), places[DIRECTORY_STATE].home, out->paths[out->n]));
    keep(out, is_logs && join("/var/log/filterd", "", out->paths[out->n]));
    keep(out, is_logs && join(places[DIRECTORY_STATE].root, "", out->paths[out->n]));
    keep(out, which == DIRECTORY_RUNTIME && join(places[which].root, "", out->paths[out->n]));
}
