#include "jail/filters/syscalls_arguments.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "base/span.h"

enum {
    NAMESPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
                 CLONE_NEWNET,
    SOCKET_KIND = 0xf, /* the rest of socket's type are flags */
    WRITE_AND_EXECUTE = PROT_WRITE | PROT_EXEC,
};

/* Of mmap, memfd_create and shmget: pages of the machine's one pool. */
#define HUGE_MAP ((scmp_datum_t)MAP_HUGETLB)
#define HUGE_FILE ((scmp_datum_t)0x4) /* MFD_HUGETLB */
#define HUGE_SEGMENT ((scmp_datum_t)04000) /* SHM_HUGETLB */

#define LOW_HALF 0xffffffffU /* ioctl's number is that; the kernel drops the rest */

/* Numbers that later headers have. */
#define IOCTL_PTY_PEER 0x5441U
#define PRCTL_VMA 0x53564d41U
#define OF_CACHED_PAGES ((scmp_datum_t)0x88) /* RWF_NOWAIT, RWF_DONTCACHE */
enum { PRCTL_SET_MDWE = 65, PRCTL_GET_MDWE = 66, FCNTL_SAME_FILE = 1027 };

/* Terminals, pipes, files, and asking for the addresses of interfaces. Not TIOCSTI, which types into a
 * terminal; not TIOCLINUX, TIOCSETD. */
static const unsigned ioctls[] = {
    TCGETS, TCSETS, TCSETSW, TCSETSF, TCGETA, TCSBRK, TCXONC, TCFLSH, TCSBRKP, TIOCGWINSZ, TIOCSWINSZ, TIOCGPGRP,
    TIOCSPGRP, TIOCGSID, TIOCSCTTY, TIOCNOTTY, TIOCEXCL, TIOCNXCL, TIOCOUTQ, TIOCGPTN, TIOCSPTLCK, TIOCGETD,
    IOCTL_PTY_PEER, FIONREAD, FIONBIO, FIOASYNC, FIOCLEX, FIONCLEX,
    0x802c542aU, 0x402c542bU, 0x402c542cU, 0x402c542dU,                              /* TCGETS2, TCSETS2 … */
    0x40049409U, 0x4020940dU,                                                        /* FICLONE, FICLONERANGE */
    0x80086601U, 0x80087601U,                                                        /* FS_IOC_GETFLAGS, _GETVERSION */
    0x8910U, 0x8912U, 0x8913U, 0x8915U, 0x891bU, 0x8921U, 0x8927U, 0x8933U,          /* SIOCGIF… */
};

static const unsigned prctls[] = {
    PR_SET_PDEATHSIG, PR_GET_PDEATHSIG, PR_GET_DUMPABLE, PR_SET_DUMPABLE, PR_GET_KEEPCAPS, PR_SET_NAME, PR_GET_NAME,
    PR_GET_SECCOMP, PR_CAPBSET_READ, PR_GET_TSC, PR_GET_SECUREBITS, PR_SET_TIMERSLACK, PR_GET_TIMERSLACK,
    PR_SET_CHILD_SUBREAPER, PR_GET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS, PR_GET_TID_ADDRESS,
    PR_SET_THP_DISABLE, PR_GET_THP_DISABLE, PR_GET_SPECULATION_CTRL, PR_SET_SPECULATION_CTRL, PRCTL_SET_MDWE,
    PRCTL_GET_MDWE, PRCTL_VMA,
};

static bool allow(scmp_filter_ctx f, int call, unsigned n, const struct scmp_arg_cmp *args)
{
    return seccomp_rule_add_array(f, SCMP_ACT_ALLOW, call, n, args) == 0;
}

static bool allow_clone(scmp_filter_ctx f, int call)
{
    return allow(f, call, 1, &SCMP_A0(SCMP_CMP_MASKED_EQ, NAMESPACES, 0));
}

