#include "state/token_keys.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "state/keys.h"

enum { NAME_SIZE = 32, EPOCHS_MAX = 4096 };

#define EPOCH_NS (INT64_C(86400000000000) * TOKEN_EPOCH_DAYS)

struct epoch {
    unsigned number;
    struct decision_keys keys;
};

struct token_keys {
    const char *state_directory; /* NULL: nothing is kept */
    _Atomic(struct epoch *) current;
    pthread_mutex_t making; /* guards what follows */
    struct epoch *previous; /* may still be in use */
    bool has_failed;
};

unsigned token_epoch(int64_t utc_ns)
{
    return utc_ns < 0 ? 0 : (unsigned)(utc_ns / EPOCH_NS);
}

int64_t token_epoch_begins_ns(unsigned epoch)
{
    return epoch * EPOCH_NS;
}

static void name_of(unsigned epoch, char name[NAME_SIZE])
{
    (void)snprintf(name, NAME_SIZE, epoch == 0 ? "token" : "token-e%u", epoch);
}

/* Says which key made a token without saying anything of the key. */
static void name_key(unsigned epoch, struct decision_keys *keys)
{
    struct decision_keys named = *keys;

    keys_name(&named);
    if (epoch > 0) {
        (void)snprintf(keys->key_id, sizeof(keys->key_id), "e%u-%.8s", epoch % 100000, named.key_id);
    } else {
        memcpy(keys->key_id, named.key_id, sizeof(keys->key_id));
    }
    sodium_memzero(&named, sizeof(named));
}

static void free_epoch(struct epoch *e)
{
    if (e != NULL) {
        sodium_memzero(e, sizeof(*e));
        free(e);
    }
}

static struct epoch *make_epoch(const struct token_keys *t, unsigned number, struct error *err)
{
    struct epoch *e = calloc(1, sizeof(*e));
    char name[NAME_SIZE];

    if (e == NULL) {
        error_set(err, ERROR_NO_MEMORY, "keys: no memory");
        return NULL;
    }
    e->number = number;
    name_of(number, name);
    if (t->state_directory == NULL) {
        randombytes_buf(e->keys.token, sizeof(e->keys.token));
    } else if (!keys_load_named(t->state_directory, name, e->keys.token, err)) {
        free_epoch(e);
        return NULL;
    }
    name_key(number, &e->keys);
    return e;
}

struct token_keys *token_keys_open(const char *state_directory, int64_t now_ns, struct error *err)
{
    struct token_keys *t = calloc(1, sizeof(*t));

    if (t == NULL) {
        error_set(err, ERROR_NO_MEMORY, "keys: no memory");
        return NULL;
    }
    t->state_directory = state_directory;
    (void)pthread_mutex_init(&t->making, NULL);
    struct epoch *first = make_epoch(t, token_epoch(now_ns), err);
    atomic_init(&t->current, first);
    if (first == NULL) {
        token_keys_close(t);
        return NULL;
    }
    return t;
}

void token_keys_close(struct token_keys *t)
{
    if (t != NULL) {
        free_epoch(atomic_load(&t->current));
        free_epoch(t->previous);
        (void)pthread_mutex_destroy(&t->making);
        free(t);
    }
}

static void begin_epoch(struct token_keys *t, unsigned number)
{
    struct error err;

    (void)pthread_mutex_lock(&t->making);
    struct epoch *last = atomic_load(&t->current);
    struct epoch *next = last->number < number ? make_epoch(t, number, &err) : NULL;
    if (next != NULL) {
        atomic_store(&t->current, next);
        free_epoch(t->previous);
        t->previous = last;
    } else if (last->number < number && !t->has_failed) {
        log_error("keys: the key of a new epoch could not be made, the last stays in use: %s", err.text);
    }
    t->has_failed = next == NULL && last->number < number;
    (void)pthread_mutex_unlock(&t->making);
}

