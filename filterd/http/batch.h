/* batch.h - POST /v1/filter/batch: one exchange a line, one answer a line, in order.
 *
 * Lines are judged in blocks while the body arrives, by the pool; the connection waits meanwhile,
 * so a fast sender is slowed down and memory stays bounded. Answers leave when the whole body has
 * come (libmicrohttpd cannot do both at a time) and every record is on disk; until then they wait
 * in a spool. If a record fails, nothing of the batch is delivered. */
#ifndef FILTERD_HTTP_BATCH_H
#define FILTERD_HTTP_BATCH_H

struct batch;

void batch_free(struct batch *b);

#endif
