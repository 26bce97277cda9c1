/* message.c - datagrams between the processes of a launch, with descriptors. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/linux_calls.h"
#include "jail/launcher/launch.h"

bool jail_message_send(int channel, const struct jail_message *m, const int *fds, size_t n)
{
    return descriptors_send(channel, m, sizeof(*m), fds, n, 0);
}

bool jail_message_receive(int channel, struct jail_message *m, int fds[JAIL_DESCRIPTORS_MAX])
{
    size_t n;
    ssize_t len = descriptors_receive(channel, m, sizeof(*m), fds, JAIL_DESCRIPTORS_MAX, &n, 0);

    /* A peer that ended without reading a message of ours: Linux reports that once, before what the peer has sent. */
    if (len < 0 && errno == ECONNRESET) {
        len = descriptors_receive(channel, m, sizeof(*m), fds, JAIL_DESCRIPTORS_MAX, &n, 0);
    }
    bool is_whole = len == (ssize_t)sizeof(*m);

    if (!is_whole) {
        descriptors_close(fds, n);
        n = 0;
    }
    for (size_t i = n; i < JAIL_DESCRIPTORS_MAX; i++) {
        fds[i] = -1;
    }
    m->error.text[sizeof(m->error.text) - 1] = '\0';
    return is_whole;
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

void jail_close_others(const int *kept, size_t n)
{
    int sorted[JAIL_LAUNCH_DESCRIPTORS_MAX];
    unsigned from = 3;

    memcpy(sorted, kept, n * sizeof(int));
    qsort(sorted, n, sizeof(int), compare);
    for (size_t i = 0; i < n; i++) {
        if (sorted[i] >= (int)from) {
            if (sorted[i] > (int)from) {
                (void)close_range(from, (unsigned)sorted[i] - 1, 0);
            }
            from = (unsigned)sorted[i] + 1;
        }
    }
    (void)close_range(from, ~0U, 0);
}
