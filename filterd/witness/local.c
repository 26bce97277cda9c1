#include "witness/local.h"

#include <errno.h>
#include <sodium.h>
#include <sys/socket.h>
#include <time.h>

#include "base/log.h"
#include "record/manifest_note.h"
#include "record/signer.h"
#include "witness/local_keys.h"

static bool send_all(int socket, struct span bytes, struct error *err)
{
    ssize_t n;

    do {
        n = send(socket, bytes.ptr, bytes.len, MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    return n == (ssize_t)bytes.len || error_errno(err, "signer: answer");
}

static bool append_key(const char *name, const uint8_t seed[NOTE_SEED], struct buf *out, struct error *err)
{
    uint8_t public[NOTE_PUBLIC];
    char hex[2 * NOTE_PUBLIC + 1];

    note_public(seed, public);
    (void)sodium_bin2hex(hex, sizeof(hex), public, sizeof(public));
    return buf_appendf(out, err, "%s %s\n", name, hex);
}

static bool send_keys(const struct witness *w, int socket, struct error *err)
{
    struct buf text;

    buf_init(&text, SIGNER_REQUEST_MAX);
    bool is_sent = append_key("key", w->seed, &text, err) && (!w->has_next || append_key("next", w->next, &text, err)) &&
                   send_all(socket, buf_span(&text), err);
    buf_deinit(&text);
    return is_sent;
}

static void retire(struct witness *w, struct witness_answer *answer, struct error *err)
{
    answer->status = w->has_next && local_keys_retire(w, err) ? 200 : 500;
    if (answer->status != 200 && !w->has_next) {
        error_set(err, ERROR_NOT_FOUND, "there is no next key");
    }
}

static bool answer_one(struct witness *w, int socket, struct span request, struct error *err)
{
    struct witness_answer answer = {.status = 0};
    struct error why;
    struct buf packet;

    buf_init(&answer.body, SIGNER_REQUEST_MAX);
    buf_init(&packet, SIGNER_REQUEST_MAX);
    if (span_is(request, SIGNER_RETIRE)) {
        retire(w, &answer, &why);
    } else if (manifest_request_is(request)) {
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

    if (!send_keys(w, socket, err)) {
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
