#include "jail/report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"

enum { REPORT_MAX = 1024 * 1024 };

#define OPEN ".open.json"
#define WHOLE ".json"

/* --- members -------------------------------------------------------------- */

static bool append_text(struct buf *out, const char *name, const char *text, struct error *err)
{
    return buf_appendf(out, err, "\"%s\":", name) && json_append_string(out, span_str(text), err);
}

/* By H. Hinnant's civil_from_days, of years that begin in March: gmtime_r brings a reader of time zones with it, and that
 * a twentieth of the whole program. Times here are after 1970. */
static bool append_time(struct buf *out, const char *name, int64_t ns, struct error *err)
{
    int64_t seconds = ns / 1000000000, days = seconds / 86400 + 719468;
    int64_t era = days / 146097, of_era = days % 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100), march = (5 * of_year + 2) / 153;
    int day = (int)(of_year - (153 * march + 2) / 5 + 1), month = (int)(march < 10 ? march + 3 : march - 9);

    return buf_appendf(out, err, "\"%s\":\"%04d-%02d-%02dT%02d:%02d:%02d.%03dZ\"", name,
                       (int)(year + era * 400 + (month <= 2)), month, day, (int)(seconds / 3600 % 24),
                       (int)(seconds / 60 % 60), (int)(seconds % 60), (int)(ns / 1000000 % 1000));
}

/* Of the command its name alone: an argument may be a secret. */
static bool append_head(const struct jail_report *r, const char *phase, struct buf *out, struct error *err)
{
    char digest[JAIL_POLICY_DIGEST];
    size_t n = 0;

    while (r->command[n] != NULL) {
        n++;
    }
    return jail_policy_digest(r->policy, digest, err) && buf_appendf(out, err, "{\"version\":1,\"id\":\"%s\",\"phase\":\"%s\",", r->id, phase) &&
           append_time(out, "started", r->started_ns, err) && buf_append_str(out, ",\"policy\":{", err) &&
           append_text(out, "name", r->policy->name, err) &&
           buf_appendf(out, err, ",\"digest\":\"%s\"},\"caller\":{\"uid\":%u,\"pid\":%d},\"command\":{", digest,
                       getuid(), (int)getpid()) &&
           append_text(out, "program", r->command[0], err) && buf_appendf(out, err, ",\"arguments\":%zu}", n - 1);
}

static bool append_kill(const struct jail_kill_report *k, struct buf *out, struct error *err)
{
    return buf_appendf(out, err,
                       ",\"kill\":{\"verified\":%s,\"processes\":%" PRId64 ",\"survivors\":%" PRId64 ",\"rounds\":%u,"
                       "\"signalled_us\":%" PRId64 ",\"total_us\":%" PRId64 "}",
                       k->is_verified ? "true" : "false", k->processes, k->survivors, k->rounds, k->signalled_us, k->total_us);
}

static bool append_outcome(const struct jail_outcome *o, const struct error *why, struct buf *out, struct error *err)
{
    static const char *const ends[] = {
        [JAIL_END_COMMAND] = "command", [JAIL_END_WALL_CLOCK] = "wall", [JAIL_END_CPU_TIME] = "cpu_time",
        [JAIL_END_IDLE] = "idle",       [JAIL_END_OUTPUT] = "output",   [JAIL_END_SIGNAL] = "signal",
        [JAIL_END_FAULT] = "fault",     [JAIL_END_LEASE] = "lease",     [JAIL_END_FILTER] = "filter",
    };
    const char *reason = why != NULL ? why->text : o->end == JAIL_END_FILTER ? o->why : NULL;

    if (!buf_appendf(out, err, ",\"outcome\":{\"end\":\"%s\",\"exit_code\":%d,\"out_of_memory\":%s",
                     why != NULL ? "refused" : ends[o->end], o->exit_code,
                     o->is_out_of_memory ? "true" : "false")) {
        return false;
    }
    if (reason != NULL && !(buf_append_char(out, ',', err) && append_text(out, "reason", reason, err))) {
        return false;
    }
    return (!o->was_killed || append_kill(&o->kill, out, err)) && buf_append_char(out, '}', err);
}

static bool append_mechanisms(const struct jail_mechanisms *w, struct buf *out, struct error *err)
{
    const char *separator = "";

    if (!buf_append_str(out, ",\"missing_mechanisms\":[", err)) {
        return false;
    }
    for (unsigned i = 0; i < JAIL_MECHANISM_COUNT; i++) {
        if ((w->missing & 1U << i) == 0) {
            continue;
        }
        if (!buf_appendf(out, err, "%s{\"mechanism\":\"%s\",", separator, jail_mechanism_name((enum jail_mechanism)i)) ||
            !append_text(out, "reason", w->reasons[i].text, err) || !buf_append_char(out, '}', err)) {
            return false;
        }
        separator = ",";
    }
    return buf_append_char(out, ']', err);
}

