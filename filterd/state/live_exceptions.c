#include "state/live_exceptions.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/trusted_file.h"

static bool path_of(const char *state_directory, char path[PATH_MAX], struct error *err)
{
    int len = state_directory == NULL ? -1 : snprintf(path, PATH_MAX, "%s/exceptions.yaml", state_directory);

    return (len > 0 && len < PATH_MAX) || error_set(err, ERROR_INVALID, "exceptions: a state directory expected");
}

bool live_exceptions_load(struct snapshot *s, const char *state_directory, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);
    char path[PATH_MAX];
    struct stat info;

    buf_init(&text, LIVE_FILE_MAX);
    if (!snapshot_takes_exceptions(s) || state_directory == NULL) {
        return true;
    }
    if (!path_of(state_directory, path, err)) {
        return false;
    }
    if (stat(path, &info) != 0 && errno == ENOENT) {
        return true;
    }
    return trusted_file_read_alone(path, &text, err) && snapshot_add_exceptions(s, path, buf_span(&text), err);
}

bool live_exceptions_save(const char *state_directory, const struct live_exception *items, size_t n, bool *is_changed,
                          struct error *err)
{
    struct buf text CLEANUP(buf_deinit), old CLEANUP(buf_deinit);
    char path[PATH_MAX];
    struct error ignored;

    *is_changed = false;
    buf_init(&text, LIVE_FILE_MAX);
    buf_init(&old, LIVE_FILE_MAX);
    if (!path_of(state_directory, path, err) || !exceptions_file_write(items, n, &text, err)) {
        return false;
    }
    bool is_there = file_read(path, &old, &ignored);
    if (is_there ? span_equal(buf_span(&old), buf_span(&text)) : n == 0) {
        return true;
    }
    *is_changed = true;
    return file_write_atomic(path, buf_span(&text), 0600, err);
}

static void give(void *context, unsigned epoch, const struct decision_keys *keys)
{
    (void)epoch;
    snapshot_give_key(context, span_of(keys->key_id, strnlen(keys->key_id, sizeof(keys->key_id))), keys->token);
}

void live_exceptions_give_keys(struct snapshot *s, const char *state_directory, struct token_keys *current)
{
    struct error err;

    if (state_directory != NULL && !token_keys_each(state_directory, give, s, &err)) {
        log_warn("policy: exceptions of a value whose key cannot be read do not apply: %s", err.text);
    }
    give(s, 0, token_keys_at(current, clock_utc_ns()));
}
