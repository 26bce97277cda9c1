/* complain.h - lines for people on standard error.
 *
 * Names from outside are in them, so each line is escaped as a whole (mask.h): nothing in it can begin another line or
 * drive the terminal. */
#ifndef FILTERD_CTL_COMPLAIN_H
#define FILTERD_CTL_COMPLAIN_H

/* "filterctl: " and the line. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The line alone: about an input, which it names first. */
void complain_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Likewise on standard output: a line of a report that has such names in it. */
void print_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
