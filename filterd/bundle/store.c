#include "bundle/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/trusted_file.h"
#include "bundle/archive.h"
#include "record/note_text.h"

#define NOTE_ENDING ".note"
#define ARCHIVE_ENDING ".tar.zst"
enum { WITHDRAWN_MAX = 32 };

static bool make_path(char path[PATH_MAX], struct error *err, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool make_path(char path[PATH_MAX], struct error *err, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    int len = vsnprintf(path, PATH_MAX, format, list);
    va_end(list);
    return (len > 0 && len < PATH_MAX) || error_set(err, ERROR_INVALID, "policy bundles: a shorter path expected");
}

static bool read_note(const char *path, struct buf *bytes, struct note *note, struct error *err)
{
    buf_init(bytes, NOTE_MAX);
    return file_read_regular(path, bytes, err) && (note_parse(buf_span(bytes), note, err) || error_wrap(err, "%s", path));
}

/* --- what was taken ----------------------------------------------------------------- */

/* 0: none. */
static bool read_withdrawn(const char *state_directory, uint64_t *version, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);
    char path[PATH_MAX];

    *version = 0;
    buf_init(&text, WITHDRAWN_MAX);
    if (!make_path(path, err, "%s/policy-bundles/withdrawn", state_directory)) {
        return false;
    }
    if (!file_read(path, &text, err)) {
        return err->kind == ERROR_NOT_FOUND;
    }
    return note_read_number(buf_span(&text), version) || error_set(err, ERROR_MALFORMED, "%s: a version expected", path);
}

bool policy_bundle_read_taken(const char *state_directory, struct policy_bundle_taken *out, struct error *err)
{
    struct policy_bundle_taken taken = {.version = 0};
    struct buf bytes CLEANUP(buf_deinit);
    struct policy_bundle bundle;
    struct note note;
    char path[PATH_MAX];

    buf_init(&bytes, NOTE_MAX);
    if (!make_path(taken.rules, err, "%s/policy-bundles/rules", state_directory) || !make_path(path, err, "%s/bundle.note", taken.rules)) {
        return false;
    }
    if (!read_note(path, &bytes, &note, err)) {
        /* Rules come with their note: alone they would be taken for none, and any older bundle for newer. */
        bool is_first = err->kind == ERROR_NOT_FOUND && access(taken.rules, F_OK) != 0;
        *out = taken;
        return is_first;
    }
    if (!policy_bundle_parse(note.text, &bundle, err)) {
        return error_wrap(err, "%s", path);
    }
    if (!read_withdrawn(state_directory, &taken.highest, err)) {
        return false;
    }
    taken.version = bundle.version;
    taken.highest = taken.highest > taken.version ? taken.highest : taken.version;
    taken.expires_ns = bundle.expires_ns;
    memcpy(taken.sha256, bundle.sha256, sizeof(taken.sha256));
    *out = taken;
    return true;
}

/* --- keys --------------------------------------------------------------------------- */

/* The keys of the configuration, or those that followed them. */
static bool read_keys(const struct policy_bundle_place *p, struct policy_bundle_keys *keys, struct error *err)
{
    struct buf first CLEANUP(buf_deinit), newest CLEANUP(buf_deinit);
    struct policy_bundle_keys followed;
    char path[PATH_MAX];

    buf_init(&first, POLICY_BUNDLE_KEYS_TEXT_MAX);
    buf_init(&newest, POLICY_BUNDLE_KEYS_TEXT_MAX);
    if (!trusted_file_read_alone(p->keys, &first, err) ||
        !(policy_bundle_keys_parse(buf_span(&first), keys, err) || error_wrap(err, "%s", p->keys)) ||
        !make_path(path, err, "%s/policy-bundles/keys", p->state_directory)) {
        return false;
    }
    if (!file_read(path, &newest, err)) {
        return err->kind == ERROR_NOT_FOUND;
    }
    if (!policy_bundle_keys_parse(buf_span(&newest), &followed, err)) {
        return error_wrap(err, "%s", path);
    }
    /* An operator who gives newer keys, or those of another series, means them. */
    if (strcmp(followed.name, keys->name) == 0 && followed.generation > keys->generation) {
        *keys = followed;
    }
    return true;
}

/* Those that followed are kept as soon as they are verified: they are newer whatever becomes of a bundle. */
static bool follow_keys(const struct policy_bundle_place *p, struct policy_bundle_keys *keys, struct error *err)
{
    char path[PATH_MAX], kept[PATH_MAX];
    struct note note;

    for (;;) {
        struct buf bytes CLEANUP(buf_deinit);
        buf_init(&bytes, NOTE_MAX);
        if (!make_path(path, err, "%s/keys-%" PRIu64 NOTE_ENDING, p->bundles, keys->generation + 1) ||
            !make_path(kept, err, "%s/policy-bundles/keys", p->state_directory)) {
            return false;
        }
        if (!read_note(path, &bytes, &note, err)) {
            return err->kind == ERROR_NOT_FOUND;
        }
        if (!policy_bundle_keys_follow(keys, &note, err)) {
            return error_wrap(err, "%s", path);
        }
        if (!file_write_atomic(kept, note.text, 0600, err)) {
            return false;
        }
    }
}

