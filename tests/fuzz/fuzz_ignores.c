/* Any bytes are an ignore file or are refused with a line; a comment is looked for around any match. */
#include <stdlib.h>

#include "ctl/source/ignores.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct span text = span_of((const char *)data, size);
    struct ignores g;
    struct error err = {0};

    ignores_init(&g);
    if (ignores_parse(&g, "f", text, &err)) {
        (void)ignores_match(&g, "a/b/c.txt", span_str("rule-id"));
    } else if (strncmp(err.text, "f:", 2) != 0) {
        abort();
    }
    ignores_deinit(&g);
    size_t from = size / 3, to = size / 2;
    if (ignores_in_text(text, from, to, span_str("rule-id")) && memmem(text.ptr, text.len, "filterd:allow", 13) == NULL) {
        abort();
    }
    return 0;
}
