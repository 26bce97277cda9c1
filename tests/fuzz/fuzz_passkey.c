/* Responses of authenticators: the client data up to the first NUL, then authenticator data; an assertion ends with a signature, whose
 * length is its last byte. Any bytes are refused, unless they are a registration, whose key then is valid; nothing is an assertion of a
 * key that nobody has. */
#include <stdlib.h>
#include <string.h>

#include "signin/passkey.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The generator of P-256, whose private key is 1. */
static const struct passkey key = {
    .algorithm = -7, .id_len = 1, .key_len = 64,
    .key = {0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8, 0xbc, 0xe6, 0xe5, 0x63, 0xa4, 0x40, 0xf2, 0x77, 0x03, 0x7d, 0x81, 0x2d, 0xeb,
            0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45, 0xd8, 0x98, 0xc2, 0x96, 0x4f, 0xe3, 0x42, 0xe2, 0xfe, 0x1a, 0x7f, 0x9b, 0x8e, 0xe7, 0xeb, 0x4a,
            0x7c, 0x0f, 0x9e, 0x16, 0x2b, 0xce, 0x33, 0x57, 0x6b, 0x31, 0x5e, 0xce, 0xcb, 0xb6, 0x40, 0x68, 0x37, 0xbf, 0x51, 0xf5}};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t challenge[PASSKEY_CHALLENGE];
    struct passkey_site site;
    struct passkey made;
    struct error err;
    uint32_t count;

    if (!passkey_site_read("https://review.example", &site, &err)) {
        abort();
    }
    const uint8_t *nul = size == 0 ? NULL : memchr(data, 0, size);
    size_t client_len = nul == NULL ? size : (size_t)(nul - data), rest = nul == NULL ? size : client_len + 1;
    size_t signature_len = rest < size ? data[size - 1] % (size - rest) : 0;
    const char *text = (const char *)data;
    const struct passkey_response response = {.client_data = span_of(text, client_len),
                                              .auth_data = span_of(text + rest, size - rest - signature_len),
                                              .signature = span_of(text + size - signature_len, signature_len)};

    const struct passkey_response registration = {.client_data = response.client_data, .auth_data = span_of(text + rest, size - rest)};

    if (passkey_register(&site, challenge, &registration, &made, &err) && !passkey_check(&made, &err)) {
        abort();
    }
    (void)!passkey_assert(&site, challenge, &key, &response, &count, &err);
    char *origin = strndup(text == NULL ? "" : text, client_len);
    if (origin != NULL && passkey_site_read(origin, &site, &err) && strlen(site.rp_id) >= strlen(site.origin)) {
        abort();
    }
    free(origin);
    return 0;
}
