/* log_testing.h - a folder of its own with files of a log. */
#ifndef FILTERD_TESTS_LOG_TESTING_H
#define FILTERD_TESTS_LOG_TESTING_H

#include "testing.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/file.h"
#include "record/log_reader.h"

#define ORIGIN "node/filterd/0011223344556677"

static char folder[] = "/tmp/filterd-log-XXXXXX";

static inline int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    return place->level == 0 ? 0 : remove(path);
}

static inline int empty_folder(void **state)
{
    (void)state;
    return nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static inline const char *in_folder(const char *name)
{
    static char paths[4][256];
    static unsigned next;
    char *path = paths[next++ % 4];

    (void)snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

static inline void must(bool is_done, const struct error *err)
{
    if (!is_done) {
        fail_msg("%s", err->text);
    }
}

static inline void write_log(const char *name, enum log_compression how, struct span text)
{
    struct error err;
    struct buf packed;

    buf_init(&packed, 64 * 1024 * 1024);
    if (how == LOG_GZIP) {
        gzFile gz = gzopen(in_folder(name), "wb");
        assert_int_equal(gzwrite(gz, text.ptr, (unsigned)text.len), (int)text.len);
        assert_int_equal(gzclose(gz), Z_OK);
        return;
    }
    if (how == LOG_ZSTD) {
        must(buf_reserve(&packed, ZSTD_compressBound(text.len), &err), &err);
        packed.len = ZSTD_compress(packed.data, packed.cap, text.ptr, text.len, 3);
        text = buf_span(&packed);
    }
    must(file_write_atomic(in_folder(name), text, 0600, &err), &err);
    buf_deinit(&packed);
}

/* One line as filterd writes it; the first of a file says which log it is of. */
static inline void append_line(struct buf *out, uint64_t seq, bool is_first, unsigned room)
{
    static const char filling[] = "................................................................";
    struct error err;
    const char *type = seq == 1 ? "log" : is_first ? "rotation" : "decision";

    must(buf_appendf(out, &err, "{\"seq\":%llu,\"node\":\"n\",\"boot_id\":\"b\",\"v\":2,\"type\":\"%s\"%s,\"n\":\"%.*s\"}\n",
                     (unsigned long long)seq, type, is_first ? ",\"origin\":\"" ORIGIN "\"" : "",
                     (int)(room % sizeof(filling)), filling),
         &err);
}

#endif
