/* log_files.h - the files of a decision log, in the order of their lines.
 *
 * filterd's own commands name closed files <log>-<first seq>.jsonl, with .gz or .zst if compressed, but any name is allowed:
 * files are identified by their content. The first line of a file of a proven log has type `log` or
 * `rotation` and the log's origin; the first line of any file of records has the number of that line. One thread at a time. */
#ifndef FILTERD_RECORD_LOG_FILES_H
#define FILTERD_RECORD_LOG_FILES_H

#include "record/checkpoint.h"
#include "record/log_input.h"

enum { LOG_FILES_MAX = 100000 };

struct log_file {
    char *path;
    enum log_compression compression;
    uint64_t first_seq;
    char origin[CHECKPOINT_ORIGIN_MAX + 1]; /* "": the first line names none */
    bool begins_log;                        /* its first line has type `log` */
};

/* Zeroed memory is an empty list. */
struct log_files {
    struct log_file *items;
    size_t n, room;
};
void log_files_deinit(struct log_files *files);

/* Adds one file. INVALID: its first line is no record; NOT_FOUND: it has no whole line. */
MUST_CHECK bool log_files_add(struct log_files *files, const char *path, struct error *err);
/* Adds the regular files of the folder whose first line is a record; all others are passed over. */
MUST_CHECK bool log_files_scan(struct log_files *files, const char *folder, struct error *err);
/* Keeps those of that log, in order. Of files that begin with the same line one stays, an uncompressed one first. */
void log_files_select(struct log_files *files, struct span origin);

/* The number at the start of a line; false when it does not begin as a record does. */
bool log_line_seq(struct span line, uint64_t *seq);
/* The text of a member of the line's object, undecoded; empty when it has none. For names and numbers that filterd itself
 * writes: a member of an object within is not looked at. */
struct span log_line_text(struct span line, const char *name);
/* A line of type prune says that files with lines up to this one were, or are about to be, removed; 0: it is no such line. */
uint64_t log_line_removed(struct span line);

#endif
