#include "jail/launcher/landlock.h"

#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/span.h"

/* Debian 12's headers know the second version only. */
enum {
    CALL_CREATE_RULESET = 444,
    CALL_ADD_RULE = 445,
    CALL_RESTRICT_SELF = 446,
    FLAG_VERSION = 1,
    RULE_PATH_BENEATH = 1,
    SCOPES = 3, /* abstract Unix sockets, signals */
};

enum {
    EXECUTE = 1 << 0,
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_DIR = 1 << 3,
    REMOVE_DIR = 1 << 4,
    REMOVE_FILE = 1 << 5,
    MAKE_DIR = 1 << 7,
    MAKE_REG = 1 << 8,
    MAKE_SOCK = 1 << 9,
    MAKE_FIFO = 1 << 10,
    MAKE_SYM = 1 << 12,
    REFER = 1 << 13,
    TRUNCATE = 1 << 14,
    IOCTL_DEV = 1 << 15,
    OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV, /* what a rule for a file may hold */
    WRITING = WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_SOCK | MAKE_FIFO | MAKE_SYM | REFER |
              TRUNCATE,
};

struct ruleset_attr {
    uint64_t files, net, scopes;
};

struct path_attr {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

/* Of each version: all rights on files that it can deny, and how long its attribute is. */
static const struct version {
    uint64_t files;
    size_t size;
} versions[] = {
    {0, 0},
    {(1U << 13) - 1, 8},  /* 1 */
    {(1U << 14) - 1, 8},  /* 2: refer */
    {(1U << 15) - 1, 8},  /* 3: truncate */
    {(1U << 15) - 1, 16}, /* 4: TCP ports, which the network namespace covers */
    {(1U << 16) - 1, 16}, /* 5: ioctl on devices */
    {(1U << 16) - 1, 24}, /* 6: scopes */
    {(1U << 16) - 1, 24}, /* 7: audit records */
};

int jail_landlock_version(void)
{
    long version = syscall(CALL_CREATE_RULESET, NULL, 0, FLAG_VERSION);
    const long newest = (long)COUNT(versions) - 1;

    return (int)(version < 0 ? 0 : version > newest ? newest : version);
}

int jail_landlock_new(int version, struct error *err)
{
    const struct ruleset_attr attr = {.files = versions[version].files, .scopes = version >= 6 ? SCOPES : 0};
    int ruleset = (int)syscall(CALL_CREATE_RULESET, &attr, versions[version].size, 0);

    if (ruleset < 0) {
        error_errno(err, "landlock_create_ruleset");
    }
    return ruleset;
}

bool jail_landlock_allow(int ruleset, int version, int fd, unsigned rights, struct error *err)
{
    static const struct {
        unsigned right;
        uint64_t files;
    } meanings[] = {
        {JAIL_RIGHT_LIST, READ_DIR},
        {JAIL_RIGHT_READ, READ_FILE | EXECUTE},
        {JAIL_RIGHT_WRITE, WRITING},
        {JAIL_RIGHT_DEVICE, READ_FILE | READ_DIR | WRITE_FILE | IOCTL_DEV},
    };
    struct path_attr attr = {.parent = fd};
    struct stat info;

    for (size_t i = 0; i < COUNT(meanings); i++) {
        attr.allowed |= (rights & meanings[i].right) != 0 ? meanings[i].files : 0;
    }
    if (fstat(fd, &info) != 0) {
        return error_errno(err, "landlock");
    }
    attr.allowed &= versions[version].files & (S_ISDIR(info.st_mode) ? UINT64_MAX : (uint64_t)OF_FILES);
    return attr.allowed == 0 || syscall(CALL_ADD_RULE, ruleset, RULE_PATH_BENEATH, &attr, 0) == 0 ||
           error_errno(err, "landlock_add_rule");
}

bool jail_landlock_enter(int ruleset, struct error *err)
{
    return syscall(CALL_RESTRICT_SELF, ruleset, 0) == 0 || error_errno(err, "landlock_restrict_self");
}
