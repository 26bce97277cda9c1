#include "decision_log/value_token.h"

#include <stdio.h>

#include "base/digest.h"
#include "decision_log/decision_log.h"

_Static_assert(VALUE_TOKEN_MAX > sizeof(VALUE_TOKEN_MARK) + sizeof(((struct decision_keys *)0)->key_id) + 1 +
                                     DIGEST_TOKEN_HEX,
               "mark, key, colon and token fit");

static void write_token(const char *mark, const struct decision_keys *keys, const char *hex, struct value_token *out)
{
    (void)snprintf(out->text, sizeof(out->text), "%s%.*s:%s", mark, (int)sizeof(keys->key_id), keys->key_id, hex);
}

static bool make(const char *mark, const struct decision_keys *keys, struct span value, struct value_token *out,
                 struct error *err)
{
    char hex[DIGEST_TOKEN_HEX + 1];

    if (!digest_token(keys->token, value, hex, err)) {
        return false;
    }
    write_token(mark, keys, hex, out);
    return true;
}

bool value_token_make(const struct decision_keys *keys, struct span value, struct value_token *out, struct error *err)
{
    return make("", keys, value, out, err);
}

bool value_token_mark(const struct decision_keys *keys, struct span value, struct value_token *out, struct error *err)
{
    return make(VALUE_TOKEN_MARK, keys, value, out, err);
}

void value_token_of_hex(const struct decision_keys *keys, const char *hex, struct value_token *out)
{
    write_token("", keys, hex, out);
}