/* --- bundles ------------------------------------------------------------------------ */

bool policy_bundle_verify(struct span bytes, struct span archive, const struct policy_bundle_keys *keys, int64_t now_ns,
                          const char *engine, struct policy_bundle *out, struct error *err)
{
    char sha256[DIGEST_SHA256_HEX + 1];
    struct policy_bundle bundle;
    struct note note;

    if (!note_parse(bytes, &note, err) || !policy_bundle_parse(note.text, &bundle, err)) {
        return false;
    }
    if (!span_is(bundle.name, keys->name) || bundle.keys != keys->generation) {
        return error_set(err, ERROR_INVALID, "a bundle of %s for generation %" PRIu64 " of its keys expected", keys->name, keys->generation);
    }
    if (!policy_bundle_keys_verify(keys, &note, err) || !policy_bundle_check(&bundle, now_ns, engine, err) ||
        !digest_sha256(archive, sha256, err)) {
        return false;
    }
    if (strcmp(sha256, bundle.sha256) != 0) {
        return error_set(err, ERROR_INVALID, "the archive is not the one that was signed");
    }
    *out = bundle;
    return true;
}

/* The number in "rules-<number>.note"; 0: the name is another. */
static uint64_t version_of(const char *name)
{
    static const char prefix[] = "rules-";
    size_t len = strlen(name), around = sizeof(prefix) - 1 + sizeof(NOTE_ENDING) - 1;
    uint64_t version;

    if (len <= around || strncmp(name, prefix, sizeof(prefix) - 1) != 0 || strcmp(name + len - (sizeof(NOTE_ENDING) - 1), NOTE_ENDING) != 0) {
        return 0;
    }
    return note_read_number(span_of(name + sizeof(prefix) - 1, len - around), &version) ? version : 0;
}

static void close_folder(DIR **folder)
{
    if (*folder != NULL) {
        (void)closedir(*folder);
    }
}

static bool find_newest(const char *folder, uint64_t *version, struct error *err)
{
    DIR *entries CLEANUP(close_folder) = opendir(folder);

    *version = 0;
    if (entries == NULL) {
        return error_errno(err, "%s", folder);
    }
    for (const struct dirent *entry; errno = 0, (entry = readdir(entries)) != NULL;) {
        uint64_t found = version_of(entry->d_name);
        *version = found > *version ? found : *version;
    }
    return errno == 0 || error_errno(err, "%s", folder);
}

struct candidate {
    struct buf note, archive;
    struct policy_bundle bundle; /* borrows from the note */
};

static void candidate_deinit(struct candidate *c)
{
    buf_deinit(&c->note);
    buf_deinit(&c->archive);
}

static bool read_candidate(const struct policy_bundle_place *p, const struct policy_bundle_keys *keys, uint64_t version, int64_t now_ns,
                           struct candidate *c, struct error *err)
{
    char note[PATH_MAX], archive[PATH_MAX];

    buf_init(&c->note, NOTE_MAX);
    buf_init(&c->archive, POLICY_BUNDLE_BYTES_MAX);
    if (!make_path(note, err, "%s/rules-%" PRIu64 NOTE_ENDING, p->bundles, version) ||
        !make_path(archive, err, "%s/rules-%" PRIu64 ARCHIVE_ENDING, p->bundles, version) || !file_read_regular(note, &c->note, err) ||
        !file_read_regular(archive, &c->archive, err)) {
        return false;
    }
    if (!policy_bundle_verify(buf_span(&c->note), buf_span(&c->archive), keys, now_ns, p->engine, &c->bundle, err)) {
        return error_wrap(err, "%s", note);
    }
    return c->bundle.version == version || error_set(err, ERROR_INVALID, "%s: the name of version %" PRIu64 " expected", note, c->bundle.version);
}

static bool sync_folder(const char *path, struct error *err)
{
    int fd CLEANUP(cleanup_fd) = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return (fd >= 0 && syncfs(fd) == 0) || error_errno(err, "%s", path);
}

/* Puts the new rules in the place of those before in one step. Those before are kept: after a crash between the steps they are
 * in `next`, and there is nothing to return to. */
static bool exchange(const char *state_directory, const char *next, const char *rules, struct error *err)
{
    char previous[PATH_MAX];

    if (!make_path(previous, err, "%s/policy-bundles/previous", state_directory)) {
        return false;
    }
    if (renameat2(AT_FDCWD, next, AT_FDCWD, rules, RENAME_EXCHANGE) == 0) {
        struct error ignored;
        (void)!(policy_bundle_remove(previous, &ignored) && rename(next, previous) == 0);
        return true;
    }
    return (errno == ENOENT && rename(next, rules) == 0) || error_errno(err, "%s", rules);
}

