#include <sodium.h>

#include "base/ascii.h"
#include "formats/base32.h"
#include "checks/checks_table.h"

/* The checksum is followed by as many characters that nothing is known of. */
enum { CHECKSUM = 8, TAIL = 16 };

static bool github_pat_passes(struct span value, const struct check_args *args)
{
    uint8_t digest[crypto_hash_sha256_BYTES];
    char expected[CHECKSUM];

    (void)args;
    if (value.len <= TAIL) {
        return false;
    }
    size_t body = value.len - TAIL;
    crypto_hash_sha256(digest, (const unsigned char *)value.ptr, body);
    base32_encode(digest, expected, CHECKSUM);
    for (size_t i = 0; i < CHECKSUM; i++) {
        if (ascii_lower(value.ptr[body + i]) != ascii_lower(expected[i])) {
            return false;
        }
    }
    return true;
}

const struct check_type check_github_pat = {
    .name = "github_pat",
    .summary = "passes when a fine-grained token holds the base32 of its body's SHA-256",
    .passes = github_pat_passes,
};
