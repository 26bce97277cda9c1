#include "service/exception_keys.h"

#include "base/clock.h"
#include "base/log.h"

static void give(void *context, unsigned epoch, const struct decision_keys *keys)
{
    (void)epoch;
    snapshot_give_key(context, span_of(keys->key_id, strnlen(keys->key_id, sizeof(keys->key_id))), keys->token);
}

void exception_keys_give(struct snapshot *s, const char *state_directory, struct token_keys *current)
{
    struct error err;

    if (state_directory != NULL && !token_keys_each(state_directory, give, s, &err)) {
        log_warn("policy: exceptions of a value whose key cannot be read do not apply: %s", err.text);
    }
    give(s, 0, token_keys_at(current, clock_utc_ns()));
}
