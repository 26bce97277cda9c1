#include "service/admin.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "decision_log/admin_record.h"

enum { STATE_MAX = 4096 };

static const char *const names[ADMIN_COUNT] = {
    [ADMIN_POLICY] = "policy",         [ADMIN_TOKENS] = "tokens",       [ADMIN_RECIPIENTS] = "recipients",
    [ADMIN_KEYS] = "keys",             [ADMIN_RETENTION] = "retention",
    [ADMIN_EXCEPTIONS] = "exceptions",
};

bool admin_digest(struct span text, char out[ADMIN_DIGEST], struct error *err)
{
    char hex[DIGEST_SHA256_HEX + 1];

    out[0] = '\0';
    if (text.len == 0) {
        return true;
    }
    bool is_made = digest_sha256(text, hex, err);
    (void)snprintf(out, ADMIN_DIGEST, "sha256:%s", is_made ? hex : "");
    return is_made;
}

/* One "name digest" of the state file. What is no such line says nothing. */
static void take_line(struct admin_digests *d, const char *line)
{
    for (size_t i = 0; i < ADMIN_COUNT; i++) {
        size_t len = strlen(names[i]);
        const char *digest = line + len + 1;
        bool is_it = strncmp(line, names[i], len) == 0 && line[len] == ' ';
        if (is_it && strncmp(digest, "sha256:", 7) == 0 && strlen(digest) < ADMIN_DIGEST &&
            strspn(digest + 7, "0123456789abcdef") == strlen(digest + 7)) {
            (void)snprintf(d->of[i], ADMIN_DIGEST, "%s", digest);
        }
    }
}

void admin_open(struct admin *a, struct decision_log *log, const char *state_directory)
{
    struct buf text CLEANUP(buf_deinit);
    struct error err;
    char *rest = NULL;

    *a = (struct admin){.log = log};
    buf_init(&text, STATE_MAX);
    int len = state_directory == NULL ? 0 : snprintf(a->path, sizeof(a->path), "%s/admin", state_directory);
    if (len <= 0 || (size_t)len >= sizeof(a->path)) {
        a->path[0] = '\0';
        return;
    }
    if (!file_read(a->path, &text, &err) || !buf_append_char(&text, '\0', &err)) {
        return;
    }
    for (char *line = strtok_r(text.data, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        take_line(&a->recorded, line);
    }
}

/* Lines that are on disk twice do no harm, so a state that cannot be kept is no failure. */
static void keep(const struct admin *a)
{
    struct buf text CLEANUP(buf_deinit);
    struct error err;
    bool is_kept = true;

    buf_init(&text, STATE_MAX);
    for (size_t i = 0; i < ADMIN_COUNT && is_kept; i++) {
        is_kept = a->recorded.of[i][0] == '\0' || buf_appendf(&text, &err, "%s %s\n", names[i], a->recorded.of[i]);
    }
    if (a->path[0] != '\0' && (!is_kept || !file_write_atomic(a->path, buf_span(&text), 0600, &err))) {
        log_warn("record: what it says of the configuration could not be noted, and is written again at the next start: %s",
                 err.text);
    }
}

static bool write_change(struct admin *a, size_t i, const char *after, const char *by, struct error *err)
{
    const struct admin_change change = {
        .what = names[i], .before = a->recorded.of[i], .after = after, .by = by, .now_ns = clock_utc_ns()};
    struct buf line CLEANUP(buf_deinit);

    buf_init(&line, ADMIN_RECORD_MAX);
    if (!admin_record_format(&change, &line, err) || !decision_log_append_wait(a->log, buf_span(&line), err)) {
        return false;
    }
    (void)snprintf(a->recorded.of[i], ADMIN_DIGEST, "%s", after);
    return true;
}

bool admin_record(struct admin *a, const struct admin_digests *now, const char *by, struct error *err)
{
    bool is_written = true, has_changed = false;

    for (size_t i = 0; i < ADMIN_COUNT && is_written; i++) {
        if (strcmp(a->recorded.of[i], now->of[i]) != 0) {
            is_written = write_change(a, i, now->of[i], by, err);
            has_changed |= is_written;
        }
    }
    if (has_changed) {
        keep(a);
    }
    return is_written;
}
