#include "decision_log/verification.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/thread.h"
#include "record/checkpoint_store.h"
#include "record/log_check.h"

enum { NICENESS = 15, MINIMUM_MAX = 64 };

struct verification {
    pthread_mutex_t lock;
    unsigned references; /* the service's, and the thread's */
    struct verification_result result;
    char folder[PATH_MAX], record[PATH_MAX];
    struct note_key key;
};

struct verification *verification_new(struct error *err)
{
    struct verification *v = calloc(1, sizeof(*v));

    if (v == NULL) {
        error_set(err, ERROR_NO_MEMORY, "verification: no memory");
        return NULL;
    }
    (void)pthread_mutex_init(&v->lock, NULL);
    v->references = 1;
    return v;
}

void verification_free(struct verification *v)
{
    if (v == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&v->lock);
    bool is_last = --v->references == 0;
    (void)pthread_mutex_unlock(&v->lock);
    if (is_last) {
        (void)pthread_mutex_destroy(&v->lock);
        free(v);
    }
}

/* Lines that a prune has removed on record; without the file, none. */
static bool read_minimum(const struct verification *v, uint64_t *minimum, struct error *err)
{
    char path[PATH_MAX + 16], *end = NULL;
    struct buf text;

    *minimum = 0;
    (void)snprintf(path, sizeof(path), "%s/minimum", v->record);
    buf_init(&text, MINIMUM_MAX);
    bool is_read = file_read(path, &text, err) && buf_append_char(&text, '\0', err);
    if (is_read) {
        *minimum = strtoull(text.data, &end, 10);
        is_read = (end != text.data && (*end == '\n' || *end == '\0')) ||
                  error_set(err, ERROR_MALFORMED, "%s: the number of a line expected", path);
    } else {
        is_read = err->kind == ERROR_NOT_FOUND;
    }
    buf_deinit(&text);
    return is_read;
}

/* A log whose first line is in no file here has the key that signs now, as far as is known. */
static bool read_keys(const struct verification *v, const struct log_files *files, struct log_keys *keys, struct error *err)
{
    if (log_keys_read(v->record, files, NULL, keys, err)) {
        return true;
    }
    log_keys_set(keys, &v->key);
    return err->kind == ERROR_NOT_FOUND;
}

static bool check_files(const struct verification *v, const struct checkpoint *newest, struct log_check_result *out,
                        struct error *err)
{
    struct log_keys keys;
    struct log_check check = {.record = v->record, .newest = newest, .keys = &keys};
    struct log_files files = {.items = NULL};
    bool is_checked = read_minimum(v, &check.minimum, err) && log_files_scan(&files, v->folder, err);

    if (is_checked) {
        log_files_select(&files, newest->origin);
        check.files = &files;
        is_checked = read_keys(v, &files, &keys, err) && log_check(&check, out, err);
    }
    log_files_deinit(&files);
    return is_checked;
}

/* Without the lock: what it reads of `v` does not change while it runs. */
static void verify(const struct verification *v, struct verification_result *out)
{
    struct log_check_result result = {0};
    struct checkpoint newest;
    struct error err = {.text = ""};
    struct buf note;

    buf_init(&note, NOTE_MAX);
    bool is_checked = checkpoint_store_newest(v->record, &note, &err) && checkpoint_parse(buf_span(&note), &newest, &err) &&
                      checkpoint_verify(&newest, &v->key, &err) && check_files(v, &newest, &result, &err);
    out->state = !is_checked ? VERIFICATION_FAILED : result.finding.is_there ? VERIFICATION_BAD : VERIFICATION_GOOD;
    out->lines = result.lines;
    out->checkpoints = result.checkpoints;
    out->size = is_checked ? newest.size : 0;
    (void)snprintf(out->finding, sizeof(out->finding), "%s", is_checked ? result.finding.text : err.text);
    out->ended_ns = clock_utc_ns();
    buf_deinit(&note);
}

static void *run(void *context)
{
    struct verification *v = context;
    struct verification_result result;

    (void)setpriority(PRIO_PROCESS, 0, NICENESS); /* of this thread, on Linux */
    verification_look(v, &result);
    verify(v, &result);
    (void)pthread_mutex_lock(&v->lock);
    v->result = result;
    (void)pthread_mutex_unlock(&v->lock);
    verification_free(v);
    return NULL;
}

static void prepare(struct verification *v, const struct log_view *view, const struct note_key *key)
{
    (void)snprintf(v->folder, sizeof(v->folder), "%s", view->folder);
    (void)snprintf(v->record, sizeof(v->record), "%s", view->record);
    v->key = *key;
    v->result = (struct verification_result){.state = VERIFICATION_RUNS, .begun_ns = clock_utc_ns()};
    v->references++;
}

bool verification_start(struct verification *v, const struct log_view *view, const struct note_key *key, struct error *err)
{
    pthread_t thread;

    (void)pthread_mutex_lock(&v->lock);
    bool is_free = v->result.state != VERIFICATION_RUNS;
    if (is_free) {
        prepare(v, view, key);
    }
    (void)pthread_mutex_unlock(&v->lock);
    if (!is_free) {
        return error_set(err, ERROR_DENIED, "a verification runs already");
    }
    if (!thread_start(&thread, run, v, err)) {
        (void)pthread_mutex_lock(&v->lock);
        v->result = (struct verification_result){.state = VERIFICATION_NONE};
        v->references--;
        (void)pthread_mutex_unlock(&v->lock);
        return false;
    }
    (void)pthread_detach(thread);
    return true;
}

void verification_look(struct verification *v, struct verification_result *out)
{
    (void)pthread_mutex_lock(&v->lock);
    *out = v->result;
    (void)pthread_mutex_unlock(&v->lock);
}
