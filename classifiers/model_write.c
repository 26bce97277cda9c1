#include "classifiers/model_write.h"

#include <stdlib.h>

#include "base/digest.h"

static bool put_name(const char *name, char to[MODEL_NAME], struct error *err)
{
    size_t len = strlen(name);

    if (len == 0 || len > MODEL_NAME) {
        return error_set(err, ERROR_INVALID, "model: a name of 1 to %d letters expected", MODEL_NAME);
    }
    memset(to, 0, MODEL_NAME);
    memcpy(to, name, len);
    return true;
}

static size_t aligned(size_t offset)
{
    return (offset + MODEL_ALIGN - 1) / MODEL_ALIGN * MODEL_ALIGN;
}

static bool append_zeros(struct buf *out, size_t until, struct error *err)
{
    while (out->len < until) {
        if (!buf_append_char(out, '\0', err)) {
            return false;
        }
    }
    return true;
}

/* Where the last section ends. */
static bool put_directory(const struct model_part *parts, size_t n, struct buf *out, size_t *end, struct error *err)
{
    *end = sizeof(struct model_header) + n * sizeof(struct model_section);
    for (size_t i = 0; i < n; i++) {
        struct model_section section = {.from = aligned(*end), .len = parts[i].len};
        if (parts[i].len == 0 || parts[i].len > MODEL_SIZE_MAX) {
            return error_set(err, ERROR_INVALID, "model: section %s: its size is out of range", parts[i].name);
        }
        if (!put_name(parts[i].name, section.name, err) ||
            !buf_append(out, span_of((const char *)&section, sizeof(section)), err)) {
            return false;
        }
        *end = section.from + section.len;
    }
    return true;
}

static bool put_all(struct model_header *header, const struct model_part *parts, size_t n, struct buf *out,
                    struct error *err)
{
    char hex[DIGEST_SHA256_HEX + 1];
    size_t end = 0;

    if (!buf_append(out, span_of((const char *)header, sizeof(*header)), err) ||
        !put_directory(parts, n, out, &end, err)) {
        return false;
    }
    header->size = end + DIGEST_SHA256_HEX;
    memcpy(out->data, header, sizeof(*header));
    for (size_t i = 0; i < n; i++) {
        if (!append_zeros(out, aligned(out->len), err) ||
            !buf_append(out, span_of(parts[i].bytes, parts[i].len), err)) {
            return false;
        }
    }
    return digest_sha256(buf_span(out), hex, err) && buf_append(out, span_of(hex, DIGEST_SHA256_HEX), err);
}

/* A model that could not be opened is not written. */
static bool check_written(const struct buf *out, const char *name, const char *kind, struct error *err)
{
    void *copy = aligned_alloc(MODEL_ALIGN, aligned(out->len));

    if (copy == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "model: no memory");
    }
    memcpy(copy, out->data, out->len);
    struct model *m = model_open_bytes(span_of(copy, out->len), name, kind, err);
    bool is_model = m != NULL;
    model_close(m);
    free(copy);
    return is_model;
}

bool model_write(const char *kind, const char *name, const struct model_part *parts, size_t n, struct buf *out,
                 struct error *err)
{
    struct model_header header = {.magic = {'F', 'L', 'T', 'M', 'O', 'D', 'E', 'L'}, .version = MODEL_VERSION, .n_sections = (uint32_t)n};

    if (n == 0 || n > MODEL_SECTIONS_MAX) {
        return error_set(err, ERROR_INVALID, "model: 1 to %d sections expected", MODEL_SECTIONS_MAX);
    }
    return put_name(kind, header.kind, err) && put_name(name, header.name, err) &&
           put_all(&header, parts, n, out, err) && check_written(out, name, kind, err);
}