static bool append_counts(const struct jail_events *e, struct buf *out, struct error *err)
{
    const char *separator = "";

    for (unsigned i = 0; i < JAIL_EVENT_KINDS; i++) {
        if (e->counts[i] == 0) {
            continue;
        }
        if (!buf_appendf(out, err, "%s\"%s\":%" PRIu64, separator, jail_event_name((enum jail_event_kind)i), e->counts[i])) {
            return false;
        }
        separator = ",";
    }
    return true;
}

static bool append_event(const struct jail_event *e, bool is_first, struct buf *out, struct error *err)
{
    const char *violation = jail_event_violation(e->kind);

    return buf_append_str(out, is_first ? "{" : ",{", err) && append_time(out, "at", e->utc_ns, err) &&
           buf_appendf(out, err, ",\"kind\":\"%s\",\"violation\":%s%s%s,", jail_event_name(e->kind),
                       violation == NULL ? "" : "\"", violation == NULL ? "null" : violation, violation == NULL ? "" : "\"") &&
           append_text(out, "detail", e->detail, err) && buf_append_char(out, '}', err);
}

/* What was denied: all counted, the first ones with their detail. */
static bool append_events(const struct jail_events *e, struct buf *out, struct error *err)
{
    if (!buf_append_str(out, ",\"denied\":{\"counts\":{", err) || !append_counts(e, out, err) ||
        !buf_append_str(out, "},\"events\":[", err)) {
        return false;
    }
    for (size_t i = 0; i < e->n; i++) {
        if (!append_event(&e->items[i], i == 0, out, err)) {
            return false;
        }
    }
    return buf_append_str(out, "]}", err);
}

/* Where the egress proxy keeps its record, whose lines name the hosts; and the agent under which the run was counted. */
static bool append_network(const struct jail_policy *p, struct buf *out, struct error *err)
{
    if (p->network.egress != NULL && !(buf_append_str(out, ",\"network\":{", err) &&
                                       append_text(out, "rules", p->network.egress, err) && buf_append_char(out, ',', err) &&
                                       append_text(out, "record", p->network.record == NULL ? "" : p->network.record, err) &&
                                       buf_append_char(out, '}', err))) {
        return false;
    }
    return p->filter.socket == NULL ||
           (buf_append_str(out, ",\"filter\":{", err) &&
            append_text(out, "agent", p->filter.agent == NULL ? p->name : p->filter.agent, err) &&
            buf_append_char(out, '}', err));
}

static bool append_use(const struct jail_outcome *o, struct buf *out, struct error *err)
{
    const struct jail_use *u = &o->use;

    return buf_appendf(out, err,
                       ",\"use\":{\"wall_ms\":%" PRId64 ",\"cpu_ms\":%" PRId64 ",\"memory_peak\":%" PRId64
                       ",\"bytes_in\":%" PRIu64 ",\"bytes_out\":%" PRIu64 "}",
                       u->wall_ms, u->cpu_ms, u->memory_peak, u->bytes_in, u->bytes_out);
}

static bool append_outputs(const struct jail_outcome *o, struct buf *out, struct error *err)
{
    const struct jail_outputs_report *r = &o->outputs;

    if (!o->has_outputs) {
        return true;
    }
    if (!buf_append_str(out, ",\"outputs\":{", err) || !append_text(out, "folder", r->folder, err) ||
        !buf_appendf(out, err, ",\"files\":%" PRId64 ",\"bytes\":%" PRId64 ",\"refused\":%" PRId64 ",\"refused_for\":{", r->files,
                     r->bytes, jail_outputs_refused(r))) {
        return false;
    }
    for (unsigned i = 0; i < JAIL_OUTPUTS_REFUSALS; i++) {
        if (!buf_appendf(out, err, "%s\"%s\":%" PRId64, i == 0 ? "" : ",", jail_outputs_refusal_name((enum jail_outputs_refusal)i),
                         r->refused[i])) {
            return false;
        }
    }
    return buf_append_str(out, "}}", err);
}

/* Which bytes the copies of inputs had; live inputs have no such answer. */
static bool append_snapshots(const struct jail_report *r, const struct jail_outcome *o, struct buf *out, struct error *err)
{
    char hex[2 * JAIL_SNAPSHOT_DIGEST + 1];

    for (size_t i = 0; i < o->n_snapshots; i++) {
        const struct jail_snapshot *s = &o->snapshots[i];
        (void)sodium_bin2hex(hex, sizeof(hex), s->digest, sizeof(s->digest));
        if (!buf_append_str(out, i == 0 ? ",\"snapshots\":[{" : ",{", err) ||
            !append_text(out, "to", r->policy->inputs[s->input].to, err) ||
            !buf_appendf(out, err, ",\"digest\":\"sha256:%s\",\"files\":%" PRId64 ",\"bytes\":%" PRId64 "}", hex, s->files, s->bytes)) {
            return false;
        }
    }
    return o->n_snapshots == 0 || buf_append_char(out, ']', err);
}

