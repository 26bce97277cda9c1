/* uuid.h - UUIDv7 (RFC 9562): ids that sort by creation time and cannot be guessed.
 *
 * Within a process each is greater than all made before it, on any thread, even when the clock
 * is set back: 48 bits of milliseconds and 12 of their fraction never repeat, 62 bits are random.
 */
#ifndef FILTERD_BASE_UUID_H
#define FILTERD_BASE_UUID_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum { UUID_BYTES = 16, UUID_TEXT = 36 };

/* `utc_ns` is the caller's clock, nanoseconds since 1970. Fails only when the kernel has no random
 * bytes. */
MUST_CHECK bool uuid_make(int64_t utc_ns, uint8_t uuid[UUID_BYTES], struct error *err);
/* Lower case, with dashes, NUL-terminated. */
void uuid_format(const uint8_t uuid[UUID_BYTES], char text[UUID_TEXT + 1]);
/* Parses any version, in either case; false when the text is not a UUID. */
MUST_CHECK bool uuid_parse(struct span text, uint8_t uuid[UUID_BYTES]);

#endif
