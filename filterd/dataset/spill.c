#include "dataset/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"

enum { BUFFER = 32 * 1024 };

struct part {
    int fd;
    uint64_t n; /* items in file and buffer */
    size_t used;
    uint8_t *buffer;
};

struct spill {
    size_t size;
    struct part parts[SPILL_PARTS];
};

struct spill *spill_new(const char *folder, size_t item_size, struct error *err)
{
    struct spill *s = calloc(1, sizeof(*s));
    bool is_made = s != NULL && item_size > 0 && item_size <= SPILL_ITEM_MAX;

    for (size_t i = 0; s != NULL && i < SPILL_PARTS; i++) {
        s->parts[i].fd = -1;
    }
    for (size_t i = 0; is_made && i < SPILL_PARTS; i++) {
        struct part *p = &s->parts[i];
        p->buffer = malloc(BUFFER);
        p->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        is_made = p->buffer != NULL && p->fd >= 0;
    }
    if (!is_made) {
        error_errno(err, "%s: temporary file", folder);
        spill_free(s);
        return NULL;
    }
    s->size = item_size;
    return s;
}

void spill_free(struct spill *s)
{
    for (size_t i = 0; s != NULL && i < SPILL_PARTS; i++) {
        if (s->parts[i].fd >= 0) {
            close(s->parts[i].fd);
        }
        free(s->parts[i].buffer);
    }
    free(s);
}

static bool flush(struct part *p, struct error *err)
{
    if (!file_write_all(p->fd, span_of((const char *)p->buffer, p->used))) {
        return error_errno(err, "temporary file");
    }
    p->used = 0;
    return true;
}

bool spill_add(struct spill *s, const void *item, struct error *err)
{
    struct part *p = &s->parts[*(const uint8_t *)item * SPILL_PARTS / 256];

    if (p->used + s->size > BUFFER && !flush(p, err)) {
        return false;
    }
    memcpy(p->buffer + p->used, item, s->size);
    p->used += s->size;
    p->n++;
    return true;
}

uint64_t spill_count(const struct spill *s)
{
    uint64_t n = 0;

    for (size_t i = 0; i < SPILL_PARTS; i++) {
        n += s->parts[i].n;
    }
    return n;
}

static int compare_items(const void *a, const void *b, void *size)
{
    return memcmp(a, b, *(const size_t *)size);
}

static bool read_part(struct part *p, uint8_t *out, size_t len, struct error *err)
{
    for (size_t at = 0; at < len;) {
        ssize_t n = pread(p->fd, out + at, len - at, (off_t)at);
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return error_errno(err, "temporary file");
        }
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

bool spill_each(struct spill *s, spill_fn *on_items, void *context, struct error *err)
{
    bool is_good = true;

    for (size_t i = 0; is_good && i < SPILL_PARTS; i++) {
        struct part *p = &s->parts[i];
        size_t len = (size_t)p->n * s->size;
        uint8_t *items = malloc(len + 1);
        if (items == NULL) {
            return error_set(err, ERROR_NO_MEMORY, "no memory for %zu bytes", len);
        }
        is_good = flush(p, err) && read_part(p, items, len, err);
        if (is_good && p->n > 0) {
            qsort_r(items, (size_t)p->n, s->size, compare_items, &s->size);
            is_good = on_items(context, items, (size_t)p->n, err);
        }
        free(items);
    }
    return is_good;
}
