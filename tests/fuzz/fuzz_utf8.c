/* fuzz_utf8.c - repair gives valid text of the same length, and changes nothing that was valid. */
#include <stdlib.h>

#include "text/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct error err;
    struct span repaired;
    struct span text = span_of((const char *)data, size);
    size_t valid = utf8_valid_prefix(text);
    size_t n = 0;
    size_t n_units = 0;

    arena_init(&arena, 0, size + 1);
    require(valid <= size);
    require(utf8_repair(&arena, text, &repaired, &err));
    require(repaired.len == size && utf8_valid_prefix(repaired) == size);
    require((repaired.ptr == text.ptr) == (valid == size));
    require(span_equal(span_of(repaired.ptr, valid), span_of(text.ptr, valid)));
    for (size_t at = 0; at < size; n++) {
        size_t len;
        char bytes[4];
        uint32_t code_point = utf8_decode(span_slice(repaired, at, size), &len);
        require(utf8_encode(code_point, bytes) == len);
        require(span_equal(span_of(bytes, len), span_of(repaired.ptr + at, len)));
        at += len;
        n_units += code_point > 0xffff ? 2 : 1;
    }
    require(utf8_count_code_points(repaired) == n);
    require(utf8_count_utf16_units(repaired) == n_units);
    require(utf8_is_ascii(repaired) == (n == size));
    arena_deinit(&arena);
    return 0;
}
