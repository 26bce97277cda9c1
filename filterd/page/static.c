#include "page/static.h"

#include <pthread.h>
#include <stdio.h>

#include "base/digest.h"
#include "policy/embedded.h"

enum { STATIC_MAX = 8, STATIC_NAME = 96, DIGEST_SHOWN = 16 };

static const char folder[] = "web/";

static const struct {
    const char *ending, *type;
} types[] = {
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".svg", "image/svg+xml"},
};

static struct named {
    const struct embedded_file *file;
    const char *type;
    char name[STATIC_NAME];
} files[STATIC_MAX];
static size_t n_files;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void add(const struct embedded_file *file)
{
    struct named *f = &files[n_files];
    const char *base = file->path + sizeof(folder) - 1;
    const char *dot = strrchr(base, '.');
    char hex[DIGEST_SHA256_HEX + 1];
    struct error ignored;

    for (size_t i = 0; dot != NULL && n_files < STATIC_MAX && i < COUNT(types); i++) {
        if (strcmp(dot, types[i].ending) == 0 && digest_sha256(span_of(file->content, file->len), hex, &ignored)) {
            *f = (struct named){.file = file, .type = types[i].type};
            (void)snprintf(f->name, sizeof(f->name), "%.*s.%.*s%s", (int)(dot - base), base, DIGEST_SHOWN, hex, dot);
            n_files++;
            return;
        }
    }
}

static void name_files(void)
{
    for (unsigned i = 0; i < embedded_file_count; i++) {
        if (strncmp(embedded_files[i].path, folder, sizeof(folder) - 1) == 0) {
            add(&embedded_files[i]);
        }
    }
}

struct span static_name(const char *file)
{
    (void)pthread_once(&once, name_files);
    for (size_t i = 0; i < n_files; i++) {
        if (strcmp(files[i].file->path + sizeof(folder) - 1, file) == 0) {
            return span_str(files[i].name);
        }
    }
    return span_of("", 0);
}

bool static_find(struct span name, struct static_file *out)
{
    (void)pthread_once(&once, name_files);
    for (size_t i = 0; i < n_files; i++) {
        if (span_is(name, files[i].name)) {
            *out = (struct static_file){span_of(files[i].file->content, files[i].file->len), files[i].type};
            return true;
        }
    }
    return false;
}
