/* fuzz_age.c - age files, groups of recipients and identities of any bytes. */
#include <assert.h>
#include <sodium.h>

#include "seal/recipients.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file to a known key with the input in place of its payload gets past the header. */
static void open_payload(const struct age_identity *identity, struct span payload)
{
    struct age_recipient recipient;
    struct secret opened;
    struct error err;
    struct buf file;

    buf_init(&file, AGE_HEADER_MAX + payload.len);
    age_identity_recipient(identity, &recipient);
    bool is_sealed = age_seal(&recipient, 1, span_str(""), &file, &err);
    assert(is_sealed);
    file.len -= 32;
    bool is_added = buf_append(&file, payload, &err);
    assert(is_added);
    if (age_open(identity, 1, buf_span(&file), &opened, &err)) {
        secret_deinit(&opened);
    }
    buf_deinit(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct age_identity identity = {{1, 2, 3, 4}};
    struct span text = span_of((const char *)data, size);
    struct age_recipient recipients[RECIPIENTS_MAX];
    struct age_identity identities[AGE_IDENTITIES_MAX];
    struct secret opened;
    struct error err;
    struct buf out;
    size_t n;

    bool has_started = sodium_init() >= 0;
    assert(has_started);
    if (age_open(&identity, 1, text, &opened, &err)) {
        secret_deinit(&opened);
    }
    if (recipients_read("group", text, recipients, &n, &err)) {
        assert(n >= RECIPIENTS_MIN && n <= RECIPIENTS_MAX);
        buf_init(&out, AGE_HEADER_MAX + size);
        bool is_sealed = age_seal(recipients, n, text, &out, &err);
        assert(is_sealed);
        buf_deinit(&out);
    }
    if (age_identities_read("key", text, identities, &n, &err)) {
        assert(n > 0);
    }
    open_payload(&identity, text);
    return 0;
}
