/* policy_texts.h - keeps the text of each policy that the service has used, by digest, in <state>/policies, for comparison on the
 * review page. Policies contain no secrets. */
#ifndef FILTERD_STATE_POLICY_TEXTS_H
#define FILTERD_STATE_POLICY_TEXTS_H

#include "base/buf.h"

enum { POLICY_TEXT_MAX = 4 * 1024 * 1024 };

/* `digest` is "sha256:" and 64 hexadecimal digits, of a policy. An existing file is kept. */
MUST_CHECK bool policy_text_keep(const char *state_directory, struct span digest, struct span text, struct error *err);
/* Appends the text; `digest` may lack "sha256:". NOT_FOUND: not kept, or not a digest. */
MUST_CHECK bool policy_text_read(const char *state_directory, struct span digest, struct buf *out, struct error *err);

#endif
