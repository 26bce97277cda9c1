#include "jail/launcher/outputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "jail/launcher/monitor.h"

enum { COPY_STEP = 1 << 20 };

static void close_folder(DIR **folder)
{
    if (*folder != NULL) {
        (void)closedir(*folder);
    }
}

int jail_outputs_open(const struct jail_policy *p, struct error *err)
{
    struct stat info;
    int fd = open(p->outputs.quarantine, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &info) != 0) {
        error_errno(err, "quarantine %s", p->outputs.quarantine);
        cleanup_fd(&fd);
        return -1;
    }
    if ((info.st_mode & S_IWOTH) != 0 || (info.st_uid != 0 && info.st_uid != geteuid())) {
        error_set(err, ERROR_DENIED, "quarantine %s: a folder of root or the caller expected that others cannot write",
                  p->outputs.quarantine);
        (void)close(fd);
        return -1;
    }
    return fd;
}

/* One collection. `left`: bytes that may still be written. */
struct taking {
    int64_t left, until_ms;
    struct jail_outputs_report *report;
};

static bool refuse(struct taking *t, enum jail_outputs_refusal why)
{
    t->report->refused[why]++;
    return true;
}

static bool is_late(const struct taking *t)
{
    return clock_monotonic_ms() >= t->until_ms;
}

/* --- a file --------------------------------------------------------------- */

struct file {
    int in, out;
    int64_t size;
};

/* What becomes of a step; all but FAILED leave the error alone. */
enum step { STEP_DONE, STEP_SIZE, STEP_ROOM, STEP_LATE, STEP_UNKNOWN /* to the file system */, STEP_FAILED };

static enum step step_of_errno(struct error *err)
{
    if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) {
        return STEP_ROOM;
    }
    error_errno(err, "outputs");
    return STEP_FAILED;
}

struct segment {
    int64_t from, to;
};

/* The next bytes from s->to on that are no hole. False: there are none. */
static bool next_segment(const struct file *f, struct segment *s)
{
    s->from = s->to < f->size ? lseek(f->in, s->to, SEEK_DATA) : -1;
    s->to = s->from < 0 ? -1 : lseek(f->in, s->from, SEEK_HOLE);
    return s->from >= 0 && s->to > s->from;
}

/* No process writes to the file any more: it has the same segments each time they are walked. */
static enum step for_segments(const struct taking *t, const struct file *f,
                              enum step (*take)(const struct taking *, const struct file *, struct segment, struct error *),
                              struct error *err)
{
    struct segment s = {0};
    enum step step = STEP_DONE;

    while (step == STEP_DONE && next_segment(f, &s)) {
        step = is_late(t) ? STEP_LATE : take(t, f, s, err);
    }
    return step;
}

static int64_t count_bytes(const struct file *f)
{
    struct segment s = {0};
    int64_t n = 0;

    while (next_segment(f, &s)) {
        n += s.to - s.from;
    }
    return n;
}

static enum step reserve(const struct taking *t, const struct file *f, struct segment s, struct error *err)
{
    int failed;

    (void)t;
    do {
        failed = fallocate(f->out, 0, s.from, s.to - s.from);
    } while (failed != 0 && errno == EINTR);
    if (failed != 0 && (errno == EOPNOTSUPP || errno == ENOSYS)) {
        return STEP_UNKNOWN;
    }
    return failed == 0 ? STEP_DONE : step_of_errno(err);
}

static enum step copy(const struct taking *t, const struct file *f, struct segment s, struct error *err)
{
    off_t at = s.from;

    if (lseek(f->out, at, SEEK_SET) != at) {
        return step_of_errno(err);
    }
    while (at < s.to) {
        int64_t left = s.to - at;
        ssize_t n = sendfile(f->out, f->in, &at, (size_t)(left < COPY_STEP ? left : COPY_STEP));
        if (n < 0 && errno != EINTR) {
            return step_of_errno(err);
        }
        if (n == 0) {
            error_set(err, ERROR_MALFORMED, "outputs: a file of one length expected");
            return STEP_FAILED;
        }
        if (is_late(t)) {
            return STEP_LATE;
        }
    }
    return STEP_DONE;
}

static enum step set_length(const struct file *f, struct error *err)
{
    return ftruncate(f->out, f->size) == 0 ? STEP_DONE : step_of_errno(err);
}

/* *bytes is what it costs, once that is known. */
static enum step fill(const struct taking *t, const struct file *f, int64_t *bytes, struct error *err)
{
    enum step step = for_segments(t, f, reserve, err);

    if (step == STEP_UNKNOWN) {
        *bytes = f->size;
        step = *bytes > t->left ? STEP_SIZE : STEP_DONE;
    }
    step = step == STEP_DONE ? for_segments(t, f, copy, err) : step;
    return step == STEP_DONE ? set_length(f, err) : step;
}

/* A file that is only in part there is taken back. */
static bool end_file(struct taking *t, int to, const char *name, enum step step, int64_t bytes)
{
    static const enum jail_outputs_refusal refusals[] = {
        [STEP_SIZE] = JAIL_OUTPUTS_SIZE, [STEP_ROOM] = JAIL_OUTPUTS_ROOM, [STEP_LATE] = JAIL_OUTPUTS_TIME};

    if (step == STEP_DONE) {
        t->left -= bytes;
        t->report->files++;
        t->report->bytes += bytes;
        return true;
    }
    (void)unlinkat(to, name, 0);
    return step < COUNT(refusals) && refuse(t, refusals[step]);
}

