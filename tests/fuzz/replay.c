/* replay.c - runs a fuzz target over its corpus without libFuzzer, so that `make check` replays
 * what fuzzing found. Arguments: files and folders. */
#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/file.h"

/* Some targets have one. */
__attribute__((weak)) int LLVMFuzzerInitialize(int *n, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CORPUS_FILE_MAX = 4 * 1024 * 1024 };

static bool replay_file(const char *path)
{
    struct buf input;
    struct error err;

    buf_init(&input, CORPUS_FILE_MAX);
    bool is_read = file_read(path, &input, &err);
    if (is_read) {
        (void)LLVMFuzzerTestOneInput((const uint8_t *)input.data, input.len);
    } else {
        (void)fprintf(stderr, "%s\n", err.text);
    }
    buf_deinit(&input);
    return is_read;
}

static int replay_folder(const char *path)
{
    int n = 0;
    DIR *folder = opendir(path);

    if (folder == NULL) {
        perror(path);
        return -1;
    }
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char file[PATH_MAX];
        if (entry->d_name[0] == '.') {
            continue;
        }
        (void)snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
        if (!replay_file(file)) {
            n = -1;
            break;
        }
        n++;
    }
    closedir(folder);
    return n;
}

int main(int argc, char **argv)
{
    if (LLVMFuzzerInitialize != NULL) {
        (void)LLVMFuzzerInitialize(&argc, &argv);
    }
    for (int i = 1; i < argc; i++) {
        struct stat info;
        bool is_folder = stat(argv[i], &info) == 0 && S_ISDIR(info.st_mode);
        int n = is_folder ? replay_folder(argv[i]) : replay_file(argv[i]) ? 1 : -1;
        if (n <= 0) {
            (void)fprintf(stderr, "%s: nothing to replay\n", argv[i]);
            return 1;
        }
        printf("%s: %d inputs\n", argv[i], n);
    }
    return 0;
}
