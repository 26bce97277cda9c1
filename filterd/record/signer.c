#include "record/signer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "record/add_checkpoint.h"
#include "record/manifest_note.h"
#include "record/note_text.h"

enum { CHILD_SOCKET = 3 };

/* One request at a time: the next datagram is its answer. A process has one signer. */
static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;
/* The public keys, which signer_retire changes. It holds `asking` as well, so that an answer is verified with the keys that made it. */
static pthread_mutex_t keys = PTHREAD_MUTEX_INITIALIZER;

static const char default_program[] = "filterd-witness";

/* --- starting --------------------------------------------------------------- */

static bool find_program(char path[PATH_MAX], struct error *err)
{
    ssize_t len = readlink("/proc/self/exe", path, PATH_MAX - 1);

    if (len <= 0) {
        return error_errno(err, "/proc/self/exe");
    }
    path[len] = '\0';
    char *slash = strrchr(path, '/');
    if (slash == NULL || (size_t)(slash - path) + 1 + sizeof(default_program) > PATH_MAX) {
        return error_set(err, ERROR_INVALID, "signer: path too long");
    }
    memcpy(slash + 1, default_program, sizeof(default_program));
    return true;
}

/* In the child: nothing but the socket and the standard descriptors is left open. */
static _Noreturn void run_program(int socket, const char *program, const char *directory)
{
    char option[PATH_MAX + 32], number[24];
    char *const arguments[] = {(char[]){"filterd-witness"}, (char[]){"--local"}, option, number, NULL};
    sigset_t none;

    (void)snprintf(option, sizeof(option), "--state=%s", directory);
    (void)snprintf(number, sizeof(number), "--socket=%d", CHILD_SOCKET);
    (void)sigemptyset(&none);
    (void)pthread_sigmask(SIG_SETMASK, &none, NULL);
    if (dup2(socket, CHILD_SOCKET) == CHILD_SOCKET && fcntl(CHILD_SOCKET, F_SETFD, 0) == 0) {
        (void)close_range(CHILD_SOCKET + 1, ~0U, 0);
        (void)execv(program, arguments);
    }
    _exit(127);
}

bool signer_start(struct signer *s, const char *program, const char *directory, struct error *err)
{
    char found[PATH_MAX];
    int ends[2];

    *s = (struct signer){.socket = -1};
    if (program == NULL && !find_program(found, err)) {
        return false;
    }
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        return error_errno(err, "signer");
    }
    pid_t pid = fork();
    if (pid == 0) {
        run_program(ends[1], program != NULL ? program : found, directory);
    }
    (void)close(ends[1]);
    if (pid < 0) {
        (void)close(ends[0]);
        return error_errno(err, "signer");
    }
    if (!signer_connect(s, ends[0], err)) {
        (void)kill(pid, SIGKILL);
        (void)waitpid(pid, NULL, 0);
        return error_wrap(err, "%s", program != NULL ? program : found);
    }
    s->pid = pid;
    return true;
}

/* --- messages --------------------------------------------------------------- */

/* The datagram that comes within the timeout. */
static bool receive(int socket, unsigned timeout_ms, char bytes[SIGNER_REQUEST_MAX], struct span *out, struct error *err)
{
    uint64_t until = clock_monotonic_ns() + timeout_ms * UINT64_C(1000000);

    for (;;) {
        struct pollfd p = {.fd = socket, .events = POLLIN};
        uint64_t now = clock_monotonic_ns();
        int n = poll(&p, 1, now < until ? (int)((until - now) / 1000000) + 1 : 0);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return n < 0 ? error_errno(err, "signer")
                         : error_set(err, ERROR_LIMIT, "signer: no answer within %u ms", timeout_ms);
        }
        ssize_t len = recv(socket, bytes, SIGNER_REQUEST_MAX, MSG_DONTWAIT | MSG_TRUNC);
        if (len < 0 && (errno == EINTR || errno == EAGAIN)) {
            continue;
        }
        if (len <= 0 || len > SIGNER_REQUEST_MAX) {
            return error_set(err, ERROR_SYSTEM, "signer: it has ended");
        }
        *out = span_of(bytes, (size_t)len);
        return true;
    }
}

