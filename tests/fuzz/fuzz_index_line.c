/* fuzz_index_line.c - any line of the log is read within its bounds; a valid one has the members that an iterator finds. */
#include <stdlib.h>

#include "index/index_line.h"
#include "index/line_scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void compare_members(struct json_value container, unsigned depth)
{
    struct json_iterator expected = json_iterate(container);
    struct line_scan found = line_scan_begin(container.raw);
    struct json_value value, other;
    struct span name, other_name;

    while (json_next(&expected, &name, &value)) {
        must(line_scan_next(&found, &other_name, &other));
        must(span_equal(name, other_name) && span_equal(value.raw, other.raw) && value.kind == other.kind);
        if (depth > 0) {
            compare_members(value, depth - 1);
        }
    }
    must(!line_scan_next(&found, &other_name, &other) && !found.has_failed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct span line = span_of((const char *)data, size);
    static struct index_line out;
    struct arena memory;
    struct error err;

    if (size > 65536) {
        return 0;
    }
    arena_init(&memory, 0, 1 << 20);
    if (index_line_read(line, &memory, &out, &err)) {
        must(out.n_keys <= INDEX_KEYS_MAX && out.n_findings <= INDEX_FINDINGS_MAX && out.severity <= 4 && out.action <= INDEX_BLOCK);
        for (unsigned i = 0; i < INDEX_WORDS; i++) {
            must(out.words[i].len <= INDEX_NAME_MAX);
        }
    }
    if (json_validate(line, &err)) {
        compare_members(json_root(line), 8);
    }
    arena_deinit(&memory);
    return 0;
}
