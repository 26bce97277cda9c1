/* policy.h - what one jail may do: read from one YAML file (filterd-jail(1)), never changed after.
 *
 * Zero is strict: a zeroed policy has no inputs, no environment, no room to work in, limits of
 * nothing, the strict set of system calls, and refuses to start where a mechanism is missing. Sizes are
 * bytes, times milliseconds, cpu is thousandths of a processor. JAIL_NONE as a limit: there is none.
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

/* A file or folder of the host, shown read-only at another place. */
struct jail_input {
    const char *from, *to; /* both absolute, without '.', '..', '//' */
    bool is_snapshot;      /* a copy, made before the command runs; else as it is on the host, and becomes */
};

/* What the copies of all inputs together may take, of the jail's memory: whole pages for each file and link; files,
 * folders and links. */
struct jail_copy_limits {
    int64_t bytes, files;
};

/* A folder in memory. */
struct jail_folder {
    int64_t bytes, inodes;
    bool may_exec;
};

/* A folder of the jail whose files are copied out when all is over; path NULL: there is none. */
struct jail_outputs {
    const char *path, *quarantine;
    int64_t bytes, files, deadline; /* ms, for the copying */
};

/* The egress proxy: absolute paths of the machine. egress NULL: no network. */
struct jail_network {
    const char *egress;                       /* the rules of filterd-egress */
    const char *record;                       /* what it appends its lines to */
    const char *rules, *filter_policy, *cache; /* what it judges by; NULL: its defaults */
    uint16_t ports[JAIL_PORTS_MAX];           /* of TCP, on their way to any address; UDP 53 always */
    size_t n_ports;
    uint16_t proxy;                           /* of TCP: an HTTP proxy listens there; 0: none */
};

/* filterd, which counts the jail's violations and may kill it; socket NULL: not registered. */
struct jail_filterd {
    const char *socket, *agent, *tenant; /* agent NULL: the policy's name */
    int64_t lease;
};

struct jail_variable {
    const char *name, *value; /* value NULL: the launcher's own, when it has one */
    bool is_of_profile;       /* may stand again in the policy itself, which wins */
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
    const char *report; /* folder of the host for signed reports; NULL: none is left */
    struct jail_limits limits;
    enum jail_profile profile;
    enum jail_missing on_missing;
    enum jail_denied on_denied; /* an entry with a denied name cannot be opened, or is a honeytoken */
    struct arena arena; /* of its texts */
};

/* Reads a file that only its owner (root or the caller) can change or replace: no symbolic
 * link in its path, not writable by others, in folders that others cannot write. NULL with err. */
struct jail_policy *jail_policy_load(const char *path, struct error *err);
/* The same from bytes; `file` names them in errors, `folder` is what relative paths start from. */
struct jail_policy *jail_policy_read(const char *file, const char *folder, struct span yaml, struct error *err);
void jail_policy_free(struct jail_policy *p);

/* Appends the policy with every default written out; reading it gives the same policy. */
MUST_CHECK bool jail_policy_print(const struct jail_policy *p, struct buf *out, struct error *err);

/* "sha256:" and 64 digits: of that text. Made when it is asked for: a start need not wait for it. */
enum { JAIL_POLICY_DIGEST = sizeof("sha256:") + 64 };
MUST_CHECK bool jail_policy_digest(const struct jail_policy *p, char digest[JAIL_POLICY_DIGEST], struct error *err);

bool jail_policy_has_snapshots(const struct jail_policy *p);

/* True when a pattern denies this name (of one file or folder, not a path). */
bool jail_policy_denies_name(const struct jail_policy *p, const char *name);

#endif
