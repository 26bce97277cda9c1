#include "jail/launcher/network.h"

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "jail/network/capture.h"

enum { STACK_BYTES = 128 << 10 };

/* Programs talk to themselves over loopback; nothing else is in this network. */
static bool raise_loopback(struct error *err)
{
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    int fd CLEANUP(cleanup_fd) = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    return (fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &request) == 0) || error_errno(err, "loopback");
}

/* The other side must see that nobody but the warden has this channel. */
static bool open_way_out(struct jail_launch *l, struct error *err)
{
    bool is_open = l->way_out < 0 || jail_capture(&l->policy->network, l->way_out, l->canary, err);

    cleanup_fd(&l->way_out);
    l->way_out = -1;
    return is_open;
}

static void make(struct jail_network_made *n)
{
    if (unshare(CLONE_NEWNET) != 0 || (n->network = openat(n->proc, "thread-self/ns/net", O_RDONLY | O_CLOEXEC)) < 0) {
        error_errno(&n->err, "network namespace");
        return;
    }
    n->is_made = raise_loopback(&n->err) && open_way_out(n->launch, &n->err);
}

static void *begin(void *context)
{
    struct jail_network_made *n = context;

    atomic_store(&n->has_begun, true);
    /* It need not stay where it began. */
    (void)sched_setaffinity(0, sizeof(n->processors), &n->processors);
    make(n);
    return NULL;
}

/* On another processor, if there is one: a scheduler that packs would let the thread wait for the very work that it is to
 * be done beside. */
static void place_elsewhere(const struct jail_network_made *n, pthread_attr_t *attributes)
{
    int here = sched_getcpu();
    cpu_set_t others = n->processors;

    if (here >= 0) {
        CPU_CLR((size_t)here, &others);
        if (CPU_COUNT(&others) > 0) {
            (void)pthread_attr_setaffinity_np(attributes, sizeof(others), &others);
        }
    }
}

void jail_network_begin(struct jail_network_made *n, struct jail_launch *l)
{
    pthread_attr_t attributes;

    *n = (struct jail_network_made){.launch = l, .network = -1};
    n->proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC); /* the root may have changed when the thread has its turn */
    bool is_known = sched_getaffinity(0, sizeof(n->processors), &n->processors) == 0;
    if (is_known && pthread_attr_init(&attributes) == 0) {
        (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
        place_elsewhere(n, &attributes);
        n->is_thread = pthread_create(&n->thread, &attributes, begin, n) == 0;
        (void)pthread_attr_destroy(&attributes);
    }
    if (!n->is_thread) {
        make(n);
    }
}

/* The other processor is busy with something else. This one is about to wait for the thread: it may as well run here. */
static void place_here(const struct jail_network_made *n)
{
    int here = sched_getcpu();
    cpu_set_t one;

    CPU_ZERO(&one);
    if (here >= 0) {
        CPU_SET((size_t)here, &one);
        (void)pthread_setaffinity_np(n->thread, sizeof(one), &one);
    }
}

bool jail_network_finish(struct jail_network_made *n, struct error *err)
{
    if (n->is_thread && !atomic_load(&n->has_begun)) {
        place_here(n);
    }
    if (n->is_thread && pthread_join(n->thread, NULL) != 0) {
        return error_set(err, ERROR_INTERNAL, "network namespace: its thread is lost");
    }
    int proc CLEANUP(cleanup_fd) = n->proc, network CLEANUP(cleanup_fd) = n->network;
    if (!n->is_made) {
        *err = n->err;
        return false;
    }
    return setns(network, CLONE_NEWNET) == 0 || error_errno(err, "network namespace");
}
