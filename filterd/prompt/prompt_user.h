/* prompt_user.h - the end user that the body of a request to a model names.
 *
 * OpenAI's APIs have `safety_identifier`, and `user` before it; Anthropic's has `metadata.user_id`. Servers that imitate an API
 * take the names of others, so all of them are looked for in each body, in that order. */
#ifndef FILTERD_PROMPT_PROMPT_USER_H
#define FILTERD_PROMPT_PROMPT_USER_H

#include "base/json.h"

/* `body` is JSON that json_validate_known has accepted with these. Empty: it names none. It borrows from the body, or is in the arena. False: memory is out. Any thread. */
MUST_CHECK bool prompt_user(struct arena *a, struct span body, struct json_known known, struct span *out, struct error *err);

#endif
