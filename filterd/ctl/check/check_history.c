/* check_history.c - the versions of files that commits brought, as inputs; and the files of a working folder that git knows.
 *
 * Each blob is judged once and belongs to the commit that brought it first; again only under a path that makes it another kind of
 * input, or of which the ignore file says something else. What it replaces is kept until then, while there is room, so that only
 * the changed parts need to be judged. In a range of commits, what was there before is judged first, to be known. */
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "ctl/check/check.h"
#include "ctl/source/blobs.h"
#include "view/view.h"

enum { KEPT_BYTES = 128 * 1024 * 1024, IDS_MAX = 1 << 30, LIST_MAX = 1 << 30, NAME_BYTES_MAX = 64 * 1024 };

/* One blob to judge. */
struct version {
    const struct history_change *change;
    struct span blob;
    size_t number; /* by commits, as it is reported */
    uint64_t file; /* a hash of its path */
    bool is_known;
};

struct plan {
    const struct check *check;
    const struct history *history;
    struct version *versions;
    size_t n, max;
    struct seen blobs;
    struct buf ids; /* one a line */
    struct contents contents;
};

static void plan_deinit(struct plan *p)
{
    free(p->versions);
    seen_deinit(&p->blobs);
    buf_deinit(&p->ids);
    contents_deinit(&p->contents);
}

/* *is_new false: the same was planned before. */
static bool note_blob(struct plan *p, const struct version *v, bool *is_new, struct error *err)
{
    char *path CLEANUP(cleanup_free) = strndup(v->change->path.ptr, v->change->path.len);
    uint32_t before = 0;

    if (path == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "history: no memory");
    }
    enum input_kind kind = check_input_kind(p->check->args, path);
    uint64_t class = ignores_class(&p->check->ignores, path);
    const struct span parts[] = {v->blob, span_of((const char *)&kind, sizeof(kind)), span_of((const char *)&class, sizeof(class))};
    bool is_noted = seen_add(&p->blobs, seen_key_of(&p->blobs, parts, COUNT(parts)), &before, err);
    *is_new = before == 0;
    return is_noted;
}

/* What the version replaces is needed again when the version is given. */
static bool first_before(const struct version *v, struct span *id)
{
    struct span before = v->change->before;

    return !v->is_known && history_next_before(&before, id);
}

static bool expect_before(struct plan *p, const struct version *v, struct error *err)
{
    struct span id;

    return !first_before(v, &id) || contents_expect(&p->contents, id, err);
}

/* Which versions follow each other is the same each time. Two paths with one hash are read in turns. */
static uint64_t hash_path(struct span path)
{
    uint64_t hash = 0xcbf29ce484222325;

    for (size_t i = 0; i < path.len; i++) {
        hash = (hash ^ (unsigned char)path.ptr[i]) * 0x100000001b3;
    }
    return hash;
}

static bool add_version(struct plan *p, const struct version *v, struct error *err)
{
    bool is_new = false;

    if (!note_blob(p, v, &is_new, err)) {
        return false;
    }
    if (!is_new) {
        return true;
    }
    if (p->n == p->max) {
        size_t max = p->max == 0 ? 256 : p->max * 2;
        struct version *versions = reallocarray(p->versions, max, sizeof(*versions));
        if (versions == NULL) {
            return error_set(err, ERROR_NO_MEMORY, "history: no memory");
        }
        p->versions = versions;
        p->max = max;
    }
    p->versions[p->n] = *v;
    p->versions[p->n].number = p->n;
    p->versions[p->n++].file = hash_path(v->change->path);
    return expect_before(p, v, err) && buf_append(&p->ids, v->blob, err) && buf_append_char(&p->ids, '\n', err);
}

/* What the changes [from, to) of one commit replace or remove, as what was there before. */
static bool plan_before(struct plan *p, size_t from, size_t to, struct error *err)
{
    for (size_t i = from; i < to; i++) {
        struct version v = {.change = &p->history->changes[i], .is_known = true};
        struct span before = v.change->before;
        while (history_next_before(&before, &v.blob)) {
            if (!add_version(p, &v, err)) {
                return false;
            }
        }
    }
    return true;
}

static bool plan_after(struct plan *p, size_t from, size_t to, struct error *err)
{
    for (size_t i = from; i < to; i++) {
        const struct history_change *change = &p->history->changes[i];
        const struct version v = {.change = change, .blob = change->blob};
        if (!change->is_removal && !add_version(p, &v, err)) {
            return false;
        }
    }
    return true;
}

/* `is_partial`: not the whole history, so that what is replaced may be older than it. */
static bool make_plan(struct plan *p, bool is_partial, struct error *err)
{
    const struct history *h = p->history;

    for (size_t from = 0, to; from < h->n_changes; from = to) {
        for (to = from + 1; to < h->n_changes && h->changes[to].commit == h->changes[from].commit;) {
            to++;
        }
        if ((is_partial && !plan_before(p, from, to, err)) || !plan_after(p, from, to, err)) {
            return false;
        }
    }
    return true;
}

/* Nothing of it could be judged: that is said, and the others still are. */
static bool add_unreadable(struct batches *batches, const char *name, const struct batch_blob *blob, enum blob_state state,
                           struct error *err)
{
    return batches_add_problem(batches, name, blob, state == BLOB_MISSING ? "not in this repository" : "at most 64 MiB expected",
                               err);
}

/* What the version replaces, or NULL. */
static struct content *take_before(struct plan *p, struct blobs *blobs, const struct version *v)
{
    struct span id;

    if (!first_before(v, &id)) {
        return NULL;
    }
    struct content *before = contents_take(&p->contents, id);
    return before != NULL ? before : blobs_packed(blobs, id);
}

