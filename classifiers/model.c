#include "classifiers/model.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/digest.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "models are read in place");
_Static_assert(sizeof(struct model_header) == 64 && sizeof(struct model_section) == 32, "as documented");

struct model {
    struct span bytes;
    const struct model_header *header;
    const struct model_section *sections;
    void *owned; /* a mapping of owned_len bytes; NULL: borrowed */
    size_t owned_len;
};

/* A name is 1 to 16 of a-z, 0-9, '-' and '_', the rest NUL. */
static bool is_name(const char name[MODEL_NAME])
{
    size_t len = strnlen(name, MODEL_NAME);

    for (size_t i = 0; i < MODEL_NAME; i++) {
        bool is_word = (name[i] >= 'a' && name[i] <= 'z') || (name[i] >= '0' && name[i] <= '9') || name[i] == '-' || name[i] == '_';
        if (i < len ? !is_word : name[i] != '\0') {
            return false;
        }
    }
    return len > 0;
}

static bool names_equal(const char name[MODEL_NAME], const char *wanted)
{
    size_t len = strnlen(name, MODEL_NAME);

    return strlen(wanted) == len && memcmp(name, wanted, len) == 0;
}

static bool malformed(const char *name, const char *what, struct error *err)
{
    return error_set(err, ERROR_MALFORMED, "%s: not a model: %s", name, what);
}

static bool check_header(const struct model *m, const char *name, const char *kind, struct error *err)
{
    const struct model_header *h = m->header;

    if (m->bytes.len < sizeof(*h) + sizeof(struct model_section) + DIGEST_SHA256_HEX || m->bytes.len > MODEL_SIZE_MAX) {
        return malformed(name, "its size is out of range", err);
    }
    if (memcmp(h->magic, MODEL_MAGIC, sizeof(h->magic)) != 0) {
        return malformed(name, "it does not begin with " MODEL_MAGIC, err);
    }
    if (h->version != MODEL_VERSION) {
        return error_set(err, ERROR_INVALID, "%s: form %u expected, not %u", name, (unsigned)MODEL_VERSION, h->version);
    }
    if (h->size != m->bytes.len || h->zero != 0) {
        return malformed(name, "its size is not the one it says", err);
    }
    if (!is_name(h->kind) || !is_name(h->name)) {
        return malformed(name, "a name is no name", err);
    }
    if (!names_equal(h->kind, kind)) {
        return error_set(err, ERROR_INVALID, "%s: a model of kind %s expected, not %.*s", name, kind, MODEL_NAME, h->kind);
    }
    return true;
}

static bool check_digest(const struct model *m, const char *name, struct error *err)
{
    char hex[DIGEST_SHA256_HEX + 1];
    size_t covered = m->bytes.len - DIGEST_SHA256_HEX;

    if (!digest_sha256(span_of(m->bytes.ptr, covered), hex, err)) {
        return false;
    }
    return memcmp(hex, m->bytes.ptr + covered, DIGEST_SHA256_HEX) == 0 || malformed(name, "its digest is another", err);
}

static bool is_repeated(const struct model *m, uint32_t section)
{
    for (uint32_t i = 0; i < section; i++) {
        if (memcmp(m->sections[i].name, m->sections[section].name, MODEL_NAME) == 0) {
            return true;
        }
    }
    return false;
}

static bool check_sections(const struct model *m, const char *name, struct error *err)
{
    uint64_t n = m->header->n_sections, end = m->bytes.len - DIGEST_SHA256_HEX;

    if (n == 0 || n > MODEL_SECTIONS_MAX || n > (end - sizeof(*m->header)) / sizeof(struct model_section)) {
        return malformed(name, "its number of sections is out of range", err);
    }
    uint64_t at = sizeof(*m->header) + n * sizeof(struct model_section);
    for (uint32_t i = 0; i < n; i++) {
        const struct model_section *s = &m->sections[i];
        if (!is_name(s->name) || is_repeated(m, i)) {
            return malformed(name, "a section's name is no name, or there twice", err);
        }
        if (s->from % MODEL_ALIGN != 0 || s->from < at || s->from > end || s->len > end - s->from) {
            return malformed(name, "a section lies outside, or over another", err);
        }
        at = s->from + s->len;
    }
    return true;
}

static struct model *open_checked(const struct model *unchecked, const char *name, const char *kind, struct error *err)
{
    if (!check_header(unchecked, name, kind, err) || !check_digest(unchecked, name, err) ||
        !check_sections(unchecked, name, err)) {
        return NULL;
    }
    struct model *m = malloc(sizeof(*m));
    if (m == NULL) {
        error_set(err, ERROR_NO_MEMORY, "%s: no memory", name);
        return NULL;
    }
    *m = *unchecked;
    return m;
}

