#include "decision_log/key_rotation.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/log.h"
#include "decision_log/admin_record.h"
#include "record/checkpoint_store.h"
#include "record/log_keys.h"
#include "record/signer.h"

enum { DIGEST_TEXT = sizeof("sha256:") + DIGEST_SHA256_HEX };

struct pair {
    struct note_key now, next;
    bool has_next;
};

/* Of the origin of the newest checkpoint; without one there is no origin, and nothing to rotate. */
static bool read_keys(const struct key_rotation *r, struct pair *out, bool *is_there, struct error *err)
{
    struct checkpoint c;
    struct buf note;

    buf_init(&note, NOTE_MAX);
    *is_there = checkpoint_store_newest(r->record, &note, err);
    bool is_read = *is_there ? checkpoint_parse(buf_span(&note), &c, err) && signer_key(r->signer, c.origin, &out->now, err) &&
                                   signer_next_key(r->signer, c.origin, &out->next, &out->has_next, err)
                             : err->kind == ERROR_NOT_FOUND;
    buf_deinit(&note);
    return is_read;
}

/* What was announced has to be one of the signer's keys. */
static bool check_announced(const struct key_rotation *r, const struct pair *keys, struct error *err)
{
    struct log_keys announced;

    if (!log_keys_read_announced(r->record, &announced, err)) {
        return false;
    }
    if (announced.n == 0) {
        return true;
    }
    const struct note_key *last = &announced.list[announced.n - 1].key;
    return note_key_same(last, &keys->now) || (keys->has_next && note_key_same(last, &keys->next)) ||
           error_set(err, ERROR_DENIED,
                     "record: the log goes on under the key that %s/keys has last, which is not the signer's: put back keys/log.next or "
                     "keys/log.key",
                     r->record);
}

static bool digest_of(const struct note_key *key, char vkey[NOTE_VKEY_MAX + 1], char digest[DIGEST_TEXT], struct error *err)
{
    char hex[DIGEST_SHA256_HEX + 1];

    note_key_format(key, vkey);
    if (!digest_sha256(span_str(vkey), hex, err)) {
        return false;
    }
    (void)snprintf(digest, DIGEST_TEXT, "sha256:%s", hex);
    return true;
}

static bool announce(const struct key_rotation *r, const struct pair *keys, struct error *err)
{
    char before[DIGEST_TEXT], after[DIGEST_TEXT], vkey[NOTE_VKEY_MAX + 1];
    struct decision_receipt receipt = {.seq = 0};
    struct buf line;

    buf_init(&line, ADMIN_RECORD_MAX);
    bool is_made = digest_of(&keys->now, vkey, before, err) && digest_of(&keys->next, vkey, after, err);
    const struct admin_change change = {
        .what = "signer", .before = before, .after = after, .by = "start", .vkey = vkey, .now_ns = clock_utc_ns()};
    bool is_announced = is_made && admin_record_format(&change, &line, err) &&
                        decision_log_append_wait_receipt(r->log, buf_span(&line), &receipt, err) &&
                        log_keys_add(r->record, &keys->next, receipt.seq, err);
    buf_deinit(&line);
    return is_announced;
}

static bool retire(struct key_rotation *r)
{
    struct error err;

    r->covered = 0;
    if (!signer_retire(r->signer, &err)) {
        log_error("record: the old key signs on: %s", err.text);
        return false;
    }
    log_info("record: the signer's new key has replaced the old one");
    return true;
}

bool key_rotation_begin(struct key_rotation *r, bool awaits_quorum, struct error *err)
{
    struct pair keys = {.has_next = false};
    bool is_there;

    r->covered = 0;
    if (!read_keys(r, &keys, &is_there, err) || (is_there && !check_announced(r, &keys, err))) {
        return false;
    }
    if (!keys.has_next) {
        return true;
    }
    if (!announce(r, &keys, err) || !decision_log_checkpoint(r->log, err)) {
        return error_wrap(err, "record: rotation of the signer's key");
    }
    r->covered = decision_log_signed(r->log);
    if (awaits_quorum) {
        log_info("record: the signer's new key is announced, and replaces the old one when the witnesses have cosigned this");
    } else {
        (void)!retire(r);
    }
    return true;
}

bool key_rotation_cosigned(struct key_rotation *r, uint64_t size)
{
    return r->covered != 0 && size >= r->covered && retire(r);
}
