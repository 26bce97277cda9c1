/* stream_upstream.c - a language model API for benchmarks: as many tokens as are asked for, as fast as is asked for.
 *
 * Each POST is answered by a chat completion as server-sent events of about four bytes of text each, from benign answers
 * of language models. The request's model says how: "EVENTS/GAP", GAP in microseconds between events; 0 means as fast as
 * they are taken. One thread.
 *
 * usage: stream_upstream; says "ready port=N", ends with SIGTERM. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "bench/bench.h"

enum { TEXT = 4096, TEXTS = 64, PIECE = 4, PIECES_MAX = TEXT, REQUEST_MAX = 16 * 1024, FILES = 65536, BURST = 16 };

#define NS_PER_S 1000000000ULL

/* One answer's events, each a chunk of its own. */
struct script {
    struct buf bytes;
    size_t n, at[PIECES_MAX + 1];
};

struct connection {
    int fd;
    char request[REQUEST_MAX];
    size_t len;
    const struct script *script;
    size_t n, sent; /* events in all; sent */
    size_t from;    /* what of the next piece is sent already */
    uint64_t gap_ns, due_ns;
    bool has_head, is_blocked;
    struct connection *next, **link; /* among those that speak */
};

static struct script scripts[TEXTS];
static size_t n_scripts, next_script;
static struct connection *speaking, *connections[FILES];
static int epoll;

static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
static const char start[] = "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\","
                            "\"choices\":[{\"index\":0,\"delta\":{";
static char tail[1024];

static bool append_chunk(struct buf *out, struct span text, struct error *err)
{
    struct buf event CLEANUP(buf_deinit);

    buf_init(&event, 4096);
    return buf_append_str(&event, "data: ", err) && buf_append_str(&event, start, err) &&
           buf_append_str(&event, "\"content\":", err) && json_append_string(&event, text, err) &&
           buf_append_str(&event, "},\"finish_reason\":null}]}\n\n", err) &&
           buf_appendf(out, err, "%zx\r\n", event.len) && buf_append(out, buf_span(&event), err) &&
           buf_append_str(out, "\r\n", err);
}

static bool write_script(struct script *s, struct span text, struct error *err)
{
    buf_init(&s->bytes, (size_t)64 * 1024 * 1024);
    for (size_t from = 0; from < text.len && s->n < PIECES_MAX;) {
        size_t to = from + PIECE < text.len ? from + PIECE : text.len;
        while (to < text.len && ((unsigned char)text.ptr[to] & 0xc0) == 0x80) {
            to++;
        }
        if (!append_chunk(&s->bytes, span_slice(text, from, to), err)) {
            return false;
        }
        s->at[++s->n] = s->bytes.len;
        from = to;
    }
    return true;
}

static void write_tail(void)
{
    char last[512];
    int len = snprintf(last, sizeof(last), "data: %s},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", start);

    (void)snprintf(tail, sizeof(tail), "%x\r\n%s\r\n0\r\n\r\n", (unsigned)len, last);
}

static void stop_speaking(struct connection *c)
{
    if (c->link == NULL) {
        return;
    }
    *c->link = c->next;
    if (c->next != NULL) {
        c->next->link = c->link;
    }
    c->link = NULL;
}

static void drop(struct connection *c)
{
    stop_speaking(c);
    connections[c->fd] = NULL;
    close(c->fd);
    free(c);
}

/* What comes next: the head, an event or several, the end. */
static struct span next_bytes(const struct connection *c)
{
    const struct script *s = c->script;
    size_t i = c->sent % s->n, burst = c->gap_ns == 0 ? BURST : 1;

    if (!c->has_head) {
        return span_str(head);
    }
    if (c->sent == c->n) {
        return span_str(tail);
    }
    size_t left = c->n - c->sent < s->n - i ? c->n - c->sent : s->n - i;
    size_t n = left < burst ? left : burst;
    return span_of(s->bytes.data + s->at[i], s->at[i + n] - s->at[i]);
}

/* False when it is over. */
static bool advance(struct connection *c)
{
    size_t i = c->sent % c->script->n, burst = c->gap_ns == 0 ? BURST : 1;

    c->from = 0;
    if (!c->has_head) {
        c->has_head = true;
        return true;
    }
    if (c->sent == c->n) {
        return false;
    }
    size_t left = c->n - c->sent < c->script->n - i ? c->n - c->sent : c->script->n - i;
    c->sent += left < burst ? left : burst;
    c->due_ns += c->gap_ns;
    return true;
}

