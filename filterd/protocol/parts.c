#include "protocol/parts.h"

#include <stdlib.h>

#include "base/locked_pages.h"
#include "protocol/translation.h"

void *list_room(void *list, size_t n, size_t size)
{
    bool is_full = (n & (n - 1)) == 0; /* at 0, 1, 2, 4, 8, … it holds as many as it has */

    return is_full ? realloc(list, (n == 0 ? 1 : 2 * n) * size) : list;
}

struct part *part_find(const struct translation *t, size_t key)
{
    for (size_t i = 0; i < t->n_parts; i++) {
        if (t->parts[i]->key == key) {
            return t->parts[i];
        }
    }
    return NULL;
}

struct part *part_open(struct translation *t, size_t key, struct error *err)
{
    struct part *p = part_find(t, key);

    if (p != NULL) {
        return p;
    }
    if (t->n_parts == PARTS_MAX) {
        error_set(err, ERROR_LIMIT, "answer: more than %d parts", PARTS_MAX);
        return NULL;
    }
    struct part **parts = list_room(t->parts, t->n_parts, sizeof(struct part *));
    t->parts = parts != NULL ? parts : t->parts;
    p = parts == NULL ? NULL : calloc(1, sizeof(*p));
    if (p == NULL) {
        error_set(err, ERROR_NO_MEMORY, "answer: no memory for a part");
        return NULL;
    }
    p->key = key;
    buf_init_text(&p->held, t->event_max);
    buf_init_text(&p->logprobs.held, t->event_max);
    t->parts[t->n_parts++] = p;
    return p;
}

void parts_free(struct translation *t)
{
    for (size_t i = 0; i < t->n_parts; i++) {
        buf_deinit(&t->parts[i]->held);
        buf_deinit(&t->parts[i]->logprobs.held);
        free(t->parts[i]);
    }
    free(t->parts);
}