/* TCP and UDP, and asking the kernel for routes. No Unix socket, packet, raw, vsock, or other family. */
static bool add_sockets(scmp_filter_ctx f, int call, uint32_t action)
{
    static const struct {
        unsigned family, kind, protocol;
    } kinds[] = {
        {AF_INET, SOCK_STREAM, 0},  {AF_INET, SOCK_STREAM, 6},  {AF_INET, SOCK_DGRAM, 0},  {AF_INET, SOCK_DGRAM, 17},
        {AF_INET6, SOCK_STREAM, 0}, {AF_INET6, SOCK_STREAM, 6}, {AF_INET6, SOCK_DGRAM, 0}, {AF_INET6, SOCK_DGRAM, 17},
        {AF_NETLINK, SOCK_RAW, 0},  {AF_NETLINK, SOCK_DGRAM, 0},
    };

    for (size_t i = 0; i < COUNT(kinds); i++) {
        const struct scmp_arg_cmp args[] = {SCMP_A0(SCMP_CMP_EQ, kinds[i].family),
                                            SCMP_A1(SCMP_CMP_MASKED_EQ, SOCKET_KIND, kinds[i].kind),
                                            SCMP_A2(SCMP_CMP_EQ, kinds[i].protocol)};
        if (seccomp_rule_add_array(f, action, call, COUNT(args), args) != 0) {
            return false;
        }
    }
    return true;
}

static bool allow_socket(scmp_filter_ctx f, int call)
{
    return add_sockets(f, call, SCMP_ACT_ALLOW);
}

/* Unix sockets are denied without notice: the C library asks for them always. */
bool jail_notify_sockets(scmp_filter_ctx f)
{
    static const unsigned families[] = {AF_INET, AF_INET6}, kinds[] = {SOCK_RAW, SOCK_SEQPACKET, SOCK_DCCP};
    static const struct {
        unsigned kind, protocol;
    } protocols[] = {{SOCK_DGRAM, IPPROTO_ICMP},  {SOCK_DGRAM, IPPROTO_ICMPV6}, {SOCK_DGRAM, IPPROTO_UDPLITE},
                     {SOCK_STREAM, IPPROTO_SCTP}, {SOCK_STREAM, IPPROTO_MPTCP}};
    static const unsigned others[] = {AF_PACKET, AF_VSOCK, AF_CAN, AF_BLUETOOTH, AF_ALG, AF_XDP};
    bool is_good = true;

    for (size_t i = 0; i < COUNT(families); i++) {
        for (size_t k = 0; k < COUNT(kinds); k++) {
            const struct scmp_arg_cmp kind[] = {SCMP_A0(SCMP_CMP_EQ, families[i]),
                                                SCMP_A1(SCMP_CMP_MASKED_EQ, SOCKET_KIND, kinds[k])};
            is_good = is_good && seccomp_rule_add_array(f, SCMP_ACT_NOTIFY, SCMP_SYS(socket), COUNT(kind), kind) == 0;
        }
        for (size_t k = 0; k < COUNT(protocols); k++) {
            const struct scmp_arg_cmp one[] = {SCMP_A0(SCMP_CMP_EQ, families[i]),
                                               SCMP_A1(SCMP_CMP_MASKED_EQ, SOCKET_KIND, protocols[k].kind),
                                               SCMP_A2(SCMP_CMP_EQ, protocols[k].protocol)};
            is_good = is_good && seccomp_rule_add_array(f, SCMP_ACT_NOTIFY, SCMP_SYS(socket), COUNT(one), one) == 0;
        }
    }
    for (size_t i = 0; i < COUNT(others); i++) {
        const struct scmp_arg_cmp family = SCMP_A0(SCMP_CMP_EQ, others[i]);
        is_good = is_good && seccomp_rule_add_array(f, SCMP_ACT_NOTIFY, SCMP_SYS(socket), 1, &family) == 0;
    }
    return is_good;
}

