#include "record/log_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/json.h"

enum { FIRST_READ = 64 * 1024, SCANS_MAX = 10 };

bool log_line_seq(struct span line, uint64_t *seq)
{
    static const char start[] = "{\"seq\":";
    size_t at = sizeof(start) - 1, digits = 0;
    uint64_t value = 0;

    if (!span_starts_with(line, span_str(start))) {
        return false;
    }
    for (; at < line.len && line.ptr[at] >= '0' && line.ptr[at] <= '9' && digits < 19; at++, digits++) {
        value = value * 10 + (uint64_t)(line.ptr[at] - '0');
    }
    if (digits == 0 || at == line.len || line.ptr[at] != ',') {
        return false;
    }
    *seq = value;
    return true;
}

struct span log_line_text(struct span line, const char *name)
{
    struct json_value value;
    struct span member;
    struct error err;

    if (!json_validate(line, &err)) {
        return span_of(NULL, 0);
    }
    struct json_iterator it = json_iterate(json_root(line));
    while (json_next(&it, &member, &value)) {
        if (span_is(member, name)) {
            return value.kind == JSON_KIND_STRING ? span_slice(value.raw, 1, value.raw.len - 1) : span_of(NULL, 0);
        }
    }
    return span_of(NULL, 0);
}

/* {..."type":"prune",..."last":7,...} */
uint64_t log_line_removed(struct span line)
{
    static const char type[] = "\"type\":\"prune\"", last[] = "\"last\":";
    uint64_t number = 0;

    if (memmem(line.ptr, line.len, type, sizeof(type) - 1) == NULL || !span_is(log_line_text(line, "type"), "prune")) {
        return 0;
    }
    const char *at = memmem(line.ptr, line.len, last, sizeof(last) - 1), *end = line.ptr + line.len;
    for (at = at == NULL ? end : at + sizeof(last) - 1; at < end && *at >= '0' && *at <= '9'; at++) {
        number = number * 10 + (uint64_t)(*at - '0');
    }
    return number;
}

void log_files_deinit(struct log_files *files)
{
    for (size_t i = 0; i < files->n; i++) {
        free(files->items[i].path);
    }
    free(files->items);
    *files = (struct log_files){0};
}

static bool append(struct log_files *files, const struct log_file *file, const char *path, struct error *err)
{
    if (files->n == LOG_FILES_MAX) {
        return error_set(err, ERROR_LIMIT, "%s: at most %d files of a log expected", path, LOG_FILES_MAX);
    }
    if (files->n == files->room) {
        size_t room = files->room == 0 ? 16 : 2 * files->room;
        struct log_file *more = reallocarray(files->items, room, sizeof(*more));
        if (more == NULL) {
            return error_set(err, ERROR_NO_MEMORY, "%s: no memory", path);
        }
        files->items = more;
        files->room = room;
    }
    files->items[files->n] = *file;
    files->items[files->n].path = strdup(path);
    if (files->items[files->n].path == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "%s: no memory", path);
    }
    files->n++;
    return true;
}

/* The first line, or as much of it as FIRST_READ has; empty when the file has no whole line. */
static bool read_first_line(const char *path, char room[FIRST_READ], struct span *line, enum log_compression *how,
                            struct error *err)
{
    struct log_input *in = log_input_open(path, err);
    size_t len = 0, more = 1;
    bool is_read = in != NULL;

    while (is_read && more > 0 && len < FIRST_READ && memchr(room, '\n', len) == NULL) {
        is_read = log_input_read(in, room + len, FIRST_READ - len, &more, err);
        len += is_read ? more : 0;
    }
    if (is_read) {
        const char *newline = memchr(room, '\n', len);
        *line = span_of(room, newline == NULL ? 0 : (size_t)(newline - room));
        *how = log_input_compression(in);
    }
    log_input_close(in);
    return is_read;
}

