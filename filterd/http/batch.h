/* batch.h - POST /v1/filter/batch: one exchange per line, one answer per line, in order.
 *
 * The pool judges lines in blocks while the body arrives; the connection waits meanwhile,
 * which slows a fast sender down and bounds memory. Answers wait in a spool until the whole body has
 * arrived (libmicrohttpd cannot send and receive at the same time) and every record is on disk.
 * If a record fails, no answer of the batch is delivered. */
#ifndef FILTERD_HTTP_BATCH_H
#define FILTERD_HTTP_BATCH_H

struct batch;

void batch_free(struct batch *b);

#endif