/* "<name> <64 hex digits>\n" */
static bool take_key(struct span *message, const char *name, uint8_t public[NOTE_PUBLIC])
{
    size_t len = strlen(name), n = 0;
    struct span line;

    return note_take_line(message, &line) && span_starts_with(line, span_str(name)) && line.len == len + 2 * NOTE_PUBLIC &&
           sodium_hex2bin(public, NOTE_PUBLIC, line.ptr + len, 2 * NOTE_PUBLIC, NULL, &n, NULL) == 0 && n == NOTE_PUBLIC;
}

bool signer_connect(struct signer *s, int socket, struct error *err)
{
    char bytes[SIGNER_REQUEST_MAX];
    struct span message;

    *s = (struct signer){.socket = socket};
    bool is_good = receive(socket, SIGNER_START_TIMEOUT_MS, bytes, &message, err);
    if (is_good) {
        is_good = take_key(&message, "key ", s->public);
        s->has_next = is_good && message.len > 0;
        is_good = is_good && (!s->has_next || (take_key(&message, "next ", s->next) && message.len == 0));
        is_good = is_good || error_set(err, ERROR_MALFORMED, "signer: its public key expected");
    }
    if (!is_good) {
        signer_stop(s);
    }
    return is_good;
}

void signer_stop(struct signer *s)
{
    if (s->socket >= 0) {
        (void)close(s->socket); /* it ends by that, in its own time */
    }
    s->socket = -1;
}

bool signer_key(const struct signer *s, struct span origin, struct note_key *out, struct error *err)
{
    uint8_t public[NOTE_PUBLIC];

    (void)pthread_mutex_lock(&keys);
    memcpy(public, s->public, sizeof(public));
    (void)pthread_mutex_unlock(&keys);
    return note_key_make(origin, NOTE_ED25519, public, out, err);
}

bool signer_next_key(const struct signer *s, struct span origin, struct note_key *out, bool *has_next, struct error *err)
{
    uint8_t public[NOTE_PUBLIC];

    (void)pthread_mutex_lock(&keys);
    *has_next = s->has_next;
    memcpy(public, s->next, sizeof(public));
    (void)pthread_mutex_unlock(&keys);
    return !*has_next || note_key_make(origin, NOTE_ED25519, public, out, err);
}

/* --- signing ---------------------------------------------------------------- */

/* The next answer, to the request that was sent first. */
static bool receive_answer(struct signer *s, char bytes[SIGNER_REQUEST_MAX], struct span *answer, struct error *err)
{
    bool is_received = receive(s->socket, SIGNER_TIMEOUT_MS, bytes, answer, err);

    s->n_unanswered -= is_received;
    return is_received;
}

/* Under the lock. Answers that came after their time, or have not come yet, are read and dropped first. */
static bool exchange(struct signer *s, struct span request, char bytes[SIGNER_REQUEST_MAX], struct span *answer, struct error *err)
{
    struct span late;

    while (s->n_unanswered > 0) {
        if (!receive_answer(s, bytes, &late, err)) {
            return false;
        }
    }
    if (s->socket < 0 || send(s->socket, request.ptr, request.len, MSG_NOSIGNAL) != (ssize_t)request.len) {
        return error_set(err, ERROR_SYSTEM, "signer: it has ended");
    }
    s->n_unanswered++;
    return receive_answer(s, bytes, answer, err);
}

/* The keys that sign while the request is answered. */
struct signing {
    uint8_t public[NOTE_PUBLIC], next[NOTE_PUBLIC];
    bool has_next;
};

static bool ask(struct signer *s, struct span request, char bytes[SIGNER_REQUEST_MAX], struct signing *by, uint64_t *status,
                struct span *body, struct error *err)
{
    struct span line;

    (void)pthread_mutex_lock(&asking);
    memcpy(by->public, s->public, sizeof(by->public));
    memcpy(by->next, s->next, sizeof(by->next));
    by->has_next = s->has_next;
    bool is_answered = exchange(s, request, bytes, body, err);
    (void)pthread_mutex_unlock(&asking);
    if (!is_answered) {
        return false;
    }
    return (note_take_line(body, &line) && note_read_number(line, status)) ||
           error_set(err, ERROR_MALFORMED, "signer: a status expected");
}

/* What it signed is this text, by its keys. */
static bool is_signed(const struct signing *by, struct span origin, const struct note *note, struct error *err)
{
    const uint8_t *const publics[] = {by->public, by->has_next ? by->next : NULL};
    struct note_key key;

    for (size_t i = 0; i < COUNT(publics) && publics[i] != NULL; i++) {
        if (!note_key_make(origin, NOTE_ED25519, publics[i], &key, err)) {
            return false;
        }
        if (note_verify(note, &key, NULL) != NOTE_GOOD) {
            return error_set(err, ERROR_MALFORMED, "the signature of each of its keys expected");
        }
    }
    return true;
}

