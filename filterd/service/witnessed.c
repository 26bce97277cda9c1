#include "service/witnessed.h"

#include "base/file.h"
#include "base/log.h"
#include "service/service.h"

bool witnessed_open(struct witnessed *w, const struct service_options *options, struct error *err)
{
    const char *slash = strrchr(options->log, '/');
    size_t len = slash == NULL ? 0 : slash == options->log ? 1 : (size_t)(slash - options->log);

    if (len >= sizeof(w->folder) - sizeof("/record")) {
        return error_set(err, ERROR_INVALID, "log: a shorter path expected");
    }
    (void)snprintf(w->folder, sizeof(w->folder), "%.*s", len == 0 ? 1 : (int)len, len == 0 ? "." : options->log);
    (void)snprintf(w->record, sizeof(w->record), "%.*s/record", (int)(sizeof(w->record) - sizeof("/record")), w->folder);
    w->view = (struct log_view){.folder = w->folder, .record = w->record};
    w->within_s = options->witness_within;
    return true;
}

/* The origin is that of the newest checkpoint, which the key must have signed. */
static bool read_key(const struct witnessed *w, const struct signer *signer, struct note_key *out, struct error *err)
{
    struct checkpoint c;
    struct buf note;

    buf_init(&note, NOTE_MAX);
    bool is_read = log_view_checkpoint(&w->view, false, &note, err) && checkpoint_parse(buf_span(&note), &c, err) &&
                   signer_key(signer, c.origin, out, err) && checkpoint_verify(&c, out, err);
    buf_deinit(&note);
    return is_read;
}

bool witnessed_policy(const struct witnessed *w, const struct signer *signer, struct buf *out, struct error *err)
{
    char vkey[NOTE_VKEY_MAX + 1];
    struct note_key key;

    if (!read_key(w, signer, &key, err)) {
        return false;
    }
    note_key_format(&key, vkey);
    return buf_appendf(out, err, "log %s\n", vkey) &&
           (w->witnesses != NULL ? buf_append(out, buf_span(&w->witnesses->text), err)
                                 : buf_append_str(out, "quorum none\n", err));
}

/* For who copies the folder. */
static bool write_policy(const struct witnessed *w, const struct signer *signer, struct error *err)
{
    char path[PATH_MAX + sizeof("/policy")];
    struct buf text;

    buf_init(&text, LOG_POLICY_MAX + NOTE_VKEY_MAX);
    bool is_made = witnessed_policy(w, signer, &text, err);
    (void)snprintf(path, sizeof(path), "%s/policy", w->record);
    bool is_written = is_made ? file_write_atomic(path, buf_span(&text), 0600, err) : err->kind == ERROR_NOT_FOUND;
    buf_deinit(&text);
    return is_written;
}

/* The policy has the key that signs now. */
static void take_cosigned(void *context, uint64_t size)
{
    struct witnessed *w = context;
    struct error err;

    if (key_rotation_cosigned(&w->rotation, size) && !write_policy(w, w->rotation.signer, &err)) {
        log_warn("record: %s", err.text);
    }
}

bool witnessed_start(struct witnessed *w, const struct service_options *options, struct decision_log *log, struct signer *signer,
                     struct error *err)
{
    const struct push_options push = {.record = w->record,
                                      .cosigned = take_cosigned,
                                      .context = w,
                                      .witnesses = w->witnesses,
                                      .interval_ms = options->witness_interval * 1000,
                                      .timeout_ms = options->witness_timeout * 1000};

    w->rotation = (struct key_rotation){.log = log, .signer = signer, .record = w->record};
    bool awaits_quorum = w->witnesses != NULL && w->witnesses->policy.has_quorum;
    if (signer->socket >= 0 && (!key_rotation_begin(&w->rotation, awaits_quorum, err) || !write_policy(w, signer, err))) {
        return false;
    }
    if (w->witnesses == NULL) {
        return true;
    }
    w->push = push_start(&push, err);
    return w->push != NULL;
}

void witnessed_close(struct witnessed *w)
{
    push_stop(w->push);
    w->push = NULL;
    witnesses_free(w->witnesses);
    w->witnesses = NULL;
}

bool witnessed_is_ready(const struct witnessed *w)
{
    return w->push == NULL || w->within_s == 0 || push_quorum_lag_seconds(w->push) <= (double)w->within_s;
}

/* Names of the policy file may have bytes that a label has to escape. */
static bool write_name(struct span name, struct buf *out, struct error *err)
{
    for (size_t i = 0; i < name.len; i++) {
        bool is_escaped = name.ptr[i] == '"' || name.ptr[i] == '\\';
        if ((is_escaped && !buf_append_char(out, '\\', err)) || !buf_append_char(out, name.ptr[i], err)) {
            return false;
        }
    }
    return true;
}

bool witnessed_metrics(const struct witnessed *w, struct buf *out, struct error *err)
{
    const char *name = "filterd_record_witness_lag_seconds";

    if (w->push == NULL) {
        return true;
    }
    if (!buf_appendf(out, err, "# HELP %s For how long lines have not been cosigned.\n# TYPE %s gauge\n", name, name)) {
        return false;
    }
    for (size_t i = 0; i < w->witnesses->policy.n_members; i++) {
        const struct log_policy_member *m = &w->witnesses->policy.members[i];
        if (!m->is_group && (!buf_appendf(out, err, "%s{witness=\"", name) || !write_name(m->name, out, err) ||
                             !buf_appendf(out, err, "\"} %.3f\n", push_lag_seconds(w->push, i)))) {
            return false;
        }
    }
    name = "filterd_record_quorum_lag_seconds";
    return buf_appendf(out, err, "# HELP %s For how long lines have not been cosigned by the quorum.\n# TYPE %s gauge\n%s %.3f\n",
                       name, name, name, push_quorum_lag_seconds(w->push));
}
