#include "ship/log_order.h"

#include <dirent.h>
#include <errno.h>

#include "base/cleanup.h"
#include "record/log_input.h"
#include "ship/line.h"

enum { FIRST_LINE_MAX = 64 * 1024 };

/* What is looked for, and the best so far. */
struct search {
    const char *directory;
    struct span stem, extension; /* decisions, .jsonl */
    const char *digest;          /* NULL: the first one after time_ns and seq */
    int64_t time_ns;
    uint64_t seq;
    struct ordered_file *found;
};

static bool ends_with(const char *name, const char *end)
{
    size_t len = strlen(name), end_len = strlen(end);

    return len >= end_len && strcmp(name + len - end_len, end) == 0;
}

static bool is_of_log(const struct search *s, const char *name)
{
    struct span rest = span_str(name);

    if (!span_starts_with(rest, s->stem) || ends_with(name, ".new") || ends_with(name, ".tmp")) {
        return false;
    }
    rest = span_slice(rest, s->stem.len, rest.len);
    return rest.len >= s->extension.len && strchr(".-", rest.ptr[0]) != NULL &&
           memmem(rest.ptr, rest.len, s->extension.ptr, s->extension.len) != NULL;
}

/* False: it has no whole line yet, or is something else. */
static bool read_first_line(const char *path, char *line, size_t *len, bool *is_plain)
{
    struct error ignored;
    struct log_input *in = log_input_open(path, &ignored);
    const char *end = NULL;
    size_t n = 0;

    for (size_t more = 1; in != NULL && end == NULL && more > 0 && n < FIRST_LINE_MAX; n += more) {
        if (!log_input_read(in, line + n, FIRST_LINE_MAX - n, &more, &ignored)) {
            break;
        }
        end = memchr(line + n, '\n', more);
    }
    *is_plain = in != NULL && log_input_fd(in) >= 0;
    *len = end == NULL ? 0 : (size_t)(end - line);
    log_input_close(in);
    return end != NULL;
}

static bool is_better(const struct search *s, const struct ordered_file *file)
{
    const struct ordered_file *best = s->found;

    if (s->digest != NULL) {
        return strcmp(file->digest, s->digest) == 0 && (best->path[0] == '\0' || file->is_plain);
    }
    bool is_after = file->time_ns > s->time_ns || (file->time_ns == s->time_ns && file->seq > s->seq);
    if (!is_after || best->path[0] == '\0') {
        return is_after;
    }
    bool is_same = strcmp(file->digest, best->digest) == 0;
    return is_same ? file->is_plain
                   : file->time_ns < best->time_ns || (file->time_ns == best->time_ns && file->seq < best->seq);
}

static bool look_at(const struct search *s, const char *name, struct error *err)
{
    char line[FIRST_LINE_MAX];
    struct ordered_file file;
    struct ship_line first;
    size_t len = 0;

    int written = snprintf(file.path, sizeof(file.path), "%s/%s", s->directory, name);
    if (written < 0 || (size_t)written >= sizeof(file.path)) {
        return true;
    }
    if (!read_first_line(file.path, line, &len, &file.is_plain)) {
        return true;
    }
    ship_line_read(span_of(line, len), &first);
    file.time_ns = first.time_ns;
    file.seq = first.seq;
    if (first.seq == 0) {
        return true;
    }
    if (!digest_sha256(span_of(line, len), file.digest, err)) {
        return false;
    }
    if (is_better(s, &file)) {
        *s->found = file;
    }
    return true;
}

static bool search(struct search *s, const char *name, struct error *err)
{
    const char *dot = strrchr(name, '.');
    DIR *directory = opendir(s->directory);
    bool is_read = true;

    if (directory == NULL) {
        return error_errno(err, "%s", s->directory);
    }
    s->stem = dot == NULL || dot == name ? span_str(name) : span_of(name, (size_t)(dot - name));
    s->extension = dot == NULL || dot == name ? span_of("", 0) : span_str(dot);
    s->found->path[0] = '\0';
    for (const struct dirent *e; is_read && (e = readdir(directory)) != NULL;) {
        if (strcmp(e->d_name, name) == 0 || is_of_log(s, e->d_name)) {
            is_read = look_at(s, e->d_name, err);
        }
    }
    (void)closedir(directory);
    return is_read;
}

bool log_order_find(const char *directory, const char *name, const char *digest, struct ordered_file *found, struct error *err)
{
    struct search s = {.directory = directory, .digest = digest, .found = found};

    return search(&s, name, err);
}

bool log_order_after(const char *directory, const char *name, int64_t time_ns, uint64_t seq, struct ordered_file *found,
                     struct error *err)
{
    struct search s = {.directory = directory, .time_ns = time_ns, .seq = seq, .found = found};

    return search(&s, name, err);
}
