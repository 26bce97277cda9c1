#include "ctl/paths.h"

#include <errno.h>
#include <sys/stat.h>

#include <fts.h>
#include <stdlib.h>

#include "base/cleanup.h"

static bool add(struct paths *p, const char *name, uint64_t size, struct error *err)
{
    if (p->n == p->cap) {
        size_t cap = p->cap == 0 ? 64 : p->cap * 2;
        struct path *items = reallocarray(p->items, cap, sizeof(*items));
        if (items == NULL) {
            return error_set(err, ERROR_NO_MEMORY, "%s: no memory", name);
        }
        p->items = items;
        p->cap = cap;
    }
    struct path item = {.name = strdup(name), .size = size};
    if (item.name == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "%s: no memory", name);
    }
    p->items[p->n++] = item;
    p->size += size;
    return true;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool is_version_control(const FTSENT *entry)
{
    return entry->fts_level > 0 &&
           (strcmp(entry->fts_name, ".git") == 0 || strcmp(entry->fts_name, ".hg") == 0 ||
            strcmp(entry->fts_name, ".svn") == 0);
}

static bool visit(struct paths *p, FTS *walk, FTSENT *entry, struct error *err)
{
    switch (entry->fts_info) {
    case FTS_D:
        if (is_version_control(entry)) {
            (void)fts_set(walk, entry, FTS_SKIP);
        }
        return true;
    case FTS_F:
        return add(p, entry->fts_path, (uint64_t)entry->fts_statp->st_size, err);
    case FTS_DEFAULT: /* a pipe or device: only when it was asked for */
        return entry->fts_level > 0 || add(p, entry->fts_path, 0, err);
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        return add(p, entry->fts_path, 0, err);
    default: /* a folder again, behind its entries, a symbolic link */
        return true;
    }
}

static void close_walk(FTS **walk)
{
    if (*walk != NULL) {
        (void)fts_close(*walk);
    }
}

static bool collect(struct paths *p, char *operand, struct error *err)
{
    char *roots[] = {operand, NULL};
    FTSENT *entry;

    if (strcmp(operand, "-") == 0) {
        return add(p, operand, 0, err);
    }
    FTS *walk CLEANUP(close_walk) =
        fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
    if (walk == NULL) {
        return error_errno(err, "%s", operand);
    }
    while (errno = 0, (entry = fts_read(walk)) != NULL) {
        if (!visit(p, walk, entry, err)) {
            return false;
        }
    }
    return errno == 0 || error_errno(err, "%s", operand);
}

bool paths_add(struct paths *p, const char *operand, struct error *err)
{
    char *root CLEANUP(cleanup_free) = strdup(operand);

    return root != NULL ? collect(p, root, err) : error_set(err, ERROR_NO_MEMORY, "%s: no memory", operand);
}

bool paths_collect(struct paths *p, char *const *operands, int n, struct error *err)
{
    char standard_input[] = "-";

    *p = (struct paths){0};
    if (n == 0) {
        return collect(p, standard_input, err);
    }
    for (int i = 0; i < n; i++) {
        if (!collect(p, operands[i], err)) {
            return false;
        }
    }
    return true;
}

void paths_deinit(struct paths *p)
{
    for (size_t i = 0; i < p->n; i++) {
        free(p->items[i].name);
    }
    free(p->items);
    *p = (struct paths){0};
}
