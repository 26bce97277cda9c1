#include "service/exports.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/thread.h"
#include "evidence/export.h"
#include "decision_log/access_record.h"
#include "pipeline/load.h"
#include "review/person.h"
#include "service/reviews.h"

enum { NICENESS = 15, MEMORY_MAX = 64 * 1024 };
/* Of a bundle with as many lines as may be: its list of files, its manifest, the lines about the lines. */
#define MAKING_MEMORY (UINT64_C(160) << 20)

static const char folder_name[] = "exports", ending[] = ".tar";

/* What is asked, for as long as the thread of its job runs. */
struct question {
    char query_text[QUERY_TEXT_MAX + 1], why[EXPORT_WHY_MAX + 1];
    struct query *query, *visible; /* visible NULL: everything is */
};

struct export_job {
    struct exports *exports;
    char by[ACCESS_NAME], tenant[ACCESS_TENANT];
    struct export_view view; /* state NONE: the place is free */
    bool is_dropped;         /* it is not shown any more, and its thread is to end */
    struct export_progress progress;
    struct question *question;
};

struct exports {
    struct service *service;
    char folder[PATH_MAX];
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a job was dropped, or has ended */
    bool is_stopping;
    struct export_job jobs[EXPORTS_KEPT];
};

const char *export_state_name(enum export_state state)
{
    static const char *const names[] = {[EXPORT_NONE] = "none", [EXPORT_RUNNING] = "running", [EXPORT_DONE] = "done",
                                        [EXPORT_FAILED] = "failed"};

    return names[state];
}

static void question_free(struct question *q)
{
    if (q != NULL) {
        query_free(q->query);
        query_free(q->visible);
        free(q);
    }
}

static void path_of(const struct export_job *j, char path[PATH_MAX])
{
    (void)snprintf(path, PATH_MAX, "%.*s/%s%s", PATH_MAX - UUID_TEXT - 16, j->exports->folder, j->view.id, ending);
}

/* --- the log's key -------------------------------------------------------------------- */

static bool find_key(void *context, struct span origin, struct note_key *out, struct error *err)
{
    const struct service *s = context;

    return signer_key(&s->signer, origin, out, err);
}

static bool sign(void *context, const struct note_key *key, const char *sha256, struct buf *lines, struct error *err)
{
    struct service *s = context;

    return signer_sign_manifest(&s->signer, span_str(key->name), sha256, lines, err);
}

/* --- making one ----------------------------------------------------------------------- */

static bool make(struct export_job *j, struct export_result *result, struct error *err)
{
    struct service *s = j->exports->service;
    const struct service_options *o = s->options;
    const struct rule_set_options loading = {.cache_directory = o->cache_directory, .only_used = true};
    const struct export_signer signer = {find_key, sign, s};
    const struct question *q = j->question;
    char path[PATH_MAX];
    struct error none;

    path_of(j, path);
    struct export_request r = {.log = o->log, .signer = &signer, .out = path, .query = q->query, .purpose = q->why, .by = j->by,
                               .visible = q->visible, .folder = j->exports->folder, .bytes_max = EXPORT_BYTES_MAX,
                               .free_min = EXPORT_FREE_MIN, .progress = &j->progress, .rules = o->rules, .policy = o->policy};
    /* As they are in the files now, and not when they were loaded: the bundle has texts of the digests it names. Who is limited to
     * a tenant does not see policies. */
    struct snapshot *snapshot = q->visible != NULL ? NULL : snapshot_open(o->rules, o->policy, &loading, &none);
    r.snapshot = snapshot;
    bool is_made = export_bundle(&r, result, err);
    snapshot_unref(snapshot);
    return is_made;
}

/* With the lock held. */
static void set_end(struct export_job *j, bool is_made, uint64_t lines, const struct error *err)
{
    char path[PATH_MAX];
    struct stat info;

    path_of(j, path);
    is_made = is_made && stat(path, &info) == 0;
    j->view.state = is_made ? EXPORT_DONE : EXPORT_FAILED;
    j->view.lines = lines;
    j->view.size = is_made ? (uint64_t)info.st_size : 0;
    j->view.until_ms = clock_utc_ns() / 1000000 + INT64_C(1000) * EXPORT_KEPT_S;
    if (!is_made) {
        (void)snprintf(j->view.detail, sizeof(j->view.detail), "%s", err->text);
    }
}

