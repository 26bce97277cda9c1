#include "ctl/source/packs.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include <libdeflate.h>

#include "base/cleanup.h"
#include "ctl/source/pack_delta.h"

enum {
    PACKS_MAX = 64,
    INDEXES_MAX = 32 * 1024 * 1024, /* bytes of all indexes together */
    BASES_MAX = 96 * 1024 * 1024,   /* bytes, as git has for the same */
    TREES_MAX = 4 * 1024 * 1024,    /* of trees, which are read from the last to the first */
    WHOLE_MAX = 32 * 1024 * 1024,   /* bytes of packs that are read as a whole */
    READ_BYTES = 4 * 1024,          /* what reading one object costs, in bytes of a pack */
    ID_MAX = 32,
    LINKS_MAX = 10000,              /* git makes chains of 50, and of 4,095 at most */
};

/* A delta of the chain: in struct packs, deltas[from, from + len). */
struct packs_link {
    size_t offset;
    size_t from, len;
};

static bool no_memory(struct error *err)
{
    return error_set(err, ERROR_NO_MEMORY, "packs: no memory");
}

/* --- opening ------------------------------------------------------------------- */

static void drop_packs(struct packs *p)
{
    for (size_t i = 0; i < p->n; i++) {
        pack_close(&p->items[i]);
    }
    p->n = 0;
}

/* False: no more of them are wanted. */
static bool add_pack(struct packs *p, const char *path, size_t *room)
{
    struct error err;

    if (p->n == PACKS_MAX) {
        return false;
    }
    if (pack_open(&p->items[p->n], path, p->id_bytes, *room, &err)) {
        *room -= p->items[p->n++].index.len;
        return true;
    }
    return err.kind != ERROR_LIMIT && err.kind != ERROR_NO_MEMORY;
}

/* A folder that cannot be read has none: git says what is wrong with it. */
static void add_packs(struct packs *p, const char *folder)
{
    static const char ending[] = ".idx";
    char path[PATH_MAX];
    size_t room = INDEXES_MAX;
    bool is_wanted = (size_t)snprintf(path, sizeof(path), "%s/pack", folder) < sizeof(path);
    DIR *entries = is_wanted ? opendir(path) : NULL;

    while (is_wanted && entries != NULL) {
        const struct dirent *entry = readdir(entries);
        if (entry == NULL) {
            break;
        }
        size_t len = strlen(entry->d_name);
        if (len < sizeof(ending) || strcmp(entry->d_name + len - strlen(ending), ending) != 0) {
            continue;
        }
        is_wanted = (size_t)snprintf(path, sizeof(path), "%s/pack/%s", folder, entry->d_name) < sizeof(path) && add_pack(p, path, &room);
    }
    if (entries != NULL) {
        (void)closedir(entries);
    }
    if (!is_wanted) {
        drop_packs(p);
    }
}

bool packs_open(struct packs *p, const char *folder, size_t id_bytes, enum pack_type type, size_t max, struct error *err)
{
    *p = (struct packs){.id_bytes = id_bytes, .type = type, .max = max};
    buf_init(&p->deltas, 2 * max);
    p->items = calloc(PACKS_MAX, sizeof(*p->items));
    p->inflater = libdeflate_alloc_decompressor();
    if (p->items == NULL || p->inflater == NULL) {
        return no_memory(err);
    }
    if (!bases_init(&p->bases, type == PACK_TREE ? TREES_MAX : BASES_MAX, err)) {
        return false;
    }
    add_packs(p, folder);
    return true;
}

void packs_close(struct packs *p)
{
    drop_packs(p);
    free(p->items);
    bases_deinit(&p->bases);
    buf_deinit(&p->deltas);
    free(p->links);
    libdeflate_free_decompressor(p->inflater);
    *p = (struct packs){0};
}

void packs_expect(struct packs *p, size_t objects)
{
    size_t room = objects < WHOLE_MAX / READ_BYTES ? objects * READ_BYTES : WHOLE_MAX;

    for (size_t i = 0; i < p->n; i++) {
        if (p->items[i].end <= room) {
            room -= p->items[i].end;
            pack_read_whole(&p->items[i]);
        }
    }
}

/* --- finding --------------------------------------------------------------------- */

/* Digits have no pattern that a processor could predict: no branch. */
static unsigned digit(char c)
{
    return (c & 0xfU) + ((unsigned)c >> 6 & 1) * 9;
}

bool packs_id(const struct packs *p, struct span id, uint8_t *bytes)
{
    if (id.len != 2 * p->id_bytes || p->id_bytes > ID_MAX) {
        return false;
    }
    for (size_t i = 0; i < p->id_bytes; i++) {
        bytes[i] = (uint8_t)(digit(id.ptr[2 * i]) << 4 | digit(id.ptr[2 * i + 1]));
    }
    return true;
}

