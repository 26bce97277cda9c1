/* launch.c - the descriptors of a launch. */
#include "base/cleanup.h"
#include "jail/launcher/launch.h"

static void forget(struct jail_launch *l)
{
    l->control = l->egress = -1;
    for (size_t i = 0; i < COUNT(l->stdio); i++) {
        l->stdio[i] = -1;
    }
    for (size_t i = 0; i < COUNT(l->inputs); i++) {
        l->inputs[i] = -1;
    }
    for (size_t i = 0; i < COUNT(l->cgroup_fds); i++) {
        l->cgroup_fds[i] = -1;
    }
}

void jail_launch_init(struct jail_launch *l)
{
    *l = (struct jail_launch){.authority = ""};
    forget(l);
}

static size_t add(int *fds, size_t n, const int *more, size_t n_more)
{
    for (size_t i = 0; i < n_more; i++) {
        if (more[i] >= 0) {
            fds[n++] = more[i];
        }
    }
    return n;
}

size_t jail_launch_descriptors(const struct jail_launch *l, int fds[JAIL_LAUNCH_DESCRIPTORS_MAX])
{
    size_t n = add(fds, 0, &l->control, 1);

    n = add(fds, n, &l->egress, 1);
    n = add(fds, n, l->stdio, COUNT(l->stdio));
    n = add(fds, n, l->inputs, COUNT(l->inputs));
    return add(fds, n, l->cgroup_fds, COUNT(l->cgroup_fds));
}

void jail_launch_close(struct jail_launch *l)
{
    int fds[JAIL_LAUNCH_DESCRIPTORS_MAX];

    l->egress = -1;
    size_t n = jail_launch_descriptors(l, fds);
    for (size_t i = 0; i < n; i++) {
        cleanup_fd(&fds[i]);
    }
    forget(l);
}