static bool take(const struct policy_bundle_place *p, const struct candidate *c, const char *rules, policy_bundle_load_fn *load,
                 void *context, struct error *err)
{
    char folder[PATH_MAX], next[PATH_MAX], note[PATH_MAX];

    return make_path(folder, err, "%s/policy-bundles", p->state_directory) && make_path(next, err, "%s/next", folder) &&
           make_path(note, err, "%s/bundle.note", next) && file_make_directory(folder, err) && policy_bundle_remove(next, err) &&
           policy_bundle_unpack(buf_span(&c->archive), next, err) && load(context, next, err) &&
           file_write_atomic(note, buf_span(&c->note), 0600, err) && sync_folder(folder, err) && exchange(p->state_directory, next, rules, err) &&
           sync_folder(folder, err);
}

bool policy_bundle_update(const struct policy_bundle_place *p, int64_t now_ns, policy_bundle_load_fn *load, void *context,
                          struct policy_bundle_taken *taken, struct error *err)
{
    struct candidate c CLEANUP(candidate_deinit) = {.bundle = {.version = 0}};
    struct policy_bundle_keys keys;
    char folder[PATH_MAX];
    uint64_t version;

    if (!make_path(folder, err, "%s/policy-bundles", p->state_directory) || !file_make_directory(folder, err) ||
        !read_keys(p, &keys, err) || !follow_keys(p, &keys, err) || !find_newest(p->bundles, &version, err)) {
        return false;
    }
    if (version != 0 && version <= taken->highest && taken->version < taken->highest) {
        return true; /* after a withdrawal the newest of the folder is that version, or one from before it */
    }
    if (version == 0) {
        return taken->version > 0 || error_set(err, ERROR_NOT_FOUND, "%s: a bundle, rules-<version>" NOTE_ENDING ", expected", p->bundles);
    }
    if (!read_candidate(p, &keys, version, now_ns, &c, err)) {
        return false;
    }
    if (version == taken->version && strcmp(c.bundle.sha256, taken->sha256) == 0) {
        return true;
    }
    if (version <= taken->highest) {
        return error_set(err, ERROR_DENIED, "%s/rules-%" PRIu64 NOTE_ENDING ": a version above %" PRIu64 ", which was taken, expected",
                         p->bundles, version, taken->highest);
    }
    return (take(p, &c, taken->rules, load, context, err) || error_wrap(err, "policy bundle %" PRIu64, version)) &&
           policy_bundle_read_taken(p->state_directory, taken, err);
}

/* --- a rollout that is stopped --------------------------------------------------------- */

/* The withdrawn version is written down first: from then on nothing up to it is taken, whichever rules are in force. */
static bool put_back(const char *folder, const char *previous, const struct policy_bundle_taken *taken, struct error *err)
{
    char path[PATH_MAX], text[WITHDRAWN_MAX];
    struct error ignored;

    int len = snprintf(text, sizeof(text), "%" PRIu64, taken->version);
    if (!make_path(path, err, "%s/withdrawn", folder) || !file_write_atomic(path, span_of(text, (size_t)len), 0600, err)) {
        return false;
    }
    if (renameat2(AT_FDCWD, previous, AT_FDCWD, taken->rules, RENAME_EXCHANGE) != 0) {
        return error_errno(err, "%s", previous);
    }
    (void)!policy_bundle_remove(previous, &ignored); /* what was withdrawn */
    return sync_folder(folder, err);
}

static bool check_trial(const struct policy_bundle_taken *taken, const char *previous, int64_t now_ns, struct error *err)
{
    struct buf bytes CLEANUP(buf_deinit);
    char path[PATH_MAX], before[PATH_MAX];
    struct policy_bundle bundle;
    struct note note;
    struct stat info;

    buf_init(&bytes, NOTE_MAX);
    if (!make_path(path, err, "%s/bundle.note", taken->rules) || !make_path(before, err, "%s/bundle.note", previous)) {
        return false;
    }
    if (stat(path, &info) != 0) {
        return error_errno(err, "%s", path);
    }
    if (now_ns / 1000000000 - info.st_mtim.tv_sec > POLICY_BUNDLE_TRIAL_S) {
        return error_set(err, ERROR_DENIED, "policy bundle %" PRIu64 ": it was taken more than %d days ago", taken->version,
                         POLICY_BUNDLE_TRIAL_S / 86400);
    }
    if (!read_note(before, &bytes, &note, err) || !policy_bundle_parse(note.text, &bundle, err)) {
        return error_set(err, ERROR_DENIED, "policy bundle %" PRIu64 ": there is none before it", taken->version);
    }
    return bundle.version < taken->version || error_set(err, ERROR_DENIED, "%s: an older version expected", before);
}

bool policy_bundle_withdraw(const char *state_directory, uint64_t version, int64_t now_ns, policy_bundle_load_fn *load, void *context,
                            struct policy_bundle_taken *taken, struct error *err)
{
    char folder[PATH_MAX], previous[PATH_MAX];

    if (version != taken->version) {
        return (version == taken->highest && version > 0) ||
               error_set(err, ERROR_DENIED, "policy bundle %" PRIu64 " is not in force", version);
    }
    return make_path(folder, err, "%s/policy-bundles", state_directory) && make_path(previous, err, "%s/previous", folder) &&
           check_trial(taken, previous, now_ns, err) && load(context, previous, err) && put_back(folder, previous, taken, err) &&
           policy_bundle_read_taken(state_directory, taken, err);
}