/* With the lock held: until it has expired or is dropped. */
static void wait_for_end(struct export_job *j)
{
    struct exports *e = j->exports;
    const struct timespec until = clock_timespec((clock_monotonic_ms() + INT64_C(1000) * EXPORT_KEPT_S) * 1000000);

    while (!e->is_stopping && !j->is_dropped && pthread_cond_timedwait(&e->changed, &e->lock, &until) == 0) {
    }
}

static void *run(void *context)
{
    struct export_job *j = context;
    struct exports *e = j->exports;
    struct export_result result = {0};
    struct error err = {.text = ""};
    char path[PATH_MAX];

    (void)setpriority(PRIO_PROCESS, 0, NICENESS); /* of this thread, on Linux */
    bool is_made = make(j, &result, &err);
    service_release(e->service, MAKING_MEMORY);
    if (!is_made && err.kind != ERROR_NOT_FOUND && err.kind != ERROR_DENIED) {
        log_warn("export: %s", err.text);
    }
    path_of(j, path);
    (void)pthread_mutex_lock(&e->lock);
    question_free(j->question);
    j->question = NULL;
    set_end(j, is_made, result.n, &err);
    wait_for_end(j);
    (void)unlink(path);
    j->view.state = EXPORT_NONE;
    (void)pthread_cond_broadcast(&e->changed);
    (void)pthread_mutex_unlock(&e->lock);
    return NULL;
}

/* --- asking --------------------------------------------------------------------------- */

static bool refuse(struct export_answer *out, unsigned status, const char *detail)
{
    out->status = status;
    (void)snprintf(out->detail, sizeof(out->detail), "%s", detail);
    return false;
}

/* What a person typed is judged; a query that may not be on record would mean something else then. */
static bool read_why(struct service *s, struct span why, struct question *q, struct arena *memory, struct export_answer *out)
{
    struct span query = query_canonical(q->query), before = query;
    struct filter_fault fault;

    if (why.len == 0 || why.len > EXPORT_WHY_MAX || memchr(why.ptr, '\0', why.len) != NULL) {
        return refuse(out, 422, "why: a text of at most 512 bytes expected");
    }
    if (!reviews_show_text(s, memory, &why, &fault) || (query.len > 0 && !reviews_show_text(s, memory, &query, &fault))) {
        return refuse(out, fault.status, fault.detail);
    }
    if (!span_equal(before, query) || query.len > QUERY_TEXT_MAX || why.len > EXPORT_WHY_MAX) {
        return refuse(out, 422, "query, why: text that may be on record expected");
    }
    (void)snprintf(q->query_text, sizeof(q->query_text), SPAN_FMT, SPAN_ARG(query));
    (void)snprintf(q->why, sizeof(q->why), SPAN_FMT, SPAN_ARG(why));
    return true;
}

static bool read_question(struct service *s, const struct caller *c, struct span query, struct span why, struct question *q,
                          struct export_answer *out)
{
    struct arena memory CLEANUP(arena_deinit);
    int64_t now_ns = clock_utc_ns();
    struct error err;

    arena_init(&memory, 0, MEMORY_MAX);
    if (query.len == 0) {
        return refuse(out, 422, "query: the lines that are wanted expected");
    }
    q->query = access_query(c, query, now_ns, &err);
    q->visible = q->query == NULL || c->tenant[0] == '\0' ? NULL : access_query(c, span_of("", 0), now_ns, &err);
    if (q->query == NULL || (c->tenant[0] != '\0' && q->visible == NULL)) {
        return refuse(out, err.kind == ERROR_NO_MEMORY ? 503 : 422, err.text);
    }
    return read_why(s, why, q, &memory, out);
}

