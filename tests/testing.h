/* testing.h - cmocka and what it needs, in the order it needs it. */
#ifndef FILTERD_TESTS_TESTING_H
#define FILTERD_TESTS_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Makes a folder of the test's own in $TMPDIR, else /tmp, and writes its path. */
static inline void testing_folder(char *path, size_t size)
{
    const char *temporary = getenv("TMPDIR");
    int len = snprintf(path, size, "%s/filterd-XXXXXX", temporary != NULL ? temporary : "/tmp");

    assert_in_range(len, 1, size - 1);
    assert_non_null(mkdtemp(path));
}

#endif
