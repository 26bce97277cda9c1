#include "sandbox/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"

/* Debian 12's headers know Landlock's second version only; the numbers are the kernel's ABI. */
enum {
    CALL_CREATE_RULESET = 444,
    CALL_ADD_RULE = 445,
    CALL_RESTRICT_SELF = 446,
    FLAG_VERSION = 1,
    RULE_PATH_BENEATH = 1,
    RULE_NET_PORT = 2,
    NET_CONNECT_TCP = 1 << 1,
    SCOPE_ABSTRACT = 1, /* Unix sockets without a file; signals are the seccomp filter's business */
};

enum {
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_DIR = 1 << 3,
    REMOVE_FILE = 1 << 5,
    MAKE_DIR = 1 << 7,
    MAKE_REG = 1 << 8,
    MAKE_SOCK = 1 << 9,
    REFER = 1 << 13,
    TRUNCATE = 1 << 14,
    READING = READ_FILE | READ_DIR,
    WRITING = WRITE_FILE | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_SOCK | TRUNCATE,
};

struct ruleset_attr {
    uint64_t fs, net, scoped;
};

struct path_attr {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

struct port_attr {
    uint64_t allowed, port;
};

/* Of each version: all rights on files that it can deny, and how long its attribute is. */
static const struct version {
    uint64_t fs;
    size_t size;
} versions[] = {
    {0, 0},
    {(1U << 13) - 1, 8},  /* 1 */
    {(1U << 14) - 1, 8},  /* 2: refer */
    {(1U << 15) - 1, 8},  /* 3: truncate */
    {(1U << 15) - 1, 16}, /* 4: TCP */
    {(1U << 16) - 1, 16}, /* 5: ioctl on devices */
    {(1U << 16) - 1, 24}, /* 6: scopes */
};

int landlock_abi(void)
{
    return (int)syscall(CALL_CREATE_RULESET, NULL, 0, FLAG_VERSION);
}

bool landlock_covers_connections(int abi)
{
    return abi >= 4;
}

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

static bool allow(int ruleset, const struct sandbox_path *p, uint64_t handled, struct error *err)
{
    char directory[PATH_MAX];

    directory_of(p->path, directory);
    int fd CLEANUP(cleanup_fd) = open(directory, O_PATH | O_CLOEXEC | O_DIRECTORY);
    if (fd < 0) {
        return error_errno(err, "%s", directory);
    }
    uint64_t wanted = p->is_writable ? (uint64_t)READING | WRITING | REFER : (uint64_t)READING;
    const struct path_attr attr = {.allowed = handled & wanted, .parent = fd};
    return syscall(CALL_ADD_RULE, ruleset, RULE_PATH_BENEATH, &attr, 0) == 0 ||
           error_errno(err, "%s", directory);
}

static bool allow_port(int ruleset, unsigned port, struct error *err)
{
    const struct port_attr attr = {.allowed = NET_CONNECT_TCP, .port = port};

    return syscall(CALL_ADD_RULE, ruleset, RULE_NET_PORT, &attr, 0) == 0 ||
           error_errno(err, "landlock: port %u", port);
}

static bool allow_all(int ruleset, const struct sandbox_reach *reach, const struct ruleset_attr *a,
                      struct error *err)
{
    for (unsigned i = 0; i < reach->n_paths; i++) {
        const struct sandbox_path *p = &reach->paths[i];
        if (p->path != NULL && !allow(ruleset, p, a->fs, err)) {
            return false;
        }
    }
    for (unsigned i = 0; a->net != 0 && i < reach->n_ports; i++) {
        if (!allow_port(ruleset, reach->ports[i], err)) {
            return false;
        }
    }
    return true;
}

bool landlock_enter(int abi, const struct sandbox_reach *reach, struct error *err)
{
    int newest = (int)(sizeof(versions) / sizeof(versions[0])) - 1;
    int known = abi < newest ? abi : newest;
    const struct version *v = &versions[known];
    const struct ruleset_attr attr = {
        .fs = v->fs,
        .net = known >= 4 ? NET_CONNECT_TCP : 0,
        .scoped = known >= 6 ? SCOPE_ABSTRACT : 0,
    };
    int ruleset CLEANUP(cleanup_fd) = (int)syscall(CALL_CREATE_RULESET, &attr, v->size, 0);

    if (ruleset < 0) {
        return error_errno(err, "landlock_create_ruleset");
    }
    return allow_all(ruleset, reach, &attr, err) &&
           (syscall(CALL_RESTRICT_SELF, ruleset, 0) == 0 ||
            error_errno(err, "landlock_restrict_self"));
}
