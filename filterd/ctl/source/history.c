#include "ctl/source/history.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/thread.h"
#include "ctl/source/history_trees.h"

enum { TEXT_MAX = 1 << 30, RANGES_MAX = 8, ID_SHA1 = 40, ID_SHA256 = 64, MODE_LEN = 6 };

static const char malformed[] = "git: a list of changes expected";

/* --- parsing ------------------------------------------------------------------ */

static bool next_token(struct span *text, struct span *token)
{
    if (text->len == 0) {
        return false;
    }
    const char *end = memchr(text->ptr, '\0', text->len);
    size_t len = end != NULL ? (size_t)(end - text->ptr) : text->len;
    *token = span_of(text->ptr, len);
    *text = span_slice(*text, end != NULL ? len + 1 : len, text->len);
    return true;
}

static bool is_id(struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!isxdigit((unsigned char)text.ptr[i])) {
            return false;
        }
    }
    return text.len == ID_SHA1 || text.len == ID_SHA256;
}

static bool is_zero(struct span id)
{
    for (size_t i = 0; i < id.len; i++) {
        if (id.ptr[i] != '0') {
            return false;
        }
    }
    return true;
}

static struct span take_word(struct span *text)
{
    const char *space = text->len > 0 ? memchr(text->ptr, ' ', text->len) : NULL;
    size_t len = space != NULL ? (size_t)(space - text->ptr) : text->len;
    struct span word = span_of(text->ptr, len);

    *text = span_slice(*text, space != NULL ? len + 1 : len, text->len);
    return word;
}

bool history_next_before(struct span *before, struct span *blob)
{
    while (before->len > 0) {
        *blob = take_word(before);
        if (!is_zero(*blob)) {
            return true;
        }
    }
    return false;
}

static bool grow(void **items, size_t n, size_t *max, size_t size, struct error *err)
{
    if (n < *max) {
        return true;
    }
    size_t more = *max == 0 ? 256 : *max * 2;
    void *larger = reallocarray(*items, more, size);
    if (larger == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "history: no memory");
    }
    *items = larger;
    *max = more;
    return true;
}

/* ":100644 100644 OLD NEW M", with a colon, a mode and a blob more for each further parent; then the path. */
static bool parse_change(struct history *h, struct span entry, struct span path, uint32_t commit, struct error *err)
{
    struct history_change change = {.commit = commit, .path = path};
    size_t parents = 0;
    struct span mode = {0};

    while (parents < entry.len && entry.ptr[parents] == ':') {
        parents++;
    }
    entry = span_slice(entry, parents, entry.len);
    for (size_t i = 0; i <= parents; i++) {
        mode = take_word(&entry);
        if (mode.len != MODE_LEN) {
            return error_set(err, ERROR_MALFORMED, "%s", malformed);
        }
    }
    const char *start = entry.ptr;
    for (size_t i = 0; i <= parents; i++) {
        change.before = span_of(start, (size_t)(entry.ptr - start));
        change.blob = take_word(&entry);
        if (!is_id(change.blob)) {
            return error_set(err, ERROR_MALFORMED, "%s", malformed);
        }
    }
    if (path.len == 0 || parents == 0) {
        return error_set(err, ERROR_MALFORMED, "%s", malformed);
    }
    if (span_is(mode, "160000")) { /* a submodule */
        return true;
    }
    change.is_removal = is_zero(change.blob);
    if (!grow((void **)&h->changes, h->n_changes, &h->max_changes, sizeof(*h->changes), err)) {
        return false;
    }
    h->changes[h->n_changes++] = change;
    return true;
}

static int64_t parse_time(struct span text)
{
    int64_t value = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9' || value > INT64_MAX / 100) {
            return 0;
        }
        value = value * 10 + (text.ptr[i] - '0');
    }
    return value;
}

/* The id is there already; then the time, the author's name and address. */
static bool parse_commit(struct history *h, struct span id, struct span *rest, struct error *err)
{
    struct history_commit commit = {.id = id};
    struct span time;

    if (!is_id(id) || !next_token(rest, &time) || !next_token(rest, &commit.author) ||
        !next_token(rest, &commit.address) || h->n_commits >= HISTORY_STAGED) {
        return error_set(err, ERROR_MALFORMED, "%s", malformed);
    }
    commit.time = parse_time(time);
    if (!grow((void **)&h->commits, h->n_commits, &h->max_commits, sizeof(*h->commits), err)) {
        return false;
    }
    h->commits[h->n_commits++] = commit;
    return true;
}

bool history_parse(struct history *h, struct error *err)
{
    struct span rest = buf_span(&h->text), token, path;

    while (next_token(&rest, &token)) {
        while (token.len > 0 && token.ptr[0] == '\n') {
            token = span_slice(token, 1, token.len);
        }
        if (token.len == 0) {
            continue;
        }
        if (token.ptr[0] != ':') {
            if (h->is_staged) {
                return error_set(err, ERROR_MALFORMED, "%s", malformed);
            }
            if (!parse_commit(h, token, &rest, err)) {
                return false;
            }
            continue;
        }
        if (!next_token(&rest, &path) || (!h->is_staged && h->n_commits == 0)) {
            return error_set(err, ERROR_MALFORMED, "%s", malformed);
        }
        if (!parse_change(h, token, path, h->is_staged ? HISTORY_STAGED : (uint32_t)h->n_commits - 1, err)) {
            return false;
        }
    }
    return true;
}

