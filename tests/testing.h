/* testing.h - cmocka and what it needs, in the order it needs it. */
#ifndef FILTERD_TESTS_TESTING_H
#define FILTERD_TESTS_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
