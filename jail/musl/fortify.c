/* fortify.c - glibc's fortify functions for libraries compiled with them and linked with musl: libyaml, libsodium and
 * libseccomp call these three. Each behaves like glibc's, except that it aborts without a message. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int __sprintf_chk(char *out, int flags, size_t size, const char *format, ...);
int __fprintf_chk(FILE *file, int flags, const char *format, ...);
void __explicit_bzero_chk(void *bytes, size_t n, size_t size);

int __sprintf_chk(char *out, int flags, size_t size, const char *format, ...)
{
    va_list args;

    (void)flags;
    va_start(args, format);
    int len = vsnprintf(out, size > INT32_MAX ? INT32_MAX : size, format, args);
    va_end(args);
    if (len >= 0 && (size_t)len >= size) {
        abort();
    }
    return len;
}

int __fprintf_chk(FILE *file, int flags, const char *format, ...)
{
    va_list args;

    (void)flags;
    va_start(args, format);
    int len = vfprintf(file, format, args);
    va_end(args);
    return len;
}

void __explicit_bzero_chk(void *bytes, size_t n, size_t size)
{
    if (n > size) {
        abort();
    }
    explicit_bzero(bytes, n);
}
