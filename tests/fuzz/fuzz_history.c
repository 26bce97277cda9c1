/* Any bytes are a list of changes or are refused; what is read lies within them. */
#include <stdlib.h>

#include "ctl/source/history.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_inside(const struct history *h, struct span part)
{
    return part.len == 0 || (part.ptr >= h->text.data && part.ptr + part.len <= h->text.data + h->text.len);
}

static void check(const struct history *h, bool is_staged)
{
    for (size_t i = 0; i < h->n_changes; i++) {
        const struct history_change *change = &h->changes[i];
        struct span before = change->before, blob;
        bool has_commit = is_staged ? change->commit == HISTORY_STAGED : change->commit < h->n_commits;
        if (!has_commit || !is_inside(h, change->path) || !is_inside(h, change->blob) || memchr(change->path.ptr, '\0', change->path.len) != NULL) {
            abort();
        }
        while (history_next_before(&before, &blob)) {
            if (!is_inside(h, blob)) {
                abort();
            }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int is_staged = 0; is_staged < 2; is_staged++) {
        struct history h;
        struct error err;
        history_init(&h);
        h.is_staged = is_staged != 0;
        if (buf_append(&h.text, span_of((const char *)data, size), &err) && history_parse(&h, &err)) {
            check(&h, is_staged != 0);
        }
        history_deinit(&h);
    }
    return 0;
}
