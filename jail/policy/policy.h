/* policy.h - the policy of one jail, read from one YAML file (filterd-jail(1)); immutable afterwards.
 *
 * Zero is strict: a zeroed policy has no inputs, no environment, no work space, limits of
 * zero, the strict set of system calls, and refuses to start when a mechanism is missing. Sizes are
 * bytes, times milliseconds, cpu is thousandths of a processor. JAIL_NONE means no limit.
 * Texts are NUL-terminated and live as long as the policy. Not thread-safe. */
#ifndef FILTERD_JAIL_POLICY_POLICY_H
#define FILTERD_JAIL_POLICY_POLICY_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

#define JAIL_NONE INT64_MAX

enum {
    JAIL_INPUTS_MAX = 64,
    JAIL_NAMES_MAX = 256,
    JAIL_VARIABLES_MAX = 256,
    JAIL_PORTS_MAX = 16,
    JAIL_HONEYTOKENS_MAX = 32,
    JAIL_PATH_MAX = 1024,
    JAIL_POLICY_BYTES_MAX = 256 * 1024,
};

enum jail_profile { JAIL_PROFILE_STRICT, JAIL_PROFILE_AGENT, JAIL_PROFILE_COUNT };
enum jail_denied { JAIL_DENIED_REFUSE, JAIL_DENIED_HONEYTOKEN };
enum jail_missing { JAIL_MISSING_REFUSE, JAIL_MISSING_DEGRADE };

/* A file or folder of the host, mounted read-only in the jail. */
struct jail_input {
    const char *from, *to; /* both absolute, without '.', '..', '//' */
    bool is_snapshot;      /* a copy, made before the command runs; otherwise the live input */
};

/* Limits on the copies of all inputs together, in the jail's memory. `bytes` counts whole pages for each file and link;
 * `files` includes folders and links. */
struct jail_copy_limits {
    int64_t bytes, files;
};

/* A folder in memory. */
struct jail_folder {
    int64_t bytes, inodes;
    bool may_exec;
};

/* A folder of the jail whose files are copied out after the run; path NULL: none. */
struct jail_outputs {
    const char *path, *quarantine;
    int64_t bytes, files, deadline; /* ms, for the copying */
};

/* The egress proxy: absolute paths of the machine. egress NULL: no network. */
struct jail_network {
    const char *egress;                       /* the rules of filterd-egress */
    const char *record;                       /* what it appends its lines to */
    const char *rules, *filter_policy, *cache; /* its rules and policy; NULL: its defaults */
    uint16_t ports[JAIL_PORTS_MAX];           /* TCP ports to capture, to any address; UDP 53 always */
    size_t n_ports;
    uint16_t proxy;                           /* TCP port on which an HTTP proxy listens; 0: none */
};

/* filterd, which counts the jail's violations and may kill it; socket NULL: not registered. */
struct jail_filterd {
    const char *socket, *agent, *tenant; /* agent NULL: the policy's name */
    int64_t lease;
};

struct jail_variable {
    const char *name, *value; /* value NULL: the launcher's value, if any */
    bool is_of_profile;       /* the policy itself may override it */
};

struct jail_limits {
    int64_t memory, swap, cpu, pids;
    int64_t wall, cpu_time, idle;
    int64_t open_files, file_size, output;
};

struct jail_policy {
    const char *name, *hostname;
    const char *work_path;
    struct jail_input inputs[JAIL_INPUTS_MAX]; /* outermost first */
    size_t n_inputs;
    struct jail_copy_limits snapshots;
    const char *denied_names[JAIL_NAMES_MAX]; /* shell patterns of single names */
    size_t n_denied_names;
    const char *honeytokens[JAIL_HONEYTOKENS_MAX]; /* bait files inside the jail */
    size_t n_honeytokens;
    struct jail_variable variables[JAIL_VARIABLES_MAX];
    size_t n_variables;
    struct jail_folder work, tmp;
    struct jail_outputs outputs;
    struct jail_network network;
    struct jail_filterd filter;
    const char *report; /* folder of the host for signed reports; NULL: no report */
    struct jail_limits limits;
    enum jail_profile profile;
    enum jail_missing on_missing;
    enum jail_denied on_denied; /* an entry with a denied name cannot be opened, or is a honeytoken */
    struct arena arena; /* of its texts */
};

/* Reads a file that only its owner (root or the caller) can change or replace: no symbolic
 * link in its path, not writable by others, in folders that others cannot write. NULL with err. */
struct jail_policy *jail_policy_load(const char *path, struct error *err);
/* The same from bytes; `file` names them in errors, relative paths start at `folder`. */
struct jail_policy *jail_policy_read(const char *file, const char *folder, struct span yaml, struct error *err);
void jail_policy_free(struct jail_policy *p);

/* Appends the policy with every default written out; reading it gives the same policy. */
MUST_CHECK bool jail_policy_print(const struct jail_policy *p, struct buf *out, struct error *err);

/* The digest of that text, "sha256:" and 64 digits. Computed on demand, so that a start need not wait for it. */
enum { JAIL_POLICY_DIGEST = sizeof("sha256:") + 64 };
MUST_CHECK bool jail_policy_digest(const struct jail_policy *p, char digest[JAIL_POLICY_DIGEST], struct error *err);

bool jail_policy_has_snapshots(const struct jail_policy *p);

/* True when a pattern denies this name (of one file or folder, not a path). */
bool jail_policy_denies_name(const struct jail_policy *p, const char *name);

#endif