static bool has_room(const struct exports *e, struct export_answer *out)
{
    struct statvfs disk;
    int folder CLEANUP(cleanup_fd) = open(e->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (folder < 0 || fstatvfs(folder, &disk) != 0 || (uint64_t)disk.f_bavail * disk.f_frsize < EXPORT_FREE_MIN) {
        return refuse(out, 503, "the disk of the state directory has less than 1 GiB free");
    }
    return true;
}

static bool is_of(const struct export_job *j, const struct caller *c)
{
    return j->view.state != EXPORT_NONE && !j->is_dropped && person_is_same(span_str(j->by), span_str(c->name));
}

/* With the lock held: a free place; what the caller has that is not being made any more is dropped. NULL with an answer. */
static struct export_job *find_place(struct exports *e, const struct caller *c, struct export_answer *out)
{
    struct export_job *place = NULL;
    unsigned n_making = 0;

    for (size_t i = 0; i < COUNT(e->jobs); i++) {
        struct export_job *j = &e->jobs[i];
        n_making += j->view.state == EXPORT_RUNNING;
        place = place == NULL && j->view.state == EXPORT_NONE ? j : place;
        if (is_of(j, c) && j->view.state == EXPORT_RUNNING) {
            (void)refuse(out, 409, "one export of yours is being made already");
            return NULL;
        }
    }
    if (place == NULL || n_making >= EXPORTS_MAKING || e->is_stopping) {
        (void)refuse(out, 503, "as many exports are being made, or kept, as can be");
        return NULL;
    }
    for (size_t i = 0; i < COUNT(e->jobs); i++) {
        e->jobs[i].is_dropped |= is_of(&e->jobs[i], c);
    }
    (void)pthread_cond_broadcast(&e->changed);
    return place;
}

/* The place is taken: nobody else begins one for this caller meanwhile. */
static struct export_job *take_place(struct exports *e, const struct caller *c, struct question *q, struct export_answer *out)
{
    uint8_t uuid[UUID_BYTES];
    struct error err;

    if (!uuid_make(clock_utc_ns(), uuid, &err)) {
        (void)refuse(out, 503, err.text);
        return NULL;
    }
    (void)pthread_mutex_lock(&e->lock);
    struct export_job *j = find_place(e, c, out);
    if (j != NULL) {
        *j = (struct export_job){.exports = e, .question = q, .view = {.state = EXPORT_RUNNING}};
        (void)snprintf(j->by, sizeof(j->by), "%s", c->name);
        (void)snprintf(j->tenant, sizeof(j->tenant), "%s", c->tenant);
        uuid_format(uuid, j->view.id);
    }
    (void)pthread_mutex_unlock(&e->lock);
    return j;
}

static void give_back(struct export_job *j)
{
    struct exports *e = j->exports;

    (void)pthread_mutex_lock(&e->lock);
    j->question = NULL;
    j->view.state = EXPORT_NONE;
    (void)pthread_cond_broadcast(&e->changed);
    (void)pthread_mutex_unlock(&e->lock);
}

static bool start(struct export_job *j, struct export_answer *out)
{
    struct error err;
    pthread_t thread;

    out->view = j->view;
    if (!thread_start(&thread, run, j, &err)) {
        return refuse(out, 503, err.text);
    }
    (void)pthread_detach(thread); /* exports_close waits for its place */
    out->status = 202;
    return true;
}

/* On disk before a line is read. */
static bool put_on_record(struct service *s, const struct caller *c, const struct question *q, struct export_answer *out)
{
    const struct access_event event = {.by = c->name, .role = caller_role(c, ROLE_AUDITOR), .what = "export",
                                       .query = span_str(q->query_text), .purpose = span_str(q->why), .now_ns = clock_utc_ns()};
    struct error err;

    return access_record_write(s->log, &event, &err) || refuse(out, 503, "that somebody exports could not be put on record");
}

/* Once its place is taken; the thread gives the memory back. */
static bool begin(struct service *s, const struct caller *c, struct export_job *j, struct export_answer *out)
{
    if (!service_hold(s, MAKING_MEMORY)) {
        return refuse(out, 503, "out of memory");
    }
    bool is_begun = put_on_record(s, c, j->question, out) && start(j, out);
    if (!is_begun) {
        service_release(s, MAKING_MEMORY);
    }
    return is_begun;
}

void exports_begin(struct service *s, const struct caller *c, struct span query, struct span why, struct export_answer *out)
{
    struct exports *e = s->exports;
    struct question *q = calloc(1, sizeof(*q));

    *out = (struct export_answer){.status = 503};
    if (e == NULL || q == NULL) {
        (void)refuse(out, q == NULL ? 503 : 404, q == NULL ? "out of memory" : "a state directory and a record with a proof expected");
        free(q);
        return;
    }
    struct export_job *j = read_question(s, c, query, why, q, out) && has_room(e, out) ? take_place(e, c, q, out) : NULL;
    if (j == NULL) {
        question_free(q);
        return;
    }
    if (!begin(s, c, j, out)) {
        give_back(j);
        question_free(q);
    }
}

/* --- looking -------------------------------------------------------------------------- */

static void copy_view(struct export_job *j, struct export_view *out)
{
    *out = j->view;
    out->read = atomic_load(&j->progress.read);
    out->lines = j->view.state == EXPORT_RUNNING ? atomic_load(&j->progress.taken) : j->view.lines;
}

/* With the lock held. An empty id is any. Somebody may have two tokens: the one that is limited to a tenant does not get what the
 * other one asked for. */
static struct export_job *find(struct exports *e, const struct caller *c, struct span id)
{
    for (size_t i = 0; i < COUNT(e->jobs); i++) {
        struct export_job *j = &e->jobs[i];
        bool is_seen = c->tenant[0] == '\0' || strcmp(c->tenant, j->tenant) == 0;
        if (is_of(j, c) && is_seen && (id.len == 0 || span_is(id, j->view.id))) {
            return j;
        }
    }
    return NULL;
}

bool exports_look(struct service *s, const struct caller *c, struct span id, struct export_view *out)
{
    struct exports *e = s->exports;

    if (e == NULL) {
        return false;
    }
    (void)pthread_mutex_lock(&e->lock);
    struct export_job *j = find(e, c, id);
    if (j != NULL) {
        copy_view(j, out);
    }
    (void)pthread_mutex_unlock(&e->lock);
    return j != NULL;
}

bool exports_newest(struct service *s, const struct caller *c, struct export_view *out)
{
    return exports_look(s, c, span_of("", 0), out); /* a caller has one */
}

int exports_file(struct service *s, const struct caller *c, struct span id, uint64_t *size)
{
    struct exports *e = s->exports;
    char path[PATH_MAX];
    int fd = -1;

    if (e == NULL) {
        return -1;
    }
    (void)pthread_mutex_lock(&e->lock);
    struct export_job *j = find(e, c, id);
    if (j != NULL && j->view.state == EXPORT_DONE) {
        path_of(j, path);
        *size = j->view.size;
        fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    }
    (void)pthread_mutex_unlock(&e->lock);
    return fd;
}

/* --- the folder ----------------------------------------------------------------------- */

/* Of what an earlier process left. */
static bool clear(const char *folder, struct error *err)
{
    DIR *dir = opendir(folder);
    bool is_clear = dir != NULL;

    for (struct dirent *entry; is_clear && (entry = readdir(dir)) != NULL;) { /* NOLINT(concurrency-mt-unsafe): its own stream */
        bool is_file = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
        is_clear = !is_file || unlinkat(dirfd(dir), entry->d_name, 0) == 0;
    }
    if (!is_clear) {
        (void)error_errno(err, "%s", folder);
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
    return is_clear;
}

bool exports_open(struct service *s, struct error *err)
{
    const char *state = s->options->state_directory;

    if (state == NULL || s->signer.socket < 0) {
        return true;
    }
    struct exports *e = calloc(1, sizeof(*e));
    if (e == NULL || pthread_mutex_init(&e->lock, NULL) != 0 || !condition_init(&e->changed)) {
        free(e);
        return error_set(err, ERROR_NO_MEMORY, "exports: no memory");
    }
    s->exports = e;
    e->service = s;
    if ((size_t)snprintf(e->folder, sizeof(e->folder), "%s/%s", state, folder_name) >= sizeof(e->folder) - 2 * UUID_TEXT) {
        return error_set(err, ERROR_INVALID, "state-directory: a shorter path expected");
    }
    return file_make_directory(e->folder, err) && clear(e->folder, err);
}

static bool is_idle(const struct exports *e)
{
    for (size_t i = 0; i < COUNT(e->jobs); i++) {
        if (e->jobs[i].view.state != EXPORT_NONE) {
            return false;
        }
    }
    return true;
}

void exports_close(struct service *s)
{
    struct exports *e = s->exports;

    if (e == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&e->lock);
    e->is_stopping = true;
    for (size_t i = 0; i < COUNT(e->jobs); i++) {
        atomic_store(&e->jobs[i].progress.is_stopped, true);
    }
    (void)pthread_cond_broadcast(&e->changed);
    while (!is_idle(e)) {
        (void)pthread_cond_wait(&e->changed, &e->lock);
    }
    (void)pthread_mutex_unlock(&e->lock);
    (void)pthread_cond_destroy(&e->changed);
    (void)pthread_mutex_destroy(&e->lock);
    free(e);
    s->exports = NULL;
}
