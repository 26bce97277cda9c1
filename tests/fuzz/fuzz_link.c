/* fuzz_link.c - constructs of any bytes: their URLs, the hosts of these, and the text that a reader sees. */
#include <assert.h>
#include <stdint.h>

#include "formats/web_url.h"
#include "policy/links.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SIZE_MAX_TRIED = 64 * 1024, MEMORY_MAX = 64 * 1024 * 1024 };

static bool take(void *context, const struct link_url *url, struct error *err)
{
    struct web_url target;

    if (!web_url_read(context, url->text, &target, err)) {
        return false;
    }
    assert((target.kind == WEB_URL_HOST) == (target.host.len > 0));
    for (size_t i = 0; i < target.host.len; i++) {
        assert((unsigned char)target.host.ptr[i] < 0x80);
        assert(target.host.ptr[i] < 'A' || target.host.ptr[i] > 'Z');
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct span construct = span_of((const char *)data, size);
    struct arena arena;
    struct error err;
    struct span text;
    bool is_permitted;

    if (size > SIZE_MAX_TRIED) {
        return 0;
    }
    arena_init(&arena, 0, MEMORY_MAX);
    (void)!link_each_url(&arena, construct, take, &arena, &err);
    if (link_text(construct, &text) && text.len > 0) {
        assert(text.ptr >= construct.ptr && text.ptr + text.len <= construct.ptr + size);
        assert(memchr(text.ptr, '[', text.len) == NULL && memchr(text.ptr, '<', text.len) == NULL);
    }
    for (unsigned use = LINK_LOADS; use <= LINK_LEADS; use++) {
        (void)!links_permit(&arena, NULL, (enum link_use)use, construct, &is_permitted, &err);
    }
    arena_deinit(&arena);
    return 0;
}
