/* fuzz_policy_bundle.c - statements and keys of policy bundles of any bytes: a statement that is read is written as it was, and what
 * nobody signed is never taken. */
#include <assert.h>
#include <sodium.h>
#include <stdint.h>

#include "bundle/keys.h"
#include "bundle/statement.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_statement(struct span text)
{
    struct policy_bundle b;
    struct error err;
    struct buf again;

    if (!policy_bundle_parse(text, &b, &err)) {
        return;
    }
    buf_init(&again, NOTE_MAX);
    assert(policy_bundle_format(&b, &again, &err) && span_equal(buf_span(&again), text));
    assert(!policy_bundle_check(&b, b.expires_ns, "0.1.0", &err));
    buf_deinit(&again);
}

static void check_keys(struct span text, struct span bytes)
{
    struct policy_bundle_keys keys, before;
    struct note note;
    struct error err;

    if (!policy_bundle_keys_parse(text, &keys, &err)) {
        return;
    }
    assert(keys.n >= keys.threshold && keys.threshold > 0 && keys.generation > 0);
    before = keys;
    if (note_parse(bytes, &note, &err)) {
        assert(!policy_bundle_keys_follow(&keys, &note, &err)); /* not the generation behind itself */
        assert(keys.generation == before.generation);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span bytes = span_of((const char *)data, size);
    struct note note;
    struct error err;

    if (sodium_init() < 0) {
        return 0;
    }
    struct span text = note_parse(bytes, &note, &err) ? note.text : bytes;
    check_statement(text);
    check_keys(text, bytes);
    return 0;
}
