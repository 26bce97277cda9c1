/* fuzz_record_lines.c - a file of any bytes as a log's: its lines make up the whole file, none is longer than a leaf, and
 * going to a line ends at one that is not before it. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/log_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* True when all its lines were sound. */
static bool read_all(struct log_reader *r, size_t size, uint64_t *last)
{
    bool is_plain_and_whole = true;
    struct log_line line;
    struct error err;
    uint64_t end = 0;

    for (;;) {
        if (!log_reader_next(r, &line, &err)) {
            assert(err.kind == ERROR_MALFORMED);
            return false;
        }
        if (line.text.ptr == NULL) {
            break;
        }
        assert(line.text.len <= TREE_LEAF_MAX && line.number > 0 && line.offset == (line.number == 1 ? 0 : end));
        end = line.fault == LOG_TOO_LONG ? end : line.offset + line.text.len + (line.fault != LOG_TORN);
        is_plain_and_whole = is_plain_and_whole && line.fault == LOG_SOUND && line.file->compression == LOG_PLAIN;
        *last = line.seq;
        if (line.fault == LOG_TOO_LONG) {
            return false;
        }
    }
    assert(!is_plain_and_whole || end == size);
    return is_plain_and_whole;
}

static void go_to(const struct log_files *files, uint64_t seq, bool is_sound, uint64_t last)
{
    struct log_line line;
    struct error err;
    struct log_reader *r = log_reader_new(files, &err);

    if (r != NULL && log_reader_seek(r, seq, &err) && log_reader_next(r, &line, &err)) {
        assert(!is_sound || (line.text.ptr == NULL) == (seq > last));
        assert(!is_sound || line.text.ptr == NULL || line.seq == (seq < files->items[0].first_seq ? files->items[0].first_seq : seq));
    }
    log_reader_free(r);
}

static void read_files(const struct log_files *files, size_t size)
{
    struct error err;
    struct log_reader *r = log_reader_new(files, &err);
    uint64_t last = 0, first = files->items[0].first_seq;
    bool is_sound = r != NULL && read_all(r, size, &last);

    log_reader_free(r);
    const uint64_t places[] = {0, first, first + (last - first) / 2, last, last + 1};
    for (size_t i = 0; i < COUNT(places); i++) {
        go_to(files, places[i], is_sound, last);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct log_files files = {0};
    struct error err;
    char path[64];
    int fd = memfd_create("log", MFD_CLOEXEC);

    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        return 0;
    }
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (log_files_add(&files, path, &err)) {
        read_files(&files, size);
    }
    log_files_deinit(&files);
    (void)close(fd);
    return 0;
}
