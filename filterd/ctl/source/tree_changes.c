#include "ctl/source/tree_changes.h"

#include "ctl/source/same.h"

enum { SIDES_MAX = TREE_PARENTS_MAX + 1, ID_MAX = 32, IS_TREE = 040000, IS_FILE = 0100000, TYPE = 0170000, EXECUTABLE = 0100 };

/* An entry that a tree is at. */
struct entry {
    unsigned mode; /* 0: there is none */
    struct span name;
    const char *id;
    size_t len; /* bytes of the tree that it takes */
};

/* The trees of one folder: the parents', then the commit's. Those that have no such folder are empty. */
struct level {
    struct content *contents[SIDES_MAX]; /* NULL: empty */
    struct span rest[SIDES_MAX];
    struct entry at[SIDES_MAX];
    size_t n;
};

static bool malformed(struct error *err)
{
    return error_set(err, ERROR_MALFORMED, "tree: an intact one expected");
}

bool tree_changes_open(struct tree_changes *t, const char *folder, size_t id_bytes, struct error *err)
{
    *t = (struct tree_changes){0};
    buf_init(&t->path, TREE_PATH_MAX);
    return packs_open(&t->packs, folder, id_bytes, PACK_TREE, TREE_BYTES_MAX, err);
}

void tree_changes_close(struct tree_changes *t)
{
    packs_close(&t->packs);
    buf_deinit(&t->path);
}

/* --- reading ------------------------------------------------------------------- */

/* As git reads modes: of a file's only whether it is executable. */
static unsigned canonical(unsigned mode)
{
    if ((mode & TYPE) == IS_FILE) {
        return IS_FILE | (mode & EXECUTABLE ? 0755 : 0644);
    }
    return (mode & TYPE) == 0120000 || (mode & TYPE) == IS_TREE ? mode & TYPE : 0160000;
}

/* "100644 NAME", NUL, the id. */
static bool read_entry(struct span rest, size_t id_bytes, struct entry *e, struct error *err)
{
    unsigned mode = 0;
    size_t at = 0;

    *e = (struct entry){0};
    if (rest.len == 0) {
        return true;
    }
    for (; at < rest.len && rest.ptr[at] >= '0' && rest.ptr[at] <= '7' && mode < IS_FILE; at++) {
        mode = mode * 8 + (unsigned)(rest.ptr[at] - '0');
    }
    const char *end = at < rest.len && rest.ptr[at] == ' ' ? memchr(rest.ptr + at, '\0', rest.len - at) : NULL;
    if (end == NULL || (size_t)(rest.ptr + rest.len - end) <= id_bytes) {
        return malformed(err);
    }
    at++;
    *e = (struct entry){.mode = canonical(mode),
                        .name = span_of(rest.ptr + at, (size_t)(end - rest.ptr) - at),
                        .id = end + 1,
                        .len = (size_t)(end - rest.ptr) + 1 + id_bytes};
    return true;
}

static bool step(const struct tree_changes *t, struct level *l, size_t i, struct error *err)
{
    l->rest[i] = span_slice(l->rest[i], l->at[i].len, l->rest[i].len);
    return read_entry(l->rest[i], t->packs.id_bytes, &l->at[i], err);
}

static void level_close(struct level *l)
{
    for (size_t i = 0; i < l->n; i++) {
        content_release(l->contents[i]);
    }
}

static bool open_tree(struct tree_changes *t, struct level *l, size_t i, const uint8_t *id, struct error *err)
{
    struct pack *pack;
    size_t offset;

    if (t->n_trees++ == TREES_MAX) {
        return error_set(err, ERROR_LIMIT, "tree: at most %d expected", TREES_MAX);
    }
    if (!packs_find_bytes(&t->packs, id, &pack, &offset)) {
        return error_set(err, ERROR_NOT_FOUND, "tree: one that is in a pack expected");
    }
    l->contents[i] = packs_read(&t->packs, pack, offset, err);
    if (l->contents[i] == NULL) {
        return false;
    }
    l->rest[i] = span_of(l->contents[i]->bytes, l->contents[i]->len);
    return read_entry(l->rest[i], t->packs.id_bytes, &l->at[i], err);
}