/* Takes the content over, also on failure. */
static bool give(struct plan *p, struct batches *batches, struct blobs *blobs, const struct version *v, enum blob_state state,
                 struct content *content, struct error *err)
{
    const struct history_change *change = v->change;
    struct batch_blob blob = {.is_known = v->is_known, .content = content, .number = v->number, .is_read = state == BLOB_READ};
    char *name CLEANUP(cleanup_free) = strndup(change->path.ptr, change->path.len);

    if (name == NULL) {
        content_release(content);
        return error_set(err, ERROR_NO_MEMORY, "history: no memory");
    }
    blob.commit = change->commit != HISTORY_STAGED ? &p->history->commits[change->commit] : NULL;
    if (state != BLOB_READ) {
        return add_unreadable(batches, name, &blob, state, err);
    }
    blob.before = take_before(p, blobs, v);
    contents_put(&p->contents, v->blob, content);
    return batches_add_blob(batches, name, &blob, err);
}

static int by_file(const void *a, const void *b)
{
    const struct version *x = a, *y = b;

    return x->file != y->file ? (x->file > y->file) - (x->file < y->file) : (x->number > y->number) - (x->number < y->number);
}

static bool give_all(struct plan *p, struct batches *batches, struct error *err)
{
    struct blobs blobs CLEANUP(blobs_close) = BLOBS_NONE;
    enum blob_state state;
    struct content *content;

    if (p->n == 0) {
        return true;
    }
    const char *folder = p->history->objects.len > 0 ? p->history->objects.data : NULL;
    if (!blobs_open(&blobs, folder, buf_span(&p->ids), VIEW_TEXT_MAX, err)) {
        return false;
    }
    if (blobs_are_packed(&blobs)) {
        qsort(p->versions, p->n, sizeof(*p->versions), by_file);
    }
    for (size_t i = 0; i < p->n; i++) {
        if (!blobs_next(&blobs, p->versions[i].blob, &state, &content, err) ||
            !give(p, batches, &blobs, &p->versions[i], state, content, err)) {
            return false;
        }
    }
    return blobs_end(&blobs, err) && batches_drain(batches, err);
}

static size_t count_files(const struct plan *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n; i++) {
        n += p->versions[i].is_known ? 0 : 1;
    }
    return n;
}

bool check_history_start(struct check *c, struct error *err)
{
    const struct arguments *args = c->args;

    return args->is_staged ? history_start_staged(&c->history, err)
                           : history_start(&c->history, args->operands, args->n_operands, err);
}

bool check_history(struct check *c, struct batches *batches, struct error *err)
{
    struct plan p CLEANUP(plan_deinit) = {.check = c, .history = &c->history};

    seen_init(&p.blobs);
    buf_init(&p.ids, IDS_MAX);
    contents_init(&p.contents, KEPT_BYTES);
    if (!history_read(&c->history, err) || !make_plan(&p, c->args->is_staged || c->args->n_operands > 0, err)) {
        return false;
    }
    c->totals.files = count_files(&p);
    c->totals.commits = c->history.n_commits;
    return give_all(&p, batches, err) && check_sink_kept(c, err);
}

/* --- the files of a working folder ------------------------------------------------- */

/* Links are not followed, and what was deleted is not there; a folder is a repository of its own. */
static bool add_listed(struct paths *paths, const char *folder, struct span name, struct error *err)
{
    struct buf path CLEANUP(buf_deinit);
    struct stat status;
    bool is_ok = true;

    buf_init(&path, NAME_BYTES_MAX);
    if (!buf_append_str(&path, folder, err) ||
        (folder[strlen(folder) - 1] != '/' && !buf_append_char(&path, '/', err)) || !buf_append(&path, name, err) ||
        !buf_append_char(&path, '\0', err)) {
        return false;
    }
    if (lstat(path.data, &status) == 0 && !S_ISLNK(status.st_mode)) {
        is_ok = paths_add(paths, path.data, err);
    }
    return is_ok;
}

/* *is_tree false: the folder is not in a working tree of git. */
static bool list_folder(struct paths *paths, const char *folder, bool *is_tree, struct error *err)
{
    static const char *const inside[] = {"rev-parse", "--is-inside-work-tree", NULL};
    static const char *const files[] = {"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate", NULL};
    struct buf list CLEANUP(buf_deinit);
    struct error ignored;

    buf_init(&list, LIST_MAX);
    *is_tree = git_output(folder, inside, &list, &ignored) && span_is(buf_span(&list), "true\n");
    buf_clear(&list);
    if (!*is_tree) {
        return true;
    }
    if (!git_output(folder, files, &list, err)) {
        return false;
    }
    for (size_t at = 0; at < list.len;) {
        size_t len = strnlen(list.data + at, list.len - at);
        if (!add_listed(paths, folder, span_of(list.data + at, len), err)) {
            return false;
        }
        at += len + 1;
    }
    return true;
}

bool check_collect(const struct check *c, struct paths *paths, struct error *err)
{
    const struct arguments *args = c->args;
    struct stat status;

    if (!check_obeys_ignores(args)) {
        return paths_collect(paths, args->operands, args->n_operands, err);
    }
    for (int i = 0; i < args->n_operands; i++) {
        bool is_tree = false;
        bool is_folder = stat(args->operands[i], &status) == 0 && S_ISDIR(status.st_mode);
        if (is_folder && !list_folder(paths, args->operands[i], &is_tree, err)) {
            return false;
        }
        if (!is_tree && !paths_add(paths, args->operands[i], err)) {
            return false;
        }
    }
    return args->n_operands > 0 || paths_add(paths, "-", err);
}
