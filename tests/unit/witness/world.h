/* world.h - a log and a witness of it, in a folder of their own. */
#ifndef FILTERD_TESTS_UNIT_WITNESS_WORLD_H
#define FILTERD_TESTS_UNIT_WITNESS_WORLD_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/add_checkpoint.h"
#include "witness/cosign.h"

enum { WORLD_LEAVES = 300 };
static const char world_origin[] = "web-1/filterd/0011223344556677";
static const uint8_t world_log_seed[NOTE_SEED] = {7}, world_witness_seed[NOTE_SEED] = {8};

struct world {
    char folder[64];
    struct tree_hash leaves[WORLD_LEAVES];
    struct note_key log, witness_key;
    struct witness witness;
    struct witness_answer answer;
};

/* From the leaves, word for word as RFC 6962 has it. */
static inline void world_root(const struct tree_hash *from, size_t n, struct tree_hash *out)
{
    struct tree_edge edge = {.size = 0};

    for (size_t i = 0; i < n; i++) {
        tree_edge_add(&edge, &from[i]);
    }
    tree_edge_root(&edge, out);
}

static inline bool world_node(void *state, unsigned level, uint64_t index, struct tree_hash *out, struct error *err)
{
    (void)err;
    world_root((const struct tree_hash *)state + (index << level), (size_t)1 << level, out);
    return true;
}

static inline void world_key(const char *name, enum note_key_type type, const uint8_t seed[NOTE_SEED], struct note_key *key)
{
    uint8_t public[NOTE_PUBLIC];
    struct error err;

    note_public(seed, public);
    assert_true(note_key_make(span_str(name), type, public, key, &err));
}

static inline void world_open(struct world *w)
{
    struct error err;

    for (unsigned i = 0; i < WORLD_LEAVES; i++) {
        tree_hash_leaf(span_of((const char *)&i, sizeof(i)), &w->leaves[i]);
    }
    (void)snprintf(w->folder, sizeof(w->folder), "/tmp/witness-XXXXXX");
    assert_non_null(mkdtemp(w->folder));
    world_key(world_origin, NOTE_ED25519, world_log_seed, &w->log);
    world_key("witness.example/w1", NOTE_COSIGNATURE, world_witness_seed, &w->witness_key);
    w->witness = (struct witness){.name = "witness.example/w1", .logs = &w->log, .n_logs = 1, .state.fd = -1};
    memcpy(w->witness.seed, world_witness_seed, NOTE_SEED);
    assert_int_equal(pthread_mutex_init(&w->witness.lock, NULL), 0);
    assert_true(witness_state_open(&w->witness.state, w->folder, &err));
    buf_init(&w->answer.body, 8192);
}

static inline void world_close(struct world *w)
{
    char *const arguments[] = {(char[]){"rm"}, (char[]){"-rf"}, w->folder, NULL};

    witness_state_close(&w->witness.state);
    buf_deinit(&w->answer.body);
    (void)pthread_mutex_destroy(&w->witness.lock);
    pid_t pid = fork();
    if (pid == 0) {
        (void)execvp(arguments[0], arguments);
        _exit(1);
    }
    (void)waitpid(pid, NULL, 0);
}

/* The text of the checkpoint at that size; with_signature: the whole note. */
static inline void world_checkpoint(const struct world *w, uint64_t size, bool with_signature, struct buf *out)
{
    struct tree_hash root;
    struct error err;

    world_root(w->leaves, size, &root);
    assert_true(checkpoint_format(span_str(world_origin), size, &root, out, &err));
    if (with_signature) {
        size_t n = out->len;
        char text[CHECKPOINT_TEXT_MAX];
        memcpy(text, out->data, n);
        assert_true(buf_append_char(out, '\n', &err));
        assert_true(note_sign(&w->log, world_log_seed, span_of(text, n), 0, out, &err));
    }
}

static inline void world_proof(struct world *w, uint64_t from, uint64_t to, struct tree_proof *out)
{
    const struct tree_source source = {.node = world_node, .state = w->leaves};
    struct error err;

    assert_true(tree_prove_consistency(&source, from, to, out, &err));
}

/* The request from `old` to `size`, as it should be. */
static inline void world_request(struct world *w, uint64_t old, uint64_t size, struct buf *out)
{
    struct tree_proof proof = {.n = 0};
    struct buf note;
    struct error err;

    buf_init(&note, NOTE_MAX);
    world_checkpoint(w, size, !w->witness.is_local, &note);
    if (old <= size) {
        world_proof(w, old, size, &proof);
    }
    assert_true(add_checkpoint_format(old, &proof, buf_span(&note), out, &err));
    buf_deinit(&note);
}

static inline unsigned world_ask(struct world *w, struct span request)
{
    struct error err;

    w->answer.status = 0;
    witness_cosign(&w->witness, request, 1764000000, &w->answer, &err);
    return w->answer.status;
}

static inline unsigned world_add(struct world *w, uint64_t old, uint64_t size)
{
    struct buf b;

    buf_init(&b, ADD_CHECKPOINT_MAX);
    world_request(w, old, size, &b);
    unsigned status = world_ask(w, buf_span(&b));
    buf_deinit(&b);
    return status;
}

#endif
