#include "jail/root/honeytoken.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/inotify.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "jail/root/mounts.h"

enum { EVENTS_ROOM = 4096, HONEYTOKEN_MODE = 0600 };

bool jail_canary_make(char canary[JAIL_CANARY + 1], struct error *err)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    unsigned char random[JAIL_CANARY];

    if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random)) {
        return error_errno(err, "getrandom");
    }
    for (size_t i = 0; i < JAIL_CANARY; i++) {
        canary[i] = letters[random[i] % (sizeof(letters) - 1)];
    }
    canary[JAIL_CANARY] = '\0';
    return true;
}

/* --- making them ----------------------------------------------------------- */

/* What a file of that name usually holds; the canary takes each place of a secret. */
static const struct {
    const char *pattern, *text;
} texts[] = {
    {"id_*", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtz\n%s\n"
             "-----END OPENSSH PRIVATE KEY-----\n"},
    {"*.pem", "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg\n%s\n-----END PRIVATE KEY-----\n"},
    {"*.key", "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg\n%s\n-----END PRIVATE KEY-----\n"},
    {".npmrc", "//npm.internal/:_authToken=npm_%s\n"},
    {".netrc", "machine github.com login deploy password %s\n"},
    {".pypirc", "[pypi]\nusername = __token__\npassword = pypi-%s\n"},
    {"*credentials*", "[default]\naws_secret_access_key = %s\n"},
    {"*", "API_KEY=%s\n"},
};

static const char *text_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    size_t i = 0;

    while (i + 1 < COUNT(texts) && fnmatch(texts[i].pattern, name, FNM_CASEFOLD) != 0) {
        i++;
    }
    return texts[i].text;
}

/* With the canary in place of `%s`. */
static bool write_text(int fd, const char *text, const char *canary)
{
    const char *place = strstr(text, "%s");
    size_t before = (size_t)(place - text), after = strlen(place + 2);

    return write(fd, text, before) == (ssize_t)before && write(fd, canary, JAIL_CANARY) == JAIL_CANARY &&
           write(fd, place + 2, after) == (ssize_t)after;
}

/* A path to a descriptor's file, for calls that accept only paths. */
static void name_descriptor(int fd, char name[64])
{
    (void)snprintf(name, 64, "/proc/self/fd/%d", fd);
}

int jail_honeytokens_new(struct error *err)
{
    int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

    if (watch < 0) {
        error_errno(err, "honeytokens");
    }
    return watch;
}

/* The kernel counts watches from 1: by that the other side knows which file it was. */
struct honeytoken {
    int watch, file;
    size_t number;
    uint32_t events; /* of inotify */
};

static bool fill_and_watch(const struct honeytoken *d, const char *text, const char *canary, struct error *err)
{
    char name[64];

    name_descriptor(d->file, name);
    if (chmod(name, HONEYTOKEN_MODE) != 0) {
        return error_errno(err, "honeytoken");
    }
    int fd CLEANUP(cleanup_fd) = open(name, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0 || !write_text(fd, text, canary)) {
        return error_errno(err, "honeytoken");
    }
    int given = inotify_add_watch(d->watch, name, d->events);
    if (given < 0) {
        return error_errno(err, "honeytoken");
    }
    return given == (int)d->number + 1 || error_set(err, ERROR_INTERNAL, "honeytoken: another number of the watch expected");
}

bool jail_honeytoken_put(int watch, int root, const struct jail_policy *p, size_t number, const char *canary,
                    struct error *err)
{
    const char *path = p->honeytokens[number];
    int file CLEANUP(cleanup_fd) = jail_make_place(root, path, true, err);
    const struct honeytoken d = {watch, file, number, IN_OPEN | IN_MOVE_SELF | IN_DELETE_SELF};

    return (file >= 0 && fill_and_watch(&d, text_of(path), canary, err)) || error_wrap(err, "%s", path);
}

bool jail_honeytoken_cover(int watch, int file, const struct jail_policy *p, const char *canary, struct error *err)
{
    const struct honeytoken d = {watch, file, p->n_honeytokens, IN_OPEN};

    return fill_and_watch(&d, text_of(""), canary, err);
}

/* --- seeing them opened ------------------------------------------------------ */

static void report(const struct inotify_event *event, const struct jail_policy *p, struct jail_events *events)
{
    char detail[JAIL_EVENT_DETAIL];
    size_t number = event->wd > 0 ? (size_t)event->wd - 1 : p->n_honeytokens + 1;
    const char *what = (event->mask & IN_OPEN) != 0 ? "was opened" : "was moved or removed";

    if ((event->mask & (IN_OPEN | IN_MOVE_SELF | IN_DELETE_SELF | IN_Q_OVERFLOW)) == 0) {
        return;
    }
    if (number < p->n_honeytokens) {
        (void)snprintf(detail, sizeof(detail), "%s %s", p->honeytokens[number], what);
    } else {
        (void)snprintf(detail, sizeof(detail), "%s", number == p->n_honeytokens ? "a file with a denied name was opened"
                                                                           : "more than were seen one by one");
    }
    jail_event_report(events, JAIL_EVENT_PATH_HONEYTOKEN, detail);
}

void jail_honeytokens_take(int watch, const struct jail_policy *p, struct jail_events *events)
{
    char bytes[EVENTS_ROOM] __attribute__((aligned(__alignof__(struct inotify_event))));
    ssize_t n = read(watch, bytes, sizeof(bytes));

    for (ssize_t at = 0; at + (ssize_t)sizeof(struct inotify_event) <= n;) {
        const struct inotify_event *event = (const struct inotify_event *)(const void *)(bytes + at);
        report(event, p, events);
        at += (ssize_t)(sizeof(*event) + event->len);
    }
}
