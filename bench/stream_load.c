/* stream_load.c - clients of streaming answers: so many at once, each asking so many times.
 *
 * Prints "STREAMS P50-US P90-US ERRORS SECONDS": answers that were whole, time from the request to the first text, what
 * went wrong. One thread; connections are kept.
 *
 * usage: stream_load PORT PATH MODEL CLIENTS ANSWERS */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/clock.h"

#include "bench/bench.h"

enum { CLIENTS_MAX = 20000, SAMPLES = 1 << 20, KEPT = 64, READ = 256 * 1024 };

struct client {
    int fd;
    uint64_t asked_ns;
    bool has_text, is_whole;
    unsigned left; /* answers to ask for yet */
    size_t kept; /* the end of what came before, where a mark may begin */
    char end[KEPT];
};

#define LONGEST_NS 60000000000ULL

static struct client clients[CLIENTS_MAX];
static double samples[SAMPLES];
static size_t n_samples, n_streams, n_errors;
static char request[4096];
static size_t request_len;
static size_t n_open;

static void ask(struct client *c)
{
    c->has_text = c->is_whole = false;
    c->kept = 0;
    c->asked_ns = clock_monotonic_ns();
    if (send(c->fd, request, request_len, MSG_NOSIGNAL) != (ssize_t)request_len) {
        n_errors++;
    }
}

static bool connect_to(struct client *c, unsigned port, int epoll, uint32_t number)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct epoll_event e = {.events = EPOLLIN, .data.u32 = number};
    const int yes = 1;

    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return c->fd >= 0 && connect(c->fd, (const struct sockaddr *)&address, sizeof(address)) == 0 &&
           setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes)) == 0 &&
           epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &e) == 0;
}

static bool has(struct span text, const char *mark)
{
    return memmem(text.ptr, text.len, mark, strlen(mark)) != NULL;
}

/* Text that is not empty. */
static bool has_text(struct span text)
{
    static const char mark[] = "\"content\":\"";
    const char *at = text.ptr;

    while ((at = memmem(at, (size_t)(text.ptr + text.len - at), mark, sizeof(mark) - 1)) != NULL) {
        at += sizeof(mark) - 1;
        if (at < text.ptr + text.len && *at != '"') {
            return true;
        }
    }
    return false;
}

static void take(struct client *c, struct span text)
{
    if (!c->has_text && has_text(text)) {
        c->has_text = true;
        samples[n_samples++ % SAMPLES] = (double)(clock_monotonic_ns() - c->asked_ns) / 1e3;
    }
    /* The end of a chunk may stand within one of them. */
    c->is_whole = c->is_whole || has(text, "\"finish_reason\":\"stop\"") || has(text, "data: [DONE]");
    if (text.len >= 5 && memcmp(text.ptr + text.len - 5, "0\r\n\r\n", 5) == 0) {
        n_streams += c->is_whole;
        n_errors += !c->is_whole;
        if (--c->left > 0) {
            ask(c);
        } else {
            close(c->fd);
            n_open--;
        }
        return;
    }
    c->kept = text.len < KEPT ? text.len : KEPT;
    memcpy(c->end, text.ptr + text.len - c->kept, c->kept);
}

static void receive(struct client *c)
{
    static char bytes[KEPT + READ];

    memcpy(bytes, c->end, c->kept);
    ssize_t n = recv(c->fd, bytes + c->kept, READ, 0);
    if (n <= 0) {
        n_errors++;
        close(c->fd);
        n_open--;
        return;
    }
    take(c, span_of(bytes, c->kept + (size_t)n));
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double quantile(double q)
{
    size_t n = n_samples < SAMPLES ? n_samples : SAMPLES;

    qsort(samples, n, sizeof(samples[0]), compare);
    return n == 0 ? 0 : samples[(size_t)(q * (double)(n - 1))];
}

int main(int argc, char **argv)
{
    static const char body[] = "{\"model\":\"%s\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";
    char text[256];
    int epoll = epoll_create1(EPOLL_CLOEXEC);

    if (argc != 6 || epoll < 0) {
        (void)fprintf(stderr, "usage: stream_load PORT PATH MODEL CLIENTS ANSWERS\n");
        return 2;
    }
    unsigned port = (unsigned)strtoul(argv[1], NULL, 10), n = (unsigned)strtoul(argv[4], NULL, 10);
    int len = snprintf(text, sizeof(text), body, argv[3]);
    request_len = (size_t)snprintf(request, sizeof(request),
                                   "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                   "Authorization: Bearer none\r\nContent-Length: %d\r\n\r\n%s",
                                   argv[2], len, text);
    for (unsigned i = 0; i < n && i < CLIENTS_MAX; i++) {
        if (!connect_to(&clients[i], port, epoll, i)) {
            perror("stream_load");
            return 1;
        }
        clients[i].left = (unsigned)strtoul(argv[5], NULL, 10);
        n_open++;
    }
    uint64_t from = clock_monotonic_ns();
    for (unsigned i = 0; i < n_open; i++) {
        ask(&clients[i]);
    }
    while (n_open > 0 && clock_monotonic_ns() - from < LONGEST_NS) {
        struct epoll_event events[256];
        int ready = epoll_wait(epoll, events, 256, 100);
        for (int i = 0; i < ready; i++) {
            receive(&clients[events[i].data.u32]);
        }
    }
    printf("%zu %.1f %.1f %zu %.3f\n", n_streams, quantile(0.5), quantile(0.9), n_errors, (double)(clock_monotonic_ns() - from) / 1e9);
    return 0;
}
