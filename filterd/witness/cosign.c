#include "witness/cosign.h"

#include <inttypes.h>

#include "record/add_checkpoint.h"
#include "record/manifest_note.h"

struct asked {
    struct add_checkpoint request;
    struct checkpoint checkpoint;
};

static void say(struct witness_answer *a, unsigned status, const char *reason)
{
    struct error ignored;

    a->status = status;
    a->is_size = false;
    buf_clear(&a->body);
    (void)!buf_appendf(&a->body, &ignored, "%s\n", reason);
}

static void say_size(struct witness_answer *a, uint64_t size)
{
    struct error ignored;

    a->status = 409;
    a->is_size = true;
    buf_clear(&a->body);
    (void)!buf_appendf(&a->body, &ignored, "%" PRIu64 "\n", size);
}

static bool parse(const struct witness *w, struct span bytes, struct asked *out, struct witness_answer *answer)
{
    struct error err;

    if (!add_checkpoint_parse(bytes, &out->request, &err) ||
        !(w->is_local ? checkpoint_parse_text(out->request.checkpoint, &out->checkpoint, &err)
                      : checkpoint_parse(out->request.checkpoint, &out->checkpoint, &err))) {
        say(answer, 400, err.text);
        return false;
    }
    return true;
}

/* A log that this witness knows has signed. */
static bool is_from_log(const struct witness *w, const struct checkpoint *c, struct witness_answer *answer)
{
    bool is_known = false;

    for (size_t i = 0; i < w->n_logs; i++) {
        struct error err;
        if (!span_is(c->origin, w->logs[i].name)) {
            continue;
        }
        if (checkpoint_verify(c, &w->logs[i], &err)) {
            return true;
        }
        is_known = true;
    }
    say(answer, is_known ? 403 : 404, is_known ? "no signature of a known key of this origin" : "unknown origin");
    return false;
}

/* The old size is the one that was signed, and the new tree is consistent with that one. */
static bool is_consistent(const struct asked *a, uint64_t size, const struct tree_hash *root, struct witness_answer *answer)
{
    const struct checkpoint *c = &a->checkpoint;
    struct tree_hash empty;
    struct error err;

    tree_hash_empty(&empty);
    if (a->request.old > c->size) {
        say(answer, 400, "an old size of at most the checkpoint's expected");
    } else if (a->request.old != size || (size == c->size && !tree_hash_equal(root, &c->root))) {
        say_size(answer, size);
    } else if (!tree_verify_consistency(size, root, c->size, &c->root, &a->request.proof, &err) ||
               (c->size == 0 && !tree_hash_equal(&c->root, &empty))) {
        say(answer, 422, "the consistency proof does not hold");
    } else {
        return true;
    }
    return false;
}

static bool sign_by(const uint8_t seed[NOTE_SEED], enum note_key_type type, struct span name, struct span text, uint64_t now,
                    struct buf *out, struct error *err)
{
    uint8_t public[NOTE_PUBLIC];
    struct note_key key;

    note_public(seed, public);
    return note_key_make(name, type, public, &key, err) && note_sign(&key, seed, text, now, out, err);
}

/* As a log: by both keys while one follows the other. */
static bool sign_as_log(const struct witness *w, struct span origin, struct span text, struct buf *out, struct error *err)
{
    return sign_by(w->seed, NOTE_ED25519, origin, text, 0, out, err) &&
           (!w->has_next || sign_by(w->next, NOTE_ED25519, origin, text, 0, out, err));
}

static bool sign(const struct witness *w, const struct checkpoint *c, uint64_t now, struct buf *out, struct error *err)
{
    return w->is_local ? sign_as_log(w, c->origin, c->note.text, out, err)
                       : sign_by(w->seed, NOTE_COSIGNATURE, span_str(w->name), c->note.text, now, out, err);
}

/* Under the lock. */
static bool store_and_sign(struct witness *w, const struct asked *a, uint64_t now, struct witness_answer *answer,
                           struct error *err)
{
    const struct checkpoint *c = &a->checkpoint;
    struct tree_hash root;
    uint64_t size;

    if (!witness_state_read(&w->state, c->origin, &size, &root, err)) {
        return false;
    }
    if (!is_consistent(a, size, &root, answer)) {
        return true;
    }
    if (!witness_state_write(&w->state, c->origin, c->size, &c->root, err) || !sign(w, c, now, &answer->body, err)) {
        return false;
    }
    answer->status = 200;
    return true;
}

void witness_cosign(struct witness *w, struct span request, uint64_t now, struct witness_answer *answer, struct error *err)
{
    struct asked a;

    answer->is_size = false;
    buf_clear(&answer->body);
    if (!parse(w, request, &a, answer) || (!w->is_local && !is_from_log(w, &a.checkpoint, answer))) {
        return;
    }
    (void)pthread_mutex_lock(&w->lock);
    bool is_done = store_and_sign(w, &a, now, answer, err);
    (void)pthread_mutex_unlock(&w->lock);
    if (!is_done) {
        say(answer, 500, "the state cannot be read or written");
    }
}

void witness_sign_manifest(const struct witness *w, struct span request, struct witness_answer *answer, struct error *err)
{
    struct manifest_request wanted;
    struct buf text;

    answer->is_size = false;
    buf_clear(&answer->body);
    if (!w->is_local || !manifest_request_parse(request, &wanted, err)) {
        say(answer, 400, w->is_local ? err->text : "a checkpoint expected");
        return;
    }
    buf_init(&text, NOTE_LINE_MAX);
    bool is_signed = manifest_note_text(wanted.sha256, &text, err) &&
                     sign_as_log(w, wanted.origin, buf_span(&text), &answer->body, err);
    buf_deinit(&text);
    if (is_signed) {
        answer->status = 200;
    } else {
        say(answer, 500, "the manifest could not be signed");
    }
}
