#include "record/base64_strict.h"

#include <sodium.h>

static bool decode(struct span text, int variant, uint8_t *out, size_t max, size_t *n)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((uint8_t)text.ptr[i] >= 0x80) {
            return false;
        }
    }
    return sodium_base642bin(out, max, text.len > 0 ? text.ptr : "", text.len, NULL, n, NULL, variant) == 0;
}

bool base64_strict_decode(struct span text, uint8_t *out, size_t max, size_t *n)
{
    return decode(text, sodium_base64_VARIANT_ORIGINAL, out, max, n);
}

bool base64_strict_decode_bare(struct span text, uint8_t *out, size_t max, size_t *n)
{
    return decode(text, sodium_base64_VARIANT_ORIGINAL_NO_PADDING, out, max, n);
}

bool base64_strict_decode_url(struct span text, uint8_t *out, size_t max, size_t *n)
{
    return decode(text, sodium_base64_VARIANT_URLSAFE_NO_PADDING, out, max, n);
}
