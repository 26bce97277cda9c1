/* log_reader.h - iterates over the lines of a log's files, with the place of each.
 *
 * Faults of a line are returned with it: the verifier names them, the indexer stops. A line must be complete, within the size
 * limit, a record, and have the next number across all files. A file that was renamed, rotated or compressed since it was
 * listed is found by its first line. The files are borrowed. One thread at a time. */
#ifndef FILTERD_RECORD_LOG_READER_H
#define FILTERD_RECORD_LOG_READER_H

#include "record/log_files.h"

enum log_fault {
    LOG_SOUND,
    LOG_NO_RECORD,    /* does not begin as a record does; seq is that expected */
    LOG_OUT_OF_ORDER, /* another number was expected */
    LOG_TORN,         /* the file ends before the line's newline */
    LOG_TOO_LONG,     /* more than TREE_LEAF_MAX bytes: `text` is only its beginning */
};

struct log_line {
    struct span text; /* without its newline; valid until the next call; ptr is NULL at the end */
    enum log_fault fault;
    uint64_t seq, expected; /* of the line itself; one more than that of the line before */
    const struct log_file *file;
    uint64_t number; /* of the line in its file, from 1; 0: not known, after a seek */
    uint64_t offset; /* of its first byte in the file, before compression */
};

struct log_reader;
/* Begins with the first line of the first file. NULL on failure. */
struct log_reader *log_reader_new(const struct log_files *files, struct error *err);
void log_reader_free(struct log_reader *r); /* accepts NULL */

/* MALFORMED: compressed data is damaged; err names the file and the line before. NOT_FOUND: a file was removed since. */
MUST_CHECK bool log_reader_next(struct log_reader *r, struct log_line *out, struct error *err);

/* Goes to line `seq`, or to the first behind it that is there, without reading what is before: by bisection in a file that is
 * not compressed. The next line's number is then not known. */
MUST_CHECK bool log_reader_seek(struct log_reader *r, uint64_t seq, struct error *err);

/* "lacks its newline", for messages; "" for LOG_SOUND. */
const char *log_fault_text(enum log_fault fault);

#endif