/* --- asking git ----------------------------------------------------------------- */

#define RAW_CHANGES                                                                                                    \
    "-r", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-relative", "--no-ext-diff", "--no-textconv", "--no-color", \
        "--ignore-submodules=none", "--submodule=short", "-O/dev/null"

#define COMMITS                                                                                                        \
    "--topo-order", "--reverse", "--no-show-signature", "--no-mailmap", "--no-notes", "--no-decorate", "--no-graph", \
        "--encoding=UTF-8"

void history_init(struct history *h)
{
    *h = (struct history){.git = GIT_NONE, .reader = {.commits = GIT_NONE, .place = GIT_NONE}};
    buf_init(&h->text, TEXT_MAX);
    buf_init(&h->objects, PATH_MAX);
}

static bool start_log(struct history *h, char *const *ranges, int n, struct error *err)
{
    static const char *const start[] = {"log", RAW_CHANGES, "-c", COMMITS, "--format=tformat:%H%x00%at%x00%an%x00%ae"};
    const char *arguments[COUNT(start) + RANGES_MAX + 3];
    size_t count = COUNT(start);

    memcpy(arguments, start, sizeof(start));
    if (n > RANGES_MAX) {
        return error_set(err, ERROR_LIMIT, "--git: at most %d ranges expected", RANGES_MAX);
    }
    arguments[count++] = n == 0 ? "--all" : "--end-of-options";
    for (int i = 0; i < n; i++) {
        if (ranges[i][0] == '-' || ranges[i][0] == '\0') {
            return error_set(err, ERROR_INVALID, "--git: a range of commits expected, as main..HEAD");
        }
        arguments[count++] = ranges[i];
    }
    arguments[count++] = "--";
    arguments[count] = NULL;
    return git_start(&h->git, NULL, arguments, -1, err);
}

/* --- what all commits changed, by their trees ----------------------------------------- */

static bool read_place(struct history *h, struct error *err)
{
    if (!git_read_all(&h->reader.place, &h->objects, err) || !buf_append_char(&h->objects, '\0', err)) {
        return false;
    }
    if (h->objects.len > 1 && h->objects.data[h->objects.len - 2] == '\n') {
        h->objects.data[h->objects.len - 2] = '\0';
    }
    return true;
}

static void *reader_main(void *context)
{
    struct history *h = context;
    struct buf list CLEANUP(buf_deinit);

    buf_init(&list, TEXT_MAX);
    h->reader.is_read = read_place(h, &h->reader.err) && git_read_all(&h->reader.commits, &list, &h->reader.err) &&
                        history_trees_append(buf_span(&list), h->objects.data, &h->reader.is_stopping, &h->text, &h->reader.err);
    return NULL;
}

static bool start_reader(struct history *h, struct error *err)
{
    static const char *const commits[] = {"log", "-s", "-z", COMMITS, "--format=tformat:" HISTORY_TREES_FORMAT, "--all", "--", NULL};
    static const char *const place[] = {"rev-parse", "--git-path", "objects", NULL};

    if (!git_start(&h->reader.commits, NULL, commits, -1, err) || !git_start(&h->reader.place, NULL, place, -1, err)) {
        return false;
    }
    h->reader.is_started = thread_start(&h->reader.thread, reader_main, h, err);
    return h->reader.is_started;
}

static void join_reader(struct history *h)
{
    if (h->reader.is_started) {
        (void)pthread_join(h->reader.thread, NULL);
        h->reader.is_started = false;
    }
}

/* --- interface -------------------------------------------------------------------------- */

bool history_start(struct history *h, char *const *ranges, int n, struct error *err)
{
    return n == 0 ? start_reader(h, err) : start_log(h, ranges, n, err);
}

bool history_start_staged(struct history *h, struct error *err)
{
    static const char *const arguments[] = {"diff", "--cached", RAW_CHANGES, "--", NULL};

    h->is_staged = true;
    return git_start(&h->git, NULL, arguments, -1, err);
}

bool history_read(struct history *h, struct error *err)
{
    bool is_by_trees = h->reader.is_started;

    join_reader(h);
    if (is_by_trees && h->reader.is_read) {
        return history_parse(h, err);
    }
    buf_clear(&h->text);
    /* What is in no pack, or not intact, is git's to read, or to say. */
    return (!is_by_trees || start_log(h, NULL, 0, err)) && git_read_all(&h->git, &h->text, err) && history_parse(h, err);
}

void history_deinit(struct history *h)
{
    atomic_store(&h->reader.is_stopping, true);
    join_reader(h);
    git_stop(&h->reader.commits);
    git_stop(&h->reader.place);
    git_stop(&h->git);
    buf_deinit(&h->text);
    buf_deinit(&h->objects);
    free(h->commits);
    free(h->changes);
    history_init(h);
}
