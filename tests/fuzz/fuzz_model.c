/* Any bytes are opened as a model, once as they are and once under a digest made for them, and every section of one
 * that opens is read to its end. */
#include <stdlib.h>

#include "base/digest.h"
#include "classifiers/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile unsigned char last; /* reading is not left out */

static void read_sections(const struct model *m, const char *bytes)
{
    const struct model_header *header = (const void *)bytes;
    const struct model_section *sections = (const void *)(bytes + sizeof(*header));

    for (uint32_t i = 0; i < header->n_sections; i++) {
        char name[MODEL_NAME + 1] = "";
        struct error err;
        size_t n = 0;
        memcpy(name, sections[i].name, MODEL_NAME);
        const unsigned char *at = model_array(m, name, 1, &n, &err);
        for (size_t k = 0; at != NULL && k < n; k++) {
            last = at[k];
        }
        if (!model_has(m, name) || (at == NULL) != (sections[i].len == 0)) {
            abort();
        }
    }
}

static void open_one(const char *bytes, size_t len)
{
    struct error err = {0};
    struct model *m = model_open_bytes(span_of(bytes, len), "fuzz", "linear", &err);

    if (m != NULL) {
        read_sections(m, bytes);
    } else if (err.text[0] == '\0') {
        abort();
    }
    model_close(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char hex[DIGEST_SHA256_HEX + 1];
    struct error err;
    char *bytes = aligned_alloc(MODEL_ALIGN, (size + MODEL_ALIGN) / MODEL_ALIGN * MODEL_ALIGN);

    if (bytes == NULL) {
        return 0;
    }
    if (size > 0) {
        memcpy(bytes, data, size);
    }
    open_one(bytes, size);
    if (size > DIGEST_SHA256_HEX && digest_sha256(span_of(bytes, size - DIGEST_SHA256_HEX), hex, &err)) {
        memcpy(bytes + size - DIGEST_SHA256_HEX, hex, DIGEST_SHA256_HEX);
        open_one(bytes, size);
    }
    free(bytes);
    return 0;
}
