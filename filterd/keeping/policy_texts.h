/* policy_texts.h - the texts of the policies that the service has run with, by digest, in <state>/policies: so that a reviewer sees
 * what changed between two. Policies hold no secrets. */
#ifndef FILTERD_KEEPING_POLICY_TEXTS_H
#define FILTERD_KEEPING_POLICY_TEXTS_H

#include "base/buf.h"

enum { POLICY_TEXT_MAX = 4 * 1024 * 1024 };

/* `digest` is "sha256:" and 64 hexadecimal digits, of a policy. One that is there already stays. */
MUST_CHECK bool policy_text_keep(const char *state_directory, struct span digest, struct span text, struct error *err);
/* Appends it; `digest` may lack "sha256:". NOT_FOUND: it was not kept, or that is no digest. */
MUST_CHECK bool policy_text_read(const char *state_directory, struct span digest, struct buf *out, struct error *err);

#endif