/* --- the file ------------------------------------------------------------- */

/* An unnamed file, which needs no removal when this process is killed. */
static bool publish(const struct jail_report *r, struct span line, const char *name)
{
    char path[64];
    int fd CLEANUP(cleanup_fd) = openat(r->folder, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0640);

    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return fd >= 0 && file_write_all(fd, line) && fsync(fd) == 0 &&
           linkat(AT_FDCWD, path, r->folder, name, AT_SYMLINK_FOLLOW) == 0;
}

/* On a file system without them: under a name that is not mistaken for a report. */
static bool publish_named(const struct jail_report *r, struct span line, const char *name)
{
    char temporary[UUID_TEXT + 8];

    (void)snprintf(temporary, sizeof(temporary), ".%s", r->id);
    int fd CLEANUP(cleanup_fd) = openat(r->folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640);
    return fd >= 0 && file_write_all(fd, line) && fsync(fd) == 0 && renameat(r->folder, temporary, r->folder, name) == 0;
}

/* In one piece: a reader sees the open report, then the whole one, then that alone. */
static bool put(const struct jail_report *r, const struct buf *report, const char *suffix, struct error *err)
{
    struct buf line CLEANUP(buf_deinit);
    char name[UUID_TEXT + 16];

    buf_init(&line, 2 * (size_t)REPORT_MAX);
    (void)snprintf(name, sizeof(name), "%s%s", r->id, suffix);
    if (!jail_sign(&r->key, buf_span(report), &line, err)) {
        return false;
    }
    bool is_there = publish(r, buf_span(&line), name) ||
                    ((errno == EOPNOTSUPP || errno == EISDIR) && publish_named(r, buf_span(&line), name));
    return (is_there && fsync(r->folder) == 0) || error_errno(err, "report %s/%s", r->policy->report, name);
}

static int open_folder(const char *path, struct error *err)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &info) != 0) {
        error_errno(err, "report.folder %s", path);
        cleanup_fd(&fd);
        return -1;
    }
    if ((info.st_mode & S_IWOTH) != 0 || (info.st_uid != 0 && info.st_uid != geteuid())) {
        error_set(err, ERROR_DENIED, "report.folder %s: a folder of root or the caller expected that others cannot write", path);
        (void)close(fd);
        return -1;
    }
    return fd;
}

bool jail_report_begin(struct jail_report *r, const struct jail_policy *p, char *const *command, struct error *err)
{
    struct buf report CLEANUP(buf_deinit);
    uint8_t id[UUID_BYTES];

    *r = (struct jail_report){.folder = -1, .policy = p, .command = command, .started_ns = clock_utc_ns()};
    buf_init(&report, REPORT_MAX);
    if ((r->folder = open_folder(p->report, err)) < 0) {
        return false;
    }
    if (!jail_signing_key_load(r->folder, &r->key, err)) {
        return error_wrap(err, "report.folder %s", p->report);
    }
    if (!uuid_make(r->started_ns, id, err)) {
        return false;
    }
    uuid_format(id, r->id);
    return append_head(r, "open", &report, err) && buf_append_char(&report, '}', err) && put(r, &report, OPEN, err);
}

bool jail_report_end(struct jail_report *r, const struct jail_outcome *o, const struct error *why, struct error *err)
{
    struct buf report CLEANUP(buf_deinit);
    char open_name[UUID_TEXT + 16];

    buf_init(&report, REPORT_MAX);
    bool is_there = append_head(r, "final", &report, err) && buf_append_char(&report, ',', err) &&
                    append_time(&report, "ended", clock_utc_ns(), err) && buf_append_char(&report, ',', err) &&
                    append_text(&report, "run", o->name, err) && append_outcome(o, why, &report, err) &&
                    append_mechanisms(&o->mechanisms, &report, err) && append_events(&o->events, &report, err) &&
                    append_network(r->policy, &report, err) && append_use(o, &report, err) &&
                    append_outputs(o, &report, err) && append_snapshots(r, o, &report, err) && buf_append_char(&report, '}', err) && put(r, &report, WHOLE, err);
    (void)snprintf(open_name, sizeof(open_name), "%s" OPEN, r->id);
    if (is_there) {
        (void)unlinkat(r->folder, open_name, 0);
    }
    return is_there;
}

void jail_report_close(struct jail_report *r)
{
    cleanup_fd(&r->folder);
    jail_signing_key_wipe(&r->key);
    r->folder = -1;
}