static bool allow_socketpair(scmp_filter_ctx f, int call)
{
    return allow(f, call, 1, &SCMP_A0(SCMP_CMP_EQ, AF_UNIX));
}

static bool allow_ioctl(scmp_filter_ctx f, int call)
{
    for (size_t i = 0; i < COUNT(ioctls); i++) {
        if (!allow(f, call, 1, &SCMP_A1(SCMP_CMP_MASKED_EQ, LOW_HALF, ioctls[i]))) {
            return false;
        }
    }
    return true;
}

static bool allow_prctl(scmp_filter_ctx f, int call)
{
    for (size_t i = 0; i < COUNT(prctls); i++) {
        if (!allow(f, call, 1, &SCMP_A0(SCMP_CMP_MASKED_EQ, LOW_HALF, prctls[i]))) {
            return false;
        }
    }
    return true;
}

static bool allow_personality(scmp_filter_ctx f, int call)
{
    return allow(f, call, 1, &SCMP_A0(SCMP_CMP_EQ, PER_LINUX)) && allow(f, call, 1, &SCMP_A0(SCMP_CMP_EQ, LOW_HALF));
}

/* A program may restrict itself further; a notify fd would let it answer its children's calls. */
static bool add_own_filters(scmp_filter_ctx f, int call, uint32_t action)
{
    const struct scmp_arg_cmp filter[] = {SCMP_A0(SCMP_CMP_EQ, SECCOMP_SET_MODE_FILTER),
                                          SCMP_A1(SCMP_CMP_MASKED_EQ, SECCOMP_FILTER_FLAG_NEW_LISTENER, 0)};

    return seccomp_rule_add_array(f, action, call, COUNT(filter), filter) == 0 &&
           allow(f, call, 1, &SCMP_A0(SCMP_CMP_EQ, SECCOMP_GET_ACTION_AVAIL));
}

static bool allow_seccomp(scmp_filter_ctx f, int call)
{
    return add_own_filters(f, call, SCMP_ACT_ALLOW);
}

bool jail_allow_any(scmp_filter_ctx f, int call)
{
    return allow(f, call, 0, NULL);
}

static const unsigned not_both[] = {0, PROT_WRITE, PROT_EXEC};

static bool allow_unless_writable_and_executable(scmp_filter_ctx f, int call)
{
    for (size_t i = 0; i < COUNT(not_both); i++) {
        if (!allow(f, call, 1, &SCMP_A2(SCMP_CMP_MASKED_EQ, WRITE_AND_EXECUTE, not_both[i]))) {
            return false;
        }
    }
    return true;
}

static bool allow_mmap(scmp_filter_ctx f, int call)
{
    return allow(f, call, 1, &SCMP_A3(SCMP_CMP_MASKED_EQ, HUGE_MAP, 0));
}

static bool add_map(scmp_filter_ctx f, int call, unsigned protection, uint32_t action)
{
    const struct scmp_arg_cmp args[] = {SCMP_A2(SCMP_CMP_MASKED_EQ, WRITE_AND_EXECUTE, protection),
                                        SCMP_A3(SCMP_CMP_MASKED_EQ, HUGE_MAP, 0)};

    return seccomp_rule_add_array(f, action, call, COUNT(args), args) == 0;
}

static bool allow_mmap_strictly(scmp_filter_ctx f, int call)
{
    for (size_t i = 0; i < COUNT(not_both); i++) {
        if (!add_map(f, call, not_both[i], SCMP_ACT_ALLOW)) {
            return false;
        }
    }
    return true;
}

static bool add_memory_file(scmp_filter_ctx f, int call, uint32_t action)
{
    return seccomp_rule_add_array(f, action, call, 1, &SCMP_A1(SCMP_CMP_MASKED_EQ, HUGE_FILE, 0)) == 0;
}

static bool allow_memfd_create(scmp_filter_ctx f, int call)
{
    return add_memory_file(f, call, SCMP_ACT_ALLOW);
}

