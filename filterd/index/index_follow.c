#include "index/index_follow.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "record/log_reader.h"

enum { LOOK_AT_CLOCK = 64 /* lines between two looks */ };

struct index_follow {
    const struct index_place *place;
    struct index_store store;
    const struct index_maker *maker;
    void *fold;                                 /* NULL: to be made, and its position to be checked */
    char origin[CHECKPOINT_ORIGIN_MAX + 1];     /* of the log */
    bool has_origin;
    struct log_files files;                     /* of the log, in order; none: to be looked for */
    dev_t device;                               /* of the open file then */
    ino_t inode;
    struct log_reader *reader;                  /* behind the position; NULL: to be made */
    const struct log_file *current;             /* that the last line was in */
    int64_t file;                               /* its number */
};

/* --- the index of lines ----------------------------------------------------------- */

static void *make_lines(struct index_store *store, struct error *err)
{
    return index_fold_new(store, err);
}

static void free_lines(void *fold)
{
    index_fold_free(fold);
}

static const struct index_position *position_of_lines(const void *fold)
{
    return index_fold_position(fold);
}

static bool make_file_of_lines(void *fold, const char *path, uint64_t first_seq, const struct tree_hash *first, int64_t *id,
                               struct error *err)
{
    return index_fold_file(fold, path, first_seq, first, id, err);
}

static bool add_line(void *fold, struct span line, int64_t file, uint64_t offset, struct error *err)
{
    return index_fold_add(fold, line, file, offset, err);
}

static bool commit_lines(void *fold, const char *origin, struct error *err)
{
    return index_fold_commit(fold, origin, err);
}

static const struct index_maker lines = {&index_schema, make_lines, free_lines, position_of_lines, make_file_of_lines, add_line,
                                         commit_lines};

static void forget_files(struct index_follow *f)
{
    log_reader_free(f->reader);
    f->reader = NULL;
    f->current = NULL;
    log_files_deinit(&f->files);
}

/* After a failure: what there is is looked at again. */
static void forget(struct index_follow *f)
{
    forget_files(f);
    f->maker->free(f->fold);
    f->fold = NULL;
}

/* --- files ---------------------------------------------------------------------- */

/* A file without a line yet follows on one that was moved away: the log is the same. */
static bool read_origin(struct index_follow *f, bool *is_begun, struct error *err)
{
    struct log_files one = {.items = NULL};
    struct error why;

    *is_begun = log_files_add(&one, f->place->log, &why);
    if (*is_begun) {
        (void)snprintf(f->origin, sizeof(f->origin), "%s", one.items[0].origin);
        f->has_origin = true;
    }
    log_files_deinit(&one);
    if (!*is_begun && why.kind != ERROR_NOT_FOUND) {
        *err = why;
    }
    return *is_begun || why.kind == ERROR_NOT_FOUND;
}

/* Where the log's files are by now; without a line there are none. */
static bool find_files(struct index_follow *f, struct error *err)
{
    struct stat info;
    bool is_begun = false;

    bool is_there = stat(f->place->log, &info) == 0;
    if (!is_there && errno != ENOENT) {
        return error_errno(err, "%s", f->place->log);
    }
    if (is_there && f->files.n > 0 && info.st_dev == f->device && info.st_ino == f->inode) {
        return true;
    }
    forget_files(f);
    if (!is_there) {
        return true; /* between moving away and beginning anew */
    }
    if (!read_origin(f, &is_begun, err) || (f->has_origin && !log_files_scan(&f->files, f->place->folder, err))) {
        return false;
    }
    log_files_select(&f->files, span_str(f->origin));
    f->device = is_begun ? info.st_dev : 0; /* else it is looked at again */
    f->inode = is_begun ? info.st_ino : 0;
    return true;
}

/* --- the position ----------------------------------------------------------------- */

/* Whether the last line that is indexed is the one in the file. */
static bool is_continued(const struct index_follow *f, const struct index_position *p)
{
    struct log_line line = {.seq = 0};
    struct tree_hash leaf;
    struct error ignored;

    if (strcmp(p->origin, f->origin) != 0) {
        return false;
    }
    if (f->files.items[0].first_seq == p->seq + 1) {
        return true; /* the files before were removed */
    }
    struct log_reader *reader = log_reader_new(&f->files, &ignored);
    bool is_there = reader != NULL && log_reader_seek(reader, p->seq, &ignored) && log_reader_next(reader, &line, &ignored) &&
                    line.text.ptr != NULL && line.seq == p->seq && line.fault != LOG_TORN && line.fault != LOG_TOO_LONG;
    if (is_there) {
        tree_hash_leaf(line.text, &leaf);
    }
    log_reader_free(reader);
    return is_there && tree_hash_equal(&leaf, &p->leaf);
}

static bool make_fold(struct index_follow *f, struct error *err)
{
    f->fold = f->maker->make(&f->store, err);
    if (f->fold == NULL || f->maker->position(f->fold)->seq == 0 || is_continued(f, f->maker->position(f->fold))) {
        return f->fold != NULL;
    }
    f->maker->free(f->fold);
    f->fold = NULL;
    if (!index_store_renew(&f->store, f->place->index, false, err)) {
        return false;
    }
    f->fold = f->maker->make(&f->store, err);
    return f->fold != NULL;
}

