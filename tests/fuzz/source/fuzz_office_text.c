/* fuzz_office_text.c - any bytes as parts of an office file: UTF-8, or an error and no text. The first byte says which kind, and whether the
 * others are one part, or parts behind their lengths. */
#include <stdint.h>
#include <stdlib.h>

#include "ctl/source/office_text.h"
#include "text/utf8.h"

enum { KINDS = 3, TEXT_MAX = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static bool put_parts(struct buf *parts, struct span bytes, bool is_one, struct error *err)
{
    return (!is_one || buf_appendf(parts, err, "%zu\n", bytes.len)) && buf_append(parts, bytes, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char before[] = "before";
    struct buf parts, out;
    struct error err;

    if (size == 0) {
        return 0;
    }
    buf_init(&parts, size + 32);
    buf_init(&out, TEXT_MAX);
    const bool is_one = data[0] % (2 * KINDS) < KINDS;
    require(put_parts(&parts, span_of((const char *)data + 1, size - 1), is_one, &err) && buf_append(&out, span_str(before), &err));
    if (office_text((enum office_kind)(data[0] % KINDS), buf_span(&parts), &out, &err)) {
        require(out.len <= TEXT_MAX && utf8_valid_prefix(buf_span(&out)) == out.len);
    } else {
        require(out.len == strlen(before) && err.text[0] != '\0');
    }
    require(memcmp(out.data, before, strlen(before)) == 0);
    buf_deinit(&parts);
    buf_deinit(&out);
    return 0;
}