static struct model model_of(struct span bytes)
{
    /* One is behind the other; check_header and check_sections prove that they are there before use. */
    return (struct model){.bytes = bytes,
                          .header = (const struct model_header *)(const void *)bytes.ptr,
                          .sections = (const struct model_section *)(const void *)(bytes.ptr + sizeof(struct model_header))};
}

struct model *model_open_bytes(struct span bytes, const char *name, const char *kind, struct error *err)
{
    if (bytes.ptr == NULL || (uintptr_t)bytes.ptr % MODEL_ALIGN != 0) {
        error_set(err, ERROR_INTERNAL, "%s: not aligned to %d bytes", name, MODEL_ALIGN);
        return NULL;
    }
    const struct model m = model_of(bytes);
    return open_checked(&m, name, kind, err);
}

/* --- files ----------------------------------------------------------------- */

static bool read_all(int fd, char *to, size_t len)
{
    while (len > 0) {
        ssize_t n = read(fd, to, len);
        if (n <= 0) {
            return false;
        }
        to += n;
        len -= (size_t)n;
    }
    return true;
}

/* The file's bytes in a mapping of our own; NULL with err. */
static char *map_copy(const char *path, size_t *len, struct error *err)
{
    CLEANUP(cleanup_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;

    if (fd < 0 || fstat(fd, &info) != 0) {
        error_errno(err, "%s", path);
        return NULL;
    }
    if (!S_ISREG(info.st_mode) || info.st_size <= 0 || info.st_size > MODEL_SIZE_MAX) {
        malformed(path, "its size is out of range", err);
        return NULL;
    }
    *len = (size_t)info.st_size;
    char *bytes = mmap(NULL, *len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED) {
        error_set(err, ERROR_NO_MEMORY, "%s: no memory", path);
        return NULL;
    }
    if (!read_all(fd, bytes, *len) || mprotect(bytes, *len, PROT_READ) != 0) {
        (void)munmap(bytes, *len);
        error_set(err, ERROR_SYSTEM, "%s: cannot be read whole", path);
        return NULL;
    }
    return bytes;
}

struct model *model_open_file(const char *path, const char *kind, struct error *err)
{
    size_t len = 0;
    char *bytes = map_copy(path, &len, err);

    if (bytes == NULL) {
        return NULL;
    }
    struct model m = model_of(span_of(bytes, len));
    m.owned = bytes;
    m.owned_len = len;
    struct model *opened = open_checked(&m, path, kind, err);
    if (opened == NULL) {
        (void)munmap(bytes, len);
    }
    return opened;
}

void model_close(struct model *m)
{
    if (m != NULL) {
        if (m->owned != NULL) {
            (void)munmap(m->owned, m->owned_len);
        }
        free(m);
    }
}

/* --- reading ---------------------------------------------------------------- */

struct span model_digest(const struct model *m)
{
    return span_of(m->bytes.ptr + m->bytes.len - DIGEST_SHA256_HEX, DIGEST_SHA256_HEX);
}

struct span model_name(const struct model *m)
{
    return span_of(m->header->name, strnlen(m->header->name, MODEL_NAME));
}

static const struct model_section *find_section(const struct model *m, const char *section)
{
    for (uint32_t i = 0; i < m->header->n_sections; i++) {
        if (names_equal(m->sections[i].name, section)) {
            return &m->sections[i];
        }
    }
    return NULL;
}

bool model_has(const struct model *m, const char *section)
{
    return find_section(m, section) != NULL;
}

const void *model_array(const struct model *m, const char *section, size_t element, size_t *n, struct error *err)
{
    const struct model_section *s = find_section(m, section);

    if (s == NULL || s->len == 0 || s->len % element != 0) {
        error_set(err, ERROR_MALFORMED, "model %.*s: section %s: elements of %zu bytes expected", MODEL_NAME,
                  m->header->name, section, element);
        return NULL;
    }
    *n = (size_t)s->len / element;
    return m->bytes.ptr + s->from;
}

const void *model_struct(const struct model *m, const char *section, size_t size, struct error *err)
{
    size_t n = 0;
    const void *found = model_array(m, section, size, &n, err);

    if (found != NULL && n != 1) {
        error_set(err, ERROR_MALFORMED, "model %.*s: section %s: %zu bytes expected", MODEL_NAME, m->header->name,
                  section, size);
        return NULL;
    }
    return found;
}