static void speak(struct connection *c, uint64_t now)
{
    while (!c->has_head || c->due_ns <= now) {
        struct span bytes = next_bytes(c);
        ssize_t n = send(c->fd, bytes.ptr + c->from, bytes.len - c->from, MSG_NOSIGNAL);
        if (n < 0 && errno == EAGAIN) {
            c->is_blocked = true; /* EPOLLOUT, edge-triggered */
            return;
        }
        if (n < 0) {
            drop(c);
            return;
        }
        c->from += (size_t)n;
        if (c->from == bytes.len && !advance(c)) {
            stop_speaking(c);
            return;
        }
    }
}

static void begin(struct connection *c, const char *model)
{
    char *end;

    c->n = strtoul(model, &end, 10);
    c->gap_ns = *end == '/' ? strtoul(end + 1, NULL, 10) * 1000 : 0;
    c->script = &scripts[next_script++ % n_scripts];
    c->sent = c->from = c->len = 0;
    c->has_head = c->is_blocked = false;
    c->due_ns = clock_monotonic_ns();
    c->next = speaking;
    c->link = &speaking;
    if (c->next != NULL) {
        c->next->link = &c->next;
    }
    speaking = c;
}

static void receive(struct connection *c)
{
    for (;;) {
        ssize_t n = recv(c->fd, c->request + c->len, sizeof(c->request) - 1 - c->len, 0);
        if (n < 0 && errno == EAGAIN) {
            return;
        }
        if (n <= 0) {
            drop(c);
            return;
        }
        c->len += (size_t)n;
        c->request[c->len] = '\0';
        const char *model = strstr(c->request, "\"model\":\"");
        if (model != NULL && strstr(model, "]}") != NULL) {
            begin(c, model + 9);
        }
    }
}

static void accept_all(int listener)
{
    const int yes = 1;
    int fd;

    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        struct epoll_event e = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.fd = fd};
        struct connection *c = fd < FILES ? calloc(1, sizeof(*c)) : NULL;
        if (c == NULL || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e) != 0) {
            exit(1);
        }
        c->fd = fd;
        connections[fd] = c;
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    }
}

static int listen_somewhere(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};

    epoll = epoll_create1(EPOLL_CLOEXEC);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, len) != 0 || listen(fd, 4096) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &len) != 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e) != 0) {
        exit(1);
    }
    printf("ready port=%u\n", ntohs(address.sin_port));
    (void)fflush(stdout);
    return fd;
}

/* Microseconds count: poll without a pause would take a processor, so it rests as long as nothing is due. */
static struct timespec rest(void)
{
    uint64_t now = clock_monotonic_ns(), until = now + NS_PER_S;

    for (const struct connection *c = speaking; c != NULL; c = c->next) {
        until = !c->is_blocked && c->due_ns < until ? c->due_ns : until;
    }
    const uint64_t left = until <= now ? 0 : until - now;
    return (struct timespec){.tv_sec = (time_t)(left / NS_PER_S), .tv_nsec = (long)(left % NS_PER_S)};
}

int main(void)
{
    struct messages texts;
    struct error err;

    if (!messages_load(TEXT, (size_t)TEXT * TEXTS, &texts)) {
        return 1;
    }
    for (; n_scripts < texts.n && n_scripts < TEXTS; n_scripts++) {
        if (!write_script(&scripts[n_scripts], texts.items[n_scripts], &err)) {
            return 1;
        }
    }
    write_tail();
    int listener = listen_somewhere();
    for (;;) {
        struct epoll_event events[256];
        struct timespec pause = rest();
        int n = epoll_pwait2(epoll, events, 256, &pause, NULL);
        for (int i = 0; i < n; i++) {
            struct connection *c = connections[events[i].data.fd];
            if (events[i].data.fd == listener) {
                accept_all(listener);
                continue;
            }
            c->is_blocked = false;
            if ((events[i].events & EPOLLIN) != 0) {
                receive(c);
            }
        }
        uint64_t now = clock_monotonic_ns();
        for (struct connection *c = speaking, *next; c != NULL; c = next) {
            next = c->next;
            if (!c->is_blocked) {
                speak(c, now);
            }
        }
    }
}