const struct decision_keys *token_keys_at(struct token_keys *t, int64_t now_ns)
{
    unsigned number = token_epoch(now_ns);

    if (atomic_load(&t->current)->number < number) {
        begin_epoch(t, number);
    }
    return &atomic_load(&t->current)->keys;
}

/* --- readers ------------------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
    const unsigned *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* "token-e229.key". */
static bool parse_name(const char *name, unsigned *epoch)
{
    char expected[NAME_SIZE + sizeof(".key")], stem[NAME_SIZE];

    if (strncmp(name, "token-e", strlen("token-e")) != 0) {
        return false;
    }
    unsigned long number = strtoul(name + strlen("token-e"), NULL, 10);
    if (number == 0 || number > UINT_MAX) {
        return false;
    }
    name_of((unsigned)number, stem);
    (void)snprintf(expected, sizeof(expected), "%s.key", stem);
    *epoch = (unsigned)number;
    return strcmp(name, expected) == 0;
}

static bool list_epochs(const char *folder, unsigned epochs[EPOCHS_MAX], size_t *n, struct error *err)
{
    DIR *files = opendir(folder);

    if (files == NULL) {
        return error_errno(err, "%s", folder);
    }
    *n = 0;
    epochs[(*n)++] = 0;
    for (const struct dirent *e = readdir(files); e != NULL && *n < EPOCHS_MAX; e = readdir(files)) {
        *n += parse_name(e->d_name, &epochs[*n]);
    }
    (void)closedir(files);
    qsort(epochs, *n, sizeof(epochs[0]), compare);
    return true;
}

bool token_keys_each(const char *state_directory, token_key_fn *found, void *context, struct error *err)
{
    unsigned epochs[EPOCHS_MAX];
    char folder[PATH_MAX], name[NAME_SIZE];
    size_t n = 0;

    (void)snprintf(folder, sizeof(folder), "%s/keys", state_directory);
    if (!list_epochs(folder, epochs, &n, err)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        struct decision_keys keys = {.key_id = ""};
        name_of(epochs[i], name);
        if (!keys_read_named(state_directory, name, keys.token, err)) {
            return false;
        }
        name_key(epochs[i], &keys);
        found(context, epochs[i], &keys);
        sodium_memzero(&keys, sizeof(keys));
    }
    return true;
}

/* --- erasure ------------------------------------------------------------------ */

/* A file system that writes in place overwrites the key; one that does not has at least no name for it any more. */
static bool overwrite(const char *path, struct error *err)
{
    static const char zeros[2 * 32 + 1];
    int fd CLEANUP(cleanup_fd) = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);

    if (fd < 0) {
        return errno == ENOENT ? error_set(err, ERROR_NOT_FOUND, "%s: there is no such key", path) : error_errno(err, "%s", path);
    }
    return (pwrite(fd, zeros, sizeof(zeros), 0) == (ssize_t)sizeof(zeros) && fdatasync(fd) == 0) || error_errno(err, "%s", path);
}

bool token_keys_delete(const char *state_directory, unsigned epoch, int64_t now_ns, struct error *err)
{
    char path[PATH_MAX], name[NAME_SIZE], folder[PATH_MAX];

    if (epoch == 0 || epoch >= token_epoch(now_ns)) {
        return error_set(err, ERROR_INVALID, "keys: an epoch that is over expected: the key of e%u is in use", epoch);
    }
    name_of(epoch, name);
    int n = snprintf(folder, sizeof(folder), "%s/keys", state_directory);
    int len = snprintf(path, sizeof(path), "%s/keys/%s.key", state_directory, name);
    if (n < 0 || len < 0 || (size_t)len >= sizeof(path)) {
        return error_set(err, ERROR_INVALID, "%s: path too long", state_directory);
    }
    int fd CLEANUP(cleanup_fd) = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return overwrite(path, err) && ((unlink(path) == 0 && fd >= 0 && fsync(fd) == 0) || error_errno(err, "%s", path));
}
