/* route_kek.c - the inner key of sealed originals, for recipients on other hosts: POST /v1/keks/{id}. The access line is on disk
 * before the key is sent. The key is sent only over TLS, a Unix socket or loopback. */
#include <sodium.h>

#include "base/ascii.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "decision_log/decision_line.h"
#include "http/identities.h"
#include "http/parameters.h"
#include "state/sealer.h"
#include "seal/blobs.h"
#include "server/record_job.h"
#include "service/access.h"
#include "decision_log/access_record.h"

enum { MEMORY_MAX = 64 * 1024, KEY_HEX = 2 * SHRED_KEY };

static const char json[] = "application/json", no_store[] = "no-store";

struct wanted {
    struct span kek, blob, purpose;
};

static bool take_parameter(void *into, struct span name, struct span value, unsigned *seen, struct filter_fault *fault)
{
    struct wanted *w = into;
    bool is_blob = span_is(name, "blob"), is_purpose = span_is(name, "purpose");
    unsigned bit = is_blob ? 1 : 2;

    if ((!is_blob && !is_purpose) || (*seen & bit) != 0) {
        return fault_set(fault, 422, "", "the parameters blob and purpose expected, each once");
    }
    *seen |= bit;
    *(is_blob ? &w->blob : &w->purpose) = value;
    return true;
}

static bool is_hex(struct span text, size_t len)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (!ascii_is_digit(c) && (c < 'a' || c > 'f')) {
            return false;
        }
    }
    return text.len == len;
}

/* Entered text is judged, like any name in the record. */
static bool read_wanted(struct request *r, struct arena *memory, struct wanted *w, struct filter_fault *fault)
{
    *w = (struct wanted){.kek = span_str(r->parameter)};
    if (!parameters_read(r->connection, take_parameter, w, fault)) {
        return false;
    }
    if (!is_hex(w->kek, SHRED_ID) || (w->blob.ptr != NULL && !is_hex(w->blob, BLOB_ID))) {
        return fault_set(fault, 422, "", "ids in %d and %d hexadecimal digits expected", SHRED_ID, BLOB_ID);
    }
    if (w->purpose.len > DECISION_TEXT_MAX) {
        return fault_set(fault, 422, "", "purpose: at most %d bytes expected", DECISION_TEXT_MAX);
    }
    r->snapshot = service_snapshot(r->service);
    return w->purpose.len == 0 || identity_show_text(r->service->identities, r->snapshot, memory, &w->purpose, fault);
}

static bool record_access(struct request *r, const struct wanted *w, struct error *err)
{
    char name[ACCESS_NAME];
    struct buf line CLEANUP(buf_deinit);

    access_name(r, name);
    const struct access_event e = {.by = name, .role = access_role(r), .what = "key", .kek = w->kek, .blob = w->blob,
                                   .purpose = w->purpose, .now_ns = clock_utc_ns()};
    buf_init(&line, ACCESS_RECORD_MAX);
    return access_record_format(&e, &line, err) && decision_log_append_wait(r->service->log, buf_span(&line), err);
}

static bool give_key(struct request *r, const struct shred_key *key, struct error *err)
{
    char hex[KEY_HEX + 1];

    (void)sodium_bin2hex(hex, sizeof(hex), key->key, sizeof(key->key));
    bool is_given = buf_appendf(&r->answer, err, "{\"kek\":\"%s\",\"key\":\"%s\"}\n", key->id, hex);
    sodium_memzero(hex, sizeof(hex));
    return is_given;
}

/* False with an answer, or with an error. */
static bool hand_out(struct request *r, const struct wanted *w, struct error *err)
{
    struct shred_key key;

    if (!sealer_find_key(r->service->sealer, r->parameter, &key, err)) {
        if (err->kind == ERROR_NOT_FOUND) {
            request_problem(r, 404, "no key with that id: erased, or of another service", NULL);
        }
        return false;
    }
    struct error why;
    bool is_recorded = record_access(r, w, &why);
    if (!is_recorded) {
        request_overload(r, "the access could not be recorded");
    }
    bool is_given = is_recorded && give_key(r, &key, err);
    sodium_memzero(&key, sizeof(key));
    return is_given;
}

static bool show_key(struct request *r, struct error *err)
{
    struct arena memory CLEANUP(arena_deinit);
    struct filter_fault fault;
    struct wanted w;

    arena_init(&memory, 0, MEMORY_MAX);
    if (!access_is_private(r)) {
        request_problem(r, 403, "TLS or a Unix socket expected", NULL);
        return false;
    }
    if (!read_wanted(r, &memory, &w, &fault)) {
        request_problem(r, fault.status, fault.detail, NULL);
        return false;
    }
    return hand_out(r, &w, err);
}

static void kek_job(void *context, struct worker *w)
{
    record_job_run(context, w, show_key, json, no_store);
}

enum step route_kek_run(struct request *r)
{
    return record_job_queue(r, kek_job);
}
