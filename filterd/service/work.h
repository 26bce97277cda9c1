/* work.h - how a route judges and answers.
 *
 * A short body is judged at once with a lent worker, a long one behind the pool's queue. No record,
 * no release: the answer leaves when its record is as safe as the verdict needs. */
#ifndef FILTERD_SERVICE_WORK_H
#define FILTERD_SERVICE_WORK_H

#include "service/request.h"

/* When an answer may leave. */
enum work_record {
    WORK_DURABLE,    /* when its record is on disk */
    WORK_BY_VERDICT, /* allow: when it is queued (on disk with receipts=always); block and redact: when it is on disk */
    WORK_UNRECORDED, /* at once: it has no record of its own */
};

/* What an answer that waits for its record says of it: the header Filterd-Receipt, and in JSON the member receipt. */
enum work_receipt { RECEIPT_NONE, RECEIPT_HEADER, RECEIPT_MEMBER };

struct work {
    enum work_record record;
    enum work_receipt receipt;
    /* Sets reply, answer and outcome, and the record unless nothing was judged and the status is not 200; of a 200 an
     * empty record is one that could not be made. Or makes an inquiry (inquiry.h), and is called
     * again when that is answered. */
    void (*judge)(struct request *r, struct worker *w);
    /* The record could not be written: the answer becomes one that blocks. */
    void (*fail)(struct request *r);
    /* Of WORK_DURABLE, optional: the record is on disk, the answer leaves next. */
    void (*done)(struct request *r);
};

/* `work` is static. The last step of a route. */
enum step work_run(struct request *r, const struct work *work);

#endif