static bool allow_shmget(scmp_filter_ctx f, int call)
{
    return allow(f, call, 1, &SCMP_A2(SCMP_CMP_MASKED_EQ, HUGE_SEGMENT, 0));
}

/* Linux's own commands begin at F_SETLEASE; all before it are as old as POSIX, and harmless. */
static bool allow_fcntl(scmp_filter_ctx f, int call)
{
    static const unsigned commands[] = {F_GETLEASE, FCNTL_SAME_FILE, F_DUPFD_CLOEXEC, F_SETPIPE_SZ, F_GETPIPE_SZ, F_ADD_SEALS,
                                        F_GET_SEALS, F_GET_RW_HINT, F_SET_RW_HINT, F_GET_FILE_RW_HINT, F_SET_FILE_RW_HINT};

    for (size_t i = 0; i < COUNT(commands); i++) {
        if (!allow(f, call, 1, &SCMP_A1(SCMP_CMP_MASKED_EQ, LOW_HALF, commands[i]))) {
            return false;
        }
    }
    return allow(f, call, 1, &SCMP_A1(SCMP_CMP_MASKED_EQ, LOW_HALF & ~(scmp_datum_t)(F_SETLEASE - 1), 0));
}

static bool add_socket_option(scmp_filter_ctx f, int call, uint32_t action, unsigned mask, unsigned number)
{
    const struct scmp_arg_cmp args[] = {SCMP_A1(SCMP_CMP_MASKED_EQ, LOW_HALF, SOL_SOCKET), SCMP_A2(SCMP_CMP_MASKED_EQ, mask, number)};

    return seccomp_rule_add_array(f, action, call, COUNT(args), args) == 0;
}

/* A connection that is not accepted yet is in no control group, and each may hold what its listener's receive buffer holds. So
 * its size stays the default of the jail's network: setting it succeeds and does nothing. Options are below 128; one with a
 * bit that neither of the two has is another one. */
static bool allow_setsockopt(scmp_filter_ctx f, int call)
{
    enum { BITS = 7, BUFFER = SO_RCVBUF | SO_RCVLOWAT };
    static const unsigned levels[] = {IPPROTO_IP, IPPROTO_TCP, IPPROTO_UDP, IPPROTO_IPV6, SOL_NETLINK, SOL_TLS};
    bool is_good = add_socket_option(f, call, SCMP_ACT_ERRNO(0), LOW_HALF, SO_RCVBUF) &&
                   add_socket_option(f, call, SCMP_ACT_ERRNO(0), LOW_HALF, SO_RCVLOWAT);

    for (size_t i = 0; i < COUNT(levels) && is_good; i++) {
        is_good = allow(f, call, 1, &SCMP_A1(SCMP_CMP_MASKED_EQ, LOW_HALF, levels[i]));
    }
    for (unsigned bit = 1; bit < 1U << BITS && is_good; bit <<= 1) {
        is_good = (BUFFER & bit) != 0 || add_socket_option(f, call, SCMP_ACT_ALLOW, bit, bit);
    }
    for (unsigned number = 0; number <= BUFFER && is_good; number++) {
        bool is_added = (number & ~(unsigned)BUFFER) != 0 || number == SO_RCVBUF || number == SO_RCVLOWAT;
        is_good = is_added || add_socket_option(f, call, SCMP_ACT_ALLOW, LOW_HALF, number);
    }
    return is_good;
}

/* With MS_ASYNC it says whether memory is mapped. */
static bool allow_msync(scmp_filter_ctx f, int call)
{
    return allow(f, call, 1, &SCMP_A2(SCMP_CMP_MASKED_EQ, MS_SYNC, 0)) &&
           seccomp_rule_add(f, SCMP_ACT_ERRNO(0), call, 1, SCMP_A2(SCMP_CMP_MASKED_EQ, MS_SYNC, MS_SYNC)) == 0;
}

