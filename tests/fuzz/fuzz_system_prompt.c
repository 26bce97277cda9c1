/* fuzz_system_prompt.c - a prompt, a user's text and an answer of any bytes, apart by NUL: parts are in order, apart and within
 * the answer, and what may go on begins no later than a part that reaches the end. */
#include <assert.h>
#include <stdint.h>

#include "base/arena.h"
#include "disclosure/system_prompt.h"
#include "text/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SIZE_MAX_TRIED = 16 * 1024, MEMORY_MAX = 1024 * 1024 };

struct seen {
    struct span text;
    size_t end;
};

static bool take(void *context, const struct copied_part *part, struct error *err)
{
    struct seen *seen = context;

    (void)err;
    assert(part->from >= seen->end && part->from <= part->to && part->to <= seen->text.len);
    seen->end = part->to;
    return true;
}

static struct span next_text(struct span *rest)
{
    const char *end = rest->len == 0 ? NULL : memchr(rest->ptr, '\0', rest->len);
    size_t len = end == NULL ? rest->len : (size_t)(end - rest->ptr);
    struct span text = span_slice(*rest, 0, len);

    *rest = span_slice(*rest, len + (end != NULL), rest->len);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span rest = span_of((const char *)data, size);
    struct arena arena;
    struct error err;

    if (size > SIZE_MAX_TRIED) {
        return 0;
    }
    arena_init(&arena, 0, MEMORY_MAX);
    struct system_prompt *p = system_prompt_new(&err);
    assert(p != NULL && system_prompt_add(p, next_text(&rest), &err) && system_prompt_add_user(p, next_text(&rest), &err));
    struct seen seen = {0};
    assert(utf8_repair(&arena, rest, &seen.text, &err));
    assert(system_prompt_each(p, 1, seen.text, take, &seen, &err));
    seen.end = 0;
    assert(system_prompt_each(p, 0, seen.text, take, &seen, &err));
    assert(system_prompt_live(p, seen.text) <= seen.text.len);
    system_prompt_unref(p);
    arena_deinit(&arena);
    return 0;
}
