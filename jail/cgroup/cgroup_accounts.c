/* cgroup_accounts.c - the kernel's resource accounting of a group. */
#include <stdlib.h>

#include "jail/cgroup/cgroup.h"

static int64_t number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);

    return at == NULL ? -1 : strtoll(at + strlen(key), NULL, 10);
}

int64_t jail_cgroups_cpu_ms(const struct jail_cgroups *g)
{
    const struct jail_tree *account = jail_cgroups_with(g, JAIL_CONTROLLER_CPUACCT);
    const struct jail_tree *unified = jail_cgroups_unified(g);
    char text[1024];

    if (account != NULL && jail_cgroup_read(account->fd, "cpuacct.usage", text, sizeof(text))) {
        return strtoll(text, NULL, 10) / 1000000;
    }
    if (unified != NULL && jail_cgroup_read(unified->fd, "cpu.stat", text, sizeof(text))) {
        int64_t us = number_after(text, "usage_usec ");
        return us < 0 ? -1 : us / 1000;
    }
    return -1;
}

bool jail_cgroups_ran_out_of_memory(const struct jail_cgroups *g)
{
    const struct jail_tree *tree = jail_cgroups_with(g, JAIL_CONTROLLER_MEMORY);
    char text[1024];

    return tree != NULL &&
           jail_cgroup_read(tree->fd, tree->is_unified ? "memory.events" : "memory.oom_control", text, sizeof(text)) &&
           number_after(text, "oom_kill ") > 0;
}

int64_t jail_cgroups_refused_processes(const struct jail_cgroups *g)
{
    const struct jail_tree *tree = jail_cgroups_with(g, JAIL_CONTROLLER_PIDS);
    char text[64];

    int64_t n = tree != NULL && jail_cgroup_read(tree->fd, "pids.events", text, sizeof(text)) ? number_after(text, "max ") : 0;
    return n > 0 ? n : 0;
}

int64_t jail_cgroups_memory_peak(const struct jail_cgroups *g)
{
    const struct jail_tree *tree = jail_cgroups_with(g, JAIL_CONTROLLER_MEMORY);
    char text[64];

    bool is_read = tree != NULL && jail_cgroup_read(tree->fd, tree->is_unified ? "memory.peak" : "memory.max_usage_in_bytes",
                                                    text, sizeof(text));
    return is_read ? strtoll(text, NULL, 10) : -1;
}
