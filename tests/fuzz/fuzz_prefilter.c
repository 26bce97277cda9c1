/* fuzz_prefilter.c - triggers and words find where any pattern matches: the matches are those of
 * PCRE2 alone.
 *
 * The first byte chooses the boundary and what else a rule may say, the first line behind it is the
 * pattern, and the rest is the text. */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "policy/rule.h"
#include "scan/scanner.h"
#include "text/utf8.h"

enum {
    PATTERN_MAX = 96,
    FUZZ_TEXT_MAX = 2048,
    MATCHES_MAX = 4096,
    MATCH_MAX = 512,
    ARENA_MAX = 1 << 16
};

struct matches {
    struct {
        size_t from, to, span_from, span_to;
    } items[MATCHES_MAX];
    size_t n;
    bool is_over_limit; /* then PCRE2 alone reaches its limit at other starts, too */
};

static struct matches with, without;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool keep(void *context, const struct scanner_match *match, struct error *err)
{
    struct matches *m = context;

    m->is_over_limit |= match->is_over_limit;
    if (m->n == MATCHES_MAX || match->is_over_limit) {
        return error_set(err, ERROR_LIMIT, "enough");
    }
    m->items[m->n].from = match->from;
    m->items[m->n].to = match->to;
    m->items[m->n].span_from = match->span_from;
    m->items[m->n++].span_to = match->span_to;
    return true;
}

/* False when the pattern is none, or too much for PCRE2. */
static bool find(const struct scanner_pattern *pattern, bool without_prefilter, struct span text,
                 struct matches *out)
{
    struct view_piece piece;
    struct view view;
    struct error err;
    uint32_t bad;

    out->n = 0;
    out->is_over_limit = false;
    struct scanner *s = scanner_new(pattern, 1, NULL, without_prefilter, &bad, &err);
    struct scanner_scratch *scratch = s == NULL ? NULL : scanner_scratch_new(&err);
    view_raw(text, &piece, &view);
    bool is_done = scratch != NULL && scanner_mark(s, scratch, &view, NULL, &err) &&
                   scanner_confirm(s, scratch, &view, keep, out, &err);
    scanner_scratch_free(scratch);
    scanner_free(s);
    return is_done && !out->is_over_limit;
}

static void show(const char *name, const struct matches *m)
{
    (void)fprintf(stderr, "%s: %zu matches", name, m->n);
    for (size_t i = 0; i < m->n; i++) {
        (void)fprintf(stderr, " %zu-%zu", m->items[i].from, m->items[i].to);
    }
    (void)fprintf(stderr, "\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size < 2 ? NULL : memchr(data + 1, '\n', size - 1);
    size_t len = end == NULL ? 0 : (size_t)(end - data) - 1;

    if (len == 0 || len > PATTERN_MAX || size - len > FUZZ_TEXT_MAX) {
        return 0;
    }
    enum boundary boundary = data[0] % BOUNDARY_COUNT;
    struct arena memory CLEANUP(arena_deinit);
    struct error err;
    struct span text;
    const struct scanner_pattern pattern = {
        .pattern = span_of((const char *)data + 1, len),
        .before = boundary_before(boundary),
        .after = boundary_after(boundary),
        .max_length = data[0] < 128 ? MATCH_MAX : 0, /* 0: what the pattern can match at most */
        .views = 1U << VIEW_RAW,
        .starts_free = boundary != BOUNDARY_NONE && boundary != BOUNDARY_PART,
        .starts_part = boundary == BOUNDARY_PART,
    };
    arena_init(&memory, 0, ARENA_MAX);
    if (!utf8_repair(&memory, span_of((const char *)end + 1, size - len - 2), &text, &err) ||
        !find(&pattern, false, text, &with) || !find(&pattern, true, text, &without)) {
        return 0;
    }
    if (with.n != without.n ||
        memcmp(with.items, without.items, with.n * sizeof(with.items[0])) != 0) {
        show("with", &with);
        show("without", &without);
        abort();
    }
    return 0;
}
