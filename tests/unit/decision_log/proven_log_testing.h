/* proven_log_testing.h - a proven log in a folder of its own, with its signer as a thread. */
#ifndef FILTERD_TESTS_PROVEN_LOG_TESTING_H
#define FILTERD_TESTS_PROVEN_LOG_TESTING_H

#include "testing.h"

#include <ftw.h>
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "decision_log/decision_log.h"
#include "record/checkpoint_store.h"
#include "record/log_check.h"
#include "record/signer.h"
#include "witness/local.h"

static char folder[] = "/tmp/filterd-proven-XXXXXX";
static struct error err;

static inline void must(bool is_done)
{
    if (!is_done) {
        fail_msg("%s", err.text);
    }
}

static inline const char *at(const char *name)
{
    static char paths[8][256];
    static unsigned next;
    char *path = paths[next++ % 8];

    (void)snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

static inline int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    return place->level == 0 ? 0 : remove(path);
}

static inline int empty_folder(void **state)
{
    (void)state;
    return nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* --- the log ----------------------------------------------------------------------- */

struct proven_log {
    struct decision_log *log;
    struct signer signer;
    struct witness witness;
    pthread_t thread;
    int their_end;
};

static inline void *serve_signer(void *context)
{
    struct proven_log *p = context;
    struct error ignored;

    (void)!witness_serve_local(&p->witness, p->their_end, &ignored);
    (void)close(p->their_end);
    return NULL;
}

static inline void start_signer(struct proven_log *p)
{
    int ends[2];

    *p = (struct proven_log){.witness = {.is_local = true, .lock = PTHREAD_MUTEX_INITIALIZER}};
    memset(p->witness.seed, 7, NOTE_SEED);
    must(witness_state_open(&p->witness.state, at("signed"), &err));
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    p->their_end = ends[1];
    assert_int_equal(pthread_create(&p->thread, NULL, serve_signer, p), 0);
    must(signer_connect(&p->signer, ends[0], &err));
}

static inline void stop_signer(struct proven_log *p)
{
    signer_stop(&p->signer);
    (void)pthread_join(p->thread, NULL);
    witness_state_close(&p->witness.state);
}

/* False with `err`; the signer has ended then. */
static inline bool try_open(struct proven_log *p, const char *new_record)
{
    start_signer(p);
    const struct decision_proving proving = {.signer = &p->signer, .new_record = new_record};
    p->log = decision_log_open_proven(at("decisions.jsonl"), &proving, &err);
    if (p->log == NULL) {
        stop_signer(p);
    }
    return p->log != NULL;
}

static inline void open_proven(struct proven_log *p)
{
    must(try_open(p, NULL));
}

static inline void close_proven(struct proven_log *p)
{
    decision_log_close(p->log);
    stop_signer(p);
}

static inline void add_lines(struct proven_log *p, unsigned n)
{
    static unsigned made; /* no line is another's */
    char line[200];

    for (unsigned i = 0; i < n; i++) {
        int len = snprintf(line, sizeof(line), "{\"v\":2,\"type\":\"test\",\"n\":%u,\"filling\":\"%.*s\"}", made++, (int)(i * 13 % 60),
                           "............................................................");
        if (i + 1 == n) {
            must(decision_log_append_wait(p->log, span_of(line, (size_t)len), &err));
        } else {
            must(decision_log_append(p->log, span_of(line, (size_t)len), NULL, NULL, &err));
        }
    }
}

/* --- what is there ----------------------------------------------------------------- */

static inline void newest(struct buf *note, struct checkpoint *c)
{
    buf_init(note, NOTE_MAX);
    must(checkpoint_store_newest(at("record"), note, &err) && checkpoint_parse(buf_span(note), c, &err));
}

/* The log of the newest checkpoint, compared with that. */
static inline struct log_check_result check_log(void)
{
    struct log_check_result result;
    struct log_files files = {0};
    struct log_keys keys;
    struct checkpoint c;
    struct note_key key;
    struct buf note;
    uint8_t seed[NOTE_SEED], public[NOTE_PUBLIC];

    memset(seed, 7, sizeof(seed));
    note_public(seed, public);
    newest(&note, &c);
    must(note_key_make(c.origin, NOTE_ED25519, public, &key, &err) && checkpoint_verify(&c, &key, &err) &&
         log_files_scan(&files, folder, &err));
    log_files_select(&files, c.origin);
    log_keys_set(&keys, &key);
    const struct log_check check = {.files = &files, .record = at("record"), .newest = &c, .keys = &keys};
    must(log_check(&check, &result, &err));
    log_files_deinit(&files);
    buf_deinit(&note);
    return result;
}

/* Sound, with that many lines, all of them signed. */
static inline void expect_sound(uint64_t lines)
{
    struct log_check_result result = check_log();
    struct checkpoint c;
    struct buf note;

    if (result.finding.is_there) {
        fail_msg("%s", result.finding.text);
    }
    newest(&note, &c);
    assert_int_equal(c.size, result.last);
    if (lines != 0) {
        assert_int_equal(result.last, lines);
    }
    buf_deinit(&note);
}

static inline json_t *read_line(const char *name, unsigned number)
{
    FILE *file = fopen(at(name), "r");
    char *line = NULL;
    size_t room = 0;
    json_t *record = NULL;

    for (unsigned i = 0; file != NULL && i < number && getline(&line, &room, file) > 0; i++) {
        json_decref(record);
        record = json_loads(line, 0, NULL);
    }
    free(line);
    assert_non_null(file);
    (void)fclose(file);
    assert_non_null(record);
    return record;
}

static inline const char *text_at(const json_t *record, const char *name)
{
    const char *text = json_string_value(json_object_get(record, name));

    return text == NULL ? "" : text;
}

static inline void write_text(const char *name, struct span text)
{
    must(file_write_atomic(at(name), text, 0600, &err));
}

static inline void read_text(const char *name, struct buf *out)
{
    buf_init(out, 64 * 1024 * 1024);
    must(file_read(at(name), out, &err));
}

#endif
