#include "record/log_keys.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "base/file.h"
#include "record/log_reader.h"
#include "record/note_text.h"

enum { HEAD = 256 /* bytes: `type` is behind number, node and boot id */ };

/* --- the list ------------------------------------------------------------------- */

void log_keys_set(struct log_keys *keys, const struct note_key *first)
{
    keys->n = 1;
    keys->list[0] = (struct log_signing_key){.key = *first, .is_read = true};
}

/* In the order of the announcements; of a key that is announced twice the first one counts. */
static bool put(struct log_keys *keys, const struct log_signing_key *new, struct error *err)
{
    struct log_signing_key added = *new;
    size_t i = 0;

    while (i < keys->n && !note_key_same(&keys->list[i].key, &new->key)) {
        i++;
    }
    if (i < keys->n) {
        keys->list[i].is_read |= new->is_read;
        if (keys->list[i].from <= new->from) {
            return true;
        }
        added.is_read = keys->list[i].is_read;
        memmove(&keys->list[i], &keys->list[i + 1], (--keys->n - i) * sizeof(keys->list[0]));
    }
    if (keys->n == LOG_KEYS_MAX) {
        return error_set(err, ERROR_LIMIT, "at most %d keys of a log expected", LOG_KEYS_MAX);
    }
    for (i = keys->n++; i > 0 && keys->list[i - 1].from > added.from; i--) {
        keys->list[i] = keys->list[i - 1];
    }
    keys->list[i] = added;
    return true;
}

/* --- the first key -------------------------------------------------------------- */

/* What a file whose first lines were removed left of its log's key. */
static bool read_kept_key(const char *record, struct note_key *key, struct error *err)
{
    char path[PATH_MAX + 16];
    struct error why;
    struct buf text;

    (void)snprintf(path, sizeof(path), "%s/vkey", record);
    buf_init(&text, NOTE_VKEY_MAX + 1);
    bool is_there = file_read(path, &text, &why);
    text.len -= text.len > 0 && text.data[text.len - 1] == '\n';
    bool is_read = is_there && (note_key_parse(buf_span(&text), key, err) || error_wrap(err, "%s", path));
    buf_deinit(&text);
    return is_read ||
           (!is_there && error_set(err, ERROR_NOT_FOUND,
                                   "the file with the log's first line, which names its key, is not there: give --policy"));
}

static bool read_first_key(const char *record, const struct log_files *files, struct note_key *key, struct error *err)
{
    struct log_line line = {.seq = 0};

    if (files->n == 0 || !files->items[0].begins_log) {
        return read_kept_key(record, key, err);
    }
    struct log_reader *r = log_reader_new(files, err);
    bool is_read = r != NULL && log_reader_next(r, &line, err);
    struct span vkey = is_read && line.text.ptr != NULL ? log_line_text(line.text, "vkey") : span_of(NULL, 0);
    is_read = is_read && ((vkey.len > 0 && note_key_parse(vkey, key, err)) ||
                          error_set(err, ERROR_NOT_FOUND, "the log's first line names no key: give --policy"));
    log_reader_free(r);
    return is_read;
}

/* --- the file ------------------------------------------------------------------- */

static bool read_text(const char *record, struct buf *text, struct error *err)
{
    char path[PATH_MAX + 16];

    (void)snprintf(path, sizeof(path), "%s/keys", record);
    return file_read(path, text, err) || err->kind == ERROR_NOT_FOUND;
}

static bool parse_line(struct span line, struct log_keys *out, struct error *err)
{
    const char *blank = memchr(line.ptr, ' ', line.len);
    size_t at = blank == NULL ? line.len : (size_t)(blank - line.ptr);
    struct note_key key;
    uint64_t number;

    return (blank != NULL && note_read_number(span_slice(line, 0, at), &number) && number > 0 &&
            note_key_parse(span_slice(line, at + 1, line.len), &key, err) && put(out, &(struct log_signing_key){.key = key, .from = number}, err)) ||
           error_set(err, ERROR_MALFORMED, "the number of a line and a vkey expected, at most %d of them", LOG_KEYS_MAX - 1);
}

/* Behind what `out` has. */
static bool read_announced(const char *record, struct log_keys *out, struct error *err)
{
    struct buf text;
    struct span line;

    buf_init(&text, LOG_KEYS_TEXT_MAX);
    bool is_read = read_text(record, &text, err);
    struct span rest = buf_span(&text);
    while (is_read && rest.len > 0) {
        is_read = note_take_line(&rest, &line) ? parse_line(line, out, err)
                                               : error_set(err, ERROR_MALFORMED, "a newline at the end expected");
    }
    buf_deinit(&text);
    return is_read || error_wrap(err, "%s/keys", record);
}

bool log_keys_read_announced(const char *record, struct log_keys *out, struct error *err)
{
    out->n = 0;
    return read_announced(record, out, err);
}

bool log_keys_read(const char *record, const struct log_files *files, const struct note_key *first, struct log_keys *out,
                   struct error *err)
{
    struct note_key own;

    if (first == NULL && !read_first_key(record, files, &own, err)) {
        return false;
    }
    log_keys_set(out, first == NULL ? &own : first);
    return read_announced(record, out, err);
}

bool log_keys_add(const char *record, const struct note_key *key, uint64_t line, struct error *err)
{
    char path[PATH_MAX + 16], vkey[NOTE_VKEY_MAX + 1];
    struct buf text;

    note_key_format(key, vkey);
    (void)snprintf(path, sizeof(path), "%s/keys", record);
    buf_init(&text, LOG_KEYS_TEXT_MAX);
    bool is_done = read_text(record, &text, err);
    bool is_there = is_done && text.len > 0 && memmem(text.data, text.len, vkey, strlen(vkey)) != NULL;
    if (is_done && !is_there) {
        is_done = buf_appendf(&text, err, "%" PRIu64 " %s\n", line, vkey) && file_write_atomic(path, buf_span(&text), 0600, err);
    }
    buf_deinit(&text);
    return is_done;
}

/* --- announcements -------------------------------------------------------------- */

bool log_keys_announcement(struct span line, struct span origin, struct note_key *out)
{
    static const char type[] = "\"type\":\"admin\"";
    struct error ignored;

    return memmem(line.ptr, line.len < HEAD ? line.len : HEAD, type, sizeof(type) - 1) != NULL &&
           span_is(log_line_text(line, "type"), "admin") && span_is(log_line_text(line, "what"), "signer") &&
           note_key_parse(log_line_text(line, "vkey"), out, &ignored) && out->type == NOTE_ED25519 && span_is(origin, out->name);
}

bool log_keys_announce(struct log_keys *keys, const struct note_key *key, uint64_t line, struct error *err)
{
    return put(keys, &(struct log_signing_key){.key = *key, .from = line, .is_read = true}, err);
}

const struct note_key *log_keys_at(const struct log_keys *keys, uint64_t size)
{
    size_t i = keys->n - 1;

    while (i > 0 && keys->list[i].from > size) {
        i--;
    }
    return &keys->list[i].key;
}

bool log_keys_verify(const struct log_keys *keys, const struct checkpoint *c, uint64_t before, struct error *err)
{
    if (!checkpoint_verify(c, log_keys_at(keys, c->size), err)) {
        return false;
    }
    for (size_t i = 1; i < keys->n; i++) {
        uint64_t from = keys->list[i].from;
        bool is_first = before < from && from <= c->size;
        if (is_first && !checkpoint_verify(c, &keys->list[i - 1].key, err)) {
            return error_wrap(err, "by the key before the one that line %" PRIu64 " announces", from);
        }
    }
    return true;
}