/* A watch of /usr/bin would show each program that anybody starts. Changes a jail could see by looking. */
static bool allow_inotify_add_watch(scmp_filter_ctx f, int call)
{
    return allow(f, call, 1, &SCMP_A2(SCMP_CMP_MASKED_EQ, IN_ACCESS | IN_OPEN | IN_CLOSE_NOWRITE, 0));
}

/* RWF_NOWAIT fails where a page is not cached, and RWF_DONTCACHE drops it: together they would show who reads a file of /usr. */
static bool allow_preadv2(scmp_filter_ctx f, int call)
{
    return allow(f, call, 1, &SCMP_A5(SCMP_CMP_MASKED_EQ, OF_CACHED_PAGES, 0));
}

const struct jail_argument_rule jail_argument_rules[] = {
    {"clone", allow_clone, allow_clone, "threads and processes, no new namespaces"},
    {"socket", allow_socket, NULL, "TCP and UDP inside the jail, and NETLINK_ROUTE"},
    {"socketpair", allow_socketpair, allow_socketpair, "Unix sockets"},
    {"ioctl", allow_ioctl, allow_ioctl, "terminals, pipes, files; never typing into a terminal"},
    {"prctl", allow_prctl, allow_prctl, "names, signals, giving up rights"},
    {"personality", allow_personality, allow_personality, "asking, and the ordinary one"},
    {"seccomp", allow_seccomp, NULL, "filters without user notification"},
    {"mmap", allow_mmap, allow_mmap_strictly, "pages of the ordinary size, in the strict profile not writable and executable at once"},
    {"mprotect", jail_allow_any, allow_unless_writable_and_executable, "memory that is not writable and executable at once"},
    {"pkey_mprotect", jail_allow_any, allow_unless_writable_and_executable, "memory that is not writable and executable at once"},
    {"memfd_create", allow_memfd_create, NULL, "pages of the ordinary size"},
    {"shmget", allow_shmget, allow_shmget, "pages of the ordinary size"},
    {"fcntl", allow_fcntl, allow_fcntl, "anything but leases and watches"},
    {"fcntl64", allow_fcntl, allow_fcntl, "anything but leases and watches"},
    {"inotify_add_watch", allow_inotify_add_watch, allow_inotify_add_watch, "changes of files, not their being opened or read"},
    {"preadv2", allow_preadv2, allow_preadv2, "reading that does not depend on what is cached"},
    {"msync", allow_msync, allow_msync, "asking for it, MS_SYNC without effect: nothing in a jail is on a disk"},
    {"setsockopt", allow_setsockopt, allow_setsockopt, "without a receive buffer's size: setting it does nothing"},
    {0},
};

bool jail_notify_learned_arguments(scmp_filter_ctx f)
{
    const int calls[] = {SCMP_SYS(mprotect), SCMP_SYS(pkey_mprotect)};

    for (size_t i = 0; i < COUNT(calls); i++) {
        const struct scmp_arg_cmp both = SCMP_A2(SCMP_CMP_MASKED_EQ, WRITE_AND_EXECUTE, WRITE_AND_EXECUTE);
        if (!allow_unless_writable_and_executable(f, calls[i]) ||
            seccomp_rule_add_array(f, SCMP_ACT_NOTIFY, calls[i], 1, &both) != 0) {
            return false;
        }
    }
    return allow_mmap_strictly(f, SCMP_SYS(mmap)) && add_map(f, SCMP_SYS(mmap), WRITE_AND_EXECUTE, SCMP_ACT_NOTIFY) &&
           add_memory_file(f, SCMP_SYS(memfd_create), SCMP_ACT_NOTIFY) &&
           add_sockets(f, SCMP_SYS(socket), SCMP_ACT_NOTIFY) && add_own_filters(f, SCMP_SYS(seccomp), SCMP_ACT_NOTIFY);
}
