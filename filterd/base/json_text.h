/* json_text.h - where the plain part of a JSON string ends; for the json_*.c files alone.
 *
 * Reading and writing meet the same question: how far do the bytes go that stand for themselves?
 * Most text is printable ASCII, so that is answered sixteen bytes at a time. The vector types are
 * the compiler's own: SSE2 on x86, NEON on Arm, no code of ours for either. */
#ifndef FILTERD_BASE_JSON_TEXT_H
#define FILTERD_BASE_JSON_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

/* The length of the longest prefix that is valid UTF-8 without control characters, '"' and '\\'. */
size_t json_plain_prefix(struct span text);

/* The length in bytes of the UTF-8 character at the front, 0 when it is ill-formed. len > 0. */
size_t json_character_len(const unsigned char *at, size_t len);

#endif