/* What opens as something else than it looked is refused: nothing runs that could change it, but the
 * rule costs nothing. */
static bool take_file(struct taking *t, int from, int to, const char *name, struct error *err)
{
    struct stat info;
    int in CLEANUP(cleanup_fd) = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (in < 0 || fstat(in, &info) != 0 || !S_ISREG(info.st_mode) || info.st_nlink != 1) {
        return refuse(t, JAIL_OUTPUTS_KIND);
    }
    struct file f = {.in = in, .size = info.st_size};
    int64_t bytes = count_bytes(&f);
    if (bytes > t->left) {
        return refuse(t, JAIL_OUTPUTS_SIZE);
    }
    int out CLEANUP(cleanup_fd) = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (out < 0) {
        return step_of_errno(err) == STEP_ROOM ? refuse(t, JAIL_OUTPUTS_ROOM) : error_errno(err, "quarantine");
    }
    f.out = out;
    return end_file(t, to, name, fill(t, &f, &bytes, err), bytes);
}

/* --- folders -------------------------------------------------------------- */

static bool take_folder(struct taking *t, int from, int to, unsigned depth, struct error *err);

/* Recursion ends at JAIL_OUTPUTS_DEPTH_MAX. NOLINTNEXTLINE(misc-no-recursion) */
static bool take(struct taking *t, int from, int to, const char *name, unsigned depth, struct error *err)
{
    struct stat info;

    if (is_late(t)) {
        return refuse(t, JAIL_OUTPUTS_TIME);
    }
    if (fstatat(from, name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
        return error_errno(err, "outputs");
    }
    if (!S_ISDIR(info.st_mode) || depth == JAIL_OUTPUTS_DEPTH_MAX) {
        return S_ISREG(info.st_mode) ? take_file(t, from, to, name, err) : refuse(t, JAIL_OUTPUTS_KIND);
    }
    int folder CLEANUP(cleanup_fd) = openat(from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) {
        return refuse(t, JAIL_OUTPUTS_KIND);
    }
    if (mkdirat(to, name, 0700) != 0) {
        return step_of_errno(err) == STEP_ROOM ? refuse(t, JAIL_OUTPUTS_ROOM) : error_errno(err, "quarantine");
    }
    int made CLEANUP(cleanup_fd) = openat(to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return made < 0 ? error_errno(err, "quarantine") : take_folder(t, folder, made, depth + 1, err);
}

/* Recursion ends at JAIL_OUTPUTS_DEPTH_MAX. NOLINTNEXTLINE(misc-no-recursion) */
static bool take_folder(struct taking *t, int from, int to, unsigned depth, struct error *err)
{
    int fd = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries CLEANUP(close_folder) = fd < 0 ? NULL : fdopendir(fd);

    if (entries == NULL) {
        cleanup_fd(&fd);
        return error_errno(err, "outputs");
    }
    /* No other thread has this stream. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    for (const struct dirent *e = readdir(entries); e != NULL; e = readdir(entries)) {
        bool is_self = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
        if (!is_self && !take(t, from, to, e->d_name, depth, err)) {
            return false;
        }
    }
    return true;
}

/* --- the whole ------------------------------------------------------------ */

const char *jail_outputs_refusal_name(enum jail_outputs_refusal why)
{
    static const char *const names[] = {
        [JAIL_OUTPUTS_KIND] = "kind", [JAIL_OUTPUTS_SIZE] = "size", [JAIL_OUTPUTS_ROOM] = "room", [JAIL_OUTPUTS_TIME] = "time"};

    return names[why];
}

int64_t jail_outputs_refused(const struct jail_outputs_report *report)
{
    int64_t n = 0;

    for (size_t i = 0; i < COUNT(report->refused); i++) {
        n += report->refused[i];
    }
    return n;
}

bool jail_outputs_collect(const struct jail_policy *p, int mount, int quarantine, const char *run,
                          struct jail_outputs_report *report, struct error *err)
{
    struct taking t = {.left = p->outputs.bytes, .until_ms = clock_monotonic_ms() + p->outputs.deadline, .report = report};

    *report = (struct jail_outputs_report){0};
    (void)signal(SIGXFSZ, SIG_IGN);
    if (mkdirat(quarantine, run, 0700) != 0) {
        return error_errno(err, "quarantine %s/%s", p->outputs.quarantine, run);
    }
    int folder CLEANUP(cleanup_fd) = openat(quarantine, run, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0 || !take_folder(&t, mount, folder, 0, err)) {
        return folder < 0 ? error_errno(err, "quarantine") : error_wrap(err, "quarantine");
    }
    if (report->files == 0 && unlinkat(quarantine, run, AT_REMOVEDIR) == 0) {
        return true; /* nothing came out, not even a folder */
    }
    (void)snprintf(report->folder, sizeof(report->folder), "%s/%s", p->outputs.quarantine, run);
    return true;
}
