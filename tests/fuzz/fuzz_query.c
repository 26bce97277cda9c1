/* Any bytes are a query or are refused with a column; a query's canonical text is one, too, and its own. What follows the
 * first newline is matched as a line, where it is JSON. */
#include <stdlib.h>

#include "base/json.h"
#include "query/query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_canonical(const struct query *q, struct span line)
{
    struct error err;
    struct query *again = query_compile(query_canonical(q), 0, &err);

    if (again == NULL || !span_equal(query_canonical(q), query_canonical(again)) ||
        (line.len > 0 && query_matches(q, line) != query_matches(again, line))) {
        abort();
    }
    query_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct span all = span_of((const char *)data, size);
    const char *newline = size == 0 ? NULL : memchr(data, '\n', size);
    size_t len = newline == NULL ? size : (size_t)(newline - all.ptr);
    struct span line = span_slice(all, newline == NULL ? size : len + 1, size);
    struct error err = {0};
    struct query *q = query_compile(span_slice(all, 0, len), INT64_C(1795248000000000000), &err);

    if (q == NULL && strncmp(err.text, "query: ", 7) != 0) {
        abort();
    }
    if (q != NULL) {
        check_canonical(q, line.len > 0 && json_validate(line, &err) ? line : span_of(NULL, 0));
    }
    query_free(q);
    return 0;
}
