/* file.h - reads whole files up to a limit, and writes files atomically. */
#ifndef FILTERD_BASE_FILE_H
#define FILTERD_BASE_FILE_H

#include <stdio.h>

#include "base/buf.h"

/* Appends the file's bytes; fails with LIMIT when they exceed out's limit. */
MUST_CHECK bool file_read(const char *path, struct buf *out, struct error *err);
/* The same of a folder that others may fill: INVALID for anything but a regular file, without waiting for who would write to a pipe. */
MUST_CHECK bool file_read_regular(const char *path, struct buf *out, struct error *err);
/* The same from an open descriptor, to its end. */
MUST_CHECK bool file_read_fd(int fd, const char *name, struct buf *out, struct error *err);
/* Writes all of it, in as many calls as that takes. False with errno; a part may have been written. */
MUST_CHECK bool file_write_all(int fd, struct span bytes);
/* Writes a temporary file in the same directory, syncs, renames; mode is the file's permission bits. */
MUST_CHECK bool file_write_atomic(const char *path, struct span bytes, unsigned mode,
                                  struct error *err);
/* Creates the directory and its parents, mode 0700. */
MUST_CHECK bool file_make_directory(const char *path, struct error *err);

/* The end of a program that prints on `output`, standard output: `code`; 2, with a line on standard error, when something could not be written. */
int file_end_output(FILE *output, const char *program, int code);

#endif
