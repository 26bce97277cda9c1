#include "ctl/follow.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "ctl/command.h"
#include "ctl/input.h"
#include "pipeline/stream.h"

enum { READ_SIZE = 64 * 1024, RELEASE_MAX = 512 * 1024 * 1024 };

struct follow {
    struct stream *stream;
    struct stream_channel *channel;
    struct worker *worker;
    struct buf released;
    sigset_t unblocked; /* while input is waited for */
};

static const int ending_signals[] = {SIGINT, SIGTERM};
static volatile sig_atomic_t ended_by; /* one of them; 0: none */

static void note_end(int signal)
{
    ended_by = signal;
}

/* They are let in only while input is waited for, so that none comes between looking and waiting.
 * One that the program was started to ignore stays ignored. */
static bool catch_signals(sigset_t *unblocked, struct error *err)
{
    const struct sigaction action = {.sa_handler = note_end};
    struct sigaction before;
    sigset_t blocked;

    (void)sigemptyset(&blocked);
    for (size_t i = 0; i < COUNT(ending_signals); i++) {
        (void)sigaddset(&blocked, ending_signals[i]);
    }
    if (pthread_sigmask(SIG_BLOCK, &blocked, unblocked) != 0) {
        return error_set(err, ERROR_SYSTEM, "signals: cannot be blocked");
    }
    for (size_t i = 0; i < COUNT(ending_signals); i++) {
        (void)sigdelset(unblocked, ending_signals[i]);
        if (sigaction(ending_signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            (void)sigaction(ending_signals[i], &action, NULL);
        }
    }
    return true;
}

/* Ends the program as the signal would have, so that the parent process sees it. */
static void end_by_signal(const struct follow *f)
{
    if (ended_by != 0) {
        (void)signal(ended_by, SIG_DFL);
        (void)raise(ended_by);
        (void)pthread_sigmask(SIG_SETMASK, &f->unblocked, NULL);
    }
}

/* False when the reader of the output has closed it, or on an error. */
static bool wait_for_input(const struct follow *f, struct error *err)
{
    struct pollfd files[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = STDOUT_FILENO}};

    if (ppoll(files, COUNT(files), NULL, &f->unblocked) < 0) {
        return errno == EINTR || error_errno(err, "<stdin>");
    }
    if ((files[1].revents & POLLERR) != 0) {
        errno = EPIPE;
        return error_errno(err, "standard output");
    }
    return true;
}

/* The next bytes, at least one; none at the end of the input or after a signal. */
static bool read_some(const struct follow *f, char *bytes, size_t *n, struct error *err)
{
    *n = 0;
    while (wait_for_input(f, err)) {
        ssize_t got = ended_by == 0 ? read(STDIN_FILENO, bytes, READ_SIZE) : 0;
        if (got >= 0) {
            *n = (size_t)got;
            return true;
        }
        if (errno != EINTR && errno != EAGAIN) {
            return error_errno(err, "<stdin>");
        }
    }
    return false;
}

static bool release(struct follow *f, struct error *err)
{
    bool is_written = stream_action(f->stream) == ACTION_BLOCK || f->released.len == 0 ||
                      command_print(buf_span(&f->released), err);

    buf_clear(&f->released);
    return is_written;
}

static bool copy(struct follow *f, struct error *err)
{
    char bytes[READ_SIZE];
    size_t n = 0;

    do {
        if (!read_some(f, bytes, &n, err)) {
            return false;
        }
        if (n > 0) {
            stream_feed(f->stream, f->channel, f->worker, span_of(bytes, n), &f->released);
        } else {
            stream_end(f->stream, f->channel, f->worker,
                       ended_by == 0 ? STREAM_COMPLETE : STREAM_TRUNCATED, &f->released);
        }
        if (!release(f, err)) {
            return false;
        }
    } while (n > 0 && stream_action(f->stream) != ACTION_BLOCK);
    return true;
}

static int exit_code(const struct follow *f)
{
    struct exchange x;

    stream_exchange(f->stream, &x);
    if (x.action != ACTION_BLOCK) {
        return x.action == ACTION_ALLOW ? EXIT_CLEAN : EXIT_FOUND;
    }
    if (x.unjudged_reason != NULL || span_is(x.rule, "filterd.unjudged")) {
        (void)fprintf(stderr, "filterctl: <stdin>: could not be judged: %s\n",
                      x.unjudged_reason != NULL ? x.unjudged_reason : "error");
        return EXIT_FAILED;
    }
    (void)fprintf(stderr, "filterctl: <stdin>: " SPAN_FMT "\n", SPAN_ARG(x.notice));
    return EXIT_FOUND;
}

bool follow_is_due(void)
{
    struct stat input;

    return fstat(STDIN_FILENO, &input) == 0 && !S_ISREG(input.st_mode);
}

static bool open_stream(struct follow *f, const struct session *s, struct error *err)
{
    const struct stream_options options = {
        .snapshot = s->snapshot,
        .policy = s->policy,
        .who = s->who,
        .now_ns = s->now_ns,
        .text_max = SIZE_MAX, /* a log may be followed for years */
        .hold_max = INPUT_MAX,
    };

    f->stream = stream_new(&options, err);
    if (f->stream == NULL) {
        return false;
    }
    f->channel = stream_channel(f->stream, span_of("", 0), err);
    return f->channel != NULL && catch_signals(&f->unblocked, err);
}

int follow_redact(const struct session *s, struct worker *w)
{
    struct follow f = {.worker = w};
    struct error err;
    int code = 0;

    buf_init(&f.released, RELEASE_MAX);
    if (open_stream(&f, s, &err) && copy(&f, &err)) {
        code = exit_code(&f);
        end_by_signal(&f);
    } else {
        code = command_failed(&err);
    }
    stream_free(f.stream);
    buf_deinit(&f.released);
    return code;
}