bool log_files_add(struct log_files *files, const char *path, struct error *err)
{
    char *room CLEANUP(cleanup_free) = malloc(FIRST_READ);
    struct log_file file = {0};
    struct span line;

    if (room == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "%s: no memory", path);
    }
    if (!read_first_line(path, room, &line, &file.compression, err)) {
        return false;
    }
    if (line.len == 0) {
        return error_set(err, ERROR_NOT_FOUND, "%s: a line of a decision log expected", path);
    }
    if (!log_line_seq(line, &file.first_seq)) {
        return error_set(err, ERROR_INVALID, "%s: a file of decision records expected", path);
    }
    struct span type = log_line_text(line, "type"), origin = log_line_text(line, "origin");
    file.begins_log = span_is(type, "log");
    if ((file.begins_log || span_is(type, "rotation")) && origin.len < sizeof(file.origin)) {
        memcpy(file.origin, origin.ptr == NULL ? "" : origin.ptr, origin.len);
    }
    return append(files, &file, path, err);
}

static void close_directory(DIR **directory)
{
    if (*directory != NULL) {
        (void)closedir(*directory);
    }
}

static bool scan_once(struct log_files *files, const char *folder, struct error *err)
{
    DIR *directory CLEANUP(close_directory) = opendir(folder);
    const struct dirent *entry;

    if (directory == NULL) {
        return error_errno(err, "%s", folder);
    }
    while ((entry = readdir(directory)) != NULL) {
        char *path CLEANUP(cleanup_free) = NULL;
        struct error why;
        if (entry->d_type == DT_DIR || entry->d_name[0] == '.') {
            continue;
        }
        if (asprintf(&path, "%s/%s", folder, entry->d_name) < 0) {
            path = NULL;
            return error_set(err, ERROR_NO_MEMORY, "%s: no memory", folder);
        }
        /* What cannot be read or is no log belongs to another program; a file of ours that is damaged is missed by its
         * lines. */
        if (!log_files_add(files, path, &why) && (why.kind == ERROR_NO_MEMORY || why.kind == ERROR_LIMIT)) {
            *err = why;
            return false;
        }
    }
    return true;
}

/* Equal when the folder's files have the same names, whatever their order. */
static bool sum_names(const char *folder, uint64_t *sum, struct error *err)
{
    DIR *directory CLEANUP(close_directory) = opendir(folder);
    const struct dirent *entry;

    *sum = 0;
    if (directory == NULL) {
        return error_errno(err, "%s", folder);
    }
    while ((entry = readdir(directory)) != NULL) {
        uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
        for (const char *c = entry->d_name; entry->d_name[0] != '.' && *c != '\0'; c++) {
            hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
        }
        *sum += hash;
    }
    return true;
}

/* A file that is renamed while the folder is read may show by neither name: then it is read again. */
bool log_files_scan(struct log_files *files, const char *folder, struct error *err)
{
    size_t n = files->n;
    uint64_t before, after;

    for (unsigned tries = 0; tries < SCANS_MAX; tries++) {
        while (files->n > n) {
            free(files->items[--files->n].path);
        }
        if (!sum_names(folder, &before, err) || !scan_once(files, folder, err) || !sum_names(folder, &after, err)) {
            return false;
        }
        if (before == after) {
            return true;
        }
    }
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct log_file *x = a, *y = b;

    if (x->first_seq != y->first_seq) {
        return x->first_seq < y->first_seq ? -1 : 1;
    }
    return x->compression != y->compression ? (int)x->compression - (int)y->compression : strcmp(x->path, y->path);
}

void log_files_select(struct log_files *files, struct span origin)
{
    size_t n = 0;

    if (files->n > 0) {
        qsort(files->items, files->n, sizeof(*files->items), compare);
    }
    for (size_t i = 0; i < files->n; i++) {
        bool is_first = n == 0 || files->items[n - 1].first_seq != files->items[i].first_seq;
        if (is_first && span_is(origin, files->items[i].origin)) {
            files->items[n++] = files->items[i];
        } else {
            free(files->items[i].path);
        }
    }
    files->n = n;
}
