#include "service/admin_digests.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "policy/seal.h"

bool admin_digest_keys(const struct keys *keys, const struct decision_keys *values, char out[ADMIN_DIGEST], struct error *err)
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

bool admin_digest_recipients(const struct snapshot *snapshot, char out[ADMIN_DIGEST], struct error *err)
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
