/* fuzz_jwt.c - tokens of any bytes, and the JSON inside them. */
#include <assert.h>
#include <stdint.h>

#include "checks/check.h"
#include "formats/json_shape.h"
#include "formats/jwt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span text = span_of((const char *)data, size);
    struct span value;

    if (size > CHECK_SPAN_MAX) {
        return 0;
    }
    if (jwt_is_token(text)) {
        assert(memchr(text.ptr, '.', text.len) != NULL);
    }
    (void)json_is_object(text);
    if (json_member(text, span_str("alg"), &value)) {
        assert(value.ptr >= text.ptr && value.ptr + value.len <= text.ptr + text.len);
    }
    return 0;
}
