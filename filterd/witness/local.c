#include "witness/local.h"

#include <errno.h>
#include <sodium.h>
#include <sys/socket.h>
#include <time.h>

#include "base/log.h"
#include "record/manifest_note.h"
#include "record/signer.h"

static bool send_all(int socket, struct span bytes, struct error *err)
{
    ssize_t n;

    do {
        n = send(socket, bytes.ptr, bytes.len, MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    return n == (ssize_t)bytes.len || error_errno(err, "signer: answer");
}

static bool send_key(const struct witness *w, int socket, struct error *err)
{
    char text[sizeof("key \n") + 2 * NOTE_PUBLIC + 1], hex[2 * NOTE_PUBLIC + 1];
    uint8_t public[NOTE_PUBLIC];

    note_public(w->seed, public);
    (void)sodium_bin2hex(hex, sizeof(hex), public, sizeof(public));
    int len = snprintf(text, sizeof(text), "key %s\n", hex);
    return send_all(socket, span_of(text, (size_t)len), err);
}

static bool answer_one(struct witness *w, int socket, struct span request, struct error *err)
{
    struct witness_answer answer = {.status = 0};
    struct error why;
    struct buf packet;

    buf_init(&answer.body, SIGNER_REQUEST_MAX);
    buf_init(&packet, SIGNER_REQUEST_MAX);
    if (manifest_request_is(request)) {
        witness_sign_manifest(w, request, &answer, &why);
    } else {
        witness_cosign(w, request, (uint64_t)time(NULL), &answer, &why);
    }
    if (answer.status == 500) {
        log_error("witness: %s", why.text);
    }
    bool is_sent = buf_appendf(&packet, err, "%u\n", answer.status) && buf_append(&packet, buf_span(&answer.body), err) &&
                   send_all(socket, buf_span(&packet), err);
    buf_deinit(&answer.body);
    buf_deinit(&packet);
    return is_sent;
}

bool witness_serve_local(struct witness *w, int socket, struct error *err)
{
    static char bytes[SIGNER_REQUEST_MAX + 1]; /* one more, so that a longer one is seen */

    if (!send_key(w, socket, err)) {
        return false;
    }
    for (;;) {
        ssize_t n = recv(socket, bytes, sizeof(bytes), 0);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return n == 0 || error_errno(err, "signer: request");
        }
        /* One that was cut cannot hold: its text has no end. */
        if (!answer_one(w, socket, span_of(bytes, (size_t)n), err)) {
            return false;
        }
    }
}
