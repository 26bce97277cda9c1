#include "service/admin_digests.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "policy/seal.h"
#include "state/policy_texts.h"
#include "service/service.h"

/* Which keys these are. `values` makes the tokens of values now. */
static bool digest_keys(const struct keys *keys, const struct decision_keys *values, char out[ADMIN_DIGEST], struct error *err)
{
    char ids[4][DIGEST_TOKEN_HEX + 1], hex[DIGEST_SHA256_HEX + 1];
    const struct span purpose = span_str("which key");
    struct buf text CLEANUP(buf_deinit);

    buf_init(&text, sizeof(ids));
    bool is_made = digest_token(keys->decision.token, purpose, ids[0], err) &&
                   digest_token(values->token, purpose, ids[3], err) &&
                   digest_token(keys->redaction.hash, purpose, ids[1], err) &&
                   digest_token(keys->redaction.encrypt, purpose, ids[2], err) &&
                   buf_appendf(&text, err, "%s%s%s%s", ids[0], ids[1], ids[2], ids[3]) &&
                   digest_sha256(buf_span(&text), hex, err);
    if (is_made) {
        (void)snprintf(out, ADMIN_DIGEST, "sha256:%s", hex);
    }
    return is_made;
}

/* Of the groups that policies seal to; empty, when no policy seals. */
static bool digest_recipients(const struct snapshot *snapshot, char out[ADMIN_DIGEST], struct error *err)
{
    char hex[DIGEST_SHA256_HEX + 1];
    struct buf text CLEANUP(buf_deinit);

    buf_init(&text, (snapshot->n_policies + 1) * ADMIN_DIGEST);
    for (size_t i = 0; i < snapshot->n_policies; i++) {
        const struct policy_seal *seal = snapshot->policies[i].seal;
        if (seal != NULL && !buf_append(&text, seal->digest, err)) {
            return false;
        }
    }
    out[0] = '\0';
    if (text.len == 0) {
        return true;
    }
    bool is_made = digest_sha256(buf_span(&text), hex, err);
    (void)snprintf(out, ADMIN_DIGEST, "sha256:%s", is_made ? hex : "");
    return is_made;
}

/* For the page, before the record names it. The record is the same without it. */
static void keep_policy(const struct service *s, const struct snapshot *snapshot, struct span digest)
{
    struct error err;

    if (s->options->state_directory != NULL && !policy_text_keep(s->options->state_directory, digest, snapshot->text, &err)) {
        log_warn("policy: its text could not be kept for comparison: %s", err.text);
    }
}

/* What is not of this state stays as it is on record. */
bool admin_record_state(struct service *s, const struct snapshot *snapshot, const struct tokens *tokens, const char *by,
                        struct error *err)
{
    const struct policy *policy = snapshot_policy(snapshot, span_of(NULL, 0), span_of(NULL, 0));
    const char *hex = tokens_digest(tokens);
    struct admin_digests now = s->admin.recorded;
    struct span keep = span_str(s->options->keep == NULL ? "" : s->options->keep);

    (void)snprintf(now.of[ADMIN_POLICY], ADMIN_DIGEST, SPAN_FMT, SPAN_ARG(policy->digest));
    (void)snprintf(now.of[ADMIN_EXCEPTIONS], ADMIN_DIGEST, SPAN_FMT, SPAN_ARG(snapshot->exceptions_digest));
    (void)snprintf(now.of[ADMIN_TOKENS], ADMIN_DIGEST, "%s%s", hex[0] == '\0' ? "" : "sha256:", hex);
    keep_policy(s, snapshot, policy->digest);
    return digest_recipients(snapshot, now.of[ADMIN_RECIPIENTS], err) &&
           digest_keys(&s->keys, token_keys_at(s->token_keys, clock_utc_ns()), now.of[ADMIN_KEYS], err) &&
           admin_digest(keep, now.of[ADMIN_RETENTION], err) && admin_record(&s->admin, &now, by, err);
}
