#include "record/key_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

enum { KEY_TEXT = 2 * NOTE_SEED };

bool key_file_read(const char *path, uint8_t seed[NOTE_SEED], struct error *err)
{
    struct stat info;
    struct buf text;
    size_t n = 0;

    buf_init(&text, KEY_TEXT + 1);
    bool is_read = file_read(path, &text, err);
    if (is_read && (stat(path, &info) != 0 || (info.st_mode & (S_IRWXG | S_IRWXO)) != 0)) {
        is_read = error_set(err, ERROR_DENIED, "%s: mode 0600 expected", path);
    }
    if (is_read && (text.len < KEY_TEXT || (text.len > KEY_TEXT && text.data[KEY_TEXT] != '\n') ||
                    sodium_hex2bin(seed, NOTE_SEED, text.data, KEY_TEXT, NULL, &n, NULL) != 0 || n != NOTE_SEED)) {
        is_read = error_set(err, ERROR_INVALID, "%s:1:1: 64 hex digits expected", path);
    }
    if (text.data != NULL) {
        sodium_memzero(text.data, text.cap);
    }
    buf_deinit(&text);
    return is_read;
}

bool key_file_make(const char *path, uint8_t seed[NOTE_SEED], struct error *err)
{
    char text[KEY_TEXT + 2];

    int fd CLEANUP(cleanup_fd) = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        bool is_there = errno == EEXIST;
        error_errno(err, "%s", path);
        return is_there ? error_set(err, ERROR_DENIED, "%s: it exists; a key is never overwritten", path) : false;
    }
    randombytes_buf(seed, NOTE_SEED);
    (void)sodium_bin2hex(text, KEY_TEXT + 1, seed, NOTE_SEED);
    text[KEY_TEXT] = '\n';
    bool is_written = write(fd, text, KEY_TEXT + 1) == KEY_TEXT + 1 && fsync(fd) == 0;
    sodium_memzero(text, sizeof(text));
    if (!is_written) {
        error_errno(err, "%s", path);
        (void)unlink(path);
    }
    return is_written;
}
