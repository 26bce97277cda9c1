#include "enforce/hooks.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"

enum { BODY_MAX = 4096, VARIABLE_MAX = 512 };

/* One hook in its process. */
struct runner {
    const struct violation_hook *hook;
    const struct agent_message *request;
    struct agent_message answer;
};

static bool say(struct runner *r, const char *word, const char *format, ...) __attribute__((format(printf, 3, 4)));

static bool say(struct runner *r, const char *word, const char *format, ...)
{
    va_list args;

    (void)snprintf(r->answer.word, sizeof(r->answer.word), "%s", word);
    va_start(args, format);
    (void)vsnprintf(r->answer.text, sizeof(r->answer.text), format, args);
    va_end(args);
    return false;
}

/* --- commands ------------------------------------------------------------- */

/* The exit status; -1: it was not started, did not end in time, or by a signal. */
static int run_command(const struct runner *r, const char *const *words)
{
    char agent[VARIABLE_MAX], tenant[VARIABLE_MAX], why[VARIABLE_MAX], path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
    char *const environment[] = {agent, tenant, why, path, NULL};
    pid_t pid = 0;
    int status = 0;

    (void)snprintf(agent, sizeof(agent), "FILTERD_AGENT=%s", r->request->agent);
    (void)snprintf(tenant, sizeof(tenant), "FILTERD_TENANT=%s", r->request->tenant);
    (void)snprintf(why, sizeof(why), "FILTERD_WHY=%s", r->request->text);
    if (posix_spawn(&pid, words[0], NULL, NULL, (char *const *)(uintptr_t)words, environment) != 0) {
        return -1;
    }
    int pidfd CLEANUP(cleanup_fd) = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd p = {.fd = pidfd, .events = POLLIN};
    if (pidfd < 0 || poll(&p, 1, (int)(r->hook->timeout_ns / 1000000)) != 1) {
        (void)kill(pid, SIGKILL);
        (void)waitpid(pid, &status, 0);
        return -1;
    }
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* --- a webhook ------------------------------------------------------------ */

static size_t drop(char *bytes, size_t size, size_t n, void *context)
{
    (void)bytes;
    (void)context;
    return size * n;
}

static bool write_body(const struct agent_message *m, struct buf *body, struct error *err)
{
    return buf_append_str(body, "{\"event\":\"kill\",\"agent\":", err) && json_append_string(body, span_str(m->agent), err) &&
           buf_append_str(body, ",\"tenant\":", err) && json_append_string(body, span_str(m->tenant), err) &&
           buf_append_str(body, ",\"why\":", err) && json_append_string(body, span_str(m->text), err) &&
           buf_append_char(body, '}', err);
}

static bool post(struct runner *r)
{
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
    struct buf body CLEANUP(buf_deinit);
    struct error err;
    long status = 0;
    CURL *curl = curl_easy_init();

    buf_init(&body, BODY_MAX);
    if (curl == NULL || headers == NULL || !write_body(r->request, &body, &err)) {
        return say(r, "failed", "webhook: no memory");
    }
    (void)curl_easy_setopt(curl, CURLOPT_URL, r->hook->webhook);
    (void)curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    (void)curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.data);
    (void)curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long)body.len);
    (void)curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, drop);
    (void)curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(r->hook->timeout_ns / 1000000));
    (void)curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    CURLcode code = curl_easy_perform(curl);
    (void)curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    if (code != CURLE_OK) {
        return say(r, "failed", "webhook: %s", curl_easy_strerror(code));
    }
    return (status >= 200 && status < 300) || say(r, "failed", "webhook: answered %ld", status);
}

/* --- a hook --------------------------------------------------------------- */

static bool act(struct runner *r)
{
    if (r->hook->webhook != NULL) {
        return post(r);
    }
    int status = run_command(r, r->hook->command);
    return status == 0 || (status < 0 ? say(r, "failed", "command: not started, not over in time, or ended by a signal")
                                      : say(r, "failed", "command: exit code %d", status));
}

static void run_hook(struct runner *r)
{
    const char *what = r->hook->webhook != NULL ? "webhook" : "command";

    if (!act(r)) {
        return;
    }
    if (r->hook->verify == NULL) {
        (void)say(r, "unverified", "%s: done; not verified that the agent has ended", what);
        return;
    }
    int status = run_command(r, r->hook->verify);
    if (status == 0) {
        (void)say(r, "verified", "%s: done, and the agent is seen to be gone", what);
    } else {
        (void)say(r, "failed", "%s: done, but the agent is not seen to be gone (%d)", what, status);
    }
}

unsigned hooks_start(const struct violations *v, const struct agent_message *m, int channel)
{
    unsigned n = 0;

    for (size_t i = 0; i < v->n_hooks; i++) {
        if (!violation_hook_matches(&v->hooks[i], m->agent)) {
            continue;
        }
        n++;
        if (fork() == 0) {
            struct runner r = {.hook = &v->hooks[i], .request = m};
            agent_message_init(&r.answer, WIRE_HOOKED);
            memcpy(r.answer.agent, m->agent, sizeof(m->agent));
            memcpy(r.answer.tenant, m->tenant, sizeof(m->tenant));
            (void)fcntl(channel, F_SETFD, FD_CLOEXEC);
            run_hook(&r);
            (void)!agent_message_send(channel, &r.answer, NULL);
            _exit(0);
        }
    }
    return n;
}
