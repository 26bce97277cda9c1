/* log_input.h - the bytes of one file of a log, as it is or compressed by gzip or zstd; for log_*.c alone.
 *
 * The first bytes tell the format, not the name. One thread at a time. */
#ifndef FILTERD_RECORD_LOG_INPUT_H
#define FILTERD_RECORD_LOG_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum log_compression { LOG_PLAIN, LOG_GZIP, LOG_ZSTD };

struct log_input;

/* NULL on failure. INVALID: no regular file. */
struct log_input *log_input_open(const char *path, struct error *err);
void log_input_close(struct log_input *in); /* accepts NULL */
enum log_compression log_input_compression(const struct log_input *in);

/* Up to `max` bytes; *len is 0 only at the end. MALFORMED: the compressed data is damaged or incomplete. */
MUST_CHECK bool log_input_read(struct log_input *in, char *to, size_t max, size_t *len, struct error *err);

/* Of a file that is not compressed: its descriptor, for reading at a place (pread) or going to one (lseek); else -1. */
int log_input_fd(const struct log_input *in);

#endif