/* Files that were moved since. */
static bool note_paths(struct index_follow *f, struct error *err)
{
    int64_t id;

    for (size_t i = 0; f->maker->make_file != NULL && i < f->files.n; i++) {
        if (!f->maker->make_file(f->fold, f->files.items[i].path, f->files.items[i].first_seq, NULL, &id, err)) {
            return false;
        }
    }
    return true;
}

static bool make_reader(struct index_follow *f, struct error *err)
{
    uint64_t seq = f->maker->position(f->fold)->seq;

    f->current = NULL;
    f->reader = log_reader_new(&f->files, err);
    return f->reader != NULL && (seq == 0 || log_reader_seek(f->reader, seq + 1, err));
}

/* --- lines ---------------------------------------------------------------------- */

/* The number of the file that the line is in. */
static bool enter_file(struct index_follow *f, const struct log_line *line, struct error *err)
{
    struct tree_hash first = {.bytes = {0}};

    if (line->file == f->current || f->maker->make_file == NULL) {
        return true;
    }
    if (line->seq == line->file->first_seq) {
        tree_hash_leaf(line->text, &first);
    }
    if (!f->maker->make_file(f->fold, line->file->path, line->file->first_seq, &first, &f->file, err)) {
        return false;
    }
    f->current = line->file;
    return true;
}

/* *is_end: there is no whole line up to `last`. */
static bool take_line(struct index_follow *f, uint64_t last, bool *is_end, struct error *err)
{
    struct log_line line;

    if (!log_reader_next(f->reader, &line, err)) {
        return false;
    }
    *is_end = line.text.ptr == NULL || line.fault == LOG_TORN || line.seq > last;
    if (*is_end) {
        return true;
    }
    /* The first behind a seek has nothing before it; the fold knows which number is due. */
    bool is_sound = line.fault == LOG_SOUND || line.fault == LOG_OUT_OF_ORDER;
    if (!is_sound) {
        return error_set(err, ERROR_INVALID, "%s: line %llu %s", line.file->path, (unsigned long long)line.seq,
                         log_fault_text(line.fault));
    }
    return enter_file(f, &line, err) && f->maker->add(f->fold, line.text, f->file, line.offset, err);
}

static bool take_lines(struct index_follow *f, uint64_t last, unsigned budget_ms, bool *more, struct error *err)
{
    int64_t until_ms = clock_monotonic_ms() + budget_ms;
    bool is_end = false;

    for (unsigned n = 0; n < INDEX_BATCH && !is_end; n++) {
        if (n % LOOK_AT_CLOCK == 0 && n > 0 && clock_monotonic_ms() >= until_ms) {
            break;
        }
        if (!take_line(f, last, &is_end, err)) {
            return false;
        }
    }
    if (is_end) { /* it has read beyond */
        log_reader_free(f->reader);
        f->reader = NULL;
    }
    *more = !is_end;
    return f->maker->commit(f->fold, f->origin, err);
}

bool index_follow_step(struct index_follow *f, uint64_t last, unsigned budget_ms, bool *more, struct error *err)
{
    *more = false;
    bool is_done = find_files(f, err) &&
                   (f->files.n == 0 || ((f->fold != NULL || make_fold(f, err)) &&
                                        (f->reader != NULL || (note_paths(f, err) && make_reader(f, err))) &&
                                        take_lines(f, last, budget_ms, more, err)));
    if (!is_done) {
        forget(f);
    }
    return is_done;
}

uint64_t index_follow_seq(const struct index_follow *f)
{
    return f->fold == NULL ? 0 : f->maker->position(f->fold)->seq;
}

/* --- opening ---------------------------------------------------------------------- */

struct index_follow *index_follow_open(const struct index_place *place, struct error *err)
{
    struct index_follow *f = calloc(1, sizeof(*f));

    if (f == NULL) {
        error_set(err, ERROR_NO_MEMORY, "index: no memory");
        return NULL;
    }
    f->place = place;
    f->maker = place->maker == NULL ? &lines : place->maker;
    if (!index_store_open(&f->store, f->maker->schema, place->index, err)) {
        free(f);
        return NULL;
    }
    return f;
}

struct index_follow *index_follow_rebuild(const struct index_place *place, struct error *err)
{
    struct index_follow *f = index_follow_open(place, err);

    if (f != NULL && !index_store_renew(&f->store, place->index, true, err)) {
        index_follow_close(f);
        return NULL;
    }
    return f;
}

bool index_follow_finish(struct index_follow *f, struct error *err)
{
    f->maker->free(f->fold);
    f->fold = NULL;
    return index_store_finish_bulk(&f->store, err);
}

void index_follow_close(struct index_follow *f)
{
    if (f != NULL) {
        forget(f);
        index_store_close(&f->store);
        free(f);
    }
}
