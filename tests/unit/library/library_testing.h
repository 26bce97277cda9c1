/* library_testing.h - an engine with three rules in a scratch folder, and Arrow arrays of texts for it. */
#ifndef FILTERD_TESTS_UNIT_LIBRARY_TESTING_H
#define FILTERD_TESTS_UNIT_LIBRARY_TESTING_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "library/filterd.h"
#include "support/judge.h"

static const char library_rules[] =
    "rules:\n" TEST_RULE("ticket", "secret", "high", "0.9", "pattern: 'TK[0-9]{6}'")
        TEST_RULE("launch-code", "secret", "critical", "0.95", "pattern: 'LC[0-9]{8}'")
            TEST_RULE("rumour", "content", "low", "0.3", "pattern: 'they say'");
static const char library_policy[] = "policies:\n  default:\n    rules: [pack]\n    actions:\n"
                                     "      - {rules: [launch-code], action: block}\n      - {rules: [ticket], action: redact}\n"
                                     "    notice: withheld\n";

static char library_folder[64];

static inline void write_text(const char *name, const char *text)
{
    char path[PATH_MAX];

    (void)snprintf(path, sizeof(path), "%s/%s", library_folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fputs(text, f) >= 0, 1);
    assert_int_equal(fclose(f), 0);
}

static inline void make_rules(void)
{
    char path[PATH_MAX];

    (void)snprintf(library_folder, sizeof(library_folder), "/tmp/filterd-library-XXXXXX");
    assert_non_null(mkdtemp(library_folder));
    (void)snprintf(path, sizeof(path), "%s/pack", library_folder);
    assert_int_equal(mkdir(path, 0700), 0);
    write_text("pack/rules.yaml", library_rules);
    write_text("policy.yaml", library_policy);
}

static inline void remove_rules(void)
{
    static const char *const names[] = {"pack/rules.yaml", "policy.yaml", "pack", ""};
    char path[PATH_MAX];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", library_folder, names[i]);
        assert_int_equal(remove(path), 0);
    }
}

static inline filterd_engine *open_library(void)
{
    struct filterd_options options = {.size = sizeof(options), .rules = library_folder};
    char error[FILTERD_ERROR_MAX];
    filterd_engine *engine = filterd_open(&options, error, sizeof(error));

    if (engine == NULL) {
        fail_msg("%s", error);
    }
    return engine;
}

/* --- arrays of texts ---------------------------------------------------------------------- */

enum { ARRAY_TEXTS_MAX = 64, ARRAY_BYTES_MAX = 8192 };

/* An array whose rows begin at `offset` of its buffers, as of a slice; it counts its releases. */
struct text_array {
    struct ArrowArray array;
    struct ArrowSchema schema;
    const void *buffers[4];
    uint8_t valid[ARRAY_TEXTS_MAX / 8];
    int32_t offsets[ARRAY_TEXTS_MAX + 1];
    int64_t large_offsets[ARRAY_TEXTS_MAX + 1];
    uint8_t views[ARRAY_TEXTS_MAX][16];
    char data[ARRAY_BYTES_MAX];
    int64_t lengths[1];
    int released;
};

static inline void count_release(struct ArrowArray *a)
{
    ((struct text_array *)a->private_data)->released++;
    a->release = NULL;
}

static inline void ignore_release(struct ArrowSchema *s)
{
    s->release = NULL;
}

static inline void set_view(struct text_array *t, size_t i, const char *text, int32_t at)
{
    int32_t len = (int32_t)strlen(text), buffer = 0;

    memset(t->views[i], 0, sizeof(t->views[i]));
    memcpy(t->views[i], &len, sizeof(len));
    memcpy(t->views[i] + 4, text, len < 12 ? (size_t)len : len == 12 ? 12 : 4);
    if (len > 12) {
        memcpy(t->views[i] + 8, &buffer, sizeof(buffer));
        memcpy(t->views[i] + 12, &at, sizeof(at));
    }
}

/* NULL is null. `format` is "u", "U" or "vu". */
static inline void make_texts(struct text_array *t, const char *format, const char *const *texts, size_t n, size_t offset)
{
    int32_t at = 0;

    memset(t, 0, sizeof(*t));
    for (size_t i = 0; i < n; i++) {
        const char *text = texts[i] != NULL ? texts[i] : "";
        memcpy(t->data + at, text, strlen(text));
        set_view(t, offset + i, text, at);
        t->offsets[offset + i] = at;
        t->large_offsets[offset + i] = at;
        at += (int32_t)strlen(text);
        t->offsets[offset + i + 1] = at;
        t->large_offsets[offset + i + 1] = at;
        if (texts[i] != NULL) {
            t->valid[(offset + i) / 8] = (uint8_t)(t->valid[(offset + i) / 8] | 1 << (offset + i) % 8);
        }
    }
    t->lengths[0] = at;
    t->buffers[0] = t->valid;
    t->buffers[1] = format[0] == 'v' ? (void *)t->views : format[0] == 'U' ? (void *)t->large_offsets : (void *)t->offsets;
    t->buffers[2] = t->data;
    t->buffers[3] = t->lengths;
    t->array = (struct ArrowArray){.length = (int64_t)n,
                                   .null_count = -1,
                                   .offset = (int64_t)offset,
                                   .n_buffers = format[0] == 'v' ? 4 : 3,
                                   .buffers = t->buffers,
                                   .release = count_release,
                                   .private_data = t};
    t->schema = (struct ArrowSchema){.format = format, .name = "", .release = ignore_release};
}

#endif
