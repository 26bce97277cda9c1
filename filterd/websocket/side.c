/* side.c - bytes of the two connections of a session. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "websocket/session.h"

static ssize_t take_early(struct side *s, char *out, size_t max)
{
    size_t left = s->early.len - s->early_at;
    size_t n = left < max ? left : max;

    memcpy(out, s->early.data + s->early_at, n);
    s->early_at += n;
    return (ssize_t)n;
}

bool side_is_held_up(const struct side *s)
{
    return s->inbox.len > SESSION_INBOX || frames_is_behind(s->frames);
}

ssize_t side_receive_client(void *context, char *out, size_t max)
{
    struct side *s = context;

    if (side_is_held_up(s)) {
        return FRAMES_AGAIN;
    }
    if (s->early.len > s->early_at) {
        return take_early(s, out, max);
    }
    ssize_t n = recv(s->fd, out, max, MSG_DONTWAIT);
    s->received_ns = n > 0 ? clock_monotonic_ns() : s->received_ns;
    return n > 0 ? n : n < 0 && (errno == EAGAIN || errno == EINTR) ? FRAMES_AGAIN : FRAMES_BROKEN;
}

ssize_t side_send_client(void *context, struct span bytes, bool has_more)
{
    const struct side *s = context;
    ssize_t n = send(s->fd, bytes.ptr, bytes.len, MSG_DONTWAIT | MSG_NOSIGNAL | (has_more ? MSG_MORE : 0));

    return n > 0 ? n : n < 0 && (errno == EAGAIN || errno == EINTR) ? FRAMES_AGAIN : FRAMES_BROKEN;
}

static ssize_t curl_result(CURLcode code, size_t n)
{
    return code == CURLE_OK && n > 0 ? (ssize_t)n : code == CURLE_AGAIN ? FRAMES_AGAIN : FRAMES_BROKEN;
}

ssize_t side_receive_upstream(void *context, char *out, size_t max)
{
    struct side *s = context;
    size_t n = 0;

    if (side_is_held_up(s)) {
        return FRAMES_AGAIN;
    }
    if (s->early.len > s->early_at) {
        return take_early(s, out, max);
    }
    CURLcode code = curl_easy_recv(s->session->transfer.easy, out, max, &n);
    s->received_ns = code == CURLE_OK ? clock_monotonic_ns() : s->received_ns;
    return curl_result(code, n);
}

ssize_t side_send_upstream(void *context, struct span bytes, bool has_more)
{
    const struct side *s = context;
    size_t n = 0;

    (void)has_more;
    CURLcode code = curl_easy_send(s->session->transfer.easy, bytes.ptr, bytes.len, &n);

    return curl_result(code, n);
}

/* An event must not wait for the acknowledgement of the one before it. A Unix socket has no such option. */
void side_set_no_delay(int fd)
{
    const int on = 1;

    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}
