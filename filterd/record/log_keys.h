/* log_keys.h - the keys that sign the checkpoints of a log, one after the other.
 *
 * The first key is that of the log's first line. Each further one is announced by a line of type admin, `what` signer, with its
 * vkey, and signs every checkpoint that covers this line. The first such checkpoint has the signature of the key before as
 * well, which need not sign after that: a verifier that knows one key learns the next from what the known one signed, and a
 * checkpoint by a retired key alone is refused.
 *
 * The file `record/keys` has a line "<number> <vkey>" for each announcement, so that the key of the newest checkpoint is found
 * without reading all lines. Verifying all lines compares it with the announcements. Any thread. */
#ifndef FILTERD_RECORD_LOG_KEYS_H
#define FILTERD_RECORD_LOG_KEYS_H

#include "record/log_files.h"

enum { LOG_KEYS_MAX = 32, LOG_KEYS_TEXT_MAX = LOG_KEYS_MAX * (NOTE_VKEY_MAX + 24) };

struct log_keys {
    size_t n; /* at least 1 once it is read */
    struct log_signing_key {
        struct note_key key;
        uint64_t from; /* number of the line that announces it; 0: the first key */
        bool is_read;  /* the line was read; else record/keys alone says so */
    } list[LOG_KEYS_MAX];
};

/* The first key and those of record/keys. `first` NULL: the one that the log's first line names, or record/vkey when that line was
 * removed; NOT_FOUND: neither does. */
MUST_CHECK bool log_keys_read(const char *record, const struct log_files *files, const struct note_key *first, struct log_keys *out,
                              struct error *err);
/* The announced keys alone; n is 0 without any. */
MUST_CHECK bool log_keys_read_announced(const char *record, struct log_keys *out, struct error *err);
/* A log with one key. */
void log_keys_set(struct log_keys *keys, const struct note_key *first);
/* Adds an announced key to record/keys, which is on disk when it returns true; one that is there stays as it is. */
MUST_CHECK bool log_keys_add(const char *record, const struct note_key *key, uint64_t line, struct error *err);

/* Whether the line announces a key of that origin. */
bool log_keys_announcement(struct span line, struct span origin, struct note_key *out);
/* Line `line` announces the key: adds it, or moves a later start of it there. LIMIT: too many keys. */
MUST_CHECK bool log_keys_announce(struct log_keys *keys, const struct note_key *key, uint64_t line, struct error *err);
/* The key that a checkpoint of that many lines needs. */
const struct note_key *log_keys_at(const struct log_keys *keys, uint64_t size);
/* The checkpoint has the signature of its key, and of the key before when it is the first one that covers the announcement;
 * `before` is the size of the checkpoint before it. INVALID says which does not hold. */
MUST_CHECK bool log_keys_verify(const struct log_keys *keys, const struct checkpoint *c, uint64_t before, struct error *err);

#endif
