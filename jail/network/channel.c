#include "jail/network/channel.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/descriptors.h"

bool jail_channel_send(int channel, const struct jail_channel_message *m, const int *fds, size_t n, int flags)
{
    size_t len = offsetof(struct jail_channel_message, text) + strnlen(m->text, sizeof(m->text) - 1);

    return descriptors_send(channel, m, len, fds, n, flags);
}

enum jail_channel_result jail_channel_receive(int channel, struct jail_channel_message *m,
                                              int fds[JAIL_CHANNEL_SOCKETS_MAX], size_t *n, int flags)
{
    memset(m, 0, sizeof(*m)); /* the text that comes has no NUL */
    ssize_t len = descriptors_receive(channel, m, sizeof(*m) - 1, fds, JAIL_CHANNEL_SOCKETS_MAX, n, flags);
    if (len < 0 && errno == EAGAIN) {
        return JAIL_CHANNEL_NOTHING;
    }
    const unsigned counts[] = {m->n_streams, m->n_proxies, m->n_name_streams, m->n_names, m->n_packets};
    size_t sum = 0;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        sum += counts[i];
    }
    bool is_whole = len >= (ssize_t)offsetof(struct jail_channel_message, text);
    if (is_whole && sum == *n && m->n_packets <= 1) {
        return JAIL_CHANNEL_CAME;
    }
    descriptors_close(fds, *n);
    *n = 0;
    return JAIL_CHANNEL_END;
}
