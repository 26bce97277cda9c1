#include "http/media_type.h"

#include <strings.h>

bool media_type_is(struct span value, const char *type)
{
    size_t len = strlen(type);

    return value.len >= len && strncasecmp(value.ptr, type, len) == 0 &&
           (value.len == len || strchr("; \t,", value.ptr[len]) != NULL);
}

bool media_type_is_utf8(struct span value)
{
    static const char key[] = "charset=";

    for (size_t i = 0; i + sizeof(key) - 1 <= value.len; i++) {
        if (strncasecmp(value.ptr + i, key, sizeof(key) - 1) != 0) {
            continue;
        }
        struct span charset = span_slice(value, i + sizeof(key) - 1, value.len);
        if (charset.len > 0 && charset.ptr[0] == '"') {
            charset = span_slice(charset, 1, charset.len);
        }
        return charset.len >= 5 && strncasecmp(charset.ptr, "utf-8", 5) == 0;
    }
    return true;
}
