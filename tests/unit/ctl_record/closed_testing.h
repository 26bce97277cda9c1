/* closed_testing.h - a proven log of several files in a folder of its own. */
#ifndef FILTERD_TESTS_CLOSED_TESTING_H
#define FILTERD_TESTS_CLOSED_TESTING_H

#include "unit/record/proven_testing.h"

#include <fcntl.h>

#include "ctl/record/closed.h"
#include "record/log_view.h"
#include "unit/record/crash_testing.h"

enum { PER_FILE = 300, N_FILES = 4, LINES = N_FILES * PER_FILE, CRASHES_MAX = 200 };

#define OLD "2020-01-01T00:00:00.000000001Z"
#define RECENT "2100-01-01T00:00:00Z"

static struct proven log_;
static struct error err;

/* --- the log ------------------------------------------------------------------------ */

/* The moment of each file's lines; `more` are members of the second line of the first file. */
static void add_line(const char *ts, bool is_first, const char *more)
{
    char vkey[NOTE_VKEY_MAX + 1];
    struct tree_hash leaf;
    size_t at = log_.text.len;

    log_.n++;
    note_key_format(&log_.key, vkey);
    must(buf_appendf(&log_.text, &err, "{\"seq\":%llu,\"node\":\"n\",\"boot_id\":\"b\",\"v\":2,\"type\":\"%s\",\"ts\":\"%s\"",
                     (unsigned long long)log_.n, log_.n == 1 ? "log" : is_first ? "rotation" : "decision", ts) &&
             (!is_first || buf_append_str(&log_.text, ",\"origin\":\"" ORIGIN "\"", &err)) &&
             (log_.n > 1 || buf_appendf(&log_.text, &err, ",\"vkey\":\"%s\"", vkey)) && buf_append_str(&log_.text, more, &err) &&
             buf_append_str(&log_.text, "}\n", &err),
         &err);
    tree_hash_leaf(span_of(log_.text.data + at, log_.text.len - at - 1), &leaf);
    must(tile_writer_add(log_.tiles, &leaf, &err), &err);
}

static const char *file_name(unsigned i)
{
    static const char *const names[N_FILES] = {"decisions.jsonl.2", "decisions-0000007.jsonl", "moved", "decisions.jsonl"};

    return names[i];
}

/* Files with a line each of PER_FILE; the last one is open. All are covered by a checkpoint. */
static void make_log(const char *const ts[N_FILES], const char *more)
{
    (void)empty_folder(NULL);
    if (log_.tiles != NULL) {
        proven_deinit(&log_);
    }
    proven_init(&log_, 7);
    for (unsigned i = 0; i < N_FILES; i++) {
        size_t at = log_.text.len;
        for (unsigned k = 0; k < PER_FILE; k++) {
            add_line(ts[i], k == 0, i == 0 && k == 1 ? more : "");
        }
        write_log(file_name(i), i == 1 ? LOG_GZIP : LOG_PLAIN, span_slice(buf_span(&log_.text), at, log_.text.len));
    }
    proven_checkpoint(&log_);
}

static bool is_there(const char *name)
{
    return access(in_folder(name), F_OK) == 0;
}

/* All that is left is what was signed, and its neighbours can be proven. */
static void verify(void)
{
    struct closed_log c;

    must(closed_log_open(&c, in_folder("decisions.jsonl"), &err), &err);
    must(closed_log_check(&c, &err), &err);
    closed_log_close(&c);
}

static const char *record_folder(void)
{
    static char path[256];

    (void)snprintf(path, sizeof(path), "%s/record", folder);
    return path;
}

static bool prove(uint64_t seq)
{
    const struct log_view view = {.folder = folder, .record = record_folder()};
    struct buf out;

    buf_init(&out, LOG_VIEW_PROOF_MAX);
    bool is_proven = log_view_proof(&view, seq, 0, &out, &err);
    buf_deinit(&out);
    return is_proven;
}

#endif