/* --- comparing ------------------------------------------------------------------ */

/* git's order: the name of a folder ends with a slash. */
static int compare(const struct entry *a, const struct entry *b)
{
    size_t least = a->name.len < b->name.len ? a->name.len : b->name.len;
    int order = memcmp(a->name.ptr, b->name.ptr, least);

    if (order != 0) {
        return order;
    }
    unsigned char after_a = a->name.len > least ? (unsigned char)a->name.ptr[least] : a->mode == IS_TREE ? '/' : '\0';
    unsigned char after_b = b->name.len > least ? (unsigned char)b->name.ptr[least] : b->mode == IS_TREE ? '/' : '\0';
    return after_a != after_b ? (int)after_a - (int)after_b : (a->name.len > b->name.len) - (a->name.len < b->name.len);
}

static bool is_same(const struct entry *a, const struct entry *b, size_t id_bytes)
{
    return a->mode == b->mode && (a->mode == 0 || memcmp(a->id, b->id, id_bytes) == 0);
}

static bool append_id(const struct tree_changes *t, const struct entry *e, struct buf *out, struct error *err)
{
    static const char digits[] = "0123456789abcdef";
    char text[1 + 2 * ID_MAX] = {' '};

    for (size_t i = 0; i < t->packs.id_bytes; i++) {
        unsigned byte = e->mode != 0 ? (unsigned char)e->id[i] : 0;
        text[1 + 2 * i] = digits[byte >> 4];
        text[2 + 2 * i] = digits[byte & 15];
    }
    return buf_append(out, span_of(text, 1 + 2 * t->packs.id_bytes), err);
}

static char status_of(const struct entry *before, const struct entry *after)
{
    if (before->mode == 0 || after->mode == 0) {
        return before->mode == 0 ? 'A' : 'D';
    }
    return (before->mode & TYPE) == (after->mode & TYPE) ? 'M' : 'T';
}

/* `entries`: those of one name, the commit's last. */
static bool append_change(const struct tree_changes *t, const struct entry *entries, size_t n, struct buf *out, struct error *err)
{
    static const char colons[] = "::::::::::::::::";
    const struct entry *after = &entries[n - 1];
    struct span name = after->name;
    char statuses[SIDES_MAX + 1] = {' '};

    _Static_assert(sizeof(colons) > TREE_PARENTS_MAX, "one for each parent");
    for (size_t i = 0; i + 1 < n; i++) {
        statuses[1 + i] = status_of(&entries[i], after);
        name = entries[i].mode != 0 ? entries[i].name : name;
    }
    bool is_ok = buf_append(out, span_of(colons, n - 1), err);
    for (size_t i = 0; is_ok && i < n; i++) {
        is_ok = buf_appendf(out, err, i > 0 ? " %06o" : "%06o", entries[i].mode);
    }
    for (size_t i = 0; is_ok && i < n; i++) {
        is_ok = append_id(t, &entries[i], out, err);
    }
    return is_ok && buf_append(out, span_of(statuses, n), err) && buf_append_char(out, '\0', err) && buf_append(out, buf_span(&t->path), err) &&
           buf_append(out, name, err) && buf_append_char(out, '\0', err);
}

static bool compare_trees(struct tree_changes *t, struct level *l, size_t depth, struct buf *out, struct error *err);

/* NOLINTNEXTLINE(misc-no-recursion): to TREE_DEPTH_MAX */
static bool compare_folders(struct tree_changes *t, const struct entry *entries, size_t n, struct span name, size_t depth, struct buf *out,
                            struct error *err)
{
    struct level l = {.n = n};
    size_t len = t->path.len;

    bool is_ok = depth < TREE_DEPTH_MAX || error_set(err, ERROR_LIMIT, "tree: at most %d folders in each other expected", TREE_DEPTH_MAX);
    is_ok = is_ok && buf_append(&t->path, name, err) && buf_append_char(&t->path, '/', err);
    for (size_t i = 0; is_ok && i < n; i++) {
        is_ok = entries[i].mode == 0 || open_tree(t, &l, i, (const uint8_t *)entries[i].id, err);
    }
    is_ok = is_ok && compare_trees(t, &l, depth + 1, out, err);
    level_close(&l);
    t->path.len = len;
    return is_ok;
}

