/* follow.h - follows a decision log: its lines in order, while it is written and across rotations.
 *
 * A file is identified by the digest of its first line, so it is found again after it was moved or compressed (gzip, zstd). The files
 * of a log are those beside it whose names begin with its name up to the last dot and contain the rest
 * (decisions.jsonl, decisions.jsonl.1, decisions.jsonl-20261123.gz, decisions-00000001.jsonl); the time in their first
 * lines gives their order.
 *
 * The writer may truncate lines that it could not sync (DECISION_SYNC_MS), so lines of the open file are returned
 * SHIP_SETTLE_MS after they were written. Gaps in the sequence numbers are counted. One thread. */
#ifndef FILTERD_SHIP_FOLLOW_H
#define FILTERD_SHIP_FOLLOW_H

#include <sys/types.h>

#include "base/buf.h"
#include "record/log_input.h"
#include "ship/position.h"

enum { SHIP_SETTLE_MS = 1500 };

struct ship_follow {
    char directory[PATH_MAX], name[NAME_MAX + 1], path[PATH_MAX]; /* of the log */
    /* The file that is read. */
    struct log_input *in; /* NULL: none */
    int fd;               /* of in; -1: it is compressed */
    char digest[DIGEST_SHA256_HEX + 1];
    int64_t file_ns;
    uint64_t offset;  /* behind the last line returned */
    uint64_t limit;   /* up to here it may be read */
    struct buf bytes; /* from offset - taken on */
    size_t taken;
    uint64_t seq; /* of the last line returned; 0: none */
    /* Its size, a while ago. */
    int64_t settle_ms; /* SHIP_SETTLE_MS; tests may change it */
    uint64_t sample;
    int64_t sample_ms, sample_ns; /* when: monotonic, UTC; 0: no sample */
    int64_t as_of_ns; /* UTC: what was written before this has been returned, once SHIP_FOLLOW_NONE is */
    uint64_t missing, unreadable; /* lines: numbers that were passed over; those without a number */
};

enum ship_follow_result { SHIP_FOLLOW_LINE, SHIP_FOLLOW_NONE, SHIP_FOLLOW_FAILED };

/* From the position on; from the oldest file on when it has none. Opens nothing yet. */
MUST_CHECK bool ship_follow_init(struct ship_follow *f, const char *log, const struct ship_position *from, struct error *err);
void ship_follow_deinit(struct ship_follow *f);

/* The next line, without its newline; it lasts until the next call. NONE: there is none for now. After FAILED it may be
 * called again. */
enum ship_follow_result ship_follow_next(struct ship_follow *f, struct span *line, struct error *err);

/* Behind the last line returned. as_of_ns is left alone. */
void ship_follow_position(const struct ship_follow *f, struct ship_position *p);

#endif