bool packs_find_bytes(const struct packs *p, const uint8_t *id, struct pack **pack, size_t *offset)
{
    for (size_t i = 0; i < p->n; i++) {
        if (pack_find(&p->items[i], id, offset)) {
            *pack = &p->items[i];
            return true;
        }
    }
    return false;
}

bool packs_find(const struct packs *p, struct span id, struct pack **pack, size_t *offset)
{
    uint8_t bytes[ID_MAX];

    return p->n > 0 && packs_id(p, id, bytes) && packs_find_bytes(p, bytes, pack, offset);
}

/* --- reading ------------------------------------------------------------------------ */

static bool add_link(struct packs *p, struct pack *pack, size_t offset, const struct pack_object *o, struct error *err)
{
    if (p->n_links == p->max_links) {
        size_t more = p->max_links == 0 ? 64 : p->max_links * 2;
        struct packs_link *larger = p->max_links < LINKS_MAX ? reallocarray(p->links, more, sizeof(*larger)) : NULL;
        if (larger == NULL) {
            return p->max_links < LINKS_MAX ? no_memory(err) : error_set(err, ERROR_LIMIT, "pack: a shorter chain of deltas expected");
        }
        p->links = larger;
        p->max_links = more;
    }
    /* One byte more: there is memory for an empty one, too, which is then refused. */
    if (!buf_reserve(&p->deltas, o->size + 1, err) || !pack_inflate(pack, p->inflater, o, p->deltas.data + p->deltas.len, err)) {
        return false;
    }
    p->links[p->n_links++] = (struct packs_link){.offset = offset, .from = p->deltas.len, .len = o->size};
    p->deltas.len += o->size;
    return true;
}

static struct content *read_whole(struct packs *p, struct pack *pack, const struct pack_object *o, struct error *err)
{
    struct content *content = o->size <= p->max ? content_alloc(o->size, err) : NULL;

    if (content == NULL) {
        if (o->size > p->max) {
            error_set(err, ERROR_LIMIT, "pack: a smaller object expected");
        }
        return NULL;
    }
    if (pack_inflate(pack, p->inflater, o, content->bytes, err)) {
        return content;
    }
    content_release(content);
    return NULL;
}

/* The content at the end of the chain, or of a link that is kept; what leads there from `offset` are p->links. */
static struct content *find_base(struct packs *p, struct pack *pack, size_t offset, struct error *err)
{
    struct pack_object o;

    for (;; offset = o.base) {
        struct content *content = bases_hold(&p->bases, (struct bases_place){pack, offset});
        if (content != NULL || !pack_head(pack, offset, &o, err)) {
            return content;
        }
        if (o.type == p->type) {
            content = read_whole(p, pack, &o, err);
            if (content != NULL) {
                bases_put(&p->bases, (struct bases_place){pack, offset}, content);
            }
            return content;
        }
        if (o.base == 0) {
            error_set(err, ERROR_INVALID, "pack: an object of the expected type expected");
            return NULL;
        }
        if (!add_link(p, pack, offset, &o, err)) {
            return NULL;
        }
    }
}

static struct content *apply(struct packs *p, const struct packs_link *link, const struct content *base, struct error *err)
{
    struct span delta = span_of(p->deltas.data + link->from, link->len);
    size_t len;

    if (!pack_delta_begin(&delta, base->len, &len, err)) {
        return NULL;
    }
    if (len > p->max) {
        error_set(err, ERROR_LIMIT, "pack: a smaller object expected");
        return NULL;
    }
    struct content *content = content_alloc(len, err);
    if (content != NULL && !pack_delta_apply(delta, span_of(base->bytes, base->len), content->bytes, len, err)) {
        content_release(content);
        return NULL;
    }
    return content;
}

struct content *packs_read(struct packs *p, struct pack *pack, size_t offset, struct error *err)
{
    /* A blob that is there was a base of older versions, which were asked for before. */
    const struct bases_place place = {pack, offset};
    struct content *content = p->type == PACK_BLOB ? bases_take(&p->bases, place) : bases_hold(&p->bases, place);

    p->n_links = 0;
    buf_clear(&p->deltas);
    content = content != NULL ? content : find_base(p, pack, offset, err);
    while (content != NULL && p->n_links > 0) {
        const struct packs_link *link = &p->links[--p->n_links];
        struct content *base = content;
        content = apply(p, link, base, err);
        content_release(base);
        if (content != NULL) {
            bases_put(&p->bases, (struct bases_place){pack, link->offset}, content);
        }
    }
    return content;
}
