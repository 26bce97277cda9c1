#include "sandbox/reach.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/landlock.h"

enum {
    READING = LANDLOCK_READ_FILE | LANDLOCK_READ_DIR,
    WRITING = LANDLOCK_WRITE_FILE | LANDLOCK_REMOVE_FILE | LANDLOCK_REMOVE_DIR | LANDLOCK_MAKE_DIR | LANDLOCK_MAKE_REG |
              LANDLOCK_MAKE_SOCK | LANDLOCK_TRUNCATE | LANDLOCK_REFER,
};

/* Signals are the system call filter's business. */
enum { ALSO = LANDLOCK_ALSO_CONNECTIONS | LANDLOCK_ALSO_SOCKETS };

/* Files that are replaced by renaming get new inodes, so the rule is for their directory. */
static void directory_of(const char *path, char out[PATH_MAX])
{
    struct stat info;

    (void)snprintf(out, PATH_MAX, "%s", path);
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        return;
    }
    char *slash = strrchr(out, '/');
    if (slash == NULL) {
        (void)snprintf(out, PATH_MAX, ".");
    } else {
        slash[slash == out ? 1 : 0] = '\0';
    }
}

static bool allow(int ruleset, int version, const struct sandbox_path *p, struct error *err)
{
    char directory[PATH_MAX];

    directory_of(p->path, directory);
    int fd CLEANUP(cleanup_fd) = open(directory, O_PATH | O_CLOEXEC | O_DIRECTORY);
    if (fd < 0) {
        return error_errno(err, "%s", directory);
    }
    return landlock_allow(ruleset, version, fd, p->is_writable ? READING | WRITING : READING, err) ||
           error_wrap(err, "%s", directory);
}

bool reach_enter(int version, const struct sandbox_reach *reach, struct error *err)
{
    static const struct sandbox_path proc = {"/proc", false}; /* where a sanitizer finds the threads whose leaks it looks for */
    int ruleset CLEANUP(cleanup_fd) = landlock_new(version, ALSO, err);

    if (SANDBOX_HAS_SANITIZER && ruleset >= 0 && !allow(ruleset, version, &proc, err)) {
        return false;
    }
    for (unsigned i = 0; ruleset >= 0 && i < reach->n_paths; i++) {
        if (reach->paths[i].path != NULL && !allow(ruleset, version, &reach->paths[i], err)) {
            return false;
        }
    }
    for (unsigned i = 0; version >= LANDLOCK_VERSION_CONNECTIONS && ruleset >= 0 && i < reach->n_ports; i++) {
        if (!landlock_allow_port(ruleset, reach->ports[i], err)) {
            return false;
        }
    }
    return ruleset >= 0 && landlock_enter(ruleset, err);
}
