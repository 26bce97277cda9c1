#include "protocol/notice.h"
#include "protocol/texts.h"
#include "protocol/translation.h"

/* Where the notice of a block may be. */

static const char blank_line[] = "\n\n";

bool text_is_at(const struct text *x, const char *path_end)
{
    size_t n = strlen(path_end);

    return x->path.len >= n && memcmp(x->path.ptr + x->path.len - n, path_end, n) == 0;
}

bool text_was_shown(const struct translation *t, size_t part, const char *path_end)
{
    for (size_t i = 0; i < t->n_texts; i++) {
        const struct text *x = t->texts[i];
        bool is_its = part == SIZE_MAX || x->part == part;
        if (is_its && x->released.len > 0 && text_is_at(x, path_end)) {
            return true;
        }
    }
    return false;
}

bool notice_is_text(const struct translation *t, bool is_behind)
{
    return !block_refuses(t) && (block_ends_turn(t) || !t->asked.is_structured || !is_behind);
}

bool notice_make(struct translation *t, bool is_behind, struct span *out, struct error *err)
{
    struct span notice = stream_notice(t->stream).len > 0 ? stream_notice(t->stream) : t->frame.policy->notice;
    size_t blank = is_behind ? strlen(blank_line) : 0;
    char *both = arena_alloc(&t->memory, blank + notice.len + 1, err);

    if (both == NULL) {
        return false;
    }
    memcpy(both, blank_line, blank);
    memcpy(both + blank, notice.len > 0 ? notice.ptr : "", notice.len);
    *out = span_of(both, blank + notice.len);
    return true;
}

bool notice_join(struct translation *t, struct node *object, const char *member, struct error *err)
{
    const struct node *at = node_member(object, member);
    struct span said = node_is_string(at) ? at->text : span_of("", 0), notice;

    if (!notice_is_text(t, said.len > 0)) {
        return true;
    }
    if (!notice_make(t, said.len > 0, &notice, err)) {
        return false;
    }
    char *both = arena_alloc(&t->memory, said.len + notice.len + 1, err);
    if (both == NULL) {
        return false;
    }
    memcpy(both, said.len > 0 ? said.ptr : "", said.len);
    memcpy(both + said.len, notice.ptr, notice.len);
    return node_put(&t->memory, object, member, span_of(both, said.len + notice.len), err);
}