/* Those of the first name, which are taken from the trees. False: no tree has any more. */
static bool take_first(const struct level *l, struct entry *entries, struct span *name)
{
    const struct entry *first = NULL;

    for (size_t i = 0; i < l->n; i++) {
        bool is_first = l->at[i].mode != 0 && (first == NULL || compare(&l->at[i], first) < 0);
        first = is_first ? &l->at[i] : first;
    }
    for (size_t i = 0; first != NULL && i < l->n; i++) {
        bool is_it = l->at[i].mode != 0 && compare(&l->at[i], first) == 0;
        entries[i] = is_it ? l->at[i] : (struct entry){0};
    }
    *name = first != NULL ? first->name : (struct span){0};
    return first != NULL;
}

/* Of a tree and its only parent's what is the same at the front is passed over. *end: bytes that are the same at the end. */
static bool pass_front(const struct tree_changes *t, struct level *l, size_t *end, struct error *err)
{
    size_t least = l->rest[0].len < l->rest[1].len ? l->rest[0].len : l->rest[1].len;
    size_t front = same_front(l->rest[0].ptr, l->rest[1].ptr, least);

    *end = same_end(l->rest[0].ptr + l->rest[0].len, l->rest[1].ptr + l->rest[1].len, least - front);
    while (l->at[0].len > 0 && l->at[0].len <= front) {
        front -= l->at[0].len;
        l->rest[1] = span_slice(l->rest[1], l->at[0].len, l->rest[1].len);
        if (!step(t, l, 0, err)) {
            return false;
        }
    }
    return read_entry(l->rest[1], t->packs.id_bytes, &l->at[1], err);
}

/* NOLINTNEXTLINE(misc-no-recursion): to TREE_DEPTH_MAX */
static bool compare_trees(struct tree_changes *t, struct level *l, size_t depth, struct buf *out, struct error *err)
{
    struct entry entries[SIDES_MAX];
    struct span name;
    size_t end = 0;

    if (l->n == 2 && l->contents[0] != NULL && l->contents[1] != NULL && !pass_front(t, l, &end, err)) {
        return false;
    }
    while ((end == 0 || l->rest[0].len != l->rest[1].len || l->rest[0].len > end) && take_first(l, entries, &name)) {
        bool is_new = true, is_folder = false, is_ok = true;
        for (size_t i = 0; i < l->n; i++) {
            is_new = is_new && (i + 1 == l->n || !is_same(&entries[i], &entries[l->n - 1], t->packs.id_bytes));
            is_folder = is_folder || entries[i].mode == IS_TREE;
        }
        if (is_new) {
            is_ok = is_folder ? compare_folders(t, entries, l->n, name, depth, out, err) : append_change(t, entries, l->n, out, err);
        }
        for (size_t i = 0; is_ok && i < l->n; i++) {
            is_ok = entries[i].mode == 0 || step(t, l, i, err);
        }
        if (!is_ok) {
            return false;
        }
    }
    return true;
}

static bool id_bytes_of(const struct tree_changes *t, struct span id, uint8_t bytes[ID_MAX], struct error *err)
{
    return packs_id(&t->packs, id, bytes) || malformed(err);
}

bool tree_changes_append(struct tree_changes *t, struct span tree, const struct span *parents, size_t n, struct buf *out, struct error *err)
{
    struct level l = {.n = n > 0 ? n + 1 : 2};
    uint8_t id[ID_MAX];
    bool is_ok = n <= TREE_PARENTS_MAX || error_set(err, ERROR_LIMIT, "commit: at most %d parents expected", TREE_PARENTS_MAX);

    l.n = is_ok ? l.n : 0;
    for (size_t i = 0; is_ok && i < n; i++) {
        is_ok = id_bytes_of(t, parents[i], id, err) && open_tree(t, &l, i, id, err);
    }
    is_ok = is_ok && id_bytes_of(t, tree, id, err) && open_tree(t, &l, l.n - 1, id, err);
    buf_clear(&t->path);
    is_ok = is_ok && compare_trees(t, &l, 0, out, err);
    level_close(&l);
    return is_ok;
}
