/* Any bytes are a form or are refused; whatever its fields are, what a page shows of them has no markup, and what an address has of
 * them is one part of it. The same bytes as an Accept-Language, and as two texts whose difference is shown. */
#include <stdlib.h>
#include <string.h>

#include "page/diff.h"
#include "page/form.h"
#include "page/html.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct html *h, const char *permitted_only)
{
    struct span written = buf_span(h->out);

    for (size_t i = 0; i < written.len; i++) {
        bool is_markup = written.ptr[i] == '\0' || strchr("<>\"'\n\r\t\x7f", written.ptr[i]) != NULL;
        bool is_foreign = permitted_only != NULL && strchr(permitted_only, written.ptr[i]) == NULL;
        if (is_markup || is_foreign) {
            abort();
        }
    }
    buf_clear(h->out);
    *h = (struct html){.out = h->out, .language = h->language, .err = h->err};
}

static void show(struct html *h, struct span text)
{
    html_text(h, text);
    check(h, NULL);
    html_attribute(h, text);
    check(h, NULL);
    html_url(h, text);
    check(h, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~%");
}

static void count(void *context, enum diff_kind kind, struct span line)
{
    (void)line;
    ((size_t *)context)[kind]++;
}

static void compare(struct arena *a, struct span text)
{
    size_t counts[DIFF_GAP + 1] = {0}, n = 0;
    struct error err;

    if (diff_texts(a, span_slice(text, 0, text.len / 2), span_slice(text, text.len / 2, text.len), count, counts, &n, &err) &&
        n != counts[DIFF_REMOVED] + counts[DIFF_ADDED]) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct span all = span_of((const char *)data, size);
    struct form form = {0};
    struct arena memory;
    struct error err;
    struct html h;
    struct buf out;

    buf_init(&out, 1024 * 1024);
    arena_init(&memory, 0, 8UL * 1024 * 1024);
    html_init(&h, &out, language_accepted(all), &err);
    show(&h, all);
    if (form_parse(&memory, all, &form, &err)) {
        for (size_t i = 0; i < form.n; i++) {
            show(&h, form.fields[i].name);
            show(&h, form.fields[i].value);
        }
    }
    compare(&memory, all);
    arena_deinit(&memory);
    buf_deinit(&out);
    return 0;
}
