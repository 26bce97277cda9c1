#include "ctl/record/shipped.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "ctl/record/closed.h"
#include "query/timestamp.h"
#include "ship/position.h"

enum { NAME_SHOWN = 64 };

static const char extension[] = ".json";

/* What a position says of a file. */
struct first_line {
    char digest[DIGEST_SHA256_HEX + 1];
    int64_t ts_ns;
};

static bool take_first(void *context, const struct log_line *line, struct error *err)
{
    struct first_line *f = context;

    (void)(digest_sha256(line->text, f->digest, err) &&
           (timestamp_parse(log_line_text(line->text, "ts"), 0, &f->ts_ns) ||
            error_set(err, ERROR_INVALID, "%s: the time of a line expected", line->file->path)));
    return false;
}

/* The first line alone is read. */
static bool read_first(const struct log_file *file, struct first_line *f, struct error *err)
{
    *f = (struct first_line){.ts_ns = INT64_MIN};
    return closed_each(file, take_first, f, err) || f->ts_ns != INT64_MIN;
}

/* In the file, the number says it; in another, which of the two began later. */
static bool is_behind(const struct ship_position *p, const struct first_line *f, uint64_t last)
{
    if (strcmp(p->file, f->digest) == 0) {
        return p->seq >= last;
    }
    return p->file[0] != '\0' && (p->file_ns > f->ts_ns || (p->file_ns == f->ts_ns && p->seq > last));
}

static void check_sink(const struct shipped *s, struct span name, const struct first_line *f, uint64_t last, char why[SHIPPED_WHY])
{
    struct ship_position p;
    struct error err;
    char path[PATH_MAX];
    int len = (int)(name.len < NAME_SHOWN ? name.len : NAME_SHOWN);

    if (s->folder == NULL || !ship_position_path(s->folder, name, path, &err) || !ship_position_read(path, &p, &err)) {
        (void)snprintf(why, SHIPPED_WHY, "the position of sink %.*s cannot be read", len, name.ptr);
    } else if (!is_behind(&p, f, last)) {
        (void)snprintf(why, SHIPPED_WHY, "sink %.*s does not have it yet", len, name.ptr);
    }
}

static void check_required(const struct shipped *s, const struct first_line *f, uint64_t last, char why[SHIPPED_WHY])
{
    struct span rest = s->required == NULL ? span_of("", 0) : span_str(s->required);

    while (rest.len > 0 && why[0] == '\0') {
        const char *comma = memchr(rest.ptr, ',', rest.len);
        size_t len = comma == NULL ? rest.len : (size_t)(comma - rest.ptr);
        check_sink(s, span_slice(rest, 0, len), f, last, why);
        rest = span_slice(rest, comma == NULL ? len : len + 1, rest.len);
    }
}

static void close_directory(DIR **directory)
{
    if (*directory != NULL) {
        (void)closedir(*directory);
    }
}

static bool check_positions(const struct shipped *s, const struct first_line *f, uint64_t last, char why[SHIPPED_WHY],
                            struct error *err)
{
    DIR *directory CLEANUP(close_directory) = s->folder == NULL ? NULL : opendir(s->folder);
    const struct dirent *entry;

    if (directory == NULL) {
        return s->folder == NULL || errno == ENOENT || error_errno(err, "%s", s->folder);
    }
    while (why[0] == '\0' && (entry = readdir(directory)) != NULL) {
        size_t len = strlen(entry->d_name), ending = sizeof(extension) - 1;
        if (entry->d_name[0] != '.' && len > ending && strcmp(entry->d_name + len - ending, extension) == 0) {
            check_sink(s, span_of(entry->d_name, len - ending), f, last, why);
        }
    }
    return true;
}

bool shipped_check(const struct shipped *s, const struct log_file *file, uint64_t last, char why[SHIPPED_WHY], struct error *err)
{
    struct first_line f;

    why[0] = '\0';
    if (!read_first(file, &f, err)) {
        return false;
    }
    check_required(s, &f, last, why);
    return check_positions(s, &f, last, why, err);
}
