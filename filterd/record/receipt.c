#include "record/receipt.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "record/base64_strict.h"
#include "record/note_text.h"

enum { HASH_TEXT = 43 };

_Static_assert(sodium_base64_ENCODED_LEN(TREE_HASH, sodium_base64_VARIANT_URLSAFE_NO_PADDING) == HASH_TEXT + 1,
               "a hash has 43 characters");

void receipt_format(uint64_t seq, const struct tree_hash *leaf, char text[RECEIPT_TEXT + 1])
{
    char hash[HASH_TEXT + 1];

    (void)sodium_bin2base64(hash, sizeof(hash), leaf->bytes, TREE_HASH, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    (void)snprintf(text, RECEIPT_TEXT + 1, "%" PRIu64 ".%s", seq, hash);
}

bool receipt_parse(struct span text, uint64_t *seq, struct tree_hash *leaf, struct error *err)
{
    const char *dot = memchr(text.ptr, '.', text.len);
    size_t n = 0;

    bool is_good = dot != NULL && (size_t)(text.ptr + text.len - dot) == 1 + HASH_TEXT &&
                   note_read_number(span_of(text.ptr, (size_t)(dot - text.ptr)), seq) && *seq > 0 &&
                   base64_strict_decode_url(span_of(dot + 1, HASH_TEXT), leaf->bytes, TREE_HASH, &n) && n == TREE_HASH;
    return is_good || error_set(err, ERROR_MALFORMED, "a receipt expected: a number, a dot and a hash in Base64url");
}