/* A wrong answer must not become the log's checkpoint. */
static bool take_signature(const struct signing *by, struct span text, struct span lines, struct buf *note, struct error *err)
{
    struct checkpoint c;
    size_t before = note->len;

    if (!buf_append(note, text, err) || !buf_append_char(note, '\n', err) || !buf_append(note, lines, err)) {
        note->len = before;
        return false;
    }
    struct span made = span_of(note->data + before, note->len - before);
    if (checkpoint_parse(made, &c, err) && is_signed(by, c.origin, &c.note, err)) {
        return true;
    }
    note->len = before;
    return error_wrap(err, "signer");
}

bool signer_sign(struct signer *s, struct span text, uint64_t old, const struct tree_proof *proof, struct buf *note,
                 uint64_t *signed_size, struct error *err)
{
    char bytes[SIGNER_REQUEST_MAX];
    struct span body, line;
    uint64_t status = 0;
    struct signing by;
    struct buf request;

    buf_init(&request, SIGNER_REQUEST_MAX);
    bool is_answered = add_checkpoint_format(old, proof, text, &request, err) &&
                       ask(s, buf_span(&request), bytes, &by, &status, &body, err);
    buf_deinit(&request);
    if (!is_answered) {
        return false;
    }
    if (status == 200) {
        return take_signature(&by, text, body, note, err);
    }
    if (status == 409 && note_take_line(&body, &line) && note_read_number(line, signed_size)) {
        return error_set(err, ERROR_DENIED, "signer: it has signed a tree, or size, with which this is not consistent");
    }
    *signed_size = old;
    if (status == 500) {
        return error_set(err, ERROR_LIMIT, "signer: it cannot read or write its state now, and logs why");
    }
    return error_set(err, status == 422 ? ERROR_DENIED : ERROR_SYSTEM, "signer: refused (%u)", (unsigned)status);
}

static bool take_manifest_signature(const struct signing *by, const struct manifest_request *request, struct span lines,
                                    struct buf *out, struct error *err)
{
    struct note note;
    struct buf text;

    buf_init(&text, NOTE_LINE_MAX);
    bool is_good = manifest_note_text(request->sha256, &text, err) && note_parse_signatures(lines, &note, err);
    if (is_good) {
        note.text = buf_span(&text);
        is_good = is_signed(by, request->origin, &note, err);
    }
    buf_deinit(&text);
    return is_good ? buf_append(out, lines, err) : error_wrap(err, "signer");
}

bool signer_sign_manifest(struct signer *s, struct span origin, const char *sha256, struct buf *lines, struct error *err)
{
    char bytes[SIGNER_REQUEST_MAX];
    struct manifest_request wanted = {.origin = origin};
    struct span body;
    uint64_t status = 0;
    struct signing by;
    struct buf request;

    (void)snprintf(wanted.sha256, sizeof(wanted.sha256), "%s", sha256);
    buf_init(&request, SIGNER_REQUEST_MAX);
    bool is_answered = manifest_request_format(&wanted, &request, err) && ask(s, buf_span(&request), bytes, &by, &status, &body, err);
    buf_deinit(&request);
    if (!is_answered) {
        return false;
    }
    return status == 200 ? take_manifest_signature(&by, &wanted, body, lines, err)
                         : error_set(err, ERROR_SYSTEM, "signer: refused (%u)", (unsigned)status);
}

bool signer_retire(struct signer *s, struct error *err)
{
    char bytes[SIGNER_REQUEST_MAX];
    struct span answer;

    (void)pthread_mutex_lock(&asking);
    bool is_done = exchange(s, span_str(SIGNER_RETIRE), bytes, &answer, err) &&
                   (span_is(answer, "200\n") || error_set(err, ERROR_SYSTEM, "signer: it could not replace its key"));
    if (is_done) {
        (void)pthread_mutex_lock(&keys);
        memcpy(s->public, s->next, sizeof(s->public));
        s->has_next = false;
        (void)pthread_mutex_unlock(&keys);
    }
    (void)pthread_mutex_unlock(&asking);
    return is_done;
}
