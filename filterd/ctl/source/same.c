#include "ctl/source/same.h"

#include <string.h>

enum { STEP = 1024, SMALL_STEP = 64 }; /* bytes compared at once */

size_t same_front(const char *a, const char *b, size_t len)
{
    size_t n = 0;

    while (len - n >= STEP && memcmp(a + n, b + n, STEP) == 0) {
        n += STEP;
    }
    while (len - n >= SMALL_STEP && memcmp(a + n, b + n, SMALL_STEP) == 0) {
        n += SMALL_STEP;
    }
    while (n < len && a[n] == b[n]) {
        n++;
    }
    return n;
}

size_t same_end(const char *a, const char *b, size_t len)
{
    size_t n = 0;

    while (len - n >= STEP && memcmp(a - n - STEP, b - n - STEP, STEP) == 0) {
        n += STEP;
    }
    while (len - n >= SMALL_STEP && memcmp(a - n - SMALL_STEP, b - n - SMALL_STEP, SMALL_STEP) == 0) {
        n += SMALL_STEP;
    }
    while (n < len && a[-(ptrdiff_t)n - 1] == b[-(ptrdiff_t)n - 1]) {
        n++;
    }
    return n;
}
