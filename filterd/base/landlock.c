#include "base/landlock.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/span.h"

enum {
    CALL_CREATE_RULESET = 444,
    CALL_ADD_RULE = 445,
    CALL_RESTRICT_SELF = 446,
    FLAG_VERSION = 1,
    RULE_PATH_BENEATH = 1,
    RULE_NET_PORT = 2,
    NET_CONNECT_TCP = 1 << 1,
    SCOPE_SOCKETS = 1,
    SCOPE_SIGNALS = 2,
    OF_FILES = LANDLOCK_EXECUTE | LANDLOCK_WRITE_FILE | LANDLOCK_READ_FILE | LANDLOCK_TRUNCATE |
               LANDLOCK_IOCTL_DEV, /* what a rule for a file may hold */
};

struct ruleset_attr {
    uint64_t files, net, scopes;
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
    uint64_t files;
    size_t size;
} versions[] = {
    {0, 0},
    {(1U << 13) - 1, 8},  /* 1 */
    {(1U << 14) - 1, 8},  /* 2: refer */
    {(1U << 15) - 1, 8},  /* 3: truncate */
    {(1U << 15) - 1, 16}, /* 4: TCP ports */
    {(1U << 16) - 1, 16}, /* 5: ioctl on devices */
    {(1U << 16) - 1, 24}, /* 6: scopes */
    {(1U << 16) - 1, 24}, /* 7: audit records */
};

int landlock_version(void)
{
    long version = syscall(CALL_CREATE_RULESET, NULL, 0, FLAG_VERSION);
    const long newest = (long)COUNT(versions) - 1;

    return (int)(version < 0 ? 0 : version > newest ? newest : version);
}

int landlock_new(int version, unsigned also, struct error *err)
{
    unsigned scopes = ((also & LANDLOCK_ALSO_SOCKETS) != 0 ? SCOPE_SOCKETS : 0U) |
                      ((also & LANDLOCK_ALSO_SIGNALS) != 0 ? SCOPE_SIGNALS : 0U);
    bool has_connections = (also & LANDLOCK_ALSO_CONNECTIONS) != 0 && version >= LANDLOCK_VERSION_CONNECTIONS;
    const struct ruleset_attr attr = {
        .files = versions[version].files,
        .net = has_connections ? NET_CONNECT_TCP : 0,
        .scopes = version >= LANDLOCK_VERSION_SCOPES ? scopes : 0,
    };
    int ruleset = (int)syscall(CALL_CREATE_RULESET, &attr, versions[version].size, 0);

    if (ruleset < 0) {
        error_errno(err, "landlock_create_ruleset");
    }
    return ruleset;
}

bool landlock_allow(int ruleset, int version, int fd, unsigned rights, struct error *err)
{
    struct path_attr attr = {.allowed = rights & versions[version].files, .parent = fd};
    struct stat info;

    if (fstat(fd, &info) != 0) {
        return error_errno(err, "landlock");
    }
    attr.allowed &= S_ISDIR(info.st_mode) ? UINT64_MAX : (uint64_t)OF_FILES;
    return attr.allowed == 0 || syscall(CALL_ADD_RULE, ruleset, RULE_PATH_BENEATH, &attr, 0) == 0 ||
           error_errno(err, "landlock_add_rule");
}

bool landlock_allow_port(int ruleset, unsigned port, struct error *err)
{
    const struct port_attr attr = {.allowed = NET_CONNECT_TCP, .port = port};

    return syscall(CALL_ADD_RULE, ruleset, RULE_NET_PORT, &attr, 0) == 0 ||
           error_errno(err, "landlock: port %u", port);
}

bool landlock_enter(int ruleset, struct error *err)
{
    return syscall(CALL_RESTRICT_SELF, ruleset, 0) == 0 || error_errno(err, "landlock_restrict_self");
}
