#include "ctl/record/proven_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/directory.h"
#include "base/file.h"
#include "record/checkpoint_store.h"
#include "record/log_reader.h"

enum { MINIMUM_MAX = 64 };

static bool is_directory(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool set_folder(struct proven_log *p, const char *path, size_t len, struct error *err)
{
    int n = snprintf(p->folder, sizeof(p->folder), "%.*s", len == 0 ? 1 : (int)len, len == 0 ? "." : path);
    int m = snprintf(p->record, sizeof(p->record), "%s/record", p->folder);

    return (n < (int)sizeof(p->folder) && m < (int)sizeof(p->record)) ||
           error_set(err, ERROR_INVALID, "%s: a shorter path expected", path);
}

/* The first of filterd's own places that has a record. */
static bool find_folder(struct proven_log *p, struct error *err)
{
    struct directory_candidates places;

    directory_candidates(DIRECTORY_LOGS, &places);
    for (unsigned i = 0; i < places.n; i++) {
        if (!set_folder(p, places.paths[i], strlen(places.paths[i]), err)) {
            return false;
        }
        if (access(p->record, R_OK | X_OK) == 0) {
            return true;
        }
    }
    return error_set(err, ERROR_NOT_FOUND, "the folder of a decision log expected: filterd's own has none that can be read");
}

static bool find_place(struct proven_log *p, char *const *operands, int n_operands, struct error *err)
{
    if (n_operands == 0) {
        return find_folder(p, err);
    }
    const char *first = operands[0], *slash = strrchr(first, '/');
    size_t folder_len = is_directory(first) ? strlen(first) : slash == NULL ? 0 : slash == first ? 1 : (size_t)(slash - first);

    /* A log that rotation has just moved away has its record still. */
    return set_folder(p, first, folder_len, err) &&
           (access(p->record, F_OK) == 0 || access(first, F_OK) == 0 || error_errno(err, "%s", first));
}

static bool add_files(struct proven_log *p, char *const *operands, int n_operands, struct error *err)
{
    if (n_operands == 0) {
        return log_files_scan(&p->files, p->folder, err);
    }
    for (int i = 0; i < n_operands; i++) {
        if (!(is_directory(operands[i]) ? log_files_scan(&p->files, operands[i], err)
                                        : log_files_add(&p->files, operands[i], err))) {
            return false;
        }
    }
    return true;
}

/* What retention left: a number of a line; no file: all lines. */
static bool read_minimum(struct proven_log *p, struct error *err)
{
    char path[PATH_MAX + 16], *end;
    struct buf text;

    (void)snprintf(path, sizeof(path), "%s/minimum", p->record);
    buf_init(&text, MINIMUM_MAX);
    bool is_read = file_read(path, &text, err);
    if (!is_read) {
        buf_deinit(&text);
        return err->kind == ERROR_NOT_FOUND;
    }
    is_read = buf_append_char(&text, '\0', err);
    p->minimum = is_read ? strtoull(text.data, &end, 10) : 0;
    is_read = is_read && end != text.data && (*end == '\0' || *end == '\n');
    buf_deinit(&text);
    return is_read || error_set(err, ERROR_MALFORMED, "%s: the number of a line expected", path);
}

bool proven_log_open(struct proven_log *p, char *const *operands, int n_operands, const char *record, struct error *err)
{
    *p = (struct proven_log){.minimum = 0};
    buf_init(&p->note, NOTE_MAX);
    if (!find_place(p, operands, n_operands, err)) {
        return false;
    }
    if (record != NULL && snprintf(p->record, sizeof(p->record), "%s", record) >= (int)sizeof(p->record)) {
        return error_set(err, ERROR_INVALID, "%s: a shorter path expected", record);
    }
    if (!checkpoint_store_newest(p->record, &p->note, err) || !checkpoint_parse(buf_span(&p->note), &p->newest, err) ||
        !read_minimum(p, err) || !add_files(p, operands, n_operands, err)) {
        return false;
    }
    log_files_select(&p->files, p->newest.origin);
    return true;
}

void proven_log_close(struct proven_log *p)
{
    log_files_deinit(&p->files);
    buf_deinit(&p->note);
}

bool proven_log_keep(const struct proven_log *p, const struct note_key *key, uint64_t minimum, struct error *err)
{
    char path[PATH_MAX + 16], text[NOTE_VKEY_MAX + 2], number[MINIMUM_MAX];

    note_key_format(key, text);
    size_t len = strlen(text);
    text[len] = '\n';
    (void)snprintf(path, sizeof(path), "%s/vkey", p->record);
    if (!file_write_atomic(path, span_of(text, len + 1), 0644, err)) {
        return false;
    }
    (void)snprintf(path, sizeof(path), "%s/minimum", p->record);
    int n = snprintf(number, sizeof(number), "%" PRIu64 "\n", minimum);
    return file_write_atomic(path, span_of(number, (size_t)n), 0644, err);
}
