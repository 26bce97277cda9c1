/* token_line.h - filterd --hash-token: a token from standard input becomes its line for the tokens file. */
#ifndef FILTERD_TOKEN_LINE_H
#define FILTERD_TOKEN_LINE_H

#include <stdbool.h>

/* Prints the line to standard output; false: what failed is on standard error. */
bool token_line_print(const char *role, const char *name);

#endif
